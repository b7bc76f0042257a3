#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# In the virtual machine, as uid 1000, on a kernel that was booted without Landlock.
# shellcheck disable=SC2154  # set by lib.sh
# shellcheck source=tests/vm/guest-lib.sh
. /tests/guest-lib.sh

plan 5

refused "Landlock is built in but off: add landlock to the kernel's lsm= list" "no Landlock: refused" -- touch ran
refused "landlock" "whatever the profile" --profile offline -- touch ran
run doctor
is "$rc" 125 "doctor: that is a failure"
like "$out" "^FAIL +landlock +no Landlock" "and says which"
like "$out" "fix: boot with lsm=landlock" "and names the setting"
