#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Flaws of the launcher itself: RT-01 to RT-05, RT-07, RT-09, RT-10. (RT-06 needs a verb that jail does not have; RT-08 is tests/fault.)
# shellcheck disable=SC2154,SC2034,SC2016  # set, or read, by escape-lib.sh; programs for the shell inside
# shellcheck disable=SC2012,SC2002,SC3045,SC2015
# shellcheck source=tests/integration/escape-lib.sh
. "$top_srcdir/tests/integration/escape-lib.sh"

binary_before=$(cksum <"$JAIL")
mkdir "$scratch/secret"
echo "$nonce" >"$scratch/secret/key"

# RT-01 -- a directory to start in that is, or leads, outside.
ln -s "$scratch/secret" way-out
mkdir sub
for dir in /proc/self/fd/9 /proc/self/cwd/../secret way-out ../secret sub/../../secret "$scratch/secret" nothing; do
	exec 9<"$scratch/secret"
	run --chdir "$dir" -- sh -c 'pwd; ls -a; cat key'
	exec 9<&-
	is "$rc" 125 "RT-01 --chdir $(echo "$dir" | sed "s|$scratch|...|") is refused"
	unlike "$out" "$nonce|key" "RT-01 --chdir $(echo "$dir" | sed "s|$scratch|...|") shows nothing"
done
for dir in / /proc/self/root /proc/1/root /proc/self/cwd; do
	run --chdir $dir -- sh -c 'cat key; ls -a /sys "$0"' "$scratch/secret"
	unlike "$out" "$nonce|key|class" "RT-01 --chdir $dir leads to no directory of the host"
done
run --chdir .. -- sh -c 'ls -a | tr "\n" " "'
is "$out" '. .. work ' "RT-01 --chdir .. is a private directory that holds the workspace alone"
run --chdir sub -- sh -c 'pwd; readlink /proc/self/cwd'
is "$out" "$work/sub
$work/sub" "RT-01 control: a directory of the workspace is entered"
exec 9<"$scratch/secret"
is "$(cd /proc/self/fd/9 && cat key)" "$nonce" "RT-01 control: a changed directory alone follows the descriptor"
exec 9<&-
mkdir gone
(cd gone && rmdir ../gone && run -- true && echo "rc $rc") >"$scratch/gone"
is "$(cat "$scratch/gone")" 'rc 125' "RT-01 a working directory that was removed is refused"

# RT-02
refused 'EACCES|EPERM' "RT-02 /proc/1/exe cannot be opened for writing" open w /proc/1/exe
refused 'EACCES|EPERM' "RT-02 nor for reading" open r /proc/1/exe
run -- sh -c './probe open rw /proc/self/exe; cp /bin/sh mine; ./mine -c "./probe open rw /proc/\$\$/exe"; ./probe open w /proc/$$/exe'
is "$(printf '%s\n' "$out" | awk '$3 != "ETXTBSY" && $3 != "EROFS" && $3 != "EACCES"')" '' "RT-02 no program that runs can be written"
cp "$probe" own-copy
is "$(host open w "$work/own-copy")" OK "RT-02 control: one that does not run can"
printf '#!/proc/self/exe\n' >magic
chmod +x magic
run -- ./magic
isnt "$rc" 0 "RT-02 #!/proc/self/exe runs nothing"
run --workspace "$(dirname "$JAIL")" -- true
is "$rc" 125 "RT-02 a workspace that holds jail's helpers is refused"
mkdir bindir
cp "$JAIL" bindir/jail
(cd bindir && timeout 20 ./jail -- sh -c 'echo evil >new; mv new jail') 2>/dev/null
is "$(cksum <bindir/jail)" "$binary_before" "RT-02 and so is one that holds the program itself: it cannot be replaced"
todo=''

# RT-03 -- a file that was given for reading, and one for appending.
echo "$nonce" >"$scratch/input"
echo "first line" >"$scratch/log"
cat >reopen <<'END'
exec 3>&2
for how in w rw a; do ./probe open $how /proc/self/fd/0; done >&3
echo evil >/proc/self/fd/0
echo evil >/dev/stdin
for fd in 0 1; do ./probe ftruncate $fd; done >&3
python3 -c 'import os
for fd in 0, 1:
    try: os.ftruncate(fd, 0); print("truncated", fd)
    except OSError as e: print("kept", fd)
    try: os.pwrite(fd, b"evil", 0); print("written", fd)
    except OSError as e: print("kept", fd)' >&3
: >/proc/self/fd/1
echo appended
END
jail -- sh ./reopen <"$scratch/input" >>"$scratch/log" 2>"$scratch/err"
is "$(cat "$scratch/input")" "$nonce" "RT-03 a file given as stdin is as it was"
like "$(head -n 1 "$scratch/log")" '^first line$' "RT-03 a log that is appended to keeps what it had"
like "$(cat "$scratch/log")" '^appended$' "RT-03 and gets what is said"
unlike "$(cat "$scratch/err")" '^(truncated|written)' "RT-03 neither could be truncated or written in the middle"
cp "$scratch/input" "$scratch/input2"
cp "$scratch/log" "$scratch/log2"
sh ./reopen <"$scratch/input2" >>"$scratch/log2" 2>"$scratch/err"
isnt "$(cat "$scratch/input2") $(head -n 1 "$scratch/log2")" "$nonce first line" "RT-03 control: without jail both are changed"
# A pipe is a file too: what is read from it could be written, and what is written read. A shell that takes its script from a pipe would
# obey; a neighbour's output could be stolen.
cat >"$scratch/script" <<END
timeout 3 "$JAIL" -- sh -c 'echo "echo obeyed" >/proc/self/fd/0; echo "echo obeyed" >/dev/stdin; echo "echo obeyed" >&0' 2>/dev/null
echo end
END
obeyed=$(cat "$scratch/script" | sh 2>/dev/null)
is "$obeyed" end "RT-03 what is written into a pipe given as stdin goes to nobody"
todo=''
sed 's|^timeout.* -- sh|sh|' "$scratch/script" >"$scratch/script2"
like "$(cat "$scratch/script2" | sh 2>/dev/null)" obeyed "RT-03 control: without jail the shell obeys"
stolen=$({
	echo "$nonce"
	timeout 20 "$JAIL" -- sh -c 'timeout 1 head -n 1 </proc/self/fd/1 >stolen; timeout 1 head -n 1 </dev/stdout >>stolen' 2>/dev/null
} | {
	sleep 0.5
	cat
})
is "$stolen $(cat stolen)" "$nonce " "RT-03 what others wrote into a pipe given as stdout cannot be read"
todo=''
{
	echo "$nonce"
	sh -c 'timeout 1 head -n 1 </proc/self/fd/1 >stolen2'
} | {
	sleep 0.3
	cat >/dev/null
}
is "$(cat stolen2)" "$nonce" "RT-03 control: without jail it is"

# RT-04 -- words that look like options.
for word in --bind --share-net --ro-bind --network=host -u0 --help -h --version -- -; do
	run -- "$word"
	is "$rc" 127 "RT-04 a command called $word is a command that is not there"
done
mkdir -- --ro-bind --network=host
(cd ./--ro-bind && run -- pwd && echo "$rc $out") >"$scratch/named"
is "$(cat "$scratch/named")" "0 $work/--ro-bind" "RT-04 a workspace called --ro-bind is a workspace"
run --workspace ./--network=host -- sh -c 'pwd; ls /sys/class/net 2>/dev/null; cat /proc/net/dev | wc -l'
is "$out" "$work/--network=host
3" "RT-04 one called --network=host brings no network"
run -- sh -c 'echo "$@"' sh --network host --rw / -- x
is "$out" '--network host --rw / -- x' "RT-04 what follows the command is the command's"
printf '[files]\nro = /nonexistent\nrw = %s\n' "$scratch/secret" >"$scratch/three"
for bad in "$(printf '[env]\nset = A=b\rrw = /')" "$(printf '[env]\nset = A=b\001')" "$(printf '[files]\nrw = x\033')" '[files]
rw = /' '[nonsense]' '[network]
mode = hos'; do
	printf '%s\n' "$bad" >bad.ini
	run --profile ./bad.ini -- true
	is "$rc" 125 "RT-04 a profile with $(printf '%s' "$bad" | tail -n 1 | tr -c 'a-zA-Z0-9 =[]/' '?') is refused"
done
printf '[network]\nmode = none\0\nmode = host\n' >nul.ini
run --profile ./nul.ini -- true
is "$rc" 125 "RT-04 a profile with a NUL is refused"
run --set "A=b
PATH=/evil" -- sh -c 'echo "$PATH"'
unlike "$out" '^/evil$' "RT-04 a line break in a value makes no second variable"

# RT-05 -- helpers by that name in a directory that the command may write, first in PATH.
mkdir bin
for helper in newuidmap newgidmap nft ip mount umount bwrap pasta jail-filter jail-gate jail-unpack systemd-run unshare sh true; do
	printf '#!/bin/sh\necho ran >>%s\n' "$scratch/ran" >bin/$helper
	chmod +x bin/$helper
done
old_path=$PATH
PATH=$work/bin:$PATH "$JAIL" --allow-syscall kcmp -- /bin/cat /dev/null 2>/dev/null
PATH=$work/bin:$PATH "$JAIL" --memory 1G -- /bin/cat /dev/null 2>/dev/null
PATH=$work/bin:$PATH "$JAIL" doctor >/dev/null 2>&1
PATH=$work/bin:$PATH "$JAIL" explain >/dev/null 2>&1
PATH=$old_path
is "$(cat "$scratch/ran" 2>/dev/null)" '' "RT-05 jail runs nothing that it finds by PATH"
PATH=$work/bin:$PATH sh -c 'nft' 2>/dev/null
is "$(cat "$scratch/ran" 2>/dev/null)" ran "RT-05 control: a shell does"
run --set LD_PRELOAD=./evil.so --set LD_LIBRARY_PATH=. --set GCONV_PATH=. -- sh -c 'echo ran 2>/dev/null'
is "$rc" 0 "RT-05 LD_PRELOAD for the command does not reach the launcher"
unlike "$(LD_PRELOAD=./none.so LD_LIBRARY_PATH=/evil GCONV_PATH=/evil BASH_ENV=x run -- env 2>/dev/null; echo "$out")" 'LD_|GCONV|BASH_ENV' "RT-05 the caller's are not passed on"

# RT-07 -- the workspace does not decide.
for name in .jail.ini jail.ini jail.toml default.ini agent.ini .jail/profiles/default.ini .config/jail/profiles/default.ini profiles/default.ini; do
	mkdir -p "$(dirname $name)"
	printf '[network]\nmode = host\n[files]\nrw = %s\n' "$scratch/secret" >$name
done
run -- sh -c 'cat "$0/key"; wc -l </proc/net/dev' "$scratch/secret"
is "$rc $out" '0 3' "RT-07 a profile in the workspace is not read"
run --profile default -- sh -c 'wc -l </proc/net/dev'
is "$out" 3 "RT-07 nor when its name is used"
run --profile jail -- true
is "$rc" 125 "RT-07 nor is one looked for here"
run --profile ./jail.ini -- cat "$scratch/secret/key"
is "$out" "$nonce" "RT-07 control: named with a slash it is read"
(cd / && run -- true && echo "$rc") >"$scratch/refused"
(cd "$HOME" && run -- true && echo "$rc") >>"$scratch/refused"
(cd "$(dirname "$HOME")" && run -- true && echo "$rc") >>"$scratch/refused"
is "$(sort -u "$scratch/refused")" 125 "RT-07 /, the home and what holds it are refused as a workspace"
for dir in "$config" "$scratch/config" "$scratch"; do
	run --workspace "$dir" -- true
	is "$rc" 125 "RT-07 a workspace that holds jail's profiles is refused ($(echo "$dir" | sed "s|$scratch|...|"))"
	run --rw "$dir" -- true
	is "$rc" 125 "RT-07 and so is --rw of it"
done
# A profile that is used from here cannot be changed for the next time, however it is reached.
mkdir conf
printf '[network]\nmode = none\n' >plain.ini
printf '[network]\nmode = none\n' >conf/deep.ini
printf '[network]\nmode = none\n' >"$scratch/elsewhere.ini"
ln -s "$scratch/elsewhere.ini" linked.ini
sum=$(cat plain.ini conf/deep.ini "$scratch/elsewhere.ini" | cksum)
for used in plain.ini conf/deep.ini linked.ini; do
	cp -p "$scratch/three" new.ini
	run --profile ./$used -- sh -c 'echo evil >>$0; cp new.ini $0; mv new.ini $0; rm -f $0; ln -sf new.ini $0; case $0 in *conf*) mv conf conf.old && mkdir conf && echo evil >conf/deep.ini ;; esac; :' ./$used
	is "$(cat plain.ini conf/deep.ini linked.ini 2>&1 | cksum)" "$sum" "RT-07 the profile in use cannot be replaced ($used)"
	todo=''
	[ ! -d conf.old ] || { rm -rf conf && mv conf.old conf; }
	[ "$(readlink linked.ini)" = "$scratch/elsewhere.ini" ] || { rm -f linked.ini && ln -s "$scratch/elsewhere.ini" linked.ini; }
done

# RT-09 -- nothing to ask for more, and no way to be more.
cp "$JAIL" inner-jail
mkdir inner
printf '[network]\nmode = none\n' >inner.ini # the shipped ones are not there
JAIL_DISABLE=1 JAIL_UNSAFE=1 run -- sh -c 'JAIL_DISABLE=1 ./inner-jail --workspace inner --profile ./inner.ini --network host -- echo wider || echo refused; env | grep ^JAIL_'
is "$out" refused "RT-09 a jail in a jail does not start, and no variable switches it off"
case $who in
root) like "$err" 'openat2' "RT-09 because root's command has no openat2" ;;
*) like "$err" 'namespaces' "RT-09 because there are no namespaces to be had" ;;
esac
is "$(timeout 20 ./inner-jail --workspace inner --profile ./inner.ini -- echo started)" started "RT-09 control: outside the same one starts"
run -- sh -c 'cat /proc/net/tcp /proc/net/tcp6 /proc/net/udp | grep -vc local_address; grep -vc Num /proc/net/unix; find / -xdev -type s 2>/dev/null | grep -v "^$PWD" | wc -l'
is "$(printf '%s\n' "$out" | tr '\n' ' ')" '0 0 0 ' "RT-09 nothing listens inside, and there is no socket to connect to"

# RT-10 -- what the workspace holds is not read by the launcher: names it might look for, each a FIFO that would hold it up.
mkdir hostile
(
	cd hostile || exit
	for name in passwd group nsswitch.conf .jail.ini default.ini jail.ini ld.so.cache locale.alias; do mkfifo $name; done
	mkdir etc
	mkfifo etc/passwd etc/nsswitch.conf
	i=0
	while [ $i -lt 60 ]; do
		mkdir "ddddddddddddddddddddddddddddddd" && cd ddddddddddddddddddddddddddddddd || break
		i=$((i + 1))
	done
)
cd hostile || exit
limit=2
run -- sh -c 'echo started; id -un'
limit=20
cd ..
is "$rc $out" "0 started
$inner_user" "RT-10 a start among FIFOs, links and deep directories takes no longer"
timeout 1 cat hostile/passwd
is "$?" 124 "RT-10 control: who reads one of them waits"
LC_ALL=../../evil LANG=../evil TZ=:../../evil NLSPATH=./%N LOCPATH=. HOSTALIASES=./x run -- true
is "$rc" 0 "RT-10 the caller's locale and time zone load nothing from here"

is "$(cksum <"$JAIL")" "$binary_before" "RT-02 the jail binary is as it was"
is "$(cat "$scratch/secret/key")" "$nonce" "RT the canary is as it was"
finish
