#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Where an outer filter refuses the new mount API, mount(2) builds the same jail, or none.
# shellcheck disable=SC2154,SC2016  # set by lib.sh; programs for the shell inside
# shellcheck source=tests/integration/lib.sh
. "$top_srcdir/tests/integration/lib.sh"

if [ "$who" = root ]; then plan 86; else plan 82; fi

all=fsopen,fsconfig,fsmount,fspick,open_tree,move_mount,mount_setattr
deny=$top_builddir/tests/helpers/deny
normal=$JAIL

with() { # with ERRNO CALLS: from now on jail runs where these calls fail; without arguments, where they do not
	JAIL=$normal
	[ $# -gt 0 ] || return 0
	JAIL=$scratch/denied
	printf '#!/bin/sh\nexec "%s" %s %s -- "%s" "$@"\n' "$deny" "$1" "$2" "$normal" >"$JAIL"
	chmod +x "$JAIL"
}

# What root would show through idmapped mounts cannot be had without the new API. All else is compared as root's own.
as_root=
[ "$who" != root ] || as_root=--allow-root

# Mounts without what may differ, the numbers: where the parent is, and then all there is to say about a mount.
mounts() { # mounts FILE
	awk '{ at[$1] = $5; line[NR] = $0 }
		END { for (i = 1; i <= NR; i++) { n = split(line[i], f, " "); s = at[f[2]] " <"
			for (j = 4; j <= n; j++) s = s " " f[j]
			print s } }' "$1" | sort
}

shape() { # shape NAME ARG...: how the jail looks that these arguments make, into $scratch/NAME
	name=$1
	shift
	# shellcheck disable=SC2086  # no word, or one
	run $as_root "$@" -- cat /proc/self/mountinfo
	mounts "$scratch/out" >"$scratch/$name"
}

same() { # same NAME WHAT: the last run worked, and its mounts are those of NAME
	mounts "$scratch/out" >"$scratch/now"
	is "$rc,$(diff "$scratch/$1" "$scratch/now")" "0," "$2"
}

# ---- the tool itself

ok "deny runs a command" "$deny" ENOSYS fsopen -- true
like "$("$deny" EPERM umount2 -- umount /none/such 2>&1; "$deny" EPERM fsopen -- "$top_builddir/tests/helpers/probe" fsopen)" \
	'fsopen -1 EPERM' "... for which a call fails"
not_ok "... and knows what it denies" "$deny" ENOSYS nonsense -- true

# ---- the same mounts

shape normal
ok "a normal run has mounts to compare" test "$(wc -l <"$scratch/normal")" -gt 20
is "$(grep -E ' (shared|master|unbindable)' "$scratch/normal")" "" "... all of them private"

for code in ENOSYS EPERM; do
	with $code $all
	# shellcheck disable=SC2086
	run $as_root -- cat /proc/self/mountinfo
	same normal "$code for all of the new API: the same mounts"
done
for call in fsopen fsconfig fsmount move_mount open_tree mount_setattr; do
	for code in ENOSYS EPERM; do
		with $code $call
		# shellcheck disable=SC2086
		run $as_root -- cat /proc/self/mountinfo
		same normal "$code for $call alone: the same mounts"
	done
done

with
shape strict --profile strict
with ENOSYS $all
# shellcheck disable=SC2086
run $as_root --profile strict -- cat /proc/self/mountinfo
same strict "strict, with its own kind of /proc: the same mounts"

mkdir -p ro rw rw/inner
echo text >ro/file
with
shape binds --workspace "$work/rw" --ro "$work/rw/inner" --ro "$work/ro/file"
ok "binds on a host tree show" grep -q " $work/rw/inner ro," "$scratch/binds"
with ENOSYS $all
# shellcheck disable=SC2086
run $as_root --workspace "$work/rw" --ro "$work/rw/inner" --ro "$work/ro/file" -- cat /proc/self/mountinfo
same binds "a tree in a tree, and a file: the same mounts"

# ---- the same files, and what can be done to them

# Everything on the root and beneath the places that are ours; times and inode numbers are not compared.
look='find / /dev /etc /run /tmp /proc/sys/user /proc/sys/kernel/random "$HOME" -xdev ! -path "/proc/[0-9]*" \
	-printf "%p %y %m %U %G %l\n" 2>&1 | sort -u; stat -c "%i" /.. | grep -qx "$(stat -c %i /)" && echo nothing above;
	ls -a /.. ; for f in /proc/sys/user/max_*; do echo "$f $(cat "$f")"; done; df -a --output=target,size,itotal 2>&1 | sort'
tries='for f in / /usr /etc /etc/ssl /dev /dev/pts /proc /proc/sys /proc/sys/user /run /run/jail /run/user/* /tmp /dev/shm "$HOME" . inner; do
		e=$( (: >"$f/new") 2>&1); echo "write $f: ${e##*: }"; rm -f "$f/new" 2>/dev/null; done
	for f in /proc/sys/user/max_user_namespaces /proc/sys/kernel/core_pattern /run/jail/.mask /etc/passwd /dev/null /dev/full; do
		e=$( (echo x >"$f") 2>&1); echo "write $f: ${e##*: }"; done
	for f in /proc/kallsyms /proc/cmdline /proc/keys /proc/sys/kernel/random/boot_id /run/jail/.mask; do
		e=$(cat "$f" 2>&1); echo "read $f: ${e##*: }"; done
	for f in /proc/acpi /proc/bus /proc/fs /proc/irq /run/jail/.maskdir; do e=$(ls "$f" 2>&1); echo "list $f: ${e##*: }"; done
	unshare -r true 2>&1; unshare -m true 2>&1; mount -t tmpfs x /tmp 2>&1; umount /proc 2>&1; mknod /tmp/n c 1 3 2>&1'
compare() { # compare NAME PROGRAM ARG...
	what=$1 program=$2
	shift 2
	with
	# shellcheck disable=SC2086
	run $as_root "$@" -- sh -c "$program"
	before=$out
	with ENOSYS $all
	# shellcheck disable=SC2086
	run $as_root "$@" -- sh -c "$program"
	printf '%s\n' "$before" >"$scratch/before"
	printf '%s\n' "$out" >"$scratch/after"
	is "$(diff "$scratch/before" "$scratch/after")" "" "$what"
}
compare "the same files, modes, owners, sizes" "$look"
like "$out" '^nothing above$' "... nothing above the root"
like "$out" '^/run/jail/\.mask f 0 ' "... and there was something to compare"
is "$(printf '%s\n' "$out" | grep -c '^/proc/sys/user/max_[a-z]*_namespaces 0$')" \
	"$(find /proc/sys/user -name 'max_*_namespaces' | wc -l)" "... no namespaces of any kind"
unlike "$out" '\.stage|^/(dir|file) ' "... and nothing of the stage"
compare "the same attempts fail" "$tries" --workspace "$work/rw" --ro "$work/rw/inner"
like "$out" '^write inner: Read-only file system$' "... a read-only tree is"
like "$out" '^write \.: $' "... a writable tree is"
like "$out" '^write /: (Read-only file system|Permission denied)$' "... the root is read-only"
like "$out" '^read /proc/kallsyms: (Permission denied)?$' "... a masked file says nothing"
like "$out" '^list /proc/acpi: (Permission denied|No such file or directory)?$' "... a masked directory says nothing"
compare "strict: the same files" "$look" --profile strict
compare "the command's own processes, and no others" 'ls -d /proc/[0-9]* | sed "s/.*\///" | sort -n | head -n 1; cat /proc/1/comm /proc/self/comm'
like "$out" '^1$' "... pid 1 is jail's"

# ---- mounts beneath a bound tree

# Each line of this is done as root of a mount namespace of its own, and then jail runs there, normally and with the old API.
if [ "$who" = root ]; then
	outer='unshare -m'
else
	outer='unshare -rm'
fi
beneath() { # beneath NAME SET-UP ARG...: $normal_out, $normal_err and $out, $err, $rc of both ways
	setup=$2
	shift 2
	cat >"$scratch/beneath" <<-'END'
		set -e
		cd "$1"; jail=$2; setup=$3
		shift 3
		mount -t tmpfs scratch "$PWD"
		cd "$PWD"
		mkdir a
		eval "$setup"
		exec "$jail" "$@"
	END
	for way in normal old; do
		with
		[ $way = normal ] || with ENOSYS $all
		rc=0
		# shellcheck disable=SC2086
		timeout -s KILL "$limit" $outer sh "$scratch/beneath" "$work/tree" "$JAIL" "$setup" $as_root "$@" \
			>"$scratch/out" 2>"$scratch/err" || rc=$?
		out=$(tr -d '\000' <"$scratch/out")
		err=$(tr -d '\000' <"$scratch/err")
		[ $way = old ] || { normal_rc=$rc; mounts "$scratch/out" >"$scratch/beneath.normal"; }
	done
}
mkdir -p "$work/tree"

flags_of() { # flags_of PATH-IN-TREE: as the last run's mountinfo has them
	awk -v at="$work/tree/$1" '$5 == at { print $6 }' "$scratch/out"
}
optional() { # what ties mounts of the tree to others
	awk -v at="$work/tree" 'index($5, at) == 1 && $7 != "-"' "$scratch/out"
}

if $outer sh -c 'mount -t tmpfs x /mnt' 2>/dev/null; then
	beneath "rw" 'mount -t tmpfs sub a' -- cat /proc/self/mountinfo
	is "$normal_rc,$rc" 0,0 "a mount beneath the workspace: both ways work"
	is "$(flags_of '')$(flags_of a)" "rw,nosuid,nodev,relatime" "... it is writable, nosuid, nodev"
	same beneath.normal "... and the mounts are the same"

	beneath "ro" 'mount -t tmpfs sub a; mkdir a/b; mount -t tmpfs sub2 a/b' --workspace-mode ro -- cat /proc/self/mountinfo
	is "$normal_rc,$rc" 0,0 "mounts beneath a read-only workspace: both ways work"
	is "$(flags_of a),$(flags_of a/b)" "ro,nosuid,nodev,relatime,ro,nosuid,nodev,relatime" "... they are read-only at every depth"
	same beneath.normal "... and the mounts are the same"

	beneath "ro write" 'mount -t tmpfs sub a' --workspace-mode ro -- touch a/new
	like "$err" 'Read-only file system' "... and cannot be written"

	beneath "flags" 'mkdir b c d e
		mount -t tmpfs -o noexec,noatime sub a
		mount -t tmpfs -o nodiratime,nosuid sub b
		mount -t tmpfs -o ro,nodev sub c; mount -o remount,rw,bind,nodev c
		mount -t tmpfs -o strictatime sub d
		mount -t tmpfs sub e; mount -o remount,ro,bind,noexec e' -- cat /proc/self/mountinfo
	is "$normal_rc,$rc" 0,0 "mounts with flags that are locked: both ways work"
	same beneath.normal "... and the mounts are the same"
	is "$(flags_of a)" "rw,nosuid,nodev,noexec,noatime" "... noexec and noatime stay"
	is "$(flags_of b)" "rw,nosuid,nodev,nodiratime,relatime" "... nodiratime stays"
	is "$(flags_of c)" "rw,nosuid,nodev,relatime" "... a read-only file system is no read-only mount"
	is "$(flags_of d)" "rw,nosuid,nodev" "... strict access times stay"
	is "$(flags_of e)" "ro,nosuid,nodev,noexec,relatime" "... read-only stays in a writable tree"

	beneath "shared" 'mount -t tmpfs sub a; mount --make-rshared /' -- cat /proc/self/mountinfo
	is "$normal_rc,$rc,$(optional)" 0,0, "mounts that are shared outside are private inside"
	same beneath.normal "... and the mounts are the same"

	beneath "names" 'for n in "a b" "a	b" "a
b" "a\\b" "a\\040b" "äö" "-" "a#b"; do mkdir -p "./$n/$n"; mount -t tmpfs sub "./$n"; mkdir "./$n/x"; mount -t tmpfs sub "./$n/x"; done' \
		--workspace-mode ro -- cat /proc/self/mountinfo
	is "$normal_rc,$rc" 0,0 "mounts with odd names: both ways work"
	same beneath.normal "... and the mounts are the same"
	is "$(awk -v at="$work/tree/" 'index($5, at) == 1' "$scratch/out" | grep -vc ' ro,nosuid,nodev,')" 0 "... all of them restricted"

	beneath "many" 'i=0; while [ $i -lt 150 ]; do mkdir m$i; mount -t tmpfs sub m$i; i=$((i + 1)); done' \
		--workspace-mode ro -- cat /proc/self/mountinfo
	is "$normal_rc,$rc" 0,0 "many mounts: both ways work"
	same beneath.normal "... and the mounts are the same"

	beneath "file" 'echo x >f; echo y >g; mount --bind f g' --ro "$work/tree/g" -- sh -c 'cat g; cat /proc/self/mountinfo >&2'
	is "$normal_rc,$rc,$out" 0,0,x "a file mounted on a file: both ways work"
	cp "$scratch/err" "$scratch/out"
	like "$(flags_of g)" '^ro,nosuid,nodev' "... and is restricted"

	beneath "hidden" 'mount -t tmpfs under a; mkdir a/b; mount -t tmpfs over a' -- touch ran
	is "$normal_rc,$rc" 0,125 "a mount hidden below another cannot be restricted: refused"
	like "$err" "^jail: .*'$work/tree/a' is hidden" "... saying which"

	beneath "hidden, restricted" 'mount -t tmpfs -o nosuid,nodev under a; mount -t tmpfs over a' -- cat /proc/self/mountinfo
	is "$normal_rc,$rc" 0,0 "... unless it is restricted already"
	same beneath.normal "... and the mounts are the same"

	beneath "over the root" 'mount -t tmpfs sub a; mount -t tmpfs over /' -- touch ran
	is "$normal_rc,$rc" 125,125 "something mounted over the host's root: refused by both"
else
	skip 28 "mount namespaces of the test's own are refused here"
fi

# ---- the host stays as it is

for way in normal old; do
	with
	[ $way = normal ] || with ENOSYS $all
	name=$(marker)
	mkdir "/var/tmp/$name"
	at_end "rmdir '/var/tmp/$name' '/tmp/$name' '/tmp/$name-home' 2>/dev/null || :"
	# shellcheck disable=SC2086
	HOME=/var/tmp/$name-home run $as_root --workspace "/var/tmp/$name" -- pwd
	is "$rc,$out" "0,/var/tmp/$name" "$way: a workspace where jail has a link of its own"
	is "$(ls -d "/tmp/$name" "/tmp/$name-home" "/var/tmp/$name-home" 2>/dev/null)" "" "$way: ... and nothing is made on the host"
done

# ---- refused, and not by half

refused() { # refused ERE NAME ARG...
	message=$1 name=$2
	shift 2
	rm -f ran
	run "$@" -- touch ran
	is "$rc" 125 "$name: 125"
	is "$(grep -cE "^jail: .*$message" "$scratch/err"),$(grep -vc '^jail: weak: ' "$scratch/err")" 1,1 "$name: one line"
	not_ok "$name: nothing ran" test -e ran
}
for code in ENOSYS EPERM; do
	with $code $all,mount
	# shellcheck disable=SC2086
	refused "mount" "$code for mount(2) too" $as_root
done
with EINVAL fsopen
# shellcheck disable=SC2086
refused "open the file system proc: Invalid" "an error that is no refusal" $as_root
with EIO mount_setattr
# shellcheck disable=SC2086
refused "restrict the tree" "an error that is no refusal, later" $as_root
with ENOSYS $all
if [ "$who" = root ]; then
	refused "outer sandbox refuses open_tree.*ordinary user" "real root, without idmapped mounts"
	with EPERM fsopen
	refused "outer sandbox refuses a part of the mount API.*ordinary user" "real root, with a part of the API"
else
	run -- touch ran
	is "$rc" 0 "not root: no idmapped mounts are needed"
	ok "... it ran" test -e ran
fi
