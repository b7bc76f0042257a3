#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# System calls and the kernel's surface: SYS-01 to SYS-14. The filter itself is tested number by number in tests/seccomp; here it is tried.
# shellcheck disable=SC2154,SC2034,SC2016  # set, or read, by escape-lib.sh; programs for the shell inside
# shellcheck disable=SC2012,SC2002,SC3045,SC2015
# shellcheck source=tests/integration/escape-lib.sh
. "$top_srcdir/tests/integration/escape-lib.sh"

# SYS-01 -- every number below 1024 that the census does not say is allowed. On x86_64 two are left out that no filter sees: since Linux
# 6.14 the kernel lets uretprobe (335) and uprobe (336) past seccomp, and kills whoever calls them from anywhere but its own trampoline.
machine=$(uname -m)
census=$top_srcdir/tests/seccomp/census-$machine.txt
awk -v x86="$([ "$machine" != x86_64 ] || echo 1)" 'NR > 1 { want[$1] = $3 } END { for (i = 0; i < 1024; i++) if (want[i] != "allow" && want[i] != "args" && !(x86 && (i == 335 || i == 336))) print i, want[i] ? want[i] : "ENOSYS" }' \
	"$census" >"$scratch/census"
# shellcheck disable=SC2046
run -- ./probe census $(cut -d' ' -f1 "$scratch/census")
printf '%s\n' "$out" | awk '{ print $2, $4 }' >"$scratch/taken"
ok "SYS-01 there are more than five hundred numbers to try" test "$(wc -l <"$scratch/taken")" -gt 500
is "$(diff "$scratch/census" "$scratch/taken" | head -n 5)" '' "SYS-01 each is EPERM or ENOSYS, as the census of agent says"
is "$("$probe" census 425 426 427 434 435 438 | grep -c ENOSYS)" 0 "SYS-01 control: outside a few of them are there"

# SYS-02
blocked SIGSYS "SYS-02 int 0x80 is killed" int80
flips='OK|EAFNOSUPPORT'
blocked SIGSYS "SYS-02 a socket by int 0x80 is killed" int80-socket
flips=OK
blocked SIGSYS "SYS-02 an x32 number is killed" x32

# SYS-03 -- bits that the kernel does not look at.
blocked EPERM "SYS-03 socket(AF_VSOCK | 1 << 32) is EPERM" socket-wide 0x100000028 1 0
blocked EPERM "SYS-03 clone(CLONE_NEWUSER | 1 << 40) is EPERM" clone 0x10010000000
blocked EPERM "SYS-03 socket(AF_NETLINK, SOCK_RAW, NETLINK_XFRM | 1 << 33) is EPERM" socket-wide 16 3 0x20000000c
is "$(host socket 40 1 0) $(host clone-user)" 'OK OK' "SYS-03 control: the plain values pass outside too"

# SYS-04 -- nobody answers for the kernel, so that there is no one to deceive; nor can one be made.
blocked EPERM "SYS-04 a seccomp listener is EPERM" seccomp-listener
echo "$nonce" >"$scratch/canary"
run -- ./probe flip-open ./probe "$scratch/canary" 30000
is "$out" 'flip-open 30000 0' "SYS-04 a path that changes while it is opened never opens what is hidden"
isnt "$("$probe" flip-open "$probe" "$scratch/canary" 30000 | awk '{ print $3 }')" 0 "SYS-04 control: outside it does"

# SYS-05
flips='OK|EBADF|EOPNOTSUPP'
for call in io_uring io_uring_enter io_uring_register; do
	blocked ENOSYS "SYS-05 $call is ENOSYS" $call
done
flips=OK

# SYS-06
blocked EPERM "SYS-06 userfaultfd() is EPERM" userfaultfd
blocked EPERM "SYS-06 perf_event_open() is EPERM" perf
blocked EPERM "SYS-06 bpf(MAP_CREATE) is EPERM" bpf
refused ENOENT "SYS-06 there is no /dev/userfaultfd" open r /dev/userfaultfd

# SYS-07 -- by the filter, and where a debugger is let through, by what pid 1 is.
sleep 30 &
other=$!
at_end "kill $other 2>/dev/null"
blocked EPERM "SYS-07 ptrace(TRACEME) is EPERM" ptrace-traceme
verdict_of=ptrace-seize
verdict "SYS-07 ptrace(SEIZE) of pid 1 is EPERM" "$(tried ptrace-seize 1)" EPERM "$(host ptrace-seize $other)" OK
verdict_of=process_vm_readv
verdict "SYS-07 process_vm_readv() of pid 1 is EPERM" "$(tried process_vm_readv 1)" EPERM "$(host process_vm_readv $other)" 'OK|EFAULT'
verdict_of=pidfd_getfd
verdict "SYS-07 pidfd_getfd() of pid 1 is EPERM" "$(tried pidfd_getfd 1 3)" EPERM "$(host pidfd_getfd $other 0)" OK
verdict_of=kcmp
verdict "SYS-07 kcmp() with pid 1 is EPERM" "$(tried kcmp 1)" EPERM "$(host kcmp $other)" OK
verdict_of=
blocked EPERM "SYS-07 process_madvise() is EPERM" process_madvise 0
refused EACCES "SYS-07 /proc/1/mem is EACCES" open rw /proc/1/mem
opts='--seccomp debug'
is "$(tried ptrace-traceme)" OK "SYS-07 with seccomp = debug a child can be traced"
refused EPERM "SYS-07 and pid 1 cannot" ptrace-seize 1
refused EPERM "SYS-07 nor read" process_vm_readv 1
refused 'EPERM|EACCES' "SYS-07 nor compared" kcmp 1
refused EACCES "SYS-07 nor opened" open rw /proc/1/mem
opts='--allow-syscall pidfd_getfd'
refused EPERM "SYS-07 without the filter pidfd_getfd() of pid 1 is EPERM still" pidfd_getfd 1 3
opts=''

# SYS-08
control=in_userns
blocked EPERM "SYS-08 socket(AF_PACKET, SOCK_RAW) is EPERM" socket 17 3 0x300
blocked EPERM "SYS-08 socket(AF_PACKET, SOCK_DGRAM) is EPERM" socket 17 2 0x300
blocked EPERM "SYS-08 socket(AF_INET, SOCK_RAW) is EPERM" socket 2 3 255
blocked EPERM "SYS-08 socket(AF_INET6, SOCK_RAW) is EPERM" socket 10 3 255
refused EPERM "SYS-08 socket(AF_INET, SOCK_DGRAM, IPPROTO_ICMP) is EPERM" socket 2 2 1
opts='--allow-syscall socket'
blocked EPERM "SYS-08 AF_PACKET is EPERM by capabilities alone" socket 17 3 0x300
blocked EPERM "SYS-08 raw IP is EPERM by capabilities alone" socket 2 3 255
refused 'EACCES|EPERM' "SYS-08 ping is refused by the group range alone" socket 2 2 1
opts='' control=host

# SYS-09, SYS-10
blocked EPERM "SYS-09 socket(AF_ALG) is EPERM" socket 38 5 0
blocked EPERM "SYS-10 socket(AF_VSOCK) is EPERM" socket 40 1 0
run -- ./probe socket-sweep
is "$(printf '%s\n' "$out" | awk 'NF == 5 { print $2 }' | sort -nu | tr '\n' ' ')" '1 2 10 16 ' "SYS-10 of sixty-four families four are let through"
isnt "$("$probe" socket-sweep | awk 'NF == 5 { print $2 }' | sort -nu | tr '\n' ' ')" '1 2 10 16 ' "SYS-10 control: outside there are more"
run --seccomp strict -- ./probe socket-sweep
is "$(printf '%s\n' "$out" | awk 'NF == 5 { print $2 }' | sort -nu | tr '\n' ' ')" '2 10 ' "SYS-10 with seccomp = strict two"

# SYS-11
run -- ./probe netlink-sweep
is "$(printf '%s\n' "$out" | awk 'NF == 5 { print $4 }' | tr '\n' ' ')" '0 ' "SYS-11 of netlink's protocols only routing is let through"
isnt "$("$probe" netlink-sweep | awk 'NF == 5 && $5 == "OK" { print $4 }' | wc -l | tr -d ' ')" 1 "SYS-11 control: outside there are more"
control=in_userns
blocked EPERM "SYS-11 RTM_NEWADDR is EPERM" newaddr

# SYS-12 -- ENOENT and so on are the kernel's, after it was let through.
flips='OK|EINVAL|ENOPROTOOPT|ENOENT|ENOTCONN'
blocked EPERM "SYS-12 setsockopt(TCP_ULP) is EPERM" setsockopt-ulp
blocked EPERM "SYS-12 setsockopt(IPT_SO_SET_REPLACE) is EPERM" setsockopt-ipt
flips=OK
run -- sh -c 'unshare -Urn true; unshare -Urm mount -t overlay none /tmp' # the way to nftables and overlayfs
is "$(printf '%s\n' "$err" | grep -c 'Operation not permitted')" 2 "SYS-12 unshare -Urn and unshare -Urm fail at unshare"
ok "SYS-12 control: outside they do not" unshare -Urn true
control=host

# SYS-13 -- the page cache is the host's: what is read-only stays as it was, read through it and past it.
mkdir "$scratch/shared"
head -c 65536 /dev/urandom >"$scratch/shared/file"
sum=$(cksum <"$scratch/shared/file")
run --ro "$scratch/shared" -- sh -c 'f=$0; for how in w rw a; do ./probe open $how "$f"; done; ./probe truncate "$f"; echo x >>"$f"; dd if=/dev/zero of="$f" conv=notrunc bs=4096 count=1; rm -f "$f"' "$scratch/shared/file"
is "$(printf '%s\n' "$out" | awk '{ print $3 }' | sort -u)" EROFS "SYS-13 a shared file cannot be opened for writing"
is "$(cksum <"$scratch/shared/file")" "$sum" "SYS-13 it is as it was, through the page cache"
if direct=$(dd if="$scratch/shared/file" iflag=direct bs=65536 2>/dev/null | cksum) && [ "${direct##* }" = 65536 ]; then
	is "$direct" "$sum" "SYS-13 and past it"
else
	inconclusive "SYS-13 and past it" "no O_DIRECT on this file system"
fi
run doctor
like "$out" 'kernel' "SYS-13 doctor speaks of the kernel"

# SYS-14
blocked EPERM "SYS-14 personality(ADDR_NO_RANDOMIZE) is EPERM" personality 0x40000
blocked EPERM "SYS-14 personality(READ_IMPLIES_EXEC) is EPERM" personality 0x400000
is "$(tried personality 0xffffffff)" OK "SYS-14 asking for the personality works"
case $machine in
x86_64)
	blocked EPERM "SYS-14 modify_ldt() is EPERM" modify_ldt
	flips='OK|ENOENT'
	refused EPERM "SYS-14 iopl() is EPERM" iopl
	refused EPERM "SYS-14 uselib() is EPERM" uselib
	flips=OK
	;;
esac
for call in adjtimex fanotify_init mbind get_mempolicy move_pages quotactl; do
	blocked EPERM "SYS-14 $call() is EPERM" $call
done
if [ "$who" = root ]; then
	flips='OK|EINVAL|ENOENT|ENOSYS'
	for call in reboot swapon swapoff acct syslog; do
		blocked EPERM "SYS-14 $call() is EPERM" $call
	done
	flips=OK
else
	for call in reboot swapon swapoff acct syslog; do
		refused EPERM "SYS-14 $call() is EPERM" $call
	done
fi
opts='--allow-syscall reboot --allow-syscall swapon --allow-syscall swapoff --allow-syscall acct'
for call in reboot swapon swapoff acct; do
	refused 'EPERM|ENOSYS' "SYS-14 $call() is refused by capabilities alone" $call
done
opts=''
run -- sh -c 'for i in 1 2 3 4; do ./probe stack; done | sort -u | wc -l'
isnt "$out" 1 "SYS-14 addresses are random inside"
if have setarch; then
	is "$(for i in 1 2 3 4; do setarch -R "$probe" stack; done | sort -u | wc -l | tr -d ' ')" 1 "SYS-14 control: outside one can have them fixed"
fi
finish
