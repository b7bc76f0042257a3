#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Half a minute inside: what a jailed shell sees, and three things it is refused. Run by `./bootstrap run`.
# usage: tour.sh PATH-OF-JAIL
set -eu

jail=$1
bold='' dim='' red='' green='' plain='' pause=0
if [ -t 1 ]; then
	esc=$(printf '\033[')
	bold=${esc}1m dim=${esc}2m red=${esc}31m green=${esc}32m plain=${esc}0m pause=1.5
fi

# A project of its own, so that nothing of the user's is shown to anyone, jailed or not.
project=$(mktemp -d "${TMPDIR:-/tmp}/jail-tour.XXXXXX")
trap 'rm -rf "$project"' EXIT
trap 'exit 130' INT TERM
cd "$project"
echo 'int main(void) { return 0; }' >main.c

caption() { printf '\n%s\n' "$bold$1$plain"; }

inside() {	# inside SCRIPT: as a person would type it
	printf '%s\n' "$dim  \$ jail -- sh -c '$1'$plain"
	out=$("$jail" -- sh -c "$1" 2>&1 </dev/null) && rc=0 || rc=$?
	printf '%s\n' "$out" | sed 's/^/  /'
	if [ "$rc" = 125 ]; then
		printf '%s\n' "${red}jail itself failed: see the message above, and run: $jail doctor$plain" >&2
		exit 125
	fi
	sleep "$pause"
}

shown() { caption "$1"; inside "$2"; }

refused() {
	caption "$1"
	inside "$2"
	if [ "$rc" = 0 ]; then
		printf '%s\n' "$red  this should have been refused: please report it (SECURITY.md)$plain" >&2
		exit 1
	fi
	printf '%s\n' "$green  refused$plain"
}

printf '%s\n' "${bold}What a jailed shell sees.$plain The project is $project."
shown "It is you, with no privileges:" 'id; grep CapEff /proc/self/status'
shown "Your home is there, and empty:" 'echo ~; ls -A ~'
shown "The system is there to read; your disks, mounts and other homes are not:" 'ls -C /; ls /home'
shown "Other processes do not exist:" 'ps -e -o pid,args 2>/dev/null || ls -d /proc/[0-9]*'
shown "The network ends at localhost:" 'tail -n +3 /proc/net/dev | cut -d: -f1'
shown "The project is the one place that keeps what it writes:" 'ls; echo done >result; ls -l result'

printf '\n%s\n' "${bold}Three things it is refused.$plain"
refused "1. Changing the system:" 'touch /usr/x'
refused "2. Reading secrets (they are absent, not just forbidden):" 'cat ~/.ssh/id_ed25519 /etc/shadow'
if command -v bash >/dev/null 2>&1; then
	refused "3. Calling out:" 'bash -c "echo >/dev/tcp/192.0.2.1/443"'
else
	refused "3. Calling out:" 'wget -q -T 3 -O- http://192.0.2.1/'
fi

caption "Your own command, in the directory you are in:"
printf '  %s\n' "./bootstrap run -- COMMAND" "$jail --help"
