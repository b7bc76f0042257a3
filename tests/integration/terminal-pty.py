#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The part of terminal.sh that needs every byte and every setting of the outer terminal. Prints "pass NAME" or "fail NAME: why"."""

import fcntl
import itertools
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
import tty

JAIL = os.environ["JAIL"]
PROMPT = b"PROMPT% "


class Terminal:
	"""A terminal with a program in it, which leads its session."""

	def __init__(self, argv, size=(24, 80)):
		self.seen = b""
		self.status = None
		self.pid, self.fd = pty.fork()
		if self.pid == 0:
			fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", size[0], size[1], 0, 0))
			os.environ["PS1"] = PROMPT.decode()
			os.environ["TERM"] = "xterm"
			os.environ["HISTFILE"] = ""  # the home is the caller's own
			os.execvp(argv[0], argv)

	def pump(self, seconds):
		ready, _, _ = select.select([self.fd], [], [], seconds)
		if not ready:
			return True
		try:
			part = os.read(self.fd, 65536)
		except OSError:
			part = b""
		self.seen += part
		return bool(part)

	def until(self, pattern, seconds=10):
		"""Wait for a regular expression in what was not looked at yet; what came up to its end, or None."""
		end = time.monotonic() + seconds
		while True:
			found = re.search(pattern, self.seen, re.S)
			if found:
				out, self.seen = self.seen[: found.end()], self.seen[found.end() :]
				return out
			if time.monotonic() > end or not self.pump(0.05):
				if not re.search(pattern, self.seen, re.S):
					return None

	def send(self, data):
		os.write(self.fd, data)

	def command(self, line, seconds=10):
		"""Type a line at the shell's prompt; what it printed."""
		self.send(line.encode() + b"\n")
		out = self.until(re.escape(PROMPT), seconds)
		return None if out is None else out[: -len(PROMPT)].replace(line.encode(), b"", 1).strip()

	def settings(self):
		return termios.tcgetattr(self.fd)

	def raw(self):
		return not self.settings()[3] & termios.ICANON

	def wait(self, seconds=10):
		end = time.monotonic() + seconds
		while time.monotonic() < end:
			self.pump(0.02)
			pid, status = os.waitpid(self.pid, os.WNOHANG)
			if pid:
				while select.select([self.fd], [], [], 0)[0] and self.pump(0):
					pass
				self.status = os.waitstatus_to_exitcode(status)
				return self.status
		return None

	def close(self):
		try:
			os.kill(self.pid, signal.SIGKILL)
			os.waitpid(self.pid, 0)
		except (ProcessLookupError, ChildProcessError):
			pass
		os.close(self.fd)


def shell():
	"""An interactive shell without line editing, so that the settings are the terminal's own at the prompt."""
	t = Terminal(["bash", "--norc", "--noprofile", "--noediting", "-i"])
	t.until(re.escape(PROMPT))
	return t


def same(got, want):
	assert got == want, "got %.300r, want %.300r" % (got, want)


def wait_for(what, seconds=10):
	end = time.monotonic() + seconds
	while not what():
		assert time.monotonic() < end, "timed out"
		time.sleep(0.02)


def children_of(pid):
	with open("/proc/%d/task/%d/children" % (pid, pid)) as f:
		return [int(child) for child in f.read().split()]


def child_of(pid):
	return children_of(pid)[0]


def state(pid):
	with open("/proc/%d/stat" % pid) as f:
		return f.read().rpartition(")")[2].split()[0]


def run(*command, options=(), send=None):
	"""jail in a terminal, alone; (exit status, bytes that reached the terminal)"""
	t = Terminal([JAIL, *options, "--", *command])
	try:
		if send is not None:
			assert t.until(b"ready\r\n"), "never ready: %r" % t.seen
			t.send(send)
		assert t.wait() is not None, "hangs: %.300r" % t.seen
		return t.status, t.seen
	finally:
		t.close()


# ---- what passes, and what does not

NASTY = {
	"OSC 52 (clipboard)": b"\033]52;c;ZXZpbA==\007",
	"OSC 52, ended by ST": b"\033]52;c;ZXZpbA==\033\\",
	"DCS (a request)": b"\033P+q544e\033\\",
	"window report": b"\033[21t",
	"a key that is programmed": b"\033P0;1|17/6c730a\033\\",
	"APC": b"\033_evil\033\\",
	"PM": b"\033^evil\033\\",
	"8-bit OSC 52": "\x9d52;c;ZXZpbA==\x9c".encode(),
}


def test_filter():
	for name, sequence in NASTY.items():
		_, out = run("sh", "-c", "printf '<%b>\\n' \"$1\"", "x", "".join("\\%04o" % b for b in sequence))
		# Without its first byte what follows an 8-bit one is text.
		harmless = sequence not in out and (sequence[0] != 0o33 or (b"ZXZp" not in out and b"evil" not in out))
		assert harmless, "%s reached the terminal: %r" % (name, out)
		assert b"<" in out and b">" in out, "%s took its neighbours with it: %r" % (name, out)


def test_raw():
	for name, sequence in NASTY.items():
		_, out = run("sh", "-c", "printf '<%b>\\n' \"$1\"", "x", "".join("\\%04o" % b for b in sequence), options=["--escapes", "raw"])
		assert b"<" + sequence + b">" in out, "%s did not pass: %r" % (name, out)


def test_filter_split():
	_, out = run("sh", "-c", "printf '<\\033]'; sleep 0.1; printf '52;c;'; sleep 0.1; printf 'ZXZpbA=='; sleep 0.1; printf '\\007>\\n'")
	assert b"ZXZp" not in out and b"\033]" not in out and b">" in out, repr(out)


def test_filter_on_stderr():
	_, out = run("sh", "-c", "printf '<\\033]52;c;ZXZpbA==\\007>\\n' >&2; printf '<\\033]52;c;ZXZpbA==\\007>\\n' >/dev/tty")
	assert b"ZXZp" not in out and out.count(b"<>") == 2, repr(out)


def test_harmless_passes():
	text = "\033[1;31mred\033[0m \033[2J\033[H\033[5;10Hat \u00e4\u20ac\U0001f600 \033[?25l\033[?25h\033(B\t|"
	_, out = run("printf", "%s", text)
	assert text.encode() in out, repr(out)


def test_large_output():
	status, out = run("sh", "-c", "seq 1 200000")
	same(status, 0)
	same(out, b"".join(b"%d\r\n" % i for i in range(1, 200001)))


# ---- input

def test_input():
	status, out = run("sh", "-c", "echo ready; read -r line; echo \"<$line>\"", send=b"hello world\n")
	same((status, out), (0, b"hello world\r\n<hello world>\r\n"))


def test_end_of_file():
	status, out = run("sh", "-c", "echo ready; cat; echo end", send=b"x\n\004")
	same((status, out), (0, b"x\r\nx\r\nend\r\n"))


def test_large_input():
	n = 300000
	t = Terminal([JAIL, "--", "sh", "-c", "stty raw -echo; echo ready; head -c %d | sha256sum; stty sane" % n])
	try:
		data = bytes(33 + i % 90 for i in range(n))
		assert t.until(b"ready"), repr(t.seen)
		os.set_blocking(t.fd, False)
		while data:
			try:
				data = data[os.write(t.fd, data[:4096]) :]
			except BlockingIOError:
				t.pump(0.01)
		import hashlib

		want = hashlib.sha256(bytes(33 + i % 90 for i in range(n))).hexdigest().encode()
		assert t.until(want), "not all of it came: %r" % t.seen
	finally:
		t.close()


def test_interrupt():
	status, out = run("sh", "-c", "trap 'echo interrupted; exit 9' INT; echo ready; while :; do sleep 0.02; done", send=b"\003")
	same(status, 9)
	assert b"interrupted" in out, repr(out)
	same(run("sh", "-c", "echo ready; exec sleep 20", send=b"\003")[0], -signal.SIGINT)
	same(run("sh", "-c", "ulimit -c 0; echo ready; exec sleep 20", send=b"\034")[0], 131)


def test_terminal_is_its_own():
	t = Terminal([JAIL, "--", "sh", "-c", "tty; ls /dev/pts; stty size; test -t 0 -a -t 1 -a -t 2 && echo three"], (33, 101))
	try:
		same(t.wait(), 0)
		same(t.seen, b"/dev/pts/0\r\n0  ptmx\r\n33 101\r\nthree\r\n")
	finally:
		t.close()


# ---- the outer terminal is as it was found

def restored(line, before=None, check=None):
	"""Run a line in an interactive shell; the settings afterwards must be those of before."""
	t = shell()
	try:
		t.command("stty -ixon intr ^X susp ^Y")  # as nobody else would leave it
		settings = t.settings()
		t.send(line.encode() + b"\n")
		if before:
			before(t)
		out = t.until(re.escape(PROMPT))
		assert out is not None, "no prompt: %r" % t.seen
		same(t.settings(), settings)
		if check:
			check(t, out)
	finally:
		t.close()


def test_restored_at_the_end():
	restored(JAIL + " -- stty raw -echo")
	restored(JAIL + " -- true")
	restored(JAIL + " -- sh -c 'exit 3'")
	restored(JAIL + " -- none-such-program")
	restored(JAIL + " --ro /none/such -- true")


def test_settings_come_along():
	restored(JAIL + " -- stty -a", check=lambda t, out: same(b"-ixon" in out and b"intr = ^X" in out, True))


def test_restored_after_a_kill():
	restored(JAIL + " -- sh -c 'stty raw; kill -9 $$'")
	restored(JAIL + " -- sh -c 'stty raw -echo; kill -TERM 0; sleep 20'")
	restored(JAIL + " --time 300ms --grace 200ms -- sh -c 'stty raw; trap \"\" TERM; sleep 20'")


def test_restored_after_sigterm():
	for command in ("sleep 20", "sh -c 'stty raw -echo; exec sleep 20'"):
		def kill(t):
			wait_for(t.raw)
			time.sleep(0.1)
			os.kill(child_of(t.pid), signal.SIGTERM)
		restored(JAIL + " -- " + command, before=kill)


def test_raw_meanwhile():
	t = shell()
	try:
		settings = t.settings()
		t.send((JAIL + " -- sh -c 'echo go; read x'\n").encode())
		t.until(b"\ngo\r\n")
		assert t.raw(), "the outer terminal would echo and edit on its own"
		t.send(b"x\n")
		t.until(re.escape(PROMPT))
		same(t.settings(), settings)
	finally:
		t.close()


def test_modes_undone():
	_, out = run("printf", "\\033[?1049h\\033[?1000h\\033[?2004h\\033[?25l")
	for off in (b"\033[?1049l", b"\033[?1000l", b"\033[?2004l", b"\033[?25h"):
		assert off in out, "%r was not undone: %r" % (off, out)


# ---- pipes and terminals

def test_pipelines():
	t = shell()
	try:
		same(t.command(JAIL + " -- sh -c 'tty <&2; test -t 1 || echo no tty' | cat"), b"/dev/pts/0\r\nno tty")
		same(t.command("echo in | " + JAIL + " -- cat"), b"in")
		same(t.command("printf 'a\\nb\\n' | " + JAIL + " -- cat | cat"), b"a\r\nb")
		same(t.command("seq 3 | " + JAIL + " -- sh -c 'cat; test -t 0 || echo pipe; test -t 1 && echo tty'"), b"1\r\n2\r\n3\r\npipe\r\ntty")
		same(t.command(JAIL + " -- echo one | " + JAIL + " -- cat | " + JAIL + " -- cat"), b"one")
	finally:
		t.close()


def test_interrupt_a_pipeline():
	t = shell()
	try:
		t.send(("yes | " + JAIL + " -- sh -c 'echo go >&2; cat >/dev/null; sleep 20'\n").encode())
		assert t.until(b"\ngo\r\n"), repr(t.seen)
		t.send(b"\003")
		assert t.until(re.escape(PROMPT)), repr(t.seen)
		same(t.command("echo rc=$?"), b"rc=130")
	finally:
		t.close()


def test_interrupt_a_loop():
	"""A shell leaves a loop when the command in it died of the key, and goes on when it was told 130."""
	t = shell()
	try:
		t.send(("for i in 1 2 3; do " + JAIL + " -- sh -c 'echo go; exec sleep 20'; done; echo went on\n").encode())
		assert t.until(b"\ngo\r\n"), repr(t.seen)
		t.send(b"\003")
		out = t.until(re.escape(PROMPT))
		assert out and b"went on" not in out and b"\ngo" not in out, repr(t.seen)
		same(t.command("echo rc=$?"), b"rc=130")
	finally:
		t.close()


# ---- job control

def test_stop_and_continue():
	t = shell()
	try:
		settings = t.settings()
		t.send((JAIL + " -- cat\n").encode())
		wait_for(t.raw)
		t.send(b"one\n")
		assert t.until(b"one\r\none\r\n"), repr(t.seen)
		t.send(b"\032")
		assert t.until(b"Stopped.*" + re.escape(PROMPT)), repr(t.seen)
		same(t.settings(), settings)
		t.send(b"fg\n")
		wait_for(t.raw)
		t.send(b"two\n")
		assert t.until(b"two\r\ntwo\r\n"), repr(t.seen)
		t.send(b"\004")
		assert t.until(re.escape(PROMPT)), repr(t.seen)
		same(t.command("echo rc=$?"), b"rc=0")
		same(t.settings(), settings)
	finally:
		t.close()


def test_background_and_back():
	t = shell()
	try:
		t.send((JAIL + " -- sh -c 'while read -r x; do echo \"<$x>\"; done; exit 4'\n").encode())
		wait_for(t.raw)
		t.send(b"\032")
		assert t.until(b"Stopped.*" + re.escape(PROMPT)), repr(t.seen)
		t.command("bg")
		assert b"Running" in t.command("jobs")
		assert not t.raw(), "a jail in the background took the terminal"
		same(t.command("echo still mine"), b"still mine")
		t.send(b"fg\n")
		wait_for(t.raw)  # it was running, so the shell has not told it anything
		t.send(b"x\n")
		assert t.until(b"<x>\r\n"), repr(t.seen)
		t.send(b"\004")
		assert t.until(re.escape(PROMPT)), repr(t.seen)
		same(t.command("echo rc=$?"), b"rc=4")
	finally:
		t.close()


def test_started_in_the_background():
	t = Terminal(["bash", "--norc", "--noprofile", "-i"])  # with line editing: its settings are not for the command
	try:
		t.until(re.escape(PROMPT))
		t.send((JAIL + " -- cat &\n").encode())
		t.until(re.escape(PROMPT))
		time.sleep(0.5)
		t.send(b"fg\n")
		time.sleep(0.7)
		t.send(b"x\n")
		assert t.until(b"x\r\nx\r\n"), repr(t.seen)
		t.send(b"\004")
		assert t.until(re.escape(PROMPT)), repr(t.seen)
		t.send(b"echo rc=$?\n")
		assert t.until(b"\rrc=0\r\n"), repr(t.seen)
	finally:
		t.close()


def test_output_from_the_background():
	t = shell()
	try:
		t.send((JAIL + " -- sh -c 'echo $((40 + 2))' & wait; echo rc=$?\n").encode())
		assert t.until(rb"\n42\r+\n.*rc=0"), repr(t.seen)
	finally:
		t.close()


def test_settings_changed_while_stopped():
	t = shell()
	try:
		t.send((JAIL + " -- cat\n").encode())
		wait_for(t.raw)
		t.send(b"\032")
		assert t.until(b"Stopped.*" + re.escape(PROMPT)), repr(t.seen)
		t.command("stty intr ^X")
		settings = t.settings()
		t.send(b"fg\n")
		wait_for(t.raw)
		t.send(b"\004")
		assert t.until(re.escape(PROMPT)), repr(t.seen)
		same(t.settings(), settings)
	finally:
		t.close()


def test_script_stops_together():
	t = shell()
	try:
		t.send(("bash -c '" + JAIL + " -- sleep 20; echo never'\n").encode())
		wait_for(t.raw)
		t.send(b"\032")
		assert t.until(b"Stopped.*" + re.escape(PROMPT)), repr(t.seen)
		t.send(b"fg\n")
		wait_for(t.raw)
		t.send(b"\003")
		assert t.until(re.escape(PROMPT)), repr(t.seen)
		assert t.command("echo again") == b"again"
	finally:
		t.close()


def test_jobs_inside():
	t = Terminal([JAIL, "--", "bash", "--norc", "--noprofile", "--noediting", "-i"])
	try:
		# PS1 is not passed on
		assert t.until(rb"\$ |# "), repr(t.seen)
		assert b"job control" not in t.seen
		t.send(b"PS1='" + PROMPT + b"'\n")
		t.until(b"\n" + re.escape(PROMPT))
		t.send(b"sleep 20\n")
		time.sleep(0.3)
		t.send(b"\032")
		assert t.until(b"Stopped.*" + re.escape(PROMPT)), repr(t.seen)
		assert b"Stopped" in t.command("jobs")
		t.send(b"fg\n")
		time.sleep(0.3)
		t.send(b"\003")
		assert t.until(re.escape(PROMPT)), repr(t.seen)
		same(t.command("echo rc=$?"), b"rc=130")
		t.send(b"exit 6\n")
		same(t.wait(), 6)
	finally:
		t.close()


# ---- a key at any moment of the start

class Starts:
	"""A shell that does nothing but start one job after the other: this process, on a terminal of its own."""

	def __init__(self):
		os.setsid()
		self.master, self.slave = pty.openpty()
		fcntl.ioctl(self.slave, termios.TIOCSCTTY, 0)
		signal.signal(signal.SIGTTOU, signal.SIG_IGN)
		self.settings = termios.tcgetattr(self.slave)
		self.seen = b""

	def start(self, *argv):
		"""Returns when the job's process has become the program, and no key can be lost on the way there."""
		ready, unready = os.pipe()  # closed by the exec
		self.pid = os.fork()
		if self.pid == 0:
			os.setpgid(0, 0)
			os.tcsetpgrp(self.slave, os.getpid())
			for sig in (signal.SIGTTOU, signal.SIGPIPE):
				signal.signal(sig, signal.SIG_DFL)
			for fd in range(3):
				os.dup2(self.slave, fd)
			os.execvp(argv[0], argv)
		os.close(unready)
		os.read(ready, 1)
		os.close(ready)

	def key(self, key, delay=0):
		time.sleep(delay)
		os.write(self.master, key)

	def wait(self, seconds=10):
		"""The job's next change, as waitpid tells it. The terminal is ours then, and as it was."""
		end = time.monotonic() + seconds
		while time.monotonic() < end:
			if select.select([self.master], [], [], 0.002)[0]:
				self.seen += os.read(self.master, 65536)
			pid, status = os.waitpid(self.pid, os.WNOHANG | os.WUNTRACED)
			if pid:
				os.tcsetpgrp(self.slave, os.getpid())
				same(termios.tcgetattr(self.slave), self.settings)
				return status
		os.killpg(self.pid, signal.SIGKILL)
		raise AssertionError("hangs: %.300r" % self.seen)

	def duration(self):
		began = time.monotonic()
		self.start(JAIL, "--", "true")
		same(self.wait(), 0)
		return time.monotonic() - began

	def fg(self):
		os.tcsetpgrp(self.slave, self.pid)
		os.killpg(self.pid, signal.SIGCONT)


def at_any_moment(try_one, tries=150):
	"""Call try_one with delays from nothing to what a whole run takes, in a process that may have a session."""
	out, into = os.pipe()
	pid = os.fork()
	if pid == 0:
		try:
			os.close(out)
			starts, delay, whole = Starts(), 0, 0
			whole = min(starts.duration() for _ in range(5))
			for i in range(tries):
				delay = whole * i / tries
				starts.seen = b""
				try_one(starts, delay)
		except Exception as e:
			os.write(into, ("after %.2f of %.2f ms: %s" % (1000 * delay, 1000 * whole, e)).encode())
		finally:
			os._exit(0)
	os.close(into)
	why = b"".join(iter(lambda: os.read(out, 4096), b""))
	os.waitpid(pid, 0)
	os.close(out)
	assert not why, why.decode()


def stop_at_any_moment(*argv, **options):
	def stop(starts, delay):
		starts.start(*argv)
		starts.key(b"\032", delay)
		status = starts.wait()
		assert os.WIFSTOPPED(status), "wait status %#x: %r" % (status, starts.seen)
		# A shell that continued the group before the last of it has stopped would leave that one behind.
		wait_for(lambda: all(state(pid) in "TZ" for pid in children_of(starts.pid) if os.getpgid(pid) == starts.pid))
		starts.fg()
		starts.key(b"\n")
		same(starts.wait(), 7 << 8)
	at_any_moment(stop, **options)


def test_interrupted_at_any_moment():
	def interrupt(starts, delay):
		starts.start(JAIL, "--", "sleep", "20")
		starts.key(b"\003", delay)
		status = starts.wait()
		assert status in (signal.SIGINT, 130 << 8), "wait status %#x: %r" % (status, starts.seen)
	at_any_moment(interrupt)


def test_stopped_at_any_moment():
	stop_at_any_moment(JAIL, "--", "sh", "-c", "read -r x; exit 7")


def test_script_stopped_at_any_moment():
	stop_at_any_moment("bash", "-c", "\"$JAIL\" -- sh -c 'read -r x; exit 7'; exit $?", tries=60)


def test_resized_at_any_moment():
	rows = itertools.count(24)
	def resize(starts, delay):
		size = next(rows), 80
		starts.start(JAIL, "--", "sh", "-c", "until [ \"$(stty size)\" = '%d %d' ]; do sleep 0.02; done" % size)
		time.sleep(delay)
		fcntl.ioctl(starts.master, termios.TIOCSWINSZ, struct.pack("HHHH", *size, 0, 0))
		same(starts.wait(), 0)
	at_any_moment(resize, tries=60)


# ---- the terminal's own life

def test_window_size():
	t = Terminal([JAIL, "--", "bash", "-c", "trap 'echo \"<$(stty size)>\"' WINCH; echo ready; while :; do sleep 0.02; done"])
	try:
		assert t.until(b"ready"), repr(t.seen)
		fcntl.ioctl(t.fd, termios.TIOCSWINSZ, struct.pack("HHHH", 51, 132, 0, 0))
		assert t.until(b"<51 132>"), repr(t.seen)
	finally:
		t.close()


def test_hangup():
	t = Terminal([JAIL, "--", "sh", "-c", "echo $$ >hup.up; trap 'echo hup >hup.got; exit' HUP; while :; do sleep 0.02; done"])
	wait_for(lambda: os.path.exists("hup.up"))
	time.sleep(0.1)
	os.close(t.fd)
	wait_for(lambda: os.path.exists("hup.got"))
	end = time.monotonic() + 5
	while os.waitpid(t.pid, os.WNOHANG)[0] == 0:
		assert time.monotonic() < end, "jail outlives its terminal"
		time.sleep(0.02)


def test_not_the_controlling_terminal():
	master, slave = pty.openpty()
	p = subprocess.Popen([JAIL, "--", "sh", "-c", "read -r x; echo \"<$x>\""], stdin=slave, stdout=slave, stderr=slave)
	os.close(slave)
	os.write(master, b"typed\n")
	seen = b""
	try:
		end = time.monotonic() + 10
		while b"<typed>" not in seen:
			assert time.monotonic() < end, "input does not arrive: %r" % seen
			if select.select([master], [], [], 0.1)[0]:
				seen += os.read(master, 4096)
		same(p.wait(5), 0)
	finally:
		p.kill()
		os.close(master)


def main():
	for name, test in list(globals().items()):
		if not name.startswith("test_") or (len(sys.argv) > 1 and name not in sys.argv[1:]):
			continue
		title = name[5:].replace("_", " ")
		try:
			test()
			print("pass", title, flush=True)
		except Exception as e:  # any, so that the others still run
			print("fail", title + ":", type(e).__name__, str(e).replace("\n", " "), flush=True)


main()
