#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The mount namespace: MNT-01 to MNT-05.
# shellcheck disable=SC2154,SC2034,SC2016  # set, or read, by escape-lib.sh; programs for the shell inside
# shellcheck disable=SC2012,SC2002,SC3045,SC2015
# shellcheck source=tests/integration/escape-lib.sh
. "$top_srcdir/tests/integration/escape-lib.sh"

canary=canary-$nonce
echo "$nonce" >"$scratch/$canary"
sum_before=$(cksum <"$scratch/$canary")

# MNT-01 -- the old calls are EPERM, the new ones do not exist. EBUSY, EINVAL and so on are how the kernel refuses to do a harmless
# thing that it allowed.
control=in_userns
for fs in tmpfs proc; do
	blocked EPERM "MNT-01 mount($fs) is EPERM" "mount-$fs"
done
blocked EPERM "MNT-01 mount(MS_BIND) is EPERM" mount-bind
blocked EPERM "MNT-01 mount(cgroup2) is EPERM" mount-fs cgroup2
flips='OK|EINVAL|EBUSY|EAGAIN|ENODEV|ELOOP'
blocked EPERM "MNT-01 mount(overlay) is EPERM" mount-fs overlay
blocked EPERM "MNT-01 umount2() is EPERM" umount-proc
blocked EPERM "MNT-01 pivot_root() is EPERM" pivot-root
flips=OK
blocked EPERM "MNT-01 chroot() is EPERM" chroot
for call in fsopen fsconfig fsmount open_tree mount_setattr open_tree_attr; do
	blocked ENOSYS "MNT-01 $call() is ENOSYS" $call
done
blocked ENOSYS "MNT-01 fspick() is ENOSYS" fspick /proc
flips='EINVAL|ELOOP|EBUSY'
blocked ENOSYS "MNT-01 move_mount() is ENOSYS" move_mount
flips=OK
opts='--allow-syscall mount --allow-syscall umount2 --allow-syscall pivot_root --allow-syscall chroot --allow-syscall fsopen
	--allow-syscall open_tree --allow-syscall move_mount --allow-syscall mount_setattr --allow-syscall fspick
	--allow-syscall open_tree_attr'
for call in mount-tmpfs mount-bind mount-proc umount-proc remount-rw pivot-root chroot fsopen fspick open_tree open_tree_attr move_mount mount_setattr; do
	refused EPERM "MNT-01 $call is EPERM by capabilities alone" $call
done
opts=''

# MNT-02 -- nothing that is read-only becomes writable, and nothing that is hidden comes to light.
for dir in / /usr /proc/sys /run/jail /etc; do
	refused EPERM "MNT-02 remounting $dir read-write is EPERM" remount-rw $dir
done
for dir in / /usr/bin /proc/sys/kernel; do
	refused 'EROFS|EACCES|ENOENT' "MNT-02 and then $dir is not writable" open create "$dir/$nonce"
done
for hidden in /proc/keys /proc/kcore /proc/bus /proc/sys; do
	[ -e $hidden ] || continue
	refused EPERM "MNT-02 unmounting what lies over $hidden is refused" umount-proc $hidden
	opts='--allow-syscall umount2'
	refused EPERM "MNT-02 unmounting what lies over $hidden is refused by capabilities alone" umount-proc $hidden
	opts=''
done
mkdir bound
free=$(unshare -Urm sh -c 'mount --bind bound bound && mount -o remount,bind,ro bound && ! touch bound/x 2>/dev/null && "$0" remount-rw "$PWD/bound"' "$probe" 2>&1 | answer)
is "$free" OK "MNT-02 control: with capabilities a read-only mount becomes writable"

# MNT-03 -- in a mount namespace that the test may change, and whose mounts are shared.
run -- cat /proc/self/mountinfo
unlike "$out" ' (shared|master|propagate_from|unbindable):' "MNT-03 no mount inside is shared or a slave"
cat >"$scratch/propagate" <<'END'
set -e
cd "$1"
mkdir -p later
timeout 20 "$2" -- sh -c ': >up; until [ -e down ]; do sleep 0.02; done; ls later; cat /proc/self/mountinfo' >"$3.jail" 2>&1 &
jailed=$!
unshare -m --propagation slave sh -c ': >up2; until [ -e down ]; do sleep 0.02; done; ls later' >"$3.slave" 2>&1 &
slave=$!
n=0
until [ -e up ] && [ -e up2 ]; do n=$((n + 1)); [ $n -lt 500 ]; sleep 0.02; done
mount -t tmpfs none later
: >"later/$4"
: >down
wait $slave
wait $jailed
END
userns=-Ur
[ "$who" = user ] || userns=
# shellcheck disable=SC2086
timeout 30 unshare $userns -m --propagation shared sh "$scratch/propagate" "$work" "$JAIL" "$scratch/seen" "$nonce" 2>"$scratch/propagate.err"
propagated=$?
diag "$(cat "$scratch/propagate.err")"
is "$propagated" 0 "MNT-03 a mount is made on the host while a jail runs"
like "$(cat "$scratch/seen.jail")" ' / / ' "MNT-03 the jail looked after that"
unlike "$(cat "$scratch/seen.jail")" "$nonce|/later " "MNT-03 the jail does not see it"
like "$(cat "$scratch/seen.slave")" "$nonce" "MNT-03 control: a slave mount namespace sees it"

# MNT-04
run -- ./probe dotdot
is "$rc" 0 "MNT-04 sixty-four times .. ends at the jail's root"
run -- sh -c "cat /proc/self/mountinfo; find / -xdev -name '$canary' 2>/dev/null; find /tmp / -maxdepth 4 -name '$canary' 2>/dev/null; ls -a .. ../.. ; readlink /proc/self/cwd /proc/self/root"
unlike "$out" "$canary" "MNT-04 nothing inside has the name of a file beside the workspace"
unlike "$out" unreachable "MNT-04 the working directory is reachable"
like "$(find "$scratch" -name "$canary")" "$canary" "MNT-04 control: outside it is found"
mkdir "$scratch/newroot"
cp "$probe" "$scratch/newroot/probe"
free=$(unshare -Ur "$on_host" chroot "$scratch/newroot" /probe dotdot)
is "$?" 1 "MNT-04 control: a changed root alone is walked out of"

# MNT-05 -- an earlier run turned a directory of the workspace into a link, and waits for the next to bind it.
mkdir "$scratch/secret" cache
echo "$nonce" >"$scratch/secret/key"
run -- sh -c "rmdir cache && ln -s '$scratch/secret' cache && ln -s '$scratch/secret/key' file && mkdir sub && ln -s '$scratch' sub/up"
is "$(readlink cache)" "$scratch/secret" "MNT-05 the first run plants links"
for how in '--ro cache' '--rw cache' '--ro cache/key' '--ro file' '--ro sub/up/secret' '--rw sub/up/secret/key' '--workspace . --ro ./cache/.' "--ro $work/sub/../cache"; do
	# shellcheck disable=SC2086
	run $how -- sh -c 'cat cache/key file sub/up/secret/key "$0/key"; find / -name key -exec cat {} +' "$scratch/secret"
	is "$rc" 125 "MNT-05 jail $how is refused"
	unlike "$out" "$nonce" "MNT-05 jail $how shows nothing of it"
done
# Whichever of two is named first.
mkdir "$scratch/other"
ln -s "$scratch/secret" "$scratch/other/cache"
for how in "--rw $scratch/other --rw $scratch/other/cache/." "--rw $scratch/other/cache/. --rw $scratch/other"; do
	# shellcheck disable=SC2086
	run $how -- cat "$scratch/secret/key"
	is "$rc" 125 "MNT-05 a link in a tree that is writable too is refused ($(echo "$how" | sed "s|$scratch/||g"))"
done
unshare -Urm sh -c 'mount --bind cache bound && cat bound/key' >"$scratch/naive" 2>&1
is "$(cat "$scratch/naive")" "$nonce" "MNT-05 control: a launcher that goes by path binds it"
# The same while the two are exchanged all the time.
mkdir real
echo own >real/key
rm -f cache
ln -s "$scratch/secret" planted
mv real cache
"$on_host" flip "$work/cache" "$work/planted" >"$scratch/flipping" &
flipper=$!
at_end "kill $flipper 2>/dev/null"
until_true 5 test -s "$scratch/flipping"
own=0 refusals=0 leaks=0 other=0 i=0
while [ $i -lt 80 ]; do
	i=$((i + 1))
	run --ro cache -- cat "$work/cache/key" "$scratch/secret/key"
	case $out in
	*"$nonce"*) leaks=$((leaks + 1)) ;;
	own) own=$((own + 1)) ;;
	'') refusals=$((refusals + 1)) ;;
	*) other=$((other + 1)) ;;
	esac
done
kill $flipper
wait $flipper 2>/dev/null
diag "80 starts while it flips: $own bound the directory, $refusals refused, $other other"
is "$leaks $other" '0 0' "MNT-05 flipping the link during the start never binds its target"
ok "MNT-05 control: both were met" test $((own > 0 && refusals > 0)) = 1

is "$(cksum <"$scratch/$canary")" "$sum_before" "MNT the canary is as it was"
finish
