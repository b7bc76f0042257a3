#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# An image as the root: directories and a store made by hand. How images come into the store is another test's.
# shellcheck disable=SC2154,SC2016  # set by lib.sh; programs for the shell inside
# shellcheck source=tests/integration/lib.sh
. "$top_srcdir/tests/integration/lib.sh"

deny=$top_builddir/tests/helpers/deny
store=$XDG_DATA_HOME/jail/images
canary=$scratch/canary

plant() { # plant TREE PROGRAM...: the host's programs with what they are linked to
	tree=$1
	shift
	mkdir -p "$tree/bin"
	for program; do
		file=$(command -v "$program")
		cp -L "$file" "$tree/bin/$program"
		ldd "$file" 2>/dev/null | grep -Eo '/[^ ]+' | while read -r library; do
			[ -e "$tree$library" ] || { mkdir -p "$tree${library%/*}" && cp -L "$library" "$tree$library"; }
		done
	done
}

digest() { # digest N: one of 64 digits
	printf 'sha256:%064d' "$1"
}

layer() { # layer N: makes a layer in the store and prints where
	mkdir -p "$store/layers/sha256-$(printf %064d "$1")"
	echo "$store/layers/sha256-$(printf %064d "$1")"
}

image() { # image N REFERENCE LINE...: an image of layers and settings
	number=$1 reference=$2
	shift 2
	mkdir -p "$store/refs" "$store/images/sha256-$(printf %064d "$number")"
	{
		printf 'jail-image 1\nreference %s\nmanifest %s\n' "$reference" "$(digest "$number")"
		[ $# = 0 ] || printf '%s\n' "$@"
		echo end
	} >"$store/images/sha256-$(printf %064d "$number")/record"
	digest "$number" >"$store/refs/$(echo "$reference" | sed 's|%|%25|g; s|/|%2F|g; s|:|%3A|g; s|@|%40|g')"
}

record() { # record N: where its record is
	echo "$store/images/sha256-$(printf %064d "$1")/record"
}

opaque() { # opaque DIR: overlayfs does not merge it
	python3 -c 'import os, sys; os.setxattr(sys.argv[1], "user.overlay.opaque", b"y")' "$1"
}

base=$scratch/base
mkdir -p "$canary" "$store"
chmod 700 "$store"
plant "$base" sh cat ls id env touch mkdir rm readlink sleep dd chmod grep
mkdir -p "$base/etc" "$base/srv/app" "$base/root"
printf 'root:x:0:0::/root:/bin/sh\nweb:x:33:33:Web:/srv:/bin/sh\n%s:x:4:4::/x:/x\nbroken\n' "$inner_user" >"$base/etc/passwd"
printf 'root:x:0:\nweb:x:33:\n' >"$base/etc/group"
echo image >"$base/etc/issue"
echo from-the-image >"$base/etc/resolv.conf"
cp -r "$base/." "$(layer 1)"
plan 142

# ---- a directory

run --image "dir:$base" -- sh -c 'cat /etc/issue; id -u; id -un; pwd'
is "$rc,$out" "0,image
$inner_uid
$inner_user
$work" "a directory is the root, the caller who they are, and the workspace where it is"
run --image dir:../base -- cat /etc/issue
is "$rc,$out" 0,image "... by a relative path"
profile tree '[root]' "image = dir:$base"
run --profile tree -- cat /etc/issue
is "$rc,$out" 0,image "... by a profile"
run --image "dir:$base" -- sh -c 'ls /usr/share/doc /home/*/* /var/lib 2>/dev/null'
is "$out" '' "... with nothing of the host's"
run --image "dir:$base" -- sh -c 'touch /new /etc/new /srv/app/new; echo x >>/etc/issue; rm /bin/ls; chmod 777 /srv; echo ok >here'
like "$err" "Read-only" "the root is read-only"
is "$(cat here),$(find "$base" -name new),$(cat "$base/etc/issue"),$(ls "$base/bin/ls")" "ok,,image,$base/bin/ls" "... and the workspace is not"
run --image "dir:$base" -- sh -c 'echo x >/tmp/f && echo y >/dev/shm/f && echo z >~/f && cat /tmp/f /dev/shm/f ~/f'
is "$rc,$out" "0,x
y
z" "/tmp, /dev/shm and the home are there, which the image has not"
run --image "dir:$base" -- sh -c 'cat /etc/passwd'
like "$out" "^$inner_user:x:$inner_uid:" "the caller is in passwd"
like "$out" "^web:x:33:33:" "... and so are the users of the image"
unlike "$out" "^broken|^$inner_user:x:4:" "... but not what is no entry, or has the caller's name"
run --image "dir:$base" -- cat /etc/group
like "$out" "^web:x:33:" "the same for groups"
run --image "dir:$base" -- cat /etc/resolv.conf
unlike "$out" from-the-image "resolv.conf is jail's own"
run --image "dir:$base" -- cat /proc/self/mountinfo
like "$out" " / / ro,nosuid,nodev,relatime - overlay jail ro,.*userxattr" "the root is an overlay, read-only, nosuid, nodev"
unlike "$out" "$scratch/base" "... that does not tell where it comes from"
run --image "dir:$base" -- ls -a /
is "$(echo "$out" | grep -Exv 'bin|dev|etc|home|lib|lib64|proc|root|run|srv|tmp|usr|var|\.|\.\.|work|private')" '' "... with no traces of how it was made"
run --image "dir:$base" -- no-such-program
is "$rc" 127 "a program that is not there is 127"
like "$err" "not in the image 'dir:" "... and the message says of what"
echo changed >"$base/etc/issue"
run --image "dir:$base" -- cat /etc/issue
is "$out" changed "a change in the directory is seen by the next run"
echo image >"$base/etc/issue"

for bad in / /home/../ /proc /dev/shm "$(dirname "$HOME")" "$HOME"; do
	refused "the host's own system|home directory|/dev/shm" "no root is $bad" --image "dir:$bad" -- touch ran
done
refused "no directory" "no root is a file" --image "dir:$base/etc/issue" -- touch ran
refused "No such file" "no root is what is not there" --image "dir:$base/none" -- touch ran
refused "no path behind" "no root is nothing" --image dir: -- touch ran

# ---- writes

run --image "dir:$base" --root-writes tmpfs -- sh -c 'echo new >/etc/new; echo x >>/etc/issue; rm /bin/ls; mkdir /d; cat /etc/new /etc/issue; ls /'
is "$rc,$out" "127,new
image
x" "root-writes = tmpfs: everything can be written and removed"
is "$(find "$base" -name new -o -name d),$(cat "$base/etc/issue"),$(ls "$base/bin/ls")" ",image,$base/bin/ls" "... and the image is as it was"
run --image "dir:$base" --root-writes tmpfs -- sh -c 'cat /etc/new || cat /etc/issue'
is "$out" image "... for the next run too"
run --image "dir:$base" --root-writes tmpfs --tmp 4M -- dd if=/dev/zero of=/big bs=1M count=8
like "$err" "No space left" "... within the size of tmp"
ro=$scratch/shown
mkdir "$ro"
echo keep >"$ro/file"
run --image "dir:$base" --root-writes tmpfs --ro "$ro" -- sh -c "echo x >$ro/file; cat $ro/file"
is "$out,$(cat "$ro/file")" keep,keep "... and not what is shown read-only"
refused "needs an image" "root-writes without an image" --root-writes tmpfs -- touch ran

# ---- the store

image 1 docker.io/library/first:latest "layer $(digest 1)"
chmod -R go-w "$store"
for name in first first:latest docker.io/first library/first docker.io/library/first:latest "first@$(digest 1)" \
	"docker.io/library/first:latest@$(digest 1)"; do
	run --image "$name" -- cat /etc/issue
	is "$rc,$out" 0,image "the store has '$name'"
done
for name in second first:other other.test/first "first@$(digest 9)"; do
	refused "the image '.*' is not here; .jail image pull " "... and not '$name'" --pull never --image "$name" -- touch ran
done
for name in First 'first:' '@' 'a//b' '../x' 'first@sha256:12' 'a b'; do
	refused "image reference" "'$name' is no reference" --pull never --image "$name" -- touch ran
done
run --pull always --image first.test/a:latest -- cat /etc/issue
is "$rc,$out" 125, "what is there is not enough when it is always to be"
run --image none.test/a -- cat /etc/issue
is "$rc,$out" 125, "what is not there and cannot be had"
run --status-fd 2 --image "oci-archive:$scratch/none" -- cat /etc/issue
is "$rc,$out,$(echo "$err" | grep -c '^jail: ')" 125,,1 "... and one line tells why"

# ---- a source on this machine

archive() { # archive TEXT: docker-archive $scratch/x.tar, which prints TEXT
	case $(uname -m) in aarch64) arch=arm64 ;; *) arch=amd64 ;; esac
	mkdir -p "$scratch/x"
	echo "$1" >"$base/etc/issue"
	tar -C "$base" -cf "$scratch/x/layer.tar" .
	echo image >"$base/etc/issue"
	printf '{"architecture":"%s","os":"linux","config":{"Env":["PATH=/bin"],"Cmd":["cat","/etc/issue"]},"rootfs":{"type":"layers","diff_ids":["sha256:%s"]}}' \
		$arch "$(sha256sum <"$scratch/x/layer.tar" | cut -d' ' -f1)" >"$scratch/x/config.json"
	echo '[{"Config":"config.json","RepoTags":["x.test/docker:1"],"Layers":["layer.tar"]}]' >"$scratch/x/manifest.json"
	tar -C "$scratch/x" -cf "$scratch/x.tar" manifest.json config.json layer.tar
}

archive one
refused "is not here; .jail image import docker-archive:$scratch/x.tar" "an archive that was never imported" --pull never \
	--image "docker-archive:$scratch/x.tar" -- touch ran
run --image "docker-archive:$scratch/x.tar"
is "$rc,$out,$err" 0,one, "... is imported, without a word"
refs() { stat -c %Y%Z "$store/refs"; }
before=$(refs)
run --image docker-archive:../x.tar -- sh -c 'cat /etc/issue; id -un'
is "$rc,$out,$(refs)" "0,one
$inner_user,$before" "... and not again, by whatever path"
run --image "docker-archive:$scratch/x.tar:x.test/docker:1"
is "$rc,$out" 0,one "... by the name in it"
sleep 0.1
archive two
run --image "docker-archive:$scratch/x.tar"
is "$rc,$out" 0,two "... until it changes"
archive three
run --pull never --image "docker-archive:$scratch/x.tar"
is "$rc,$out" 0,two "... unless it is never to be"
run --pull always --image "docker-archive:$scratch/x.tar"
is "$rc,$out" 0,three "... or always"
echo garbage >"$scratch/x.tar"
refused "" "what is no archive" --image "docker-archive:$scratch/x.tar" -- touch ran

# ---- layers

two=$(layer 2)
mkdir -p "$two/etc" "$two/srv" "$two/added"
echo second >"$two/etc/issue"
echo x >"$two/added/file"
mknod "$two/etc/group" c 0 0
mkdir -p "$(layer 3)/srv"
echo third >"$(layer 3)/srv/only"
image 3 layers.test/a:1 "layer $(digest 1)" "layer $(digest 2)" "layer $(digest 3)"
run --image layers.test/a:1 -- sh -c 'cat /etc/issue /added/file; ls /srv; grep web /etc/group; echo .'
is "$rc,$(echo "$out" | tr '\n' ' ')" "0,second x app only . " "upper layers cover lower ones, directories are merged, whiteouts hide"
if opaque "$(layer 3)/srv" 2>/dev/null; then
	run --image layers.test/a:1 -- ls /srv
	is "$rc,$out" 0,only "an opaque directory is not merged"
else
	skip 1 "no attributes of users on this file system"
fi
image 4 layers.test/twice:1 "layer $(digest 2)" "layer $(digest 1)" "layer $(digest 2)"
run --image layers.test/twice:1 -- cat /etc/issue
is "$rc,$out" 0,second "a layer may be there twice"
lines="layer $(digest 1)"
n=100
while [ $n -lt 240 ]; do
	echo $n >"$(layer $n)/n"
	[ $n -gt 100 ] || touch "$(layer $n)/first"
	lines="$lines
layer $(digest $n)"
	n=$((n + 1))
done
image 5 layers.test/many:1 "$lines"
run --image layers.test/many:1 -- cat /n /first /etc/issue
is "$rc,$out" "0,239
image" "141 layers"
chmod -R u+w "$(layer 3)"
mv "$(layer 3)" "$scratch/away"
rmdir "$(layer 3)" 2>/dev/null
refused "is not whole: 'sha256-.*3' is missing" "a layer that is missing" --pull never --image layers.test/a:1 -- touch ran
mv "$scratch/away" "$store/layers/sha256-$(printf %064d 3)"

# ---- what an image says

image 6 config.test/a:1 "layer $(digest 1)" 'env PATH=/srv/app:/bin' 'env HOME=/nowhere' 'env LINE=a%0Ab%25' 'env TERM=x' 'env A=image' 'env B=image' \
	'entrypoint sh' 'entrypoint -c' 'entrypoint echo "$0,$*"' 'cmd from' 'cmd image  cmd' 'workdir /srv/app' 'user web' 'stop-signal SIGUSR1'
run --image config.test/a:1
is "$rc,$out" "0,from,image  cmd" "no words: the entry point with the image's own"
run --image config.test/a:1 -- given 'as  words'
is "$rc,$out" "0,given,as  words" "words: the entry point with these"
run --image config.test/a:1 --entrypoint=no -- cat /etc/issue
is "$rc,$out" 0,image "entrypoint = no: the words alone"
run --image config.test/a:1 --entrypoint=no --set B=mine -- env
like "$out" "^LINE=a$" "a variable of the image, with a newline"
like "$out" "^b%$" "... and the rest of it"
like "$out" "^PATH=/srv/app:/bin$" "PATH is the image's"
like "$out" "^HOME=$HOME$" "HOME is jail's own"
like "$out" "^A=image$" "a variable that nobody else sets"
like "$out" "^B=mine$" "... and one that somebody does"
like "$out" "^PWD=/srv/app$" "PWD is the image's directory"
run --image config.test/a:1 --entrypoint=no -- sh -c 'pwd -P'
is "$rc,$out" 0,/srv/app "... where the command starts"
run --image config.test/a:1 --entrypoint=no --chdir . -- sh -c 'pwd -P'
is "$rc,$out" "0,$work" "chdir comes before the image's directory"
run --image config.test/a:1 --entrypoint=no --chdir /srv -- sh -c 'pwd -P'
is "$rc,$out" 0,/srv "... and may be in the image"
run --image config.test/a:1 --entrypoint=no --chdir /tmp -- sh -c 'pwd -P'
is "$rc,$out" 0,/tmp "... or jail's own"
refused "chdir '/none' does not exist inside" "... but nowhere else" --image config.test/a:1 --entrypoint=no --chdir /none -- touch ran
run --image config.test/a:1 --entrypoint=no -- id -un
is "$rc,$out" "0,$inner_user" "the image's user is not taken on"
run explain --image config.test/a:1 -- x
like "$out" "note +the image's user 'web' \(uid 33 of its passwd\)" "... and explain says who it would be"
like "$out" "^Command  sh -c 'echo .* x$" "explain shows the whole command"
like "$out" "^  name +config.test/a:1$" "... the image's name"
like "$out" "^  digest +$(digest 6)$" "... its digest"
like "$out" "^  sets +PATH HOME LINE TERM A B$" "... which variables it sets"
unlike "$out" "A=image" "... not to what"
like "$out" "^  image +config.test/a:1  ; --image$" "... and who asked for it"
run explain --json --image config.test/a:1 -- x
like "$out" '"entrypoint":\["sh","-c",.*"cmd":\["from","image  cmd"\]' "the same as JSON"
refused "is not here" "explain gets nothing that is not there" explain --image none.test/a -- x
run --image config.test/a:1 --entrypoint=no --time 1s --grace 5s -- sh -c 'trap "echo told; exit 0" USR1; while :; do sleep 0.1; done'
is "$rc,$out" 124,told "the image's signal tells that the time is over"
refused "no command" "no words, and none in the image" --image first
profile named '[root]' 'image = config.test/a:1'
run run named
is "$rc,$out" "0,from,image  cmd" "a profile with an image needs no command"
run run named given
is "$rc,$out" "0,given," "... and its words are the image's"

image 7 config.test/b:1 "layer $(digest 1)" 'workdir /made/by/jail' 'stop-signal NONSENSE'
run --image config.test/b:1 -- sh -c 'pwd -P'
is "$rc,$out" 0,/made/by/jail "a directory that is missing is made"
is "$(ls "$(layer 1)")" "$(ls "$base")" "... and not in the layer"
run explain --image config.test/b:1 -- x
like "$out" "stop signal 'NONSENSE' is none that is known" "a stop signal that is none is noted"
for dir in /tmp/made /tmp "$work" "${work%/*}" /etc /var; do
	image 7 config.test/b:1 "layer $(digest 1)" "workdir $dir"
	run --image config.test/b:1 -- sh -c 'pwd -P; ls /etc/passwd; touch /tmp/x "$0/y"' "$work"
	is "$rc,$out" "0,$dir
/etc/passwd" "... and on what is jail's own: $dir"
done
mkdir "$(layer 4)/real"
ln -s real "$(layer 4)/link"
ln -s /../../srv/../link "$(layer 4)/far"
ln -s loop "$(layer 4)/loop"
ln -s "$canary" "$(layer 4)/out"
for dir in /link /far/. /srv/../far; do
	image 7 config.test/b:1 "layer $(digest 1)" "layer $(digest 4)" "workdir $dir"
	run --image config.test/b:1 -- sh -c 'pwd -P'
	is "$rc,$out" 0,/real "a directory by way of links: $dir"
done
echo secret >"$canary/key"
image 7 config.test/b:1 "layer $(digest 1)" "layer $(digest 4)" "workdir /out"
run --image config.test/b:1 -- sh -c 'pwd -P; ls -a'
is "$rc,$out" "0,$canary
.
.." "a link out of the image is a path inside"
for dir in /proc/self/fd/3 /proc/self/cwd /dev/fd/3 /loop /etc/issue /etc/hosts /none/../../x; do
	image 7 config.test/b:1 "layer $(digest 1)" "layer $(digest 4)" "workdir $dir"
	refused "the image's working directory '$dir'" "no directory to start in: $dir" --image config.test/b:1 -- touch ran
done
image 7 config.test/b:1 "layer $(digest 1)" 'user 1234:5'
run explain --image config.test/b:1 -- x
like "$out" "the image's user '1234:5' \(uid 1234\)" "a user by number"
rm "$canary/key"

# ---- a record that is none

for bad in '' 'layer sha256:12' "layer $(digest 1)/../x" 'nonsense x' 'env =x' 'env X' 'workdir relative' 'env A=%00' 'env A=%g0' 'env A=%' "$(printf 'env A=\001')" \
	'workdir /a
workdir /b' 'end' 'reference x'; do
	image 8 bad.test/a:1 "layer $(digest 1)"
	{
		sed '$d' "$(record 8)"
		printf '%s\n' "$bad"
		echo end
	} >"$scratch/record"
	cp "$scratch/record" "$(record 8)"
	refused "line [0-9]+ of the image's record" "refused: $(echo "$bad" | tr '\n\001' '+?')" --image bad.test/a:1 -- touch ran
done
image 8 bad.test/a:1 "layer $(digest 1)"
sed -i '$d' "$(record 8)"
refused "the end is missing" "refused: no end" --image bad.test/a:1 -- touch ran
image 8 bad.test/a:1
refused "without a reference, a manifest or layers" "refused: no layer" --image bad.test/a:1 -- touch ran
cp "$(record 1)" "$(record 8)"
refused "is another image's" "refused: another's" --image bad.test/a:1 -- touch ran
echo ../../x >"$store/refs/bad.test%2Fa%3A1"
refused "holds no digest" "refused: a name that leads elsewhere" --image bad.test/a:1 -- touch ran
chmod g+w "$store"
refused "nobody else can write" "refused: a store that others can write" --image first -- touch ran
chmod g-w "$store"

# ---- hostile

evil=$scratch/evil
cp -r "$base" "$evil"
rm -rf "${evil:?}/etc" "$evil/root"
for name in dev proc tmp run etc home var sys; do
	ln -s "$canary" "$evil/$name"
done
mkdir -p "${evil:?}${scratch%/*}"
[ -e "$evil$scratch" ] || ln -s "$canary" "$evil$scratch"
before=$(ls -lan "$canary")
run --image "dir:$evil" -- sh -c 'touch here2; readlink /dev /proc /etc /tmp; ls /dev/null /proc/self/status /etc/passwd && pwd -P'
is "$rc,$out" "0,/dev/null
/etc/passwd
/proc/self/status
$work" "links in place of every place to mount lead nowhere"
is "$(ls -lan "$canary"),$(ls here2)" "$before,here2" "... and nothing is made where they point"
mkdir -p "$scratch/fake/proc/self/attr" "$scratch/fake/dev" "$scratch/fake/run/jail/.mask" "$scratch/fake/etc/passwd"
cp -r "$base/." "$scratch/fake" 2>/dev/null
echo fake >"$scratch/fake/proc/self/setgroups"
echo fake >"$scratch/fake/dev/null"
echo fake >"$scratch/fake/run/jail/policy.json"
run --image "dir:$scratch/fake" -- sh -c 'cat /dev/null /proc/partitions; cat /run/jail/policy.json /proc/self/setgroups /etc/passwd | { ! grep -q fake; }' 2>/dev/null
unlike "$out" fake "files in place of devices, of /proc and of jail's own are covered"

# ---- the old mount API

if [ "$who" = root ]; then
	JAIL_OLD="$deny ENOSYS fsopen,open_tree -- $JAIL"
	rc=0
	err=$($JAIL_OLD --image "dir:$base" -- touch ran 2>&1) || rc=$?
	is "$rc,$(ls ran 2>/dev/null)" 125, "without the new mount API root is refused"
	skip 2 "what root would show through idmapped mounts needs the new mount API"
else
	for call in fsopen move_mount mount_setattr; do
		out=$("$deny" ENOSYS $call -- "$JAIL" --image layers.test/many:1 -- sh -c 'cat /n /etc/issue; echo 2>/dev/null >/x || echo closed' 2>/dev/null)
		is "$out" "239
image
closed" "without $call"
	done
fi
