# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh disable=SC2086,SC2154
# New namespaces of every kind and nothing else: all capabilities in them.
sandbox_enter() { $via timeout -s KILL "$limit" unshare -UrmnupiCf -- "$@"; }
