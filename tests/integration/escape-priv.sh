#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Privilege and user namespaces: PRV-01 to PRV-08.
# shellcheck disable=SC2154,SC2034,SC2016  # set, or read, by escape-lib.sh; programs for the shell inside
# shellcheck disable=SC2012,SC2002,SC3045,SC2015
# shellcheck source=tests/integration/escape-lib.sh
. "$top_srcdir/tests/integration/escape-lib.sh"

zero=0000000000000000

# PRV-01 -- every process that is visible inside, and the two the host sees.
run -- ./probe caps
is "$(printf '%s\n' "$out" | sort -n | sed '2s/^caps [0-9]* /caps N /')" "caps 1 $zero $zero $zero $zero $zero 1 2
caps N $zero $zero $zero $zero $zero 1 2" "PRV-01 pid 1 and the command are all there is, with no capability in any set, no_new_privs and a filter"
isnt "$(unshare -Ur "$probe" caps | awk -v z=$zero '$5 != z && NF > 8' | head -n 1)" '' "PRV-01 control: a user namespace shows capabilities"
if start caps; then
	for who_is in "$command" "$init"; do
		is "$(awk '/^Cap(Inh|Prm|Eff|Bnd|Amb):/ { print $2 }' "/proc/$who_is/status" | sort -u)" $zero \
			"PRV-01 the host sees no capability in $([ "$who_is" = "$init" ] && echo 'pid 1' || echo 'the command')"
	done
	kuid=$(awk '/^Uid:/ { print $2, $3, $4, $5 }' "/proc/$command/status") kuid_init=$(awk '/^Uid:/ { print $2, $3, $4, $5 }' "/proc/$init/status")
	groups=$(awk '/^Groups:/ { $1 = ""; print }' "/proc/$command/status")
	stop caps
else
	fail "PRV-01 a jail in the background"
fi
control=in_userns
blocked EPERM "PRV-01 sethostname() is EPERM" sethostname
blocked EPERM "PRV-01 mount() is EPERM" mount-tmpfs
blocked EPERM "PRV-01 setns() is EPERM" setns /proc/self/ns/net
opts='--allow-syscall sethostname --allow-syscall mount --allow-syscall setns'
blocked EPERM "PRV-01 sethostname() is EPERM by capabilities alone" sethostname
blocked EPERM "PRV-01 mount() is EPERM by capabilities alone" mount-tmpfs
blocked EPERM "PRV-01 setns() is EPERM by capabilities alone" setns /proc/self/ns/net
opts=''

# PRV-02
control=host
blocked EPERM "PRV-02 unshare(CLONE_NEWUSER) is EPERM" unshare-user
blocked EPERM "PRV-02 clone(CLONE_NEWUSER) is EPERM" clone-user
control=in_userns
for ns in mnt:0x00020000 pid:0x20000000 net:0x40000000 ipc:0x08000000 uts:0x04000000 cgroup:0x02000000; do
	blocked EPERM "PRV-02 unshare(${ns%%:*}) is EPERM" "unshare-${ns%%:*}"
	blocked EPERM "PRV-02 clone(${ns%%:*}) is EPERM" clone "${ns#*:}"
done
blocked EPERM "PRV-02 unshare(time) is EPERM" unshare-time
opts='--allow-syscall unshare --allow-syscall clone' control=host
blocked ENOSPC "PRV-02 unshare(CLONE_NEWUSER) is ENOSPC by the sysctl alone" unshare-user
blocked ENOSPC "PRV-02 clone(CLONE_NEWUSER) is ENOSPC by the sysctl alone" clone-user
blocked ENOSPC "PRV-02 clone(NEWUSER|NEWNET|NEWNS) is ENOSPC by the sysctl alone" clone 0x50020000
opts='--allow-syscall unshare --nested-userns=yes'
is "$(tried unshare-user)" OK "PRV-02 control: with both layers off a user namespace can be made"
opts=''

# PRV-03
blocked ENOSYS "PRV-03 clone3(CLONE_NEWUSER) is ENOSYS" clone3-user
blocked ENOSYS "PRV-03 clone3() is ENOSYS" clone3-plain
is "$(tried clone-plain)" OK "PRV-03 fork works all the same"
is "$(tried threads 8)" OK "PRV-03 threads work all the same"
opts='--allow-syscall clone3'
blocked ENOSPC "PRV-03 clone3(CLONE_NEWUSER) is ENOSPC by the sysctl alone" clone3-user
opts=''

# PRV-04 -- of pid 1 not even the names can be opened; one's own, a process's and an inherited one cannot be entered.
for ns in user mnt net pid uts ipc cgroup; do
	refused EACCES "PRV-04 /proc/1/ns/$ns cannot be opened" dumpable-open 1 "ns/$ns"
done
is "$(host dumpable-open $$ ns/net)" OK "PRV-04 control: a namespace of another process can be opened outside"
control=in_userns
for ns in mnt net uts ipc cgroup; do
	blocked EPERM "PRV-04 setns(/proc/self/ns/$ns) is EPERM" setns "/proc/self/ns/$ns"
done
refused EPERM "PRV-04 setns(pidfd of pid 1) is EPERM" setns-pidfd 1
blocked EPERM "PRV-04 setns(pidfd of itself) is EPERM" setns-pidfd 0
exec 9</proc/self/ns/net
got=$(tried setns-fd 9) opts='--allow-syscall setns' alone=$(tried setns-fd 9) opts=''
free=$(unshare -Urn sh -c 'exec 9</proc/self/ns/net; exec "$0" setns-fd 9' "$probe" | answer)
exec 9<&-
verdict "PRV-04 setns(a descriptor left open at 9) is EPERM" "$got" EPERM "$free" OK
verdict "PRV-04 the descriptor left open at 9 is not there, without the filter" "$alone" EBADF "$free" OK

# PRV-05
run -- cat /proc/self/mountinfo
is "$(printf '%s\n' "$out" | awk '$6 !~ /(^|,)nosuid(,|$)/')" '' "PRV-05 every mount is nosuid"
like "$out" ' / ' "PRV-05 there are mounts to look at"
is "$(printf '%s\n' "$out" | awk '$6 !~ /(^|,)nodev(,|$)/ { print $5 }' | grep -Ev '^/dev/(null|zero|full|random|urandom|tty|pts)$')" '' \
	"PRV-05 every mount is nodev but those of /dev"
is "$(tried nnp-off)" EINVAL "PRV-05 no_new_privs cannot be taken back"
if [ "$who" = root ]; then
	# As a user that is not root, with a helper that root planted.
	chmod 755 "$scratch" "$work"
	mkdir "$scratch/suid"
	cp "$probe" "$scratch/suid/helper"
	chown 0:0 "$scratch/suid/helper"
	chmod 6755 "$scratch/suid/helper"
	their_home="HOME=$scratch/home XDG_CONFIG_HOME=/nonexistent XDG_CACHE_HOME=/nonexistent XDG_DATA_HOME=/nonexistent"
	mkdir "$scratch/home"
	as_user="setpriv --reuid 61184 --regid 61184 --clear-groups env $their_home"
	# shellcheck disable=SC2086
	if $as_user test -x "$JAIL" -a -r "$top_srcdir/profiles/default.ini"; then
		chown 61184 "$scratch/suid"
		got=$(cd "$scratch/suid" && $as_user timeout -s KILL 20 "$JAIL" -- ./helper setuid-check 2>&1)
		is "$got" 'setuid-check 61184 61184' "PRV-05 a set-uid program of root changes nothing"
		is "$(cd "$scratch/suid" && $as_user ./helper setuid-check)" 'setuid-check 61184 0' "PRV-05 control: outside it makes one root"
	else
		inconclusive "PRV-05 a set-uid program of root changes nothing" "the build tree is closed to other users"
	fi
	chown 12345:12345 "$scratch/suid/helper"
	chmod 6755 "$scratch/suid/helper"
	cp -p "$scratch/suid/helper" "$work/helper"
	run -- ./helper setuid-check
	is "$out" 'setuid-check 1000 1000' "PRV-05 a set-uid program of another user changes nothing"
	is "$("$work/helper" setuid-check)" 'setuid-check 0 12345' "PRV-05 control: outside it changes the user"
else
	inconclusive "PRV-05 a set-uid program changes nothing" "only root can plant a set-uid program of another user"
fi

# PRV-06
run -- sh -c 'id -G'
is "$(printf '%s\n' "$out" | tr ' ' '\n' | grep -vx -e 65534 -e "$inner_uid" -e "$(id -g)")" '' "PRV-06 inside there are no groups but one's own and the unmapped"
if [ "$who" = root ]; then
	is "$(echo "$groups" | tr -d ' ')" '' "PRV-06 root's groups are dropped, seen from outside"
	group=61185
	echo "$nonce" >"$scratch/grouped"
	chown 0:$group "$scratch/grouped"
	chmod 660 "$scratch/grouped"
	as_member="setpriv --reuid 61184 --regid 61184 --groups $group env $their_home"
	# shellcheck disable=SC2086
	if $as_member test -x "$JAIL" -a -r "$top_srcdir/profiles/default.ini"; then
		got=$(cd "$scratch/suid" && $as_member timeout -s KILL 20 "$JAIL" -- ./helper open rw "$scratch/grouped" 2>&1 | answer)
		free=$($as_member "$probe" open rw "$scratch/grouped" | answer)
		verdict "PRV-06 a file of a group the user is in does not exist inside" "$got" ENOENT "$free" OK
		gid=$(awk -F: '$1 == "disk" || $1 == "kmem" { print $3; exit }' /etc/group)
		if [ -n "$gid" ]; then
			# shellcheck disable=SC2086
			got=$(cd "$scratch/suid" && setpriv --reuid 61184 --regid 61184 --groups "$gid" env $their_home "$JAIL" explain 2>&1)
			like "$got" "group '(disk|kmem)' stays" "PRV-06 explain warns of a group that amounts to root"
			got=$(cd "$scratch/suid" && $as_user "$JAIL" explain 2>&1)
			unlike "$got" "stays with the command" "PRV-06 control: and says nothing without one"
		else
			inconclusive "PRV-06 explain warns of a group that amounts to root" "no such group here"
		fi
	else
		inconclusive "PRV-06 a file of a group the user is in does not exist inside" "the build tree is closed to other users"
	fi
else
	inconclusive "PRV-06 a file of a group the user is in does not exist inside" "only root can give a group"
fi

# PRV-07
control=host
blocked EPERM "PRV-07 keyctl() is EPERM" keyctl
blocked EPERM "PRV-07 add_key() is EPERM" add_key
planted() {
	"$probe" with-key "$nonce" "$@" 2>"$scratch/tried.err" | answer
}
free=$(planted "$probe" find-key "$nonce")
verdict_of=find-key
verdict "PRV-07 request_key() of a key of the session is EPERM" "$(planted timeout 20 "$JAIL" -- ./probe find-key "$nonce")" EPERM "$free" OK
verdict "PRV-07 the session's keys are not there, without the filter" \
	"$(planted timeout 20 "$JAIL" --allow-syscall request_key -- ./probe find-key "$nonce")" ENOKEY "$free" OK
verdict_of=
for f in keys key-users; do
	blocked 'EACCES|ENOENT' "PRV-07 /proc/$f cannot be read" open r "/proc/$f"
done

# PRV-08 -- started by real root.
if [ "$who" = root ]; then
	is "$kuid" '1784768876 1784768876 1784768876 1784768876' "PRV-08 the command is not root as seen from outside"
	is "$kuid_init" "$kuid" "PRV-08 nor is pid 1"
	naked() {
		unshare -Ur setpriv --bounding-set -all --inh-caps -all --ambient-caps -all --no-new-privs -- "$probe" "$@" 2>&1 | answer
	}
	control=naked
	blocked 'EACCES|EROFS' "PRV-08 core_pattern cannot be opened for writing" open w /proc/sys/kernel/core_pattern
	blocked 'EACCES|EROFS' "PRV-08 core_pattern cannot be opened for writing under /proc/self/root" open w /proc/self/root/proc/sys/kernel/core_pattern
	echo "$nonce" >"$scratch/roots-own"
	chmod 600 "$scratch/roots-own"
	blocked ENOENT "PRV-08 a 0600 file of root outside the workspace is not there" open r "$scratch/roots-own"
	control=host
	[ ! -d /etc/ssl/private ] || blocked ENOENT "PRV-08 the host's private keys are not there" open dir /etc/ssl/private
	run -- sh -c 'echo x >made; mkdir madedir; ln -s made madelink'
	is "$(stat -c %u:%g made madedir madelink | sort -u)" 0:0 "PRV-08 what it makes in the workspace belongs to root outside"
	run -- sh -c 'cp probe suid && chmod 6755 suid; cp probe suid2; chmod u+s suid2; install -m 4755 probe suid3 2>/dev/null; python3 -c "import os; os.open(\"suid4\", os.O_CREAT | os.O_WRONLY, 0o4755)" 2>/dev/null; :'
	is "$(find . -perm /6000 ! -name helper)" '' "PRV-08 it cannot leave a set-uid program of root behind"
	todo=''
else
	is "$kuid" "$(awk '/^Uid:/ { print $2, $3, $4, $5 }' /proc/self/status)" "PRV-08 the command is the caller as seen from outside"
fi
finish
