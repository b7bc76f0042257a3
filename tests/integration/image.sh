#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Images: every form that can be imported, what becomes of it, and what the store keeps.
# shellcheck disable=SC2154  # set by lib.sh
# shellcheck source=tests/integration/lib.sh
. "$top_srcdir/tests/integration/lib.sh"
# shellcheck source=tests/integration/image-lib.sh
. "$top_srcdir/tests/integration/image-lib.sh"

plan 57

# ---- the tree

make_image whole whole
make_image flat whole --break flat # for tools that know no index in an index
run image import oci:whole:t
is "$rc:$err" "0:" "an OCI layout is imported"
like "$out" '^localhost/whole:t sha256:[0-9a-f]{64}$' "... and the name and digest are told"
whole=${out##* }
list_image "$whole" >ours
is "$(wc -l <ours)" 46 "all that is left after whiteouts is there"
if have umoci && umoci raw unpack --rootless --image flat:t theirs >umoci.log 2>&1; then
	list_tree theirs >theirs.list
	is "$(diff ours theirs.list)" "" "the tree is the one that umoci makes"
else
	skip 1 "umoci is missing"
fi
is "$(find "$images/layers" -perm /6000)" "" "no setuid and no setgid bit"
is "$(find "$images/layers" -type b -o -type s)" "" "no device and no socket"
is "$(find "$images/layers" -type c -printf '%f\n' | sort | tr '\n' ' ')" "b gone never new one suid " "... but whiteouts, which are ours"
is "$(stat -c %a "$images")" 700 "the store is closed to others"
like "$(cat "$images"/meta/*.owners)" '^42 42 etc/shadow$' "owners are kept aside"
is "$(grep -c . "$images/images/sha256-${whole#sha256:}/record")" 15 "the record has a line for everything"
is "$(sed -n '/^env/,$p' "$images/images/sha256-${whole#sha256:}/record")" "env PATH=/usr/bin
env X=a b
entrypoint /bin/tool
cmd -x
workdir /w
user daemon
stop-signal SIGINT
end" "... of the config too"

# ---- other clothes, the same tree

for how in plain gzip-odd zstd; do
	if [ $how = zstd ] && ! have zstd; then
		skip 2 "zstd is missing"
		continue
	fi
	make_image "as-$how" whole --compress $how
	digest=$(import "oci:as-$how:t")
	isnt "$digest" "$whole" "$how: another image"
	is "$(list_image "$digest" | diff ours -)" "" "... of the same tree"
done
make_image docker whole --docker
is "$(list_image "$(import oci:docker:t)" | diff ours -)" "" "Docker's media types"
is "$(find "$images/layers" -mindepth 1 -maxdepth 1 | wc -l)" 4 "layers are kept once, whatever they were compressed with"

tar -C whole -cf whole.tar .
is "$(import whole.tar:t)" "$whole" "an OCI archive"
gzip -k whole.tar
is "$(import oci-archive:whole.tar.gz:t)" "$whole" "... also compressed"
run image import - <whole.tar
like "$rc $err" '^125 .*say which, of t decoy' "one of several images has to be named"
if have skopeo; then
	skopeo --insecure-policy copy -q oci:flat:t docker-archive:saved.tar:reg.test/saved:2 >/dev/null 2>skopeo.log
	run image import saved.tar
	like "$out" '^reg.test/saved:2 sha256:' "a Docker archive goes by the name it has"
	is "$(list_image "${out##* }" | diff ours -)" "" "... and has the same tree"
	skopeo --insecure-policy copy -q oci:flat:t oci-archive:again.tar:v1 >/dev/null 2>>skopeo.log
	run image import again.tar reg.test/again
	like "$out" '^reg.test/again:latest sha256:' "what skopeo writes is taken, under a name that is given"
	is "$(list_image "${out##* }" | diff ours -)" "" "... and has the same tree"
else
	skip 4 "skopeo is missing"
fi
mkdir -p old/aaa old/bbb
python3 "$maker" tar t other
mv t.0 old/aaa/layer.tar
ln -s ../aaa/layer.tar old/bbb/layer.tar
id=$(sha256sum old/aaa/layer.tar | cut -d' ' -f1)
printf '{"os":"linux","rootfs":{"type":"layers","diff_ids":["sha256:%s","sha256:%s"]}}' "$id" "$id" >old/c.json
echo '[{"Config":"c.json","RepoTags":["o:1"],"Layers":["aaa/layer.tar","bbb/layer.tar"]}]' >old/manifest.json
tar -C old -cf old.tar .
run image import docker-archive:old.tar
like "$out" '^docker.io/library/o:1 sha256' "an old Docker archive, where a layer is a link to another"
is "$(grep -c '^layer ' "$images/images/sha256-${out##*:}/record")" 1 "... which is stacked once"
digest=$(import "$(make_image twice empty-twice && echo oci:twice:t)")
is "$(grep -c '^layer ' "$images/images/sha256-${digest#sha256:}/record")" 2 "a layer that is listed twice is stacked once"
make_image base base
list_image "$(import oci:base:t)" >base.list
is "$(list_image "$digest" | diff base.list -)" "" "... and the tree is right"

# ---- a root file system

mkdir -p root/bin root/ro root/deep
echo hi >root/bin/a
ln root/bin/a root/bin/b
ln -s a root/bin/c
touch -d '2001-02-03 04:05:06.789' root/bin/a
mkfifo root/fifo
printf x >"root/deep/$(printf %0150d 7)"
ln -s "$(printf %0180d 7)" root/deep/long
chmod 555 root/ro
list_tree root >root.list
run image import root
is "$rc:${out% *}" "0:localhost/root:latest" "a directory"
is "$(list_image "${out##* }" | diff root.list -)" "" "... with all that is in it"
is "$(import dir:root)" "${out##* }" "... and it is the same image each time"
tar -C root --format=pax -cf root.tar .
is "$(list_image "$(import root.tar)" | diff root.list -)" "" "a tar of it"
truncate -s 50M root/sparse
printf end >>root/sparse
touch -d @1600000000 root/sparse
tar -C root --format=pax --sparse -cf sparse.tar .
list_tree root >root.list
is "$(list_image "$(import sparse.tar)" | diff root.list -)" "" "a sparse file has its length"
is "$(find "$images/layers" -name sparse -printf '%k\n' | awk '$1 > 1000')" "" "... and takes no room"
tar -C root --format=gnu --sparse -cf sparse.tar .
list_image "$(import sparse.tar)" | sed 's/[0-9]\{9\} \([0-9]* [0-9a-f]*\)$/000000000 \1/' >gnu.list
is "$(grep -c sparse gnu.list)" 1 "... in the format of GNU tar too"
is "$(grep sparse gnu.list | awk '{ print $NF }')" "$(sha256sum root/sparse | cut -d' ' -f1)" "... with its content"

# ---- odd but good

for what in noend zero; do
	make_image odd $what
	is "$(list_image "$(import oci:odd:t)" | diff base.list -)" "" "$what: a tar without an end, a layer of no bytes"
done
make_image odd opaque-root
is "$(list_image "$(import oci:odd:t)" | cut -d' ' -f1)" "b'left'" "an opaque root hides everything below"
make_image many many
digest=$(import oci:many:t)
is "$(grep -c '^layer ' "$images/images/sha256-${digest#sha256:}/record")" 130 "130 layers"
make_image many many --break flat
if have umoci && umoci raw unpack --rootless --image many:t many.tree >umoci.log 2>&1; then
	list_tree many.tree >many.list
	is "$(list_image "$digest" | diff - many.list)" "" "... are what umoci makes of them"
else
	skip 1 "umoci is missing"
fi
make_image xattrs xattrs
import oci:xattrs:t >/dev/null
if have getfattr; then
	is "$(getfattr -h -m - -R -d "$images/layers" 2>/dev/null | sed -n 's/^\([a-z].*\)=.*/\1/p' | sort -u | tr '\n' ' ')" \
		"user.keep user.overlay.opaque " "of extended attributes those for users are kept"
	is "$(find "$images/layers" -path '*/file' -exec getfattr --only-values -n user.overlay.opaque {} + 2>/dev/null)" "" "... but not what speaks to overlayfs"
else
	skip 2 "getfattr is missing"
fi

# ---- the store

run image ls
is "$rc" 0 "ls"
like "$out" '^localhost/whole:t +[0-9a-f]{12} +[0-9.]+ k?B +[0-9]+ B' "... tells name, digest, size, and what is its own"
run image ls --json
is "$(printf %s "$out" | python3 -c 'import json,sys; print(sum("localhost/whole:t" in i["references"] for i in json.load(sys.stdin)))')" 1 "... as JSON"
run image inspect whole:t
is "$rc:$(printf '%s\n' "$err" | grep -c "no image 'whole:t'")" "125:1" "a short name is Docker's"
run image inspect localhost/whole:t
like "$out" '^history +made\\x1b' "inspect: what an image says cannot write to the terminal"
run image inspect --json "$(echo "$whole" | cut -c8-20)"
is "$(printf %s "$out" | python3 -c 'import json,sys; d=json.load(sys.stdin); print(d["manifest"], d["workdir"], len(d["layers"]))')" "$whole /w 4" "... by a few digits, as JSON"
before=$(find "$images/layers" -mindepth 1 -maxdepth 1 | wc -l)
run image rm localhost/whole:t
is "$rc" 0 "rm"
is "$(find "$images/layers" -mindepth 1 -maxdepth 1 | wc -l)" "$before" "... leaves the layers that others have"
run image prune
like "$out" '^removed 4 images' "prune takes images that lost their name"
mkdir "$images/layers/sha256-$(printf %064d 1)"
chmod 555 "$images/layers/sha256-$(printf %064d 1)"
run image prune --json
like "$out" '"layers":1,' "... and what nobody has, read-only or not"
for ref in $(jail image ls | awk 'NR > 1 { print $1 }'); do
	jail image rm "$ref" >>rm.log || echo "failed: $ref"
done
is "$(jail image ls; find "$images" -mindepth 2 ! -path '*/locks/*' ! -path '*/blobs/*')" "" "without images the store is empty"
is "$(find "$images/blobs" -type f)" "" "... of blobs too"
