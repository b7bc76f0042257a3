# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh disable=SC2086,SC2154  # options are words; set by row.sh
# podman without root, with its default seccomp filter and masks. The image is made here and holds nothing but the few files of /etc
# that programs want; the programs are the system's, from a read-only volume, so that the rows find the same ones everywhere. All
# storage is in the suite's own directory.
#   crun              or runc, where crun does not start (crun 1.8 refuses hybrid cgroups)
#   --userns=keep-id  the command is the caller, not root of the container: it can write the workspace, and is nobody more
#   --read-only       podman puts a tmpfs on /tmp, /run and /var/tmp
# --pids-limit and --memory are not set: without root they need a delegated cgroup, which not every session has.
podman_dir=$ESCAPE_TMP/podman
: "${podman_home:=$HOME}" # its own files stay there, whatever home a row gives to the command
podman_options='--rm --pull=never --network=none --read-only --cap-drop=all --security-opt=no-new-privileges --userns=keep-id
	--hostname=podman --log-driver=none --volume=/usr:/usr:ro,nosuid,nodev'
podman_call() (
	read -r podman_runtime <"$podman_dir/runtime"
	export XDG_RUNTIME_DIR="$podman_dir/run" HOME="$podman_home"
	${via-} timeout -s KILL "${podman_seconds:-60}" ${by-} podman --root "$podman_dir/root" --runroot "$podman_dir/run" --tmpdir "$podman_dir/run" \
		--storage-driver vfs --runtime "$podman_runtime" --cgroup-manager cgroupfs --events-backend none --log-level error "$@"
)

sandbox_here() { command -v podman && command -v newuidmap && { command -v crun || command -v runc; }; }
sandbox_version() { podman --version; }
sandbox_options() {
	echo --runtime "$(cat "$podman_dir/runtime" 2>/dev/null)" run $podman_options --volume=WORK:WORK:nosuid,nodev --workdir=WORK \
		--mount=type=tmpfs,destination=HOME
}
sandbox_prepare() {
	podman_image=$podman_dir/image
	for d in usr etc proc dev sys tmp run var/tmp home; do mkdir -p "$podman_image/$d"; done
	chmod 1777 "$podman_image/tmp" "$podman_image/var/tmp"
	mkdir -m 700 "$podman_dir/run"
	for d in bin sbin lib lib32 lib64; do
		[ ! -L "/$d" ] || ln -s "$(readlink "/$d")" "$podman_image/$d"
	done
	for f in alternatives group ld.so.cache localtime nsswitch.conf passwd; do
		[ ! -e "/etc/$f" ] || cp -R "/etc/$f" "$podman_image/etc/"
	done
	echo crun >"$podman_dir/runtime"
	tar -C "$podman_image" -cf - . | podman_call import -q - localhost/escape >/dev/null || return
	sandbox_enter true >/dev/null 2>&1 || ! command -v runc >/dev/null || echo runc >"$podman_dir/runtime"
}
# Its files belong to other users of the namespace, which a process keeps.
sandbox_finish() {
	podman_call unshare rm -rf "$podman_dir/root" >/dev/null 2>&1
	podman_call system migrate >/dev/null 2>&1
	rm -rf "$podman_dir"
}
# The client can be killed and the container stay: it has the limit, too.
sandbox_enter() {
	[ -z "$jailopts" ] || { echo '- -1 ENOTASKED' | tee ../not-asked && return; }
	podman_seconds=$((limit + 5))
	podman_terminal=''
	[ ! -t 0 ] || podman_terminal=-it
	podman_call run --timeout="$limit" $podman_terminal $podman_options --volume="$PWD:$PWD:nosuid,nodev" --workdir="$PWD" \
		--mount="type=tmpfs,tmpfs-mode=1777,destination=$HOME" localhost/escape "$@"
}
