# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh disable=SC2086,SC2154
# jail-weak, without the defences in $weaken.
sandbox_enter() { JAIL_WEAKEN=$weaken $via timeout -s KILL "$limit" "$ESCAPE_WEAK" $jailopts -- "$@"; }
sandbox_launch() { JAIL_WEAKEN=$weaken $via timeout -s KILL "$limit" "$ESCAPE_WEAK" "$@"; }
