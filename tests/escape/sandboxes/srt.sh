# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh disable=SC2086,SC2154  # set by row.sh
# Anthropic's sandbox-runtime (npm @anthropic-ai/sandbox-runtime), as its README has it for "workspace-only filesystem access", and
# stricter: reads are denied everywhere, not only in the home directories, and allowed again for the programs of the system and the
# workspace. No domain is allowed, writes go to the workspace only, sockets of the host stay blocked. It takes no other options that
# would make it stricter: the environment is handed on but for variables that are named one by one.
# $ESCAPE_SRT is the program, if it is not in the path.
srt_settings=$ESCAPE_TMP/srt.json
srt_program=${ESCAPE_SRT:-srt}

sandbox_here() { command -v "$srt_program" && command -v bwrap && command -v socat && command -v rg; }
sandbox_version() { echo "sandbox-runtime $("$srt_program" --version)"; }
sandbox_options() { echo "--settings $(srt_write | tr -d '\n\t')"; }
# Its own helper has to be readable, too.
srt_write() {
	srt_package=$(readlink -f "$(command -v "$srt_program")")
	cat <<END
{
	"network": { "allowedDomains": [], "deniedDomains": ["*"], "strictAllowlist": true },
	"filesystem": {
		"denyRead": ["/"],
		"allowRead": [".", "/usr", "/etc/alternatives", "/etc/group", "/etc/ld.so.cache", "/etc/nsswitch.conf", "/etc/passwd",
			"${srt_package%/dist/*}/vendor"],
		"allowWrite": ["."],
		"denyWrite": []
	}
}
END
}
sandbox_prepare() { srt_write >"$srt_settings"; }
sandbox_enter() {
	[ -z "$jailopts" ] || { echo '- -1 ENOTASKED' | tee ../not-asked && return; }
	${via-} timeout -s KILL "$limit" ${by-} "$srt_program" --settings "$srt_settings" -- "$@"
}
