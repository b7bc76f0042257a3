#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# make bench-egress: through jail-gate, beside loopback itself, pasta (its splice path and its tap) and slirp4netns, in one run.
# Everything happens in a network namespace of its own. Each round runs every peer once; the table has medians and ratios to
# loopback. Nothing is asserted.
#   EGRESS_ROUNDS=5  EGRESS_SECONDS=2  EGRESS_COUNT=3000
# usage: egress.sh BUILD-DIRECTORY
set -eu
build=$(cd "$1" && pwd)
rounds=${EGRESS_ROUNDS:-5} seconds=${EGRESS_SECONDS:-2} count=${EGRESS_COUNT:-3000}
PATH=$PATH:/usr/sbin:/sbin

if [ "${EGRESS_INSIDE-}" != yes ]; then
	EGRESS_INSIDE=yes exec unshare -rnm sh "$0" "$build"
fi

work=$(mktemp -d)
echo 'nameserver 192.0.2.53' >"$work/resolv.conf"
mount --bind "$work/resolv.conf" "$(readlink -f /etc/resolv.conf)"
ip link set lo up
# pasta wants an interface with a route to copy; nothing is at its other end.
ip link add veth0 type veth peer name veth1
ip addr add 10.9.9.2/24 dev veth0
ip link set veth0 up
ip link set veth1 up
ip route add default via 10.9.9.1
"$build/bench/egress" serve 9000 &
server=$!
# shellcheck disable=SC2064  # now
trap "kill $server; rm -rf '$work'" EXIT
sleep 0.3

through() { # PEER COMMAND: one measurement
	case $1 in
	loopback) "$build/bench/egress" "$2" 127.0.0.1 9000 "$3" ;;
	jail-gate)
		"$build/tests/helpers/gatebox" --gate "$build/gate/jail-gate" --allow bulk.test:9000/tcp \
			--resolve bulk.test=127.0.0.1 -- "$build/bench/egress" "$2" bulk.test 9000 "$3" ;;
	pasta-splice)
		pasta -q --config-net -t none -u none -U none -T 9000 -- "$build/bench/egress" "$2" 127.0.0.1 9000 "$3" ;;
	pasta-tap)
		pasta -q --config-net -t none -u none -U none -T none -- "$build/bench/egress" "$2" 10.9.9.1 9000 "$3" ;;
	slirp4netns)
		rm -f "$work/ready"
		mkfifo "$work/ready"
		unshare -n sh -c "read -r _ <'$work/ready'; exec '$build/bench/egress' $2 10.0.2.2 9000 $3" &
		inside=$!
		sleep 0.2
		slirp4netns --configure --mtu=65520 -r 3 "$inside" tap0 >/dev/null 2>&1 3>"$work/ready" &
		helper=$!
		wait "$inside"
		kill "$helper" 2>/dev/null || :
		wait "$helper" 2>/dev/null || :
		;;
	esac
}

peers="loopback jail-gate"
# Where this user may not open it, pasta waits for ever.
if [ -w /dev/net/tun ]; then
	! command -v pasta >/dev/null || peers="$peers pasta-splice pasta-tap"
	! command -v slirp4netns >/dev/null || peers="$peers slirp4netns"
else
	echo "pasta and slirp4netns are left out: /dev/net/tun is not for this user"
fi

round=0
while [ "$round" -lt "$rounds" ]; do
	round=$((round + 1))
	for peer in $peers; do
		for what in up down conn; do
			n=$seconds
			[ "$what" != conn ] || n=$count
			echo "$peer $what $(through "$peer" "$what" "$n" || echo 0 0)" >>"$work/samples"
		done
	done
done

awk -v peers="$peers" '
function median(key,	n, i, j, t, v)
{
	n = split(values[key], v, " ")
	for (i = 2; i <= n; i++)
		for (j = i; j > 1 && v[j - 1] + 0 > v[j] + 0; j--) {
			t = v[j]; v[j] = v[j - 1]; v[j - 1] = t
		}
	return v[int((n + 1) / 2)] + 0
}
{
	values[$1, $2] = values[$1, $2] " " $3
	if ($2 == "conn")
		values[$1, "p50"] = values[$1, "p50"] " " $4
}
function ratio(key, what)
{
	return median("loopback" SUBSEP what) ? median(key SUBSEP what) / median("loopback" SUBSEP what) : 0
}
END {
	printf "%-14s %10s %10s %10s %10s   %s\n", "", "up Gbit/s", "down", "conn/s", "p50 us", "of loopback: up, down, conn"
	n = split(peers, p, " ")
	for (i = 1; i <= n; i++)
		printf "%-14s %10.2f %10.2f %10d %10d   %.2f %.2f %.2f\n", p[i], median(p[i] SUBSEP "up"), median(p[i] SUBSEP "down"),
			median(p[i] SUBSEP "conn"), median(p[i] SUBSEP "p50"), ratio(p[i], "up"), ratio(p[i], "down"), ratio(p[i], "conn")
}' "$work/samples"
