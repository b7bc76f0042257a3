# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh disable=SC2086,SC2154
# No sandbox: the same user, outside.
sandbox_enter() { $via timeout -s KILL "$limit" "$@"; }
