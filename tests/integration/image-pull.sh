#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# jail image pull: what the store holds afterwards, what is fetched at all, and that nothing half done is ever trusted.
. "$top_srcdir/tests/integration/lib.sh"
. "$top_srcdir/tests/integration/registry.sh"

registry_start
plan 44
limit=60
store=$XDG_DATA_HOME/jail/images
export ASAN_OPTIONS=detect_leaks=0 # cannot be had in a cage

pull() {
	: >"$frontlog"
	run image pull "$@"
}

# Every blob has its digest, every layer of every record is there with what it should hold, and nothing is left over.
verifies() {
	for b in "$store"/blobs/sha256/*; do
		[ "$(sha256sum <"$b" | cut -d' ' -f1)" = "${b##*/}" ] || { echo "blob $b"; return 1; }
	done
	grep -h '^layer ' "$store"/images/*/record | sort -u | while read -r _ d; do
		[ -d "$store/layers/$(echo "$d" | tr : -)" ] || { echo "layer $d"; exit 1; }
	done || return 1
	for f in big second; do
		[ "$(cat "$store"/layers/*/$f | sha256sum)" = "$(sha256sum <"$scratch/expected/$f")" ] || { echo "file $f"; return 1; }
	done
	[ -z "$(ls "$store/tmp" "$store/parts" | grep -v ':$' | tr -d '\n')" ] || { echo "left: $(ls "$store/tmp" "$store/parts")"; return 1; }
}

mkdir "$scratch/expected"
sed -n '3,4p' "$scratch/digests" | while read -r d _; do
	tar -xzf "$scratch/layout/blobs/sha256/${d#sha256:}" -C "$scratch/expected"
done

# ---- a pull -----------------------------------------------------------------------------------------------------------

pull "$good/t/a"
is "$rc" 0 "an image is pulled"
is "$out" "$good/t/a:latest $manifest" "its name and digest are what is printed"
ok "the store verifies" verifies
like "$err" "^pulling $good/t/a:latest\$" "what is pulled is said"
like "$err" '^sha256:[0-9a-f]{12}: 4\.2 MB pulled$' "a line for each layer"
unlike "$err" "$(printf '\033')" "and no bars where there is no terminal"
is "$(cat "$store"/refs/*)" "$manifest" "the reference stands for it"
pull "$(front good)/t/a"
is "$rc" 0 "the same image by another name"
is "$(grep -c /blobs/ "$frontlog")" 0 "of which nothing is fetched twice"
is "$(ls "$store/refs" | wc -l)" 2 "both names are there"
pull --quiet "$good/t/a@$manifest"
is "$rc:$err" "0:" "by digest, and quietly"
pull --quiet "$good/t/a:nope"
is "$rc" 125 "no such tag"
is "$err" "jail: registry '$good' has no '$good/t/a:nope' (404: manifest unknown)" "is one line"
rm -rf "$store"
have script && script -qec "stty cols 100; '$JAIL' image pull '$(front drip)/t/a'" "$scratch/typescript" </dev/null >/dev/null 2>&1
if have script; then
	like "$(cat "$scratch/typescript")" 'sha256:[0-9a-f]{12} [0-9.]+ [kM]?B of 4\.2 MB +\[#+\.+\]' "bars on a terminal"
	like "$(cat "$scratch/typescript")" "^.*$manifest" "and the digest after them"
else
	skip 2 "script is not here"
fi

# ---- layers that are shared; indexes; Docker's types --------------------------------------------------------------------

rm -rf "$store"
pull "$good/t/a"
python3 - "$scratch/layout" <<'END'
import gzip, hashlib, io, json, sys, tarfile, os
top = sys.argv[1]
def get(d): return json.load(open(f"{top}/blobs/sha256/{d['digest'][7:]}"))
def put(data, kind):
    d = hashlib.sha256(data).hexdigest()
    open(f"{top}/blobs/sha256/{d}", "wb").write(data)
    return {"mediaType": kind, "digest": "sha256:" + d, "size": len(data)}
index = json.load(open(top + "/index.json"))
m = get(index["manifests"][0])
c = get(m["config"])
b = io.BytesIO()
with tarfile.open(fileobj=b, mode="w") as t:
    i = tarfile.TarInfo("third")
    t.addfile(i, io.BytesIO())
c["rootfs"]["diff_ids"].append("sha256:" + hashlib.sha256(b.getvalue()).hexdigest())
m["layers"].append(put(gzip.compress(b.getvalue(), mtime=0), m["layers"][0]["mediaType"]))
m["config"] = put(json.dumps(c).encode(), m["config"]["mediaType"])
here = put(json.dumps(m).encode(), m["mediaType"])
here["platform"] = {"os": "linux", "architecture": c["architecture"]}
other = dict(here, platform={"os": "linux", "architecture": "s390x"})
other.update(put(json.dumps(dict(m, annotations={"other": "one"})).encode(), m["mediaType"]))
proof = dict(other, platform={"os": "unknown", "architecture": "unknown"})
both = put(json.dumps({"schemaVersion": 2, "mediaType": "application/vnd.oci.image.index.v1+json", "manifests": [proof, other, here]}).encode(),
           "application/vnd.oci.image.index.v1+json")
both["annotations"] = {"org.opencontainers.image.ref.name": "both"}
index["manifests"].append(both)
json.dump(index, open(top + "/index.json", "w"))
print(here["digest"], other["digest"], file=open(top + "/../both", "w"))
END
read -r here other <"$scratch/both"
skopeo copy --insecure-policy --all --dest-tls-verify=false "oci:$scratch/layout:both" "docker://$good/t/a:both" >"$scratch/skopeo.log" 2>&1 ||
	diag "$(cat "$scratch/skopeo.log")"
pull "$(front good)/t/a:both"
is "$rc:${out#* }" "0:$here" "from an index, the image for this machine"
is "$(grep -c /blobs/ "$frontlog")" 2 "a config and the one layer that is new"
is "$(ls "$store/layers" | wc -l)" 3 "two images, three layers"
pull --platform linux/s390x "$good/t/a:both"
is "$rc:${out#* }" "0:$other" "or the one that was asked for"
refused 'riscv64' "or none" image pull --quiet --platform linux/riscv64 "$good/t/a:both"
skopeo copy --insecure-policy --format v2s2 --dest-tls-verify=false "oci:$scratch/layout:a" "docker://$good/t/docker:1" >"$scratch/skopeo.log" 2>&1
pull "$good/t/docker:1"
is "$rc" 0 "Docker's own types"
is "$(ls "$store/layers" | wc -l)" 3 "with the same layers"

# ---- what goes wrong leaves the store as it was -------------------------------------------------------------------------

rm -rf "$store"
for mode in flip flip_manifest big_manifest always_404 long_length; do
	refused . "nothing from a registry that is bad: $mode" image pull --quiet "$(front $mode)/t/a"
	[ -z "$(find "$store/refs" "$store/images" "$store/layers" "$store/blobs" -type f)" ] || fail "and it left something"
done
refused 'no network' "offline" image pull --quiet registry.test/a
refused 'reference' "no reference" image pull --quiet ///
refused 'one word too many' "two of them" image pull a b
pull "$(front cut)/t/a"
is "$rc" 0 "a transfer that breaks three times"
ok "and the store verifies" verifies

rm -rf "$store"
pull "$(front always_cut)/t/a"
isnt "$(ls "$store/parts")" "" "what came of a transfer that never ends stays"
run image prune
is "$(ls "$store/parts")" "" "until prune"

# `umoci insert` pushes layers that end with the last byte of the last file, not of its block.
printf abc >last
tar -cf whole.tar last
head -c 515 whole.tar >unpadded.tar
run image import unpadded.tar localhost/unpadded
is "$rc:$(cat "$store"/layers/*/last)" "0:abc" "a layer without the end of its last block"
head -c 514 whole.tar >cut.tar
refused 'Truncated' "but not without the end of its last file" image import cut.tar localhost/cut

# ---- no room ------------------------------------------------------------------------------------------------------------

if unshare -rm true 2>/dev/null; then
	mkdir "$scratch/room"
	cat >"$scratch/room.sh" <<-'END'
		mount -t tmpfs -o size=40m none "$1" || exit 99
		head -c 37m /dev/zero >"$1/ballast" || exit 99
		export XDG_DATA_HOME="$1"
		"$2" image pull --quiet "$3/t/a" && exit 98
		echo "rc $?"
		ls "$1"/jail/images/layers "$1"/jail/images/images "$1"/jail/images/refs | grep sha256
		rm "$1/ballast"
		"$2" image pull --quiet "$3/t/a"
	END
	: >"$frontlog"
	out=$(unshare -rm sh "$scratch/room.sh" "$scratch/room" "$JAIL" "$(front good)" 2>&1)
	rc=$?
	like "$out" "^jail: write .*: No space left on device" "no room is said"
	is "$(printf '%s\n' "$out" | sed 1d)" "rc 125
$(front good)/t/a:latest $manifest" "leaves nothing, and with more room it works"
	is "$rc:$(grep -c 'bytes=[1-9]' "$frontlog" | sed 's/[1-9][0-9]*/some/')" "0:some" "going on with what was there"
else
	skip 3 "no user namespace to mount in"
fi

# ---- two at once, and kill -9 -------------------------------------------------------------------------------------------

rm -rf "$store"
jail image pull --quiet "$(front drip)/t/a" >"$scratch/one" 2>&1 &
one=$!
jail image pull --quiet "$(front drip)/t/a:both" >"$scratch/two" 2>&1 &
two=$!
wait "$one"
is "$?" 0 "two at once: the first"
wait "$two"
is "$?" 0 "and the second"
ok "and the store verifies" verifies

rm -rf "$store"
start=$(clock)
pull --quiet "$(front drip)/t/a"
took=$(($(clock) - start))
bad='' resumed=0
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
	rm -rf "$store"
	"$JAIL" image pull --quiet "$(front drip)/t/a" >/dev/null 2>&1 &
	victim=$!
	sleep "$(awk -v i="$i" -v took="$took" 'BEGIN { print i * took / 2100 }')"
	kill -9 "$victim" 2>/dev/null
	wait "$victim" 2>/dev/null
	until_true 5 sh -c '! pgrep -f "jail-(pull|unpack).*$1" >/dev/null' sh "$store" || bad="$bad $i:alive"
	pull --quiet "$(front drip)/t/a"
	[ "$rc" = 0 ] || bad="$bad $i:$err"
	why=$(verifies) || bad="$bad $i:$why"
	! grep -q 'bytes=' "$frontlog" || resumed=$((resumed + 1))
done
is "$bad" "" "killed at twenty points: the next run succeeds, and the store verifies"
ok "some of them went on with what was there ($resumed)" [ "$resumed" -gt 0 ]
