#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The sources keep their shape and their layers.
echo 1..2
n=0
for what in shape layers; do
	n=$((n + 1))
	if out=$("$top_srcdir/build-aux/check-$what" "$top_srcdir" 2>&1); then
		echo "ok $n - check-$what"
	else
		echo "not ok $n - check-$what"
		printf '%s\n' "$out" | sed 's/^/# /'
	fi
done
