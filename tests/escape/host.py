#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The host's side of the escape tests: who listens, who could be signalled, whose terminal it is.

  listen LOG KIND NAME [CHDIR]   KIND is stream, dgram, abstract; logs one line for each connection or datagram
  sockets PATH...                listens at each of them, after making the directories; until killed
  pty LOG COMMAND...             COMMAND on a terminal of its own; LOG gets what the terminal showed, stdout gets one line:
                                 "rc N typed HEX": how it ended, and the bytes that were put into the terminal's input
  group LOG COMMAND...           COMMAND in one process group with this process, which logs the signals it gets; exits as COMMAND
  ipc NAME                       a System V segment, a POSIX one and a queue called NAME; prints the key; until killed
  fds DIR COMMAND...             COMMAND with descriptors 3 to 200 open, on DIR and on other things
  flip A B                       exchanges two names as fast as it can; until killed
  find PATTERN FILE              prints the first matches of a regular expression for bytes, escaped
  chroot DIR COMMAND...          changes the root, and not the directory
"""
import ctypes
import fcntl
import os
import pty
import re
import select
import signal
import socket
import sys
import termios
import time


def log_to(path):
    return open(path, 'a', buffering=1, encoding='utf-8')


def ready():
    print('ready', flush=True)
    os.close(1)


def listen(log, kind, name, chdir=None):
    if chdir:
        os.chdir(chdir)
    s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM if kind == 'dgram' else socket.SOCK_STREAM)
    s.bind('\0' + name if kind == 'abstract' else name)
    out = log_to(log)
    if kind == 'dgram':
        ready()
        while True:
            out.write('got %r\n' % s.recv(4096))
    s.listen(16)
    ready()
    while True:
        c, _ = s.accept()
        c.settimeout(0.2)
        try:
            data = c.recv(4096)
            if data.startswith(b'GET /_ping'):
                c.sendall(b'HTTP/1.0 200 OK\r\n\r\nOK')
        except OSError:
            data = b''
        out.write('got %r\n' % data)
        c.close()


def sockets(*paths):
    held = []
    for path in paths:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        held.append(socket.socket(socket.AF_UNIX))
        held[-1].bind(path)
        held[-1].listen(64)
    ready()
    while True:
        signal.pause()


def wait_status(pid):
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def run_pty(log, *command):
    master, slave = pty.openpty()
    pid = os.fork()
    if not pid:
        os.setsid()
        os.close(master)
        fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
        for fd in range(3):
            os.dup2(slave, fd)
        os.closerange(3, 256)
        os.execvp(command[0], command)
    shown = b''
    status = None
    deadline = time.monotonic() + 15
    while time.monotonic() < deadline:
        if select.select([master], [], [], 0.05)[0]:
            shown += os.read(master, 65536)
        elif status is not None:
            break
        if status is None:
            done, raw = os.waitpid(pid, os.WNOHANG)
            if done:
                status = os.waitstatus_to_exitcode(raw)
    if status is None:
        os.kill(pid, signal.SIGKILL)
        status = wait_status(pid)
    # What is in the queue was typed by nobody: we write nothing to the master.
    mode = termios.tcgetattr(slave)
    mode[3] &= ~(termios.ICANON | termios.ECHO)
    mode[6][termios.VMIN] = mode[6][termios.VTIME] = 0
    termios.tcsetattr(slave, termios.TCSANOW, mode)
    typed = os.read(slave, 4096)
    with open(log, 'wb') as f:
        f.write(shown)
    print('rc %d typed %s' % (status, typed.hex() or '-'))


def group(log, *command):
    out = log_to(log)
    for sig in (signal.SIGUSR1, signal.SIGTSTP, signal.SIGTTOU, signal.SIGTTIN, signal.SIGTERM, signal.SIGHUP):
        signal.signal(sig, lambda n, _: out.write(signal.Signals(n).name + '\n'))
    os.setpgid(0, 0)
    pid = os.fork()
    if not pid:
        for sig in (signal.SIGUSR1, signal.SIGTSTP, signal.SIGTTOU, signal.SIGTTIN, signal.SIGTERM, signal.SIGHUP):
            signal.signal(sig, signal.SIG_DFL)
        os.execvp(command[0], command)
    code = wait_status(pid)
    time.sleep(0.1)
    sys.exit(code if code >= 0 else 128 - code)


def ipc(name):
    libc = ctypes.CDLL(None, use_errno=True)
    key = int.from_bytes(os.urandom(4), 'little') & 0x7fffffff | 1
    shm = libc.shmget(key, 4096, 0o1600)  # IPC_CREAT
    if shm < 0:
        sys.exit('shmget: ' + os.strerror(ctypes.get_errno()))
    libc.mq_open.restype = ctypes.c_int
    path = ('/' + name).encode()
    posix = libc.shm_open(path, os.O_CREAT | os.O_RDWR, 0o600)
    queue = libc.mq_open(path, os.O_CREAT | os.O_RDWR, 0o600, None)

    def leave(*_):
        libc.shmctl(shm, 0, None)  # IPC_RMID
        libc.shm_unlink(path)
        libc.mq_unlink(path)
        sys.exit(0)
    signal.signal(signal.SIGTERM, leave)
    print('%d %d %d' % (key, posix >= 0, queue >= 0), flush=True)
    os.close(1)
    while True:
        signal.pause()


def fds(path, *command):
    here = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    r, w = os.pipe()
    a, b = socket.socketpair()
    sources = [here, r, w, a.fileno(), b.fileno(), os.open('/dev/null', os.O_RDWR), os.memfd_create('x'), os.pidfd_open(os.getpid())]
    sources = [os.dup2(fd, 300 + i, inheritable=False) for i, fd in enumerate(sources)]
    for fd in range(3, 201):
        os.dup2(sources[0] if fd == 9 else sources[fd % len(sources)], fd, inheritable=True)
    os.execvp(command[0], command)


def flip(a, b):
    libc = ctypes.CDLL(None)
    a, b = a.encode(), b.encode()
    print('ready', flush=True)
    while True:
        libc.renameat2(-100, a, -100, b, 2)


def find(pattern, path):
    with open(path, 'rb') as f:
        for match in sorted(set(re.findall(pattern.encode('latin-1'), f.read())))[:20]:
            print(match)


def chroot(path, *command):
    os.chdir('/')
    os.chroot(path)
    os.execv(command[0], command)


if __name__ == '__main__':
    {'listen': listen, 'sockets': sockets, 'pty': run_pty, 'group': group, 'ipc': ipc, 'fds': fds, 'flip': flip, 'find': find, 'chroot': chroot}[sys.argv[1]](*sys.argv[2:])
