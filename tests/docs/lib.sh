# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# What the tests of documents share: TAP, and a home with a project in it where examples can run.
# The environment gives $JAIL, $top_srcdir and $top_builddir (tests/local.mk).

set -u
umask 022
tap_n=0

# check DESCRIPTION COMMAND...: one test; what the command prints is shown when it fails.
check() {
	description=$1
	shift
	tap_n=$((tap_n + 1))
	if tap_out=$("$@" 2>&1); then
		echo "ok $tap_n - $description"
	else
		echo "not ok $tap_n - $description"
		[ -z "$tap_out" ] || printf '%s\n' "$tap_out" | sed 's/^/#   /'
	fi
}

skip() {	# skip DESCRIPTION REASON
	tap_n=$((tap_n + 1))
	echo "ok $tap_n - $1 # SKIP $2"
}

done_testing() { echo "1..$tap_n"; }

same() {	# same FILE FILE: with the difference, when there is one
	diff -u "$1" "$2"
}

scratch=$(mktemp -d "${TMPDIR:-/tmp}/jail-docs.XXXXXX") || exit 1
scratch=$(CDPATH='' cd -- "$scratch" && pwd -P) || exit 1
trap 'rm -rf "$scratch"' EXIT
trap 'exit 1' INT TERM

# A new home in $scratch/NAME with everything that the examples mention; we stand in its project.
make_home() {
	HOME=$scratch/$1
	mkdir -p "$HOME/project" "$HOME/.local/bin" "$HOME/.cache/mytool" "$HOME/.config/jail/profiles" "$HOME/.ssh" "$scratch/bin"
	ln -sf "$JAIL" "$scratch/bin/jail"
	PATH=$scratch/bin:$HOME/.local/bin:/usr/local/bin:/usr/bin:/bin
	API_KEY=secret
	export HOME PATH API_KEY
	unset XDG_CONFIG_HOME XDG_DATA_HOME XDG_CACHE_HOME XDG_STATE_HOME
	echo key >"$HOME/.ssh/id_ed25519"
	: >"$HOME/.gitconfig"
	: >"$HOME/.tidyrc"
	printf '#!/bin/sh\necho hello\n' >"$HOME/.local/bin/hello"
	chmod 755 "$HOME/.local/bin/hello"
	cd "$HOME/project" || exit 1
	printf 'hello: main.c\n\tcc -o hello main.c\n\ntest:\n\t@echo tested\n\n.PHONY: test\n' >Makefile
	# shellcheck disable=SC1003  # for the C compiler
	printf '#include <stdio.h>\n\n/* TODO: say more */\nint main(void)\n{\n\treturn puts("hello, world") < 0;\n}\n' >main.c
	printf 'touch /usr/local/bin/thing || echo nothing was installed\n' >install.sh
	printf 'echo "tidied $1"\n' >tidy.sh
}

# Root of the host inside a user namespace is refused by jail, rightly, and there is nothing to run here then.
can_run() {
	make_home probe
	said=$("$JAIL" -- true 2>&1 </dev/null) && return 0
	case $said in
	*"started by root inside a user namespace"*)
		echo "1..0 # SKIP jail refuses root of the host in a user namespace"
		exit 0
		;;
	esac
	echo "Bail out! jail does not start: $said"
	exit 1
}
