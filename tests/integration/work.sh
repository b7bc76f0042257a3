#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Real work inside, as without a jail: version control, compilers, interpreters, servers; and nothing of it left on the host.
# shellcheck disable=SC2154,SC2016  # set by lib.sh; programs for the shell inside
# shellcheck source=tests/integration/lib.sh
. "$top_srcdir/tests/integration/lib.sh"

limit=60

# Good to have: what is not to be seen inside is not tried.
inside() {
	jail -- sh -c 'for p; do command -v "$p" || exit; done' x "$@" >/dev/null 2>&1
}
cases=56 node=0 npm=0 cargo=0
if inside node; then node=1 cases=$((cases + 2)); fi
if inside node npm; then npm=1 cases=$((cases + 1)); fi
if inside cargo rustc cc && jail -- sh -c 'cargo --version && rustc --version' >/dev/null 2>&1; then cargo=1 cases=$((cases + 1)); fi
[ "$(id -u)" = 0 ] || cases=$((cases + 1))
plan "$cases"
diag "visible inside: node $node, npm $npm, cargo $cargo"

# ---- who and where

m=$(marker)
home_before=$(ls -A "$HOME") run_before=$(ls -A /run 2>/dev/null)

run -- sh -c 'whoami; id -u; echo "$USER $LOGNAME"; getent passwd "$(id -u)" | cut -d: -f1,3,6; echo "$HOME"; cd && pwd -P'
is "$out" "$inner_user
$inner_uid
$inner_user $inner_user
$inner_user:$inner_uid:$(cd && pwd -P)
$HOME
$(cd && pwd -P)" "who the command is: whoami, id, USER, getent, HOME"
at_home='echo "$HOME"; cd && touch new && pwd -P && ls -A; getent passwd "$(id -u)" | cut -d: -f6'
got=$(for h in / // /usr /bin /etc /dev/null /proc/self; do HOME=$h jail -- sh -c "$at_home"; done 2>&1 | sort | uniq -c | sed 's/^ *//')
is "$got" "21 $(realpath /home)/jail
7 new" "a home that is a part of the system is another one inside"
out=$(HOME=/ jail explain -- true 2>&1)
like "$out" "^ *note +the home '/' belongs to the system: inside it is '" "... and explain says so"
HOME=/nonexistent/home run -- sh -c "$at_home"
is "$out" "/nonexistent/home
/nonexistent/home
new
/nonexistent/home" "a home that does not exist does inside"
home=$(getent passwd "$(id -u)" | cut -d: -f6)
is "$(for h in '' . relative; do HOME=$h jail -- sh -c 'echo "$HOME"'; done 2>&1 | uniq -c | sed 's/^ *//')" "3 $home" \
	"an empty or relative HOME is none: passwd's counts"
run -- sh -c 'getent group "$(id -g)" | cut -d: -f3; getent hosts localhost | head -n 1; uname -n; cat /etc/hostname'
like "$out" "^$inner_uid\$|^$(id -g)\$" "the group has an entry"
like "$out" '^(127\.0\.0\.1|::1) ' "localhost resolves"
is "$(echo "$out" | tail -n 2 | tr '\n' ,)" jail,jail, "the host name is jail, by uname and by file"
TZ=JST-9 LANG=C.UTF-8 LC_ALL=C.UTF-8 run -- sh -c 'date -d @0 +%H; locale charmap 2>/dev/null || echo UTF-8; echo "$TZ"'
is "$out" "09
UTF-8
JST-9" "time zone and locale come along"
SECRET_TOKEN=x run -- sh -c 'echo "<$SECRET_TOKEN>"; pwd'
is "$out" "<>
$work" "other variables do not; the directory is the caller's"

# ---- files

run -- sh -c 'echo x >new && mkdir dir && ln new hard && ln -s new soft && mkfifo fifo && chmod 700 dir && mv new dir/ && cat soft hard; ls -ln hard'
is "$(stat -c %u hard),$(stat -c %a dir),$(cat dir/new)" "$(id -u),700,x" "files in the workspace are the caller's own outside"
like "$out" "^-[^ ]+ +2 +$inner_uid " "... and the command's own inside"
run -- sh -c 'cp -a dir copy && touch -d @1000000 copy && rm -r dir && tar cf - copy | tar xf - -C /tmp && ls /tmp/copy && stat -c %Y /tmp/copy'
is "$out" "new
1000000" "cp -a, rm -r, touch -d, tar"
run -- sh -c 'f='"$m"'; for d in "$HOME" /tmp /var/tmp /dev/shm "$XDG_RUNTIME_DIR"; do [ -z "$d" ] || echo x >"$d/$f" || echo "not $d"; done; ls "$HOME" /tmp /dev/shm'
unlike "$out$err" "not |cannot" "home, /tmp, /var/tmp and /dev/shm can be written"
is "$(echo "$out" | grep -c "$m")" 3 "... and read again"
run -- sh -c 'ls -A "$HOME" /tmp /dev/shm' # the workspace is beneath /tmp
is "$(echo "$out" | grep -c "$m")" 0 "... and are empty in the next run"
is "$(find "$HOME" /tmp /var/tmp /dev/shm /run -maxdepth 2 -name "*$m*" 2>/dev/null)" "" "... and nothing of it is on the host"
touch "$scratch/host-file"
run -- sh -c "ls /tmp; ls $scratch; ls /home /root"
unlike "$out" 'host-file|bash_jobs' "the host's /tmp is not to be seen"
run -- sh -c 'head -c 200000000 /dev/zero >/tmp/large && wc -c </tmp/large && rm /tmp/large'
is "$out" 200000000 "200 MB in /tmp"
run --tmp 10M -- sh -c 'head -c 20000000 /dev/zero >/tmp/large'
like "$rc,$err" '^[1-9].*No space left' "... as far as the profile lets it"
run -- sh -c 'flock lock -c "echo locked"; touch /usr/x; touch /etc/x; touch /x; rm -f /usr/bin/env; ls -d /usr/bin/env'
is "$out" "locked
/usr/bin/env" "locks work, the system is read-only"

# ---- git

cat >git.sh <<'E'
set -e
export GIT_AUTHOR_NAME=A GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=A GIT_COMMITTER_EMAIL=a@b
git init -q repo && cd repo
git checkout -q -b main 2>/dev/null || :
echo one >file && git add file && git commit -qm one
git checkout -q -b side && echo two >other && git add other && git commit -qm two
git checkout -q main && echo three >>file && git commit -qam three
git merge -q -m merge side
git gc -q
git clone -q . ../clone
git log --format=%s | sort | tr '\n' ' '
git status --porcelain
E
run -- sh git.sh
is "$rc,$out,$err" "0,merge one three two ," "git: init, commit, branch, merge, gc, clone"
is "$(git -c safe.directory="$work/repo" -C repo log --oneline 2>/dev/null | wc -l)" 4 "... and the host's git agrees"
is "$(find repo ! -user "$(id -u)" | head -n 1)" "" "... about whose files they are"

# ---- C and make

mkdir c
for i in 1 2 3 4 5 6 7 8; do
	printf '#include <stdio.h>\nint f%d(void) { return printf("%d"); }\n' $i $i >c/f$i.c
done
cat >c/main.c <<'E'
int f1(void), f2(void), f3(void), f4(void), f5(void), f6(void), f7(void), f8(void);
int main(void) { return f1() + f2() + f3() + f4() + f5() + f6() + f7() + f8() != 8; }
E
cat >c/Makefile <<'E'
OBJS = main.o f1.o f2.o f3.o f4.o f5.o f6.o f7.o f8.o
all: lib
	./prog
prog: $(OBJS)
	$(CC) -o $@ $(OBJS)
lib: prog
	$(MAKE) libf.a
libf.a: $(OBJS)
	$(AR) rcs $@ $(OBJS)
E
run -- make -s -j4 -C c
is "$rc,$out" "0,12345678" "a C build with make -j, and its program"
cat >threads.c <<'E'
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int sum;

static void *work(void *arg)
{
	(void)arg;
	for (int i = 0; i < 1000; i++) {
		pthread_mutex_lock(&lock);
		sum++;
		pthread_mutex_unlock(&lock);
	}
	return NULL;
}

static void done(int sig)
{
	(void)sig;
}

int main(void)
{
	int *shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	void *code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct timespec soon = { 0, 10000000 };
	struct sigevent ev = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM };
	struct itimerspec when = { .it_value = soon };
	pthread_t t[32];
	timer_t timer;

	for (int i = 0; i < 32; i++)
		if (pthread_create(&t[i], NULL, work, NULL))
			return 1;
	for (int i = 0; i < 32; i++)
		pthread_join(t[i], NULL);
	for (int i = 0; i < 50; i++)
		if (fork() == 0) {
			__atomic_add_fetch(shared, 1, __ATOMIC_SEQ_CST);
			_exit(0);
		}
	while (wait(NULL) > 0)
		;
	signal(SIGALRM, done);
	if (timer_create(CLOCK_MONOTONIC, &ev, &timer) || timer_settime(timer, 0, &when, NULL))
		return 2;
	pause();
	printf("%d %d %s\n", sum, *shared, code == MAP_FAILED ? "no jit" : "jit");
	return 0;
}
E
run -- sh -c 'cc -O1 -pthread -o threads threads.c -lrt && ./threads'
is "$rc,$out" "0,32000 50 jit" "threads, forks, shared memory, timers, memory for a JIT"
run -- sh -c 'if cc -g -fsanitize=address -o asan threads.c -pthread -lrt 2>/dev/null; then ASAN_OPTIONS=detect_leaks=0 ./asan; else ./threads; fi'
is "$rc,$out" "0,32000 50 jit" "the address sanitizer, where there is one"
run --seccomp debug -- sh -c 'if test -e asan; then ./asan; else ./threads; fi'
is "$rc,$out" "0,32000 50 jit" "... and its search for leaks, which traces, with seccomp = debug"

# ---- interpreters

run -- sh -c 'python3 -m venv venv && venv/bin/python -c "import sys; print(sys.prefix)" && venv/bin/python -m pip --version'
is "$rc,$(echo "$out" | head -n 1)" "0,$work/venv" "python3 -m venv, and what it made"
like "$out" '^pip [0-9]' "... with pip"
cat >multi.py <<'E'
import asyncio, mmap, multiprocessing, os, selectors, sqlite3, subprocess, tempfile, threading

def square(x):
	return x * x

if __name__ == "__main__":
	with multiprocessing.Pool(4) as pool:
		print(sum(pool.map(square, range(100))))
	db = sqlite3.connect("db.sqlite")
	db.execute("pragma journal_mode=wal")
	db.execute("create table t (x)")
	db.executemany("insert into t values (?)", [(i,) for i in range(1000)])
	db.commit()
	print(db.execute("select count(*) from t").fetchone()[0])

	async def main():
		p = await asyncio.create_subprocess_exec("echo", "async", stdout=asyncio.subprocess.PIPE)
		out, _ = await p.communicate()
		return out.decode().strip()

	print(asyncio.run(main()))
	with tempfile.TemporaryFile() as f:
		f.truncate(1 << 20)
		with mmap.mmap(f.fileno(), 0) as m:
			m[5:10] = b"hello"
			print(m[5:10].decode())
	print(subprocess.run(["ps", "-e", "-o", "comm="], capture_output=True, text=True).stdout.count("\n") < 10)
	print(os.cpu_count() >= 1, len(os.sched_getaffinity(0)) >= 1, len(os.urandom(16)), os.getloadavg() is not None)
E
run -- python3 multi.py
is "$rc,$out" "0,328350
1000
async
hello
True
True True 16 True" "python: processes, sqlite, asyncio, mmap, ps"
run -- sh -c 'perl -e "print join(q(,), map { \$_ * 2 } 1 .. 3)" && awk "BEGIN { printf \" %d\", 6 * 7 }" </dev/null'
is "$out" "2,4,6 42" "perl and awk"
if [ "$node" = 1 ]; then
	run -- node -e 'const w = new (require("worker_threads").Worker)("require(`worker_threads`).parentPort.postMessage(6 * 7)", { eval: true }); w.on("message", (x) => console.log(x, require("os").cpus().length > 0))'
	is "$rc,$out,$err" "0,42 true," "node, with a worker thread"
	run -- node -e 'require("http").createServer((q, r) => r.end("served")).listen(8123, "127.0.0.1", () => fetch("http://127.0.0.1:8123/").then((r) => r.text()).then((t) => { console.log(t); process.exit() }))'
	is "$rc,$out" "0,served" "node's http and fetch on localhost"
fi
if [ "$npm" = 1 ]; then
	run -- sh -c 'mkdir app && cd app && npm init -y >/dev/null && npm pkg set scripts.hi="node -p 1+1" && npm run -s hi'
	is "$rc,$out,$(grep -c '"name": "app"' app/package.json)" "0,2,1" "npm init and npm run, offline"
fi
if [ "$cargo" = 1 ]; then
	run -- sh -c 'cargo new --quiet --vcs none crate && cd crate && cargo build --quiet --offline && ./target/debug/crate'
	is "$rc,$out" "0,Hello, world!" "cargo build"
fi

# ---- servers inside

cat >tcp.py <<'E'
import os, socket, threading

for family, address in (socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::1"):
	server = socket.create_server((address, 0), family=family)
	threading.Thread(target=lambda: server.accept()[0].sendall(b"served")).start()
	client = socket.create_connection(server.getsockname()[:2], timeout=5)
	print(client.recv(100).decode())
udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
udp.bind(("127.0.0.1", 0))
socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"datagram", udp.getsockname())
print(udp.recv(100).decode())
for path in "sock", "/tmp/sock", "\0abstract":
	unix = socket.socket(socket.AF_UNIX)
	unix.bind(path)
	unix.listen()
	socket.socket(socket.AF_UNIX).connect(path)
	unix.accept()[0].close()
	print("unix")
try:
	socket.create_connection(("192.0.2.1", 80), timeout=5)
except OSError as e:
	print("no way out" if e.errno in (101, 111, 113) else e)
E
run -- python3 tcp.py
is "$rc,$out" "0,served
served
datagram
unix
unix
unix
no way out" "TCP, UDP and unix sockets inside, and none to the outside"
rm -f sock
bind='import os, socket, time; s = socket.create_server(("127.0.0.1", 8124)); print("bound"); open("up", "w").close()'
jail -- python3 -c "$bind; time.sleep(20)" >/dev/null 2>&1 &
until_true 10 test -e up
run -- python3 -c "$bind"
is "$out" bound "two jails have the same port"
kill $!
wait $! 2>/dev/null

# ---- what people's tools look at

run -- sh -c 'ps -e -o pid= -o comm= | wc -l; cat /proc/meminfo | grep -c MemTotal; nproc; df -P /tmp >/dev/null && echo df; mount >/dev/null && echo mount; free >/dev/null 2>&1; uptime >/dev/null && echo uptime'
is "$(echo "$out" | sed -n '2p;4,$p' | tr '\n' ' ')" "1 df mount uptime " "meminfo, df, mount, uptime"
ok "... ps shows the jail's own processes only" test "$(echo "$out" | head -n 1)" -lt 10
run -- sh -c 'find / -xdev -maxdepth 2 >/dev/null'
is "$rc,$err" "0," "find / has nothing to complain about"
run -- sh -c 'ls -l / /dev /etc >/dev/null; ls -d /sys /boot /mnt /root/.ssh 2>/dev/null'
is "$err" "" "ls -l / has nothing to complain about"
run -- sh -c 'test -r /run/jail/policy.txt && head -c 7 /run/jail/policy.txt; echo x >>/run/jail/policy.txt'
is "$out,$(echo "$err" | grep -c -i 'read-only\|denied')" "Command,1" "the policy can be read inside, not changed"
run -- sh -c 'env | cut -d= -f1 | sort | tr "\n" " "'
unlike "$out" 'XDG_CONFIG_HOME|top_srcdir|JAIL|MAKE' "the environment has only what was listed"
like "$out" 'HOME .*IS_SANDBOX .*PATH ' "... and IS_SANDBOX, from the agent profile"
run -- sh -c 'IFS=:; for d in $PATH; do test -d "$d" || echo "$d"; done'
is "$out" "" "every directory of PATH exists"
run -- bash -c 'ulimit -n; ulimit -c; exec 3<>/dev/tcp/127.0.0.1/1' 2>/dev/null
isnt "$rc" 0 "a port nobody listens on refuses"
run -- sh -c 'for i in 1 2 3 4 5 6 7 8; do (dd if=/dev/zero bs=1M count=20 2>/dev/null | sha256sum >/dev/null) & done; wait; echo all'
is "$out" all "many processes at once"
mkdir "a dir with spaces" "$(printf 'n\303\244me')"
for d in "a dir with spaces" "$(printf 'n\303\244me')"; do
	out=$(cd "$d" && jail -- sh -c 'pwd; echo x >f' 2>&1)
	is "$out,$(cat "$d/f")" "$work/$d,x" "a workspace called '$d'"
done
mkdir sub
out=$(cd sub && jail --workspace .. -- sh -c 'pwd; touch ../above' 2>&1)
is "$out,$(ls above)" "$work/sub,above" "the workspace may be above the current directory"
mkdir closed
chmod 0 closed
if [ "$(id -u)" != 0 ]; then # who may enter any
	run --workspace closed -- true
	is "$rc,$err" "125,jail: --workspace 'closed': Permission denied" "a workspace that its caller cannot enter"
fi
rmdir closed
run --workspace-mode ro -- sh -c 'cat git.sh >/dev/null && touch nothing'
is "$rc,$(ls nothing 2>/dev/null)" "1," "a read-only workspace"
for p in agent build offline; do
	run --profile "$p" -- sh -c 'cc -o p c/f1.c c/main.c c/f?.o 2>/dev/null; make -s -C c clean 2>/dev/null; echo ok'
	is "$rc,$out" "0,ok" "the shipped profile '$p' works"
done
run --profile strict -- sh -c 'cat git.sh | wc -l; python3 -c "print(6 * 7)"'
is "$rc,$(echo "$out" | tail -n 1)" "0,42" "the shipped profile 'strict' runs programs"

# ---- and afterwards

rm -f "$scratch/ok.log"

is "$(ls -A "$HOME")" "$home_before" "the home is as before"
is "$(ls -A /run 2>/dev/null)" "$run_before" "/run is as before"
is "$(grep -c "$scratch" /proc/self/mountinfo)" 0 "no mount is left"
is "$(find "$scratch" -mindepth 1 -maxdepth 1 | sed 's|.*/||' | sort | tr '\n' ' ')" "config err host-file out work " "nothing was made beside the workspace"
