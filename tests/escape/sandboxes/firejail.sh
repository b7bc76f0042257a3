# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh disable=SC2086,SC2154  # options are words; set by row.sh
# firejail, a set-uid program: its default profile, which it also takes by itself, and of the options in its manual all that make it
# stricter and leave a compiler and a shell usable. The profile brings seccomp (which cannot be said twice), caps.drop, nonewprivs,
# noroot and restrict-namespaces.
#   --whitelist       of the home directory only the workspace is there
#   --private-etc     instead of the whole /etc
# Not used: apparmor (needs its kernel module), memory-deny-write-execute (breaks what has a JIT), --tracelog (a log only). There is
# no option that empties the environment, and none that leaves a terminal session.
firejail_options='--quiet --profile=default --net=none --caps.drop=all --seccomp.block-secondary --nonewprivs --noroot --nogroups
	--restrict-namespaces --private-dev --private-tmp --private-cache --private-opt=none --private-srv=none
	--private-etc=alternatives,group,ld.so.cache,localtime,nsswitch.conf,passwd --disable-mnt --ipc-namespace --machine-id
	--hostname=firejail --no3d --nosound --nodvd --notv --nou2f --novideo --noinput --dbus-user=none --dbus-system=none
	--include=/etc/firejail/whitelist-var-common.inc --blacklist=/run/user'

sandbox_here() { command -v firejail; }
sandbox_version() { firejail --version | head -n 1; }
sandbox_options() { echo $firejail_options --whitelist=WORK; }
sandbox_enter() {
	[ -z "$jailopts" ] || { echo '- -1 ENOTASKED' | tee ../not-asked && return; }
	${via-} timeout -s KILL "$limit" ${by-} firejail $firejail_options --whitelist="$PWD" -- "$@"
}
