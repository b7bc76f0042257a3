# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh disable=SC2086,SC2154
# A launcher that does everything wrong.
sandbox_enter() { timeout -s KILL "$limit" sh "$ESCAPE_DIR/naive.sh" $jailopts -- "$@"; }
sandbox_launch() { timeout -s KILL "$limit" sh "$ESCAPE_DIR/naive.sh" "$@"; }
