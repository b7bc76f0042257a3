#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# enter.sh SANDBOX COMMAND...: the sandbox in a process of its own, for programs that stand around it (`under` in row.sh).
# shellcheck source=/dev/null
. "$ESCAPE_DIR/sandboxes/$1.sh"
shift
# A process group of its own would be in the background of a terminal; busybox's makes none.
! command timeout --foreground 1 true 2>/dev/null || timeout() { command timeout --foreground "$@"; }
sandbox_enter "$@"
