#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# How long it takes until an image can be run: jail image import beside umoci, podman, skopeo and GNU tar, on tmpfs and on the disk.
# Nothing here is asserted.
# usage: unpack.sh [LAYOUT[:NAME]]   (an OCI layout; without one, three layers of this system's /usr are made into one)
#   JAIL=PATH      the binary to measure   ROUNDS=3   rounds, of which the median is shown   PLACES="/dev/shm $PWD"   where to
set -eu

: "${JAIL:?the jail to measure}" "${ROUNDS:=3}" "${PLACES:=/dev/shm ${TMPDIR:-/var/tmp}}"
case $JAIL in */*) JAIL=$(cd "$(dirname "$JAIL")" && pwd)/${JAIL##*/} ;; esac
image=${1-}
made=$(mktemp -d "${TMPDIR:-/var/tmp}/jail-bench.XXXXXX")
work=
trap 'chmod -R u+rwX "$made" $work 2>/dev/null; rm -rf "$made" $work' EXIT

have() { command -v "$1" >/dev/null 2>&1; }

blob() {	# blob FILE: into the layout; prints digest and size
	sum=$(sha256sum "$1" | cut -d' ' -f1)
	size=$(stat -c %s "$1")
	mv "$1" "$made/l/blobs/sha256/$sum"
	echo "sha256:$sum $size"
}

# The system's own files, so that no network is needed: libraries, documents and data, and a layer that removes some of it.
make_image() {
	mkdir -p "$made/l/blobs/sha256" "$made/wh/usr/share"
	: >"$made/wh/usr/share/.wh.doc"
	tar -C / -cf "$made/0.tar" --ignore-failed-read usr/bin usr/lib/x86_64-linux-gnu 2>/dev/null || :
	tar -C / -cf "$made/1.tar" --ignore-failed-read usr/share usr/include 2>/dev/null || :
	tar -C "$made/wh" -cf "$made/2.tar" usr
	ids='' layers=''
	for i in 0 1 2; do
		ids="$ids${ids:+,}\"sha256:$(sha256sum "$made/$i.tar" | cut -d' ' -f1)\""
		gzip -6 "$made/$i.tar"
		set -- $(blob "$made/$i.tar.gz")
		layers="$layers${layers:+,}{\"mediaType\":\"application/vnd.oci.image.layer.v1.tar+gzip\",\"digest\":\"$1\",\"size\":$2}"
	done
	arch=$(uname -m | sed 's/x86_64/amd64/; s/aarch64/arm64/')
	printf '{"architecture":"%s","os":"linux","config":{},"rootfs":{"type":"layers","diff_ids":[%s]}}' "$arch" "$ids" >"$made/c"
	set -- $(blob "$made/c")
	printf '{"schemaVersion":2,"mediaType":"application/vnd.oci.image.manifest.v1+json","config":{"mediaType":"application/vnd.oci.image.config.v1+json","digest":"%s","size":%s},"layers":[%s]}' "$1" "$2" "$layers" >"$made/m"
	set -- $(blob "$made/m")
	printf '{"schemaVersion":2,"manifests":[{"mediaType":"application/vnd.oci.image.manifest.v1+json","digest":"%s","size":%s,"annotations":{"org.opencontainers.image.ref.name":"t"}}]}' "$1" "$2" >"$made/l/index.json"
	echo '{"imageLayoutVersion":"1.0.0"}' >"$made/l/oci-layout"
	image=$made/l:t
}

peer_jail() { XDG_DATA_HOME=$1 "$JAIL" image import "oci:$image"; }
peer_umoci() { umoci raw unpack --rootless --image "$image" "$1/out"; }
peer_skopeo() { skopeo --insecure-policy copy -q "oci:$image" "containers-storage:[overlay@$1/r+$1/run]localhost/bench:1"; }
peer_podman() { podman --root "$1/r" --runroot "$1/run" --storage-driver overlay pull -q "oci:$image"; }
layers_of() { ls -S "${image%:*}"/blobs/sha256/* | while read -r f; do ! gzip -t "$f" 2>/dev/null || echo "$f"; done; }
gnu_tar() {	# gnu_tar DIR INFLATER: no whiteouts, no digests
	for f in $gzips; do
		mkdir -p "$1/${f##*/}"
		$2 -dc <"$f" | tar -C "$1/${f##*/}" -xf - --no-same-owner
	done
}
peer_tar_gzip() { gnu_tar "$1" gzip; }
peer_tar_igzip() { gnu_tar "$1" igzip; }

measure() {	# measure PEER PLACE: milliseconds of each round, in order
	round=0
	while [ $round -lt "$ROUNDS" ]; do
		round=$((round + 1))
		work=$(mktemp -d "$2/jail-bench.XXXXXX")
		start=$(date +%s%N)
		"peer_$1" "$work" >"$made/log" 2>&1 || { head -3 "$made/log" >&2; echo failed; return; }
		echo $((($(date +%s%N) - start) / 1000000))
		umount "$work/r/overlay" 2>/dev/null || : # podman leaves it mounted
		chmod -R u+rwX "$work" 2>/dev/null || :
		rm -rf "$work"
	done | sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}

[ -n "$image" ] || make_image
gzips=$(layers_of)
for place in $PLACES; do
	echo "$place ($(stat -f -c %T "$place")), median of $ROUNDS, ms"
	for peer in jail umoci podman skopeo tar_gzip tar_igzip; do
		program=${peer#tar_}
		[ "$peer" = jail ] || have "$program" || continue
		printf '  %-10s %8s\n' "$peer" "$(measure "$peer" "$place")"
	done
done
