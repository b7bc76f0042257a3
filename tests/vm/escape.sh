#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# In the virtual machine, as uid 1000 in a leaf of a cgroup that is delegated to it: the installed hardening suite, on Debian's kernel.
# There is a shell and little else here: rows that need a program which was not packed say so.
export ESCAPE_WEAK=/tests/jail-weak ESCAPE_SECONDS=300
jail selftest --tap --jobs 3
