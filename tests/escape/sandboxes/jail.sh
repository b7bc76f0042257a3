# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh disable=SC2086,SC2154  # options are words; set by row.sh
# jail as it is shipped, with the options that the row asks for.
sandbox_version() { "$ESCAPE_JAIL" --version; }
sandbox_enter() { $via timeout -s KILL "$limit" "$ESCAPE_JAIL" $jailopts -- "$@"; }
sandbox_launch() { $via timeout -s KILL "$limit" "$ESCAPE_JAIL" "$@"; }
