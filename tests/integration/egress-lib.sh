# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh disable=SC2034,SC2154
# Servers on the host's loopback for the tests of the gate; sourced after lib.sh. $https and $http are their ports, $site their files,
# $site/log what they heard; ca.pem in the workspace is who signed them.
have python3 openssl curl git || skip_all "needs python3, openssl, curl and git"
run --network gate --allow a.test -- true
[ "$rc" = 0 ] || skip_all "no gate here: $err"
site=$scratch/site
mkdir -p "$site"

# ---- the servers

openssl req -x509 -newkey rsa:2048 -nodes -keyout "$site/key.pem" -out "$site/cert.pem" -days 2 -subj /CN=a.test \
	-addext 'subjectAltName=DNS:a.test,DNS:b.test,DNS:*.w.test' 2>"$scratch/openssl.log" || skip_all "openssl makes no certificate"
cp "$site/cert.pem" "$work/ca.pem"
git init -q --bare -b main "$site/git/repo" && git -C "$site/git/repo" config http.receivepack true
python3 "$top_srcdir/tests/integration/egress-servers.py" "$site" 2>"$scratch/servers.log" &
servers=$!
at_end "kill $servers"
until_true 10 test -e "$site/ports" || skip_all "no servers: $(tail -n 1 "$scratch/servers.log")"
read -r ports <"$site/ports"
https=${ports#https=} https=${https%% *} http=${ports#*http=}

