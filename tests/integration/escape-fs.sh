#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Paths and the boundary of the workspace: FS-01 to FS-04, FS-08, FS-10.
# shellcheck disable=SC2154,SC2034,SC2016  # set, or read, by escape-lib.sh; programs for the shell inside
# shellcheck disable=SC2012,SC2002,SC3045,SC2015
# shellcheck source=tests/integration/escape-lib.sh
. "$top_srcdir/tests/integration/escape-lib.sh"

# A home of the test's own, so that the caller's is left alone.
HOME=$scratch/home
export HOME
mkdir -p "$HOME/.ssh" "$HOME/.aws" "$HOME/.config/gh" "$HOME/.mozilla/firefox/x.default" "$HOME/.gnupg" "$HOME/.docker" "$HOME/bin" \
	"$scratch/work-evil" "$scratch/other"
for secret in .ssh/id_ed25519 .aws/credentials .config/gh/hosts.yml .netrc .mozilla/firefox/x.default/logins.json .gnupg/private .docker/config.json \
	.bash_history .git-credentials .npmrc .bashrc .profile; do
	echo "$nonce" >"$HOME/$secret"
done
echo "$nonce" >"$scratch/canary"
echo "$nonce" >"$scratch/other/canary"
echo "$nonce" >"$scratch/work-evil/canary"
sums() {
	find "$HOME" "$scratch/canary" "$scratch/other" "$scratch/work-evil" -exec stat -c '%i %a %u %g %s %F %n' {} + | sort
	find "$HOME" "$scratch/canary" "$scratch/other" "$scratch/work-evil" -type f -exec cksum {} + | sort
}
before=$(sums)

# FS-01 -- all in one jail: a line for each place that is not refused.
places="/ /usr /usr/bin /usr/local/bin /usr/lib /etc /etc/profile.d /etc/cron.d /etc/ld.so.conf.d /bin /sbin /lib /boot /opt /srv /mnt /media
	/root /var /var/lib /var/spool/cron /var/log /home /run /run/jail /proc /proc/sys /proc/self /sys /dev /dev/pts
	$scratch/work-evil $scratch/other ../work-evil ../other $work/../work-evil"
cat >try-places <<'END'
for dir; do
	for how in "open create $dir/jail-probe-x" "mkdir $dir/jail-probe-d"; do
		answer=$(./probe $how)
		case $answer in
		*' -1 EROFS' | *' -1 EACCES' | *' -1 ENOENT') echo refused ;;
		*' -1 EPERM') [ "$dir" = /proc ] || [ "$dir" = /proc/self ] || [ "$dir" = /dev/pts ] && echo refused || echo "$how: $answer" ;;
		*) echo "$how: $answer" ;;
		esac
	done
done
END
# shellcheck disable=SC2086
run -- sh ./try-places $places
# shellcheck disable=SC2086
is "$(printf '%s\n' "$out" | sort | uniq -c | awk '{ $1 = $1; print }')" "$(echo $places | wc -w | awk '{ print 2 * $1 }') refused" \
	"FS-01 nothing can be made in any of thirty places outside the workspace"
control=host
blocked ENOENT "FS-01 a directory whose name begins like the workspace's is not there" open create "$scratch/work-evil/x"
blocked ENOENT "FS-01 nor by .." open create ../work-evil/x
blocked unready:ENOENT "FS-01 what is beside the workspace cannot be truncated" truncate "$scratch/canary"
blocked unready:ENOENT "FS-01 nor can what is in the home" truncate "$HOME/.bashrc"
run -- sh -c 'echo evil >~/.bashrc; echo evil >~/.profile; mkdir -p ~/.config/autostart ~/bin; echo evil >~/bin/ls; echo evil >/tmp/x; echo evil >"$0"; echo done' "$HOME/.ssh-evil"
is "$rc $out" '0 done' "FS-01 the home and /tmp inside are writable"
is "$(ls -A "$HOME/.ssh-evil" "$HOME/bin" "$HOME/.config/autostart" 2>/dev/null; cat "$HOME/.bashrc")" "$HOME/bin:
$nonce" "FS-01 and what is written there is not the host's"
for path in /usr/bin/env /usr/lib /etc/passwd; do
	refused 'EROFS|EACCES' "FS-01 unlink($path) is refused" unlink $path
done
is "$(tried open create "$work/own")" OK "FS-01 control: in the workspace a file can be made"

# FS-02
for secret in .ssh/id_ed25519 .aws/credentials .config/gh/hosts.yml .netrc .mozilla/firefox/x.default/logins.json .gnupg/private \
	.docker/config.json .bash_history .git-credentials .npmrc; do
	blocked ENOENT "FS-02 ~/$secret does not exist inside" open r "$HOME/$secret"
done
blocked ENOENT "FS-02 another workspace does not exist inside" open r "$scratch/other/canary"
for secret in /etc/shadow /etc/gshadow /etc/sudoers /etc/ssh /etc/fstab /root/.bashrc /var/log/syslog /var/lib/dpkg /etc/machine-info /boot /sys; do
	refused ENOENT "FS-02 $secret does not exist inside" open r $secret
done
# The word is put together inside: policy.txt tells the command line.
run -- sh -c 'ls -A ~; grep -rsl -e "$0$1" /dev/shm /etc /home /mnt /opt /run /srv /tmp /var ..; echo end' "${nonce%?????}" "${nonce#"${nonce%?????}"}"
is "$out" end "FS-02 no file inside holds the secret, and the home is empty"
is "$(host open r "$HOME/.netrc") $(grep -rsl "$nonce" "$HOME" | wc -l | tr -d ' ')" 'OK 12' "FS-02 control: outside it is found in twelve files"

# FS-03 -- links that a later step on the host might follow.
run -- sh -c "ln -s '$scratch/canary' out; ln -s '$scratch/other' d; ln -s '$scratch/canary' .jail.ini; ln -s '$scratch/canary' default.ini; mkdir -p .jail; ln -s '$scratch/other' .jail/profiles; ln -s '$scratch/canary' 'core'"
is "$rc" 0 "FS-03 a run plants links that lead out"
for verb in 'explain' 'explain --json' 'doctor' 'profile ls' 'profile show default' 'profile check ./default.ini' 'run default' '--profile default -- true' '--workspace . -- true' '--chdir . -- true'; do
	# shellcheck disable=SC2086
	run $verb
done
run -- sh -c 'cat out d/canary; echo evil >out; echo evil >d/canary; rm -rf d/; cat out'
unlike "$out" "$nonce" "FS-03 inside the links lead nowhere"
run --status-fd 2 -- true
is "$(sums)" "$before" "FS-03 no verb of jail has followed them"
ln -s "$scratch/twin" follow
echo evil >follow
is "$(cat "$scratch/twin")" evil "FS-03 control: a writer that follows links changes the file"
rm -f "$scratch/twin"

# FS-04 -- a path of the workspace that is shown read-only, and a profile in it: by every way to another name.
mkdir guarded free
echo "$nonce" >guarded/hook
echo free >free/file
printf '[jail]\nextends = agent\n' >guard.ini
opts='--ro guarded --profile ./guard.ini'
refused 'EROFS|EXDEV' "FS-04 link() of what is protected is refused" link guarded/hook free/l1
refused 'EROFS|EXDEV|ENOENT|EPERM' "FS-04 linkat(AT_EMPTY_PATH) is refused" linkat-fd guarded/hook free/l2
refused 'EROFS|EXDEV' "FS-04 linkat(/proc/self/fd) is refused" linkat-proc guarded/hook free/l3
refused 'EROFS|EXDEV' "FS-04 link() onto it is refused" link free/file guarded/new
refused 'EROFS|EXDEV' "FS-04 rename() onto it is refused" rename free/file guarded/hook
refused 'EROFS|EXDEV' "FS-04 rename() out of it is refused" rename guarded/hook free/l4
refused 'EROFS|EXDEV|EBUSY' "FS-04 an exchange with it is refused" exchange free/file guarded/hook
refused 'EBUSY|EXDEV|EROFS' "FS-04 an exchange of the directories is refused" exchange free guarded
refused EBUSY "FS-04 rename() of the directory is EBUSY" rename guarded elsewhere
refused 'EROFS|EXDEV|EPERM' "FS-04 rename(RENAME_WHITEOUT) is refused" whiteout guarded/hook free/l5
refused 'EROFS' "FS-04 unlink() in it is EROFS" unlink guarded/hook
refused 'EROFS' "FS-04 open() for writing in it is EROFS" open w guarded/hook
refused 'EBUSY|EROFS' "FS-04 unlink() of the profile in use is refused" unlink guard.ini
refused 'EBUSY|EROFS|EXDEV' "FS-04 rename() onto the profile in use is refused" rename free/file guard.ini
refused 'EBUSY|EXDEV' "FS-04 rename() of the profile in use is refused" rename guard.ini moved.ini
refused 'EXDEV|EBUSY|EROFS' "FS-04 an exchange with the profile in use is refused" exchange free/file guard.ini
refused 'EROFS' "FS-04 open() for writing of the profile in use is EROFS" open w guard.ini
refused 'EROFS|EXDEV' "FS-04 link() of the profile in use is refused" link guard.ini free/l6
opts=''
is "$(cat guarded/hook free/file guard.ini; ls free)" "$nonce
free
[jail]
extends = agent
file" "FS-04 all is as it was"
mkdir c1 c2
echo a >c1/f
is "$(host link c1/f c2/l1) $(host linkat-proc c1/f c2/l3) $(host exchange c1 c2) $(host rename c2/f c1/g) $(host unlink c1/g)" 'OK OK OK OK OK' \
	"FS-04 control: without protection each works"
for call in 'link c1/l1 c2/n1' 'linkat-proc c1/l1 c2/n2' 'rename c2/n1 c1/n3' 'exchange c1/l1 c2/n2' 'unlink c1/l1'; do
	# shellcheck disable=SC2086
	is "$(tried $call)" OK "FS-04 control: ${call%% *} works in the rest of the workspace"
done

# FS-08 -- one object, many names: the answer is always the same.
aliases() {
	printf '%s\n' "$1" "/$1" "/./$1" "/proc/self/root$1" "/proc/thread-self/root$1" "/proc/self/cwd/../../../..$1" "/proc/self/root/proc/self/root$1" \
		"/dev/fd/../root$1" "/usr/..$1" "/proc/self/fd/../root$1" "/proc/self/task/../root$1" "/..$1" "/tmp/../$1"
}
aliases "$scratch/canary" >names
run -- sh -c 'while read -r n; do ./probe open r "$n"; ./probe open w "$n"; done <names'
is "$(printf '%s\n' "$out" | sort | uniq -c | awk '{ $1 = $1; print }')" '26 open -1 ENOENT' "FS-08 what is not there has no other name"
is "$(while read -r n; do "$probe" open r "$n"; done <names | sort | uniq -c | awk '{ $1 = $1; print }')" '13 open 0 OK' \
	"FS-08 control: outside all thirteen names lead to it"
mkdir "$scratch/shown"
: >"$scratch/shown/f"
aliases "$scratch/shown/f" >names
run --ro "$scratch/shown" -- sh -c 'while read -r n; do ./probe open r "$n"; ./probe open a "$n"; done <names'
is "$(printf '%s\n' "$out" | sort | uniq -c | awk '{ $1 = $1; print }')" '13 open -1 EROFS
13 open 0 OK' "FS-08 what is read-only is so by every name"
is "$(while read -r n; do "$probe" open a "$n"; done <names | sort | uniq -c | awk '{ $1 = $1; print }')" '13 open 0 OK' \
	"FS-08 control: outside it is writable by each"
for n in /proc/1/root /proc/1/cwd /proc/2/root/../../.. ; do
	refused 'EACCES|ENOENT' "FS-08 $n leads to no file of the host" open r "$n$scratch/canary"
done
mkdir twice
echo "$nonce" >twice/f
run --ro twice --ro "$work/twice/." -- sh -c './probe open w twice/f; ./probe open w ./twice/../twice/f; ./probe open w "$PWD/twice//f"; ./probe open w /proc/self/cwd/twice/f'
is "$(printf '%s\n' "$out" | sort -u)" 'open -1 EROFS' "FS-08 a path that is named twice is read-only by each"

# FS-10 -- what Landlock does not see is held by the read-only mounts.
mkdir "$scratch/owned"
echo "$nonce" >"$scratch/owned/f"
opts="--ro $scratch/owned"
for call in truncate chmod utime setxattr; do
	blocked 'EROFS|EACCES' "FS-10 $call() of one's own file that is shown read-only is refused" $call "$scratch/owned/f"
	refused 'EROFS|EACCES' "FS-10 $call() of /usr/bin/env is refused" $call /usr/bin/env
	refused 'EROFS|EACCES' "FS-10 $call() of /etc/passwd is refused" $call /etc/passwd
done
opts=''
blocked ENOENT "FS-10 stat() of what is hidden is ENOENT" open path "$scratch/canary"
is "$(host landlock-write "$scratch/owned/f") $(host chmod "$scratch/owned/f")" 'EACCES OK' "FS-10 control: under Landlock alone writing is refused, and chmod would not be"

is "$(sums)" "$before" "FS every file of the host is as it was"
finish
