#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Images that are wrong or mean harm: one line, exit 125, the store as it was; and runs that are cut short.
# shellcheck disable=SC2154  # set by lib.sh
# shellcheck source=tests/integration/lib.sh
. "$top_srcdir/tests/integration/lib.sh"
# shellcheck source=tests/integration/image-lib.sh
. "$top_srcdir/tests/integration/image-lib.sh"

plan 84

canary=$scratch/canary
mkdir "$canary"
echo safe >"$canary/file"
CANARY=$canary
export CANARY

make_image good xattrs
good=$(import oci:good:t)
store_state >before
hex='[0-9a-f]{64}'

# bad HOW ERE: an image that is broken in one place
bad() {
	make_image "bad-$1" other --break "$1"
	refused "$2" "$1" image import "oci:bad-$1:t"
	is "$(store_state | diff before -)" "" "... and the store is as it was"
}

# ---- a blob is not what it should be

bad flip "layer 1 of 2 sha256:$hex: digest: expected sha256:$hex, got sha256:$hex"
bad short "layer 1 of 2 sha256:$hex: size: expected [0-9]+ bytes, got [0-9]+"
bad long "layer 1 of 2 .*: size: expected [0-9]+ bytes, got at least [0-9]+"
bad size "layer 1 of 2 .*: size: expected"
bad flip-manifest "manifest sha256:$hex: digest: expected that, got sha256:$hex"
bad flip-config "config sha256:$hex: digest: expected that, got sha256:$hex"
bad flip-index "manifest sha256:$hex: digest: expected that, got"
bad diffid "diff-id: expected sha256:0{64}, got sha256:$hex"
bad no-layer "No such file"
bad fifo "expected a file"

# ---- what the JSON says

bad diffid-count "diff_ids: expected 2, as many as layers, got 3"
bad diffid-path "diff_ids: expected sha256:HEX, got 'sha256:\.\./"
bad digest-path "digest: expected sha256:HEX, got 'sha256:\.\./"
bad foreign "got a foreign one"
bad both "expected an index or a manifest, got both in one"
bad media "mediaType: expected .*manifest.v1.json, got .*index"
bad layer-media "mediaType: expected a layer's, got text/plain"
bad dupkey "not valid JSON: duplicate"
bad big "expected at most 4194304 bytes, got more"
bad os "os: expected linux, got 'windows'"
bad env "Env: expected NAME=VALUE, got '=x'"

# ---- archives

refused "No such file" "no such source" image import none.tar
head -c 100000 /dev/urandom >noise.tar
refused "archive 'noise.tar': tar: expected a valid archive" "noise" image import noise.tar
tar -C good -cf good.tar .
head -c 5000 good.tar >cut.tar
refused "archive 'cut.tar': tar: expected a valid archive, got: Truncated" "half a tar" image import cut.tar
gzip -c good.tar | head -c 700 >cut.tar.gz
refused "gzip: expected more data, got its end" "half a gzip" image import cut.tar.gz
xz -c good.tar >good.tar.xz 2>/dev/null || printf '\3757zXZ\000xxxxxxxxxxxxxxxxxxx' >good.tar.xz
refused "compression: expected gzip, zstd or none, got xz" "xz" image import good.tar.xz
refused "no image for linux/mips" "another machine's" image import --platform linux/mips oci:bad-env:t
refused "OS/ARCH" "no platform" image import --platform x oci:good:t
refused "reference 'UPPER'" "no name" image import oci:good:t UPPER
refused "unknown verb 'imprt'; did you mean import" "no verb" image imprt
refused "unknown option '--x'" "no option" image ls --x
refused "no image 'nothing'" "no image" image rm nothing
is "$(store_state | diff before -)" "" "the store is as it was"

# ---- what means harm. Where the tree stays inside, it may as well be taken.

hostile() {	# hostile WHAT ERE
	make_image hostile "$1"
	refused "$2" "$1" image import oci:hostile:t
}
contained() {	# contained WHAT PATH: taken, and PATH is inside
	make_image hostile "$1"
	run image import oci:hostile:t
	is "$rc:$(list_image "sha256:${out##*sha256:}" | cut -d' ' -f1 | grep -c "^b'$2'$")" "0:1" "$1 stays inside"
}
hostile dotdot "entry 'd/\.\./\.\./canary': path: expected no '\.\.'"
hostile link-hard "hard link: expected its target '.*canary/file' before it, got none"
hostile link-early "hard link: expected its target 'later' before it, got none"
hostile wh-empty "whiteout 'd/\.wh\.': expected a name"
hostile wh-dot "whiteout 'd/\.wh\.\.': expected a name"
hostile wh-dotdot "whiteout 'd/\.wh\.\.\.': expected a name"
hostile deep "depth: expected at most 512"
hostile longname "name: expected at most 255 bytes"
hostile file-as-dir "expected a directory, got a file"
hostile links "links: expected at most 40"
contained absolute canary
contained link-out "${canary#/}/file"
contained root-link x
make_image hostile wh-through
run image import oci:hostile:t
is "$rc" 0 "whiteouts through a link stay inside"
is "$(cat "$canary/file"):$(find "$canary" | wc -l):$(stat -c %h "$canary/file")" "safe:2:1" "nothing outside was touched"

# ---- bombs

dd if=/dev/zero bs=1M count=2000 2>/dev/null | gzip -1 >bomb.tar.gz
start=$(clock)
refused "compression ratio: expected at most 200, got more" "zeros, compressed" image import bomb.tar.gz
ok "... are refused in time" test $(($(clock) - start)) -lt 1000
rm bomb.tar.gz
python3 - >entries.tar <<'END'
import sys, tarfile
t = tarfile.TarInfo("x"); t.size = 1 << 50
sys.stdout.buffer.write(t.tobuf(tarfile.GNU_FORMAT) + b"x" * 5120)
END
refused "bytes of files: expected at most [0-9]+, got more" "a file of a petabyte" image import entries.tar
is "$(ls -A "$images/tmp")" "" "nothing is left in tmp"

# ---- a file system that cannot

make_image large many
if mkdir tmpfs && unshare -Urm sh -c 'mount -t tmpfs -o size=64k,nr_inodes=100 none "$1" && XDG_DATA_HOME=$1 exec "$2" image import oci:large:t' \
	sh "$work/tmpfs" "$JAIL" >full.out 2>full.err; then
	fail "a full disk was not noticed"
else
	like "$(cat full.err)" 'No space left|user extended attributes|make namespaces' "a full disk is told in a line"
fi
is "$(wc -l <full.err)" 1 "... in one"

# ---- cut short

rounds=20 killed=0
while [ $rounds -gt 0 ]; do
	rounds=$((rounds - 1))
	"$JAIL" image import oci:large:t >cut.out 2>&1 &
	pid=$!
	sleep "0.$(($(od -An -N1 -tu1 /dev/urandom) % 90 + 10))"
	kill -9 $pid 2>/dev/null && killed=$((killed + 1))
	wait $pid 2>/dev/null
done
diag "killed $killed of 20"
ok "imports were killed on the way" test $killed -gt 5
large=$(import oci:large:t)
isnt "$large" "" "the next run succeeds"
list_image "$large" >large.list
mv "$images" "$scratch/first"
import oci:large:t >/dev/null
is "$(list_image "$large" | diff large.list -)" "" "... and all is as in a store where nothing happened"
chmod -R u+rwX "$images" && rm -rf "$images" && mv "$scratch/first" "$images"
is "$(ls -A "$images/tmp")" "" "... and nothing else"
is "$(list_image "$good" | wc -l)" "$(list_image "$good" | sort -u | wc -l)" "what was there is whole"

# ---- at the same time

make_image one whole
make_image two whole --compress plain
"$JAIL" image import oci:one:t >one.out 2>&1 &
one=$!
"$JAIL" image import oci:two:t >two.out 2>&1 &
two=$!
wait $one
first=$?
wait $two
is "$first:$?" "0:0" "two imports of the same layers at once"
exec 8<"$images/images/sha256-${good#sha256:}/record"
flock -s 8
refused "is in use by a running jail" "an image that runs is not removed" image rm localhost/good:t
exec 8<&-
run image rm localhost/good:t
is "$rc" 0 "... and is, when it ran"
mkdir -p "$images/locks"
(flock -x 9 && echo "123 other" >&9 && sleep 1) 9>"$images/locks/store" &
sleep 0.3
run image import oci:good:t
like "$err" 'waiting for process 123 other' "who is waited for is told"
wait
