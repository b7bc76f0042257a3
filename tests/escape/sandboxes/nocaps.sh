# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh disable=SC2086,SC2154
# Uid 0 of a user namespace, mapped to the caller, with no capability left and no_new_privs: what "dropped everything" alone is worth.
sandbox_enter() {
	$via timeout -s KILL "$limit" unshare -Ur setpriv --bounding-set -all --inh-caps -all --ambient-caps -all --no-new-privs -- "$@"
}
