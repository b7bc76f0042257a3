#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# jail-pull alone, by its protocol: a real registry, logins, redirects, broken transfers, and registries that lie.
. "$top_srcdir/tests/integration/lib.sh"
. "$top_srcdir/tests/integration/registry.sh"

pull=$top_builddir/oci/jail-pull
# The search for leaks at the end cannot be had in the cage.
export ASAN_OPTIONS=detect_leaks=0
registry_start
plan 89
config_blob=$(printf '%s\n' "$layers" | sed -n 1p)
big=$(printf '%s\n' "$layers" | sed -n 2p)
small=$(printf '%s\n' "$layers" | sed -n 3p)
name() { printf '%s\n' "$1" | sed 's/ .*//; s/:/-/'; }

# get HOST[/REPOSITORY] LINE...: asks a fresh directory for the lines
get() {
	rm -rf "$scratch/into"
	mkdir "$scratch/into"
	more "$@"
}

# more HOST[/REPOSITORY] LINE...: the same, on what is there
more() {
	reference=$1
	case $reference in */*) ;; *) reference=$reference/t/a ;; esac
	shift
	rc=0
	: >"$frontlog"
	# shellcheck disable=SC2086  # flags are words
	{ printf '%s\n' "$@"; echo go; } |
		timeout -s KILL 60 "$pull" --pace 20 --stall 2 $flags "$scratch/into" "$reference" >"$scratch/out" 2>"$scratch/err" || rc=$?
	# a manifest stands in the answers: put where the blobs are, for holds and fails
	python3 - "$scratch/out" "$scratch/into" <<-'END'
		import re, sys
		out = open(sys.argv[1], "rb").read()
		for m in re.finditer(rb"^manifest sha256:(\S+) (\d+) \S+\n", out, re.M):
		    open(f"{sys.argv[2]}/sha256-{m[1].decode()}", "wb").write(out[m.end():m.end() + int(m[2])])
	END
	out=$(cat "$scratch/out")
	err=$(cat "$scratch/err")
}
flags=

# There, whole, and nothing else.
holds() {
	[ "$(cd "$scratch/into" && ls)" = "$(for b; do name "$b"; done | sort)" ] || return 1
	for b; do
		d=${b%% *}
		[ "$(sha256sum <"$scratch/into/$(name "$b")" | cut -d' ' -f1)" = "${d#sha256:}" ] || return 1
	done
}

# One line that says why, exit 1, and no file that looks whole.
fails() {	# fails ERE NAME
	if [ "$rc" = 1 ] && [ "$(wc -l <"$scratch/err")" = 1 ] && printf '%s\n' "$err" | grep -Eq -e "$1" &&
		[ -z "$(find "$scratch/into" -name 'sha*' ! -name '*.part')" ]; then
		pass "$2"
	else
		fail_run "$2"
		diag "want: /$1/"
	fi
}

# ---- what goes well ---------------------------------------------------------------------------------------------------

get "$good" manifest
is "$rc" 0 "a manifest by tag"
is "$(printf '%s\n' "$out" | head -n 1 | cut -d' ' -f1,2,4)" "manifest $manifest application/vnd.oci.image.manifest.v1+json" "its digest and type are told"
ok "it is there and whole" holds "$manifest"
get "$good/t/a@$manifest" manifest
ok "a manifest by digest" holds "$manifest"
get "$good/t/a:other@$manifest" manifest
ok "a digest counts more than a tag" holds "$manifest"
size=$(stat -c %s "$scratch/into/$(name "$manifest")")
get "$good" "manifest $manifest $size" "blob $config_blob" "blob $big" "blob $small"
ok "a manifest and three blobs, side by side" holds "$manifest" "$config_blob" "$big" "$small"
like "$out" "^blob $big $(name "$big")\$" "a blob is told of"
# At the beginning of a line, or right behind the manifest's own bytes, which end without a newline.
like "$out" "(^|})progress ${big% *} ${big#* } ${big#* }\$" "and how far it came"
like "$out" "done\$" "the end is told"
get "localhost:$good_port" "blob $small"
ok "by name, through the resolver" holds "$small"
get "$good" "blob sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855 0"
ok "a blob of nothing" holds "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855 0"

# ---- logins -----------------------------------------------------------------------------------------------------------

get "$locked" manifest
fails "registry '$locked' refuses 't/a' \(401.*login is needed" "401 without a login"
login "$DOCKER_CONFIG/config.json" "$locked"
get "$locked" manifest "blob $big"
ok "basic, from docker's file" holds "$manifest" "$big"
login "$DOCKER_CONFIG/config.json" "https://$locked/v2/"
get "$locked" manifest
ok "a key with a scheme and a path" holds "$manifest"
login "$DOCKER_CONFIG/config.json" "127.0.0.1:9"
get "$locked" manifest
fails "401" "another registry's login is not used"
login "$XDG_RUNTIME_DIR/containers/auth.json" "$locked/t"
get "$locked" manifest
ok "from containers/auth.json, by namespace" holds "$manifest"
login "$XDG_RUNTIME_DIR/containers/auth.json" "$locked/u"
get "$locked" manifest
fails "401" "another namespace's login is not used"
rm -r "$XDG_RUNTIME_DIR/containers"
login "$scratch/auth" "$locked"
REGISTRY_AUTH_FILE=$scratch/auth
export REGISTRY_AUTH_FILE
get "$locked" manifest
ok "from REGISTRY_AUTH_FILE" holds "$manifest"
sed -i "s/$secret/$(printf anna:wrong | base64)/" "$scratch/auth"
get "$locked" manifest
fails "refuses 't/a' \(401.*to the credentials in '$scratch/auth'" "a wrong password, and which file has it"
printf '{"auths":{"%s":{"auth":"=%s"}}}' "$locked" "$secret" >"$scratch/auth"
get "$locked" manifest
fails "'$scratch/auth': an \"auth\" that is not the base64" "an auth that is none"
echo '{"auths":' >"$scratch/auth"
get "$good" manifest
fails "$scratch/auth: not valid JSON" "a file that is none"
rm "$scratch/auth"
get "$good" manifest
fails "read the credentials in '$scratch/auth': No such file" "a file that was named and is not there"
unset REGISTRY_AUTH_FILE
printf '{"credsStore":"desktop","auths":{"%s":{}}}' "$locked" >"$DOCKER_CONFIG/config.json"
get "$locked" manifest
fails "helper 'desktop', and jail runs no helpers" "credsStore: said, not run"
printf '{"credHelpers":{"%s":"gcloud"}}' "$locked" >"$DOCKER_CONFIG/config.json"
get "$locked" manifest
fails "helper 'gcloud', and jail runs no helpers" "credHelpers: the same"
get "$good" manifest
ok "and a registry that needs none does not care" holds "$manifest"
rm -r "$DOCKER_CONFIG"

get "$(front bearer)" manifest "blob $small"
ok "a token without a login" holds "$manifest" "$small"
like "$(cat "$frontlog")" "^bearer GET /token\?x=1&service=a%20b&scope=repository%3At%2Fa%3Apull - -\$" "for pulling this repository, and no more"
is "$(grep -c 'GET /token' "$frontlog")" 1 "one token for all"
get "$(front bearer_login)" manifest
fails "refuses 't/a' \(401: who are you\)" "a token server that wants a login"
login "$DOCKER_CONFIG/config.json" "$(front bearer_login)"
get "$(front bearer_login)" manifest "blob $big"
ok "a token with one" holds "$manifest" "$big"
is "$(grep -v token "$frontlog" | grep -c Basic)" 0 "the password goes to the token server only"
printf '{"auths":{"%s":{"auth":"eDo=","identitytoken":"it is me"}}}' "$(front bearer_login)" >"$DOCKER_CONFIG/config.json"
get "$(front bearer_login)" manifest
ok "a token for an identity token" holds "$manifest"
rm -r "$DOCKER_CONFIG"
get "$(front bearer_expires)" manifest go "blob $big"
ok "a token that expires is renewed" holds "$manifest" "$big"
get "$(front bearer_clear)" manifest
fails "names a token server that cannot be used: it must be https" "a token server without TLS"
get "$(front bearer_header)" manifest
fails "gave no token that can be used" "a token that would be a header"
get "$(front bearer_flood)" manifest
fails "answers with too much" "a token without an end"
get "$(front odd_401)" manifest
fails "asks for a login in a way that cannot be read" "a challenge that is none"

# ---- redirects --------------------------------------------------------------------------------------------------------

login "$DOCKER_CONFIG/config.json" "$(front redirect)"
get "$(front redirect)" manifest "blob $big"
ok "a redirect to another host and port" holds "$manifest" "$big"
is "$(grep '^other' "$frontlog" | cut -d' ' -f4)" "-" "without Authorization"
like "$(cat "$frontlog")" "^redirect GET /v2/t/a/blobs/[^ ]* Basic $secret" "which the registry itself was shown"
login "$DOCKER_CONFIG/config.json" "$(front redirect_same)"
get "$(front redirect_same)" "blob $big"
ok "a redirect to the registry itself" holds "$big"
like "$(cat "$frontlog")" "again Basic $secret" "keeps Authorization"
login "$DOCKER_CONFIG/config.json" "$(front redirect_401)"
get "$(front redirect_401)" "blob $big"
fails "'localhost', to which the registry redirects, answers 401" "who is redirected to may not ask for a login"
unlike "$(cat "$frontlog")" "^always_401 .*Basic" "and gets none"
rm -r "$DOCKER_CONFIG"
get "$(front redirect_clear)" "blob $big"
fails "redirects to 'blobs.test' without TLS" "a redirect to another machine without TLS"
get "$(front redirect_file)" "blob $big"
fails "redirects to nothing that can be read" "a redirect to a file"
get "$(front redirect_loop)" "blob $big"
fails "more than 8 redirects" "redirects without an end"

# ---- broken transfers -------------------------------------------------------------------------------------------------

get "$(front cut)" "blob $big"
ok "three times cut off in the middle" holds "$big"
is "$(grep -c 'bytes=[1-9][0-9]*-$' "$frontlog")" 3 "gone on with from there each time"
like "$out" "^note ${big%"${big#???????????????????}"}.*closed the connection before the end.*trying again" "and said so"
get "$(front cut_whole)" "blob $big"
ok "the same where ranges are not known" holds "$big"
get "$(front wrong_range)" "blob $big"
fails "asked for the rest from byte [0-9]+, the registry sends another part" "another range than the one asked for"
get "$(front always_cut)" "blob $big"
fails "closed the connection before the end.*gave up after 5 tries" "cut off each time"
is "$(stat -c %s "$scratch/into/$(name "$big").part")" 50 "what came is kept"
more "$good" "blob $big"
ok "and gone on with by the next run" holds "$big"
get "$(front always_cut)" "blob $big"
printf 'a part that somebody else wrote' >"$scratch/into/$(name "$big").part"
more "$good" "blob $big"
ok "a part that is wrong is fetched again" holds "$big"
get "$good" manifest
head -c 9000000 /dev/zero >"$scratch/into/$(name "$big").part"
more "$good" "blob $big"
ok "a part that is too long as well" holds "$manifest" "$big"
get "$(front once_503)" manifest "blob $big"
ok "503, then not" holds "$manifest" "$big"
start=$(clock)
get "$(front once_429)" manifest
ok "429 with Retry-After, then not" holds "$manifest"
ok "waited for as long as it said" [ $(($(clock) - start)) -ge 95 ]
start=$(clock)
get "$(front long_429)" manifest
fails "asked too often \(429: too many\); it asks to come back in 3600 s" "429 for an hour"
ok "which is not waited for" [ $(($(clock) - start)) -lt 500 ]
get "$(front always_500)" manifest
fails "cannot answer now \(500: of this test\); gave up after 5 tries" "500 each time"
get "$(front slow_head)" manifest
fails "too slow or does not answer.*gave up" "a head that trickles"
flags='--tries 2'
get "$(front slow_body)" "blob $big"
fails "too slow or does not answer.*gave up after 2 tries" "a body that trickles"
flags='--total 1'
get "$(front slow_body)" "blob $big"
fails "not all of .* came in 1 s" "an end to it all"
flags=

# ---- what is refused --------------------------------------------------------------------------------------------------

get "$good/t/none" manifest
fails "registry '$good' has no '$good/t/none' \(404: manifest unknown\)" "404 for an image"
get "$good" "blob sha256:$(printf 0%.0s $(seq 64)) 5"
fails "has no blob sha256:0{64} \(404" "404 for a blob"
get "$(front always_404)" manifest
fails '404: \\x1b\[31mred\\xe2\\x80\\xae' "what a registry says cannot write to the terminal"
get "$(front long_length)" "blob $big"
fails "${big% *}: [0-9]+ bytes are offered where ${big#* } are due" "a Content-Length that lies"
get "$(front more)" "blob $big"
fails "${big% *}: more than the ${big#* } bytes that the manifest promises" "more bytes than were promised"
get "$(front flip)" "blob $big"
fails "${big% *}: what the registry sent has the digest sha256:" "a wrong digest"
get "$(front flip_manifest)" manifest
fails "what the registry sent has the digest sha256:" "a manifest that is not what its header says"
get "$(front flip_manifest)/t/a@$manifest" manifest
fails "^$manifest: what the registry sent has the digest" "a manifest that is not what was asked for"
get "$(front big_manifest)" manifest
fails "larger than 4194304 bytes" "a manifest that is too large"
get "$(front garbage)" manifest
fails "does not speak (HTTP|TLS)" "no HTTP at all"
get "127.0.0.1:1" manifest
fails "registry '127.0.0.1:1' does not take connections" "nobody there"
get "registry.test" manifest
fails "registry 'registry.test:443' has no address that can be found: no network" "offline"
get "$(front tls)" manifest
fails "has a certificate that is not trusted" "a certificate that is not trusted"
SSL_CERT_FILE=$cert
export SSL_CERT_FILE
get "$(front tls)" manifest "blob $big"
ok "one that is" holds "$manifest" "$big"
unset SSL_CERT_FILE
flags=--plain-http
get "registry.test" manifest
fails "registry 'registry.test:80' has no address" "without TLS only when told so"
http_proxy=http://$(front good)
export http_proxy
get "registry.test" manifest "blob $big"
ok "through a proxy" holds "$manifest" "$big"
like "$(cat "$frontlog")" "^good GET http://registry.test/v2/t/a/manifests/latest " "which is asked for the name"
flags='' http_proxy=http://127.0.0.1:1
get "$good" manifest
ok "a registry on this machine needs no proxy" holds "$manifest"
unset http_proxy
get "$good" "blob sha256:../../../x 5"
fails "asks for nothing" "a digest that is a path"
get "$good" "blob $big 1"
fails "asks for nothing" "a size that is none"

# ---- the cage ---------------------------------------------------------------------------------------------------------

if have strace && strace -f -o "$scratch/trace" true 2>/dev/null; then
	rm -rf "$scratch/into"
	mkdir "$scratch/into"
	printf 'manifest\nblob %s\ngo\n' "$big" | strace -f -o "$scratch/trace" "$pull" "$scratch/into" "localhost:$good_port/t/a" >"$scratch/out" 2>&1
	ok "it works under strace" holds "$big"
	# Whose process cannot be read (dumpable) shows its calls, not the addresses.
	order=$(grep -nE 'landlock_restrict_self.*= 0|seccomp\(SECCOMP_SET_MODE_FILTER.*= 0|connect\(' "$scratch/trace" |
		sed -E 's/.*(landlock|seccomp|connect).*/\1/' | head -n 3 | tr '\n' ' ')
	is "$order" "landlock seccomp connect " "shut in before it connects"
	unlike "$(sed -n '/SECCOMP_SET_MODE_FILTER/,$p' "$scratch/trace")" "ENOSYS|EACCES|EAFNOSUPPORT|exec" "and wants nothing that it may not"
else
	skip 3 "strace does not work here"
fi
