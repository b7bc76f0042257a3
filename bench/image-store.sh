#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# image-store.sh DIR N: makes DIR/jail/images with bench.test/layers:N in it, an image of N layers with a few directories each.
set -eu
store=$1/jail/images n=$2
hex=$(printf %064d "$n")
rm -rf "$store"
mkdir -p "$store/refs" "$store/images/sha256-$hex"
chmod 700 "$store"
{
	printf 'jail-image 1\nreference bench.test/layers:%s\nmanifest sha256:%s\n' "$n" "$hex"
	i=0
	while [ "$i" -lt "$n" ]; do
		i=$((i + 1))
		layer=$(printf %064d "$i")
		for dir in etc usr/bin usr/lib var tmp dev proc; do
			mkdir -p "$store/layers/sha256-$layer/$dir"
		done
		echo "root:x:0:0::/root:/bin/sh" >"$store/layers/sha256-$layer/etc/passwd"
		echo "layer sha256:$layer"
	done
	printf 'env PATH=/usr/bin\ncmd true\nend\n'
} >"$store/images/sha256-$hex/record"
echo "sha256:$hex" >"$store/refs/bench.test%2Flayers%3A$n"
