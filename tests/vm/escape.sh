#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# In the virtual machine, as uid 1000 in a leaf of a cgroup that is delegated to it: the installed hardening suite, on Debian's kernel.
# There is a shell and little else here: rows that need a program which was not packed say so.
#
# All of it takes some ten minutes on an emulated processor. Unless it is asked for (jail.rows=all), it is those rows that ask another
# question there: of an older Landlock, of another list of system calls, of sockets in shared trees, of how layers are stacked.
export ESCAPE_WEAK=/tests/jail-weak ESCAPE_SECONDS=240
rows='DOS-02 FS-10 IPC-04 IPC-05 MNT-01 MNT-06 PRV-02 SYS-01'
! grep -q 'jail\.rows=all' /proc/cmdline || rows=
# shellcheck disable=SC2086
exec jail selftest --tap --jobs 3 $rows
