# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh disable=SC2086,SC2154
# jail-weak, without the defences in $weaken.
sandbox_enter() { $via env JAIL_WEAKEN="$weaken" timeout -s KILL "$limit" "$ESCAPE_WEAK" $jailopts -- "$@"; }
