#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# /proc, /sys, cgroups and devices: PRC-01 to PRC-03 and PRC-06 to PRC-08; of PRC-04 and PRC-05 that the masks hold.
# shellcheck disable=SC2154,SC2034,SC2016  # set, or read, by escape-lib.sh; programs for the shell inside
# shellcheck disable=SC2012,SC2002,SC3045,SC2015
# shellcheck source=tests/integration/escape-lib.sh
. "$top_srcdir/tests/integration/escape-lib.sh"

# PRC-01 -- a process of the host that notes every signal.
: >"$scratch/signals"
sh -c 'trap "echo USR1 >>$0" USR1; trap "echo TERM >>$0" TERM; : >$0.up; while :; do sleep 0.05; done' "$scratch/signals" &
victim=$!
at_end "kill -KILL $victim 2>/dev/null"
until_true 5 test -e "$scratch/signals.up"
for number in 0 10 15 9 19; do
	refused ESRCH "PRC-01 kill($number) of a process of the host is ESRCH" kill $victim $number
done
run -- sh -c './probe kill 1 9; ./probe kill 1 11; ./probe kill 1 19; kill -USR1 -1 2>/dev/null; echo alive' # the jail's own pid 1 cannot be killed from inside
like "$out" alive "PRC-01 pid 1 survives SIGKILL, SIGSEGV and SIGSTOP from inside"
run -- sh -c 'ls /proc | grep -E "^[0-9]+$" | sort -n | tail -n 1; trap : TERM; kill -TERM -1; kill -TERM 0; echo end'
like "$out" end "PRC-01 a signal to every process it can reach"
is "$(printf '%s\n' "$out" | head -n 1 | awk '{ print ($1 < 20) }')" 1 "PRC-01 /proc shows the jail's processes only"
is "$(tried dumpable-open $victim environ)" ENOENT "PRC-01 the host's process is not in /proc"
is "$(cat "$scratch/signals")" '' "PRC-01 the host's process got none of it"
ok "PRC-01 the host's process lives" kill -0 $victim
is "$(host kill $victim 10) $(host dumpable-open $victim environ)" 'OK OK' "PRC-01 control: outside it can be signalled and read"
ok "PRC-01 control: and notes it" until_true 5 grep -q USR1 "$scratch/signals"

# PRC-02 -- pid 1 is a copy of the launcher.
secret_variable=$nonce
export secret_variable
for file in environ mem maps smaps auxv exe root cwd fd fdinfo map_files stack syscall io pagemap personality ns/mnt; do
	[ -e "/proc/self/$file" ] || continue
	refused 'EACCES|EPERM' "PRC-02 /proc/1/$file is refused" dumpable-open 1 "$file"
done
control=host
is "$(host dumpable-open $$ environ) $(cat /proc/self/environ | tr '\0' '\n' | grep -c "$nonce")" 'OK 1' "PRC-02 control: of a process outside it can be read, and tells"
run -- sh -c 'for f in /proc/[0-9]*/environ /proc/[0-9]*/cmdline /proc/[0-9]*/comm; do tr "\0" "\n" <$f 2>/dev/null; done; env; cat /run/jail/policy.*; for f in /proc/1/comm /proc/1/oom_score_adj /proc/1/timerslack_ns /proc/1/coredump_filter /proc/1/sched; do (echo 1 >>$f) 2>/dev/null && echo "wrote $f"; done'
unlike "$out" "$nonce" "PRC-02 no environment or command line tells what the caller's held"
# The kernel gives the files of pid 1 to root of the namespace that jail was started in: to nobody inside, unless that is the caller.
is "$(printf '%s\n' "$out" | grep '^wrote' | if [ "$who" = userns ]; then grep -Ev '/(oom_score_adj|coredump_filter|sched)$'; else cat; fi)" '' \
	"PRC-02 nothing of pid 1 can be written"
like "$out" jail-init "PRC-02 pid 1 was looked at"
unset secret_variable
mkdir cores
case $(cat /proc/sys/kernel/core_pattern) in
'|'* | /*) inconclusive "PRC-02 a crash leaves no core" "core files do not go to the working directory here" ;;
*)
	sh -c 'ulimit -c unlimited && cd cores && sh -c "kill -SEGV \$\$"' >/dev/null 2>&1
	control_cores=$(find cores -type f | wc -l)
	rm -rf cores/*
	(ulimit -c unlimited && cd cores && jail -- sh -c 'ulimit -c; (ulimit -c unlimited); kill -SEGV 1; sh -c "kill -SEGV \$\$"; kill -ABRT $$') >"$scratch/out" 2>&1
	verdict "PRC-02 a crash leaves no core" "$(find cores -type f | wc -l)" 0 "$control_cores" 1
	is "$(head -n 1 "$scratch/out")" 0 "PRC-02 and the limit is 0"
	;;
esac
if start dump; then
	kill -SEGV "$init" 2>/dev/null
	kill -QUIT "$init" 2>/dev/null
	kill -KILL "$init"
	wait "$start_job"
	is "$(find . -name 'core*' -type f)" '' "PRC-02 the end of pid 1 leaves no core either"
	ok "PRC-02 and takes the command with it" until_true 2 test ! -d "/proc/$command"
else
	fail "PRC-02 a jail in the background"
fi

# PRC-03 -- opened for writing, never written.
for file in sys/kernel/core_pattern sys/kernel/modprobe sys/kernel/hotplug sys/kernel/sysrq sys/kernel/kptr_restrict sys/kernel/randomize_va_space \
	sys/kernel/hostname sys/kernel/ns_last_pid sys/vm/overcommit_memory sys/vm/drop_caches sys/vm/swappiness sys/fs/binfmt_misc/register \
	sys/fs/suid_dumpable sys/fs/protected_symlinks sys/net/ipv4/ip_forward sys/user/max_user_namespaces sys/user/max_mnt_namespaces \
	sys/dev/tty/legacy_tiocsti sysrq-trigger mtrr timer_list kmsg kcore acpi/wakeup scsi/scsi irq/default_smp_affinity; do
	refused 'EROFS|EACCES|ENOENT' "PRC-03 /proc/$file cannot be opened for writing" open w "/proc/$file"
done
control=in_userns
blocked 'EROFS|EACCES' "PRC-03 the limits on namespaces cannot be raised again" open w /proc/sys/user/max_user_namespaces
blocked 'EROFS|EACCES' "PRC-03 a setting of the jail's own network cannot be changed" open w /proc/sys/net/ipv4/ip_default_ttl
control=host
if [ "$who" = root ]; then
	is "$(host open w /proc/sys/kernel/core_pattern) $(host open w /proc/sys/vm/swappiness)" 'OK OK' "PRC-03 control: root opens them outside"
fi
run -- sh -c 'for f in /proc/sys/kernel/core_pattern /proc/sys/user/max_user_namespaces; do chmod 777 $f; mv $f $f.x; done 2>&1; awk "\$5 == \"/proc/sys\"" /proc/self/mountinfo'
like "$out" ' /proc/sys ro,' "PRC-03 /proc/sys is a read-only mount of its own"

# PRC-04, PRC-05 -- the masks; and that what stands in for a file is not the command's to change.
hidden=0
for file in cmdline diskstats interrupts kallsyms key-users keys locks modules partitions sched_debug swaps sys/kernel/random/boot_id \
	kcore kmsg kpagecgroup kpagecount kpageflags latency_stats slabinfo sysrq-trigger timer_list vmallocinfo; do
	[ -e "/proc/$file" ] || continue
	hidden=$((hidden + 1))
	refused 'EACCES|ENOENT' "PRC-04 /proc/$file cannot be read" open r "/proc/$file"
done
for dir in acpi asound; do
	[ -d "/proc/$dir" ] || continue
	refused 'EACCES|ENOENT' "PRC-04 /proc/$dir cannot be listed" open dir "/proc/$dir"
done
if [ "$who" = root ]; then
	opts='--allow-root=yes'
	for file in kcore kmsg kpagecount kpageflags slabinfo sysrq-trigger timer_list vmallocinfo iomem ioports; do
		[ ! -e "/proc/$file" ] || refused 'EACCES|ENOENT' "PRC-04 with allow-root /proc/$file cannot be read" open r "/proc/$file"
	done
	opts=''
fi
is "$(host open r /proc/partitions) $(host open r /proc/cmdline)" 'OK OK' "PRC-04 control: outside they can be"
ok "PRC-04 there were masks to look at" test "$hidden" -ge 10
run -- sh -c 'for f in /proc/keys /proc/partitions /run/jail/.mask /run/jail/.maskdir; do chmod 777 $f; chmod u+r $f; cat $f; ls $f/; rm -rf $f; done' 2>&1
is "$out" '' "PRC-04 a mask cannot be opened, changed or taken away"
run -- sh -c 'stat -f -c %T /proc /proc/self; mkdir -p x/proc; ls x/proc'
is "$out" 'proc
proc' "PRC-05 /proc is a procfs"
run --proc pids -- sh -c 'ls /proc | grep -Evc "^[0-9]+$"; ls /proc/sys /proc/meminfo 2>&1 | grep -c "No such"'
is "$(printf '%s\n' "$out" | tail -n 1)" 2 "PRC-04 proc = pids has none of it"

# PRC-06
refused ENOENT "PRC-06 there is no /sys" open r /sys
run -- sh -c 'find /sys /proc -path "/proc/[0-9]*" -prune -o -path /proc/self -prune -o -path /proc/thread-self -prune -o -path /proc/pressure -prune -o ! -type l -writable -print 2>/dev/null; find / -name release_agent -o -name uevent_helper -o -name cgroup.procs 2>/dev/null; echo end'
is "$out" end "PRC-06 nothing in /proc is writable but what is a process's own (and the pressure files), and there is no cgroup file"
control=in_userns
blocked EPERM "PRC-06 mount(cgroup2) is EPERM" mount-fs cgroup2
refused EPERM "PRC-06 mount(cgroup) is EPERM" mount-fs cgroup
refused EPERM "PRC-06 mount(sysfs) is EPERM" mount-fs sysfs
control=host
run -- cat /proc/self/cgroup
unlike "$out" ':/[^[:space:]]' "PRC-06 the jail's cgroup is the root of what it sees"
if [ "$who" = root ]; then
	agent=$(find /sys/fs/cgroup -maxdepth 2 -name release_agent 2>/dev/null | head -n 1)
	if [ -n "$agent" ]; then
		blocked ENOENT "PRC-06 a release_agent cannot be opened" open w "$agent"
	else
		inconclusive "PRC-06 a release_agent cannot be opened" "no cgroup v1 here"
	fi
fi

# PRC-07
run -- sh -c 'cd /dev && find . ! -path "./pts/*" ! -path "./shm/*" | sort'
unlike "$out" '/(mem|kmsg|kvm|fuse|net|dri|input|vhost|userfaultfd|uinput|loop|sd|vd|nvme|dm-|mapper|ttyS|tty[0-9]|console|snd|port|rtc|hpet|bus|vfio|uhid|watchdog|btrfs)' \
	"PRC-07 no device in /dev leads anywhere"
is "$(printf '%s\n' "$out" | grep -Evx '\.|\./(null|zero|full|random|urandom|tty|ptmx|pts|shm|fd|stdin|stdout|stderr|core|mqueue)')" '' "PRC-07 /dev holds what is listed and no more"
like "$out" '^\./null$' "PRC-07 /dev was looked at"
for node in mem kmsg kvm fuse net/tun dri input vhost-net vhost-vsock userfaultfd uinput loop-control loop0 console ttyS0 tty0 vda sda mapper/control port; do
	refused ENOENT "PRC-07 /dev/$node does not exist" open r "/dev/$node"
done
refused EPERM "PRC-07 mknod(c 1 3) is EPERM" mknod
refused EPERM "PRC-07 mknod(c 1 3) in the workspace is EPERM" mknod "$work/node"
blocked EPERM "PRC-07 mknod() of a whiteout is EPERM" mknod-whiteout "$work/node"
opts='--allow-syscall mknod --allow-syscall mknodat'
refused 'EPERM|EACCES' "PRC-07 mknod(c 1 3) is refused by capabilities and Landlock alone" mknod "$work/node"
blocked EACCES "PRC-07 mknod() of a whiteout is EACCES by Landlock alone" mknod-whiteout "$work/node"
opts=''
if [ "$who" = root ]; then
	mknod "$work/mem" c 1 1 && mknod "$work/zero" c 1 5 && chmod 666 "$work/mem" "$work/zero"
	blocked EACCES "PRC-07 a device node that is in the workspace is EACCES" open r "$work/zero"
	refused EACCES "PRC-07 and so is /dev/mem's" open r "$work/mem"
	is "$(host mknod "$work/node-$nonce")" OK "PRC-07 control: root makes nodes outside"
else
	inconclusive "PRC-07 a device node that is in the workspace is EACCES" "only root can make a device node"
fi

# PRC-08
flips='OK|EOPNOTSUPP'
blocked EPERM "PRC-08 name_to_handle_at() is EPERM" name_to_handle
flips=OK
if [ "$who" = root ]; then
	blocked EPERM "PRC-08 open_by_handle_at() is EPERM" open_by_handle
	flips='ENOEXEC|EINVAL|ENOENT|EBADF'
	for call in finit_module init_module delete_module kexec kexec_file; do
		blocked EPERM "PRC-08 $call is EPERM" $call
	done
	flips=OK
else
	for call in open_by_handle finit_module init_module delete_module kexec kexec_file; do
		refused EPERM "PRC-08 $call is EPERM" $call
	done
fi
opts='--allow-syscall open_by_handle_at --allow-syscall name_to_handle_at'
refused 'EPERM|ESTALE' "PRC-08 open_by_handle_at() is refused by capabilities alone" open_by_handle
finish
