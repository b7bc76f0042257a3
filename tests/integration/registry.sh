# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh disable=SC2034  # what is set here is read by the tests
# Debian's docker-registry on loopback with an image in it, and the bad ones in front (registry-front.py); sourced after lib.sh.
#
#   registry_start             both, with the image t/a in the good one; skips the whole test when they cannot be had
#   $good, $locked             127.0.0.1:PORT of the registry, and of one that wants a login (anna, "secret word")
#   front MODE                 prints 127.0.0.1:PORT of one that is bad in this way
#   $frontlog                  a line for each request to those: MODE METHOD PATH AUTHORIZATION RANGE
#   $manifest                  the digest of t/a; $layers: lines DIGEST SIZE of its blobs, the config first
#   login FILE HOST            writes an auth file for HOST
#   $cert                      the certificate of front tls, made for 127.0.0.1
#
# Nobody's login but the tests' is used: the variables that name such files point into $scratch.

REGISTRY_AUTH_FILE='' XDG_RUNTIME_DIR=$scratch/run DOCKER_CONFIG=$scratch/docker
export XDG_RUNTIME_DIR DOCKER_CONFIG
unset REGISTRY_AUTH_FILE SSL_CERT_FILE http_proxy https_proxy all_proxy no_proxy HTTPS_PROXY ALL_PROXY NO_PROXY
frontlog=$scratch/front.log cert=$scratch/cert.pem
secret=YW5uYTpzZWNyZXQgd29yZA==

# Two layers that gzip cannot make smaller, the second with a whiteout, so that there is something to break off in.
make_layout() {
	python3 - "$1" <<'END'
import gzip, hashlib, io, json, os, random, sys, tarfile
random.seed(5)
top = sys.argv[1]
os.makedirs(top + "/blobs/sha256")
def put(data, kind):
    d = hashlib.sha256(data).hexdigest()
    open(f"{top}/blobs/sha256/{d}", "wb").write(data)
    return {"mediaType": kind, "digest": "sha256:" + d, "size": len(data)}
def layer(files):
    b = io.BytesIO()
    with tarfile.open(fileobj=b, mode="w") as t:
        for name, data in files:
            i = tarfile.TarInfo(name)
            i.size, i.mode, i.mtime = len(data), 0o644, 1700000000
            t.addfile(i, io.BytesIO(data))
    return b.getvalue()
def noise(n):
    return random.getrandbits(8 * n).to_bytes(n, "little")
tars = [layer([("big", noise(4 << 20)), ("gone", b"x")]), layer([("second", noise(2 << 20)), (".wh.gone", b"")])]
layers = [put(gzip.compress(t, 1, mtime=0), "application/vnd.oci.image.layer.v1.tar+gzip") for t in tars]
arch = {"x86_64": "amd64", "aarch64": "arm64"}.get(os.uname().machine, os.uname().machine)
config = {"architecture": arch, "os": "linux", "config": {"Cmd": ["/big"], "Env": ["A=b"]},
          "rootfs": {"type": "layers", "diff_ids": ["sha256:" + hashlib.sha256(t).hexdigest() for t in tars]}}
m = {"schemaVersion": 2, "mediaType": "application/vnd.oci.image.manifest.v1+json",
     "config": put(json.dumps(config).encode(), "application/vnd.oci.image.config.v1+json"), "layers": layers}
d = put(json.dumps(m).encode(), m["mediaType"])
d["annotations"] = {"org.opencontainers.image.ref.name": "a"}
json.dump({"schemaVersion": 2, "manifests": [d]}, open(top + "/index.json", "w"))
json.dump({"imageLayoutVersion": "1.0.0"}, open(top + "/oci-layout", "w"))
print(d["digest"])
for l in [m["config"]] + layers:
    print(l["digest"], l["size"])
END
}

free_port() {
	python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

answers() {
	python3 -c 'import socket, sys; socket.create_connection(("127.0.0.1", int(sys.argv[1])), 1)' "$1" 2>/dev/null
}

one_registry() {	# one_registry NAME AUTH: sets $port; serves $scratch/registry
	port=$(free_port)
	cat >"$scratch/$1.yml" <<-END
		version: 0.1
		log: {level: error}
		storage: {filesystem: {rootdirectory: $scratch/registry}}
		http: {addr: "127.0.0.1:$port"}
		$2
	END
	docker-registry serve "$scratch/$1.yml" >"$scratch/$1.log" 2>&1 &
	at_end "kill $!"
	until_true 10 answers "$port" || { diag "$(tail -n 5 "$scratch/$1.log")"; exit 99; }
}

front() {
	awk -v mode="$1" '$1 == mode { print "127.0.0.1:" $2; found = 1 } END { exit !found }' "$scratch/ports"
}

login() {
	mkdir -p "$(dirname "$1")"
	printf '{"auths":{"%s":{"auth":"%s"}}}\n' "$2" "$secret" >"$1"
}

registry_start() {
	have docker-registry || skip_all "docker-registry is not here"
	have skopeo || skip_all "skopeo is not here"
	have openssl || skip_all "openssl is not here"
	one_registry good ""
	good=127.0.0.1:$port good_port=$port
	# bcrypt, as the registry wants it, of the same password
	# shellcheck disable=SC2016
	echo 'anna:$2y$05$VS46zR5qeTlruRI0YP9ZfumW.v9H5fBd.MwtDHTNl5Hi2zAxCrI26' >"$scratch/htpasswd"
	one_registry locked "auth: {htpasswd: {realm: here, path: $scratch/htpasswd}}"
	locked=127.0.0.1:$port
	make_layout "$scratch/layout" >"$scratch/digests"
	manifest=$(head -n 1 "$scratch/digests")
	layers=$(sed 1d "$scratch/digests")
	skopeo copy --insecure-policy --dest-tls-verify=false "oci:$scratch/layout:a" "docker://$good/t/a:latest" >"$scratch/skopeo.log" 2>&1 ||
		{ diag "$(cat "$scratch/skopeo.log")"; exit 99; }
	openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=test -addext subjectAltName=IP:127.0.0.1 \
		-keyout "$scratch/key.pem" -out "$cert" 2>/dev/null || exit 99
	mkfifo "$scratch/stop"
	python3 "$top_srcdir/tests/integration/registry-front.py" "$good_port" "$frontlog" "$cert" "$scratch/key.pem" \
		<"$scratch/stop" >"$scratch/ports" 2>"$scratch/front.err" &
	at_end "kill $!"
	exec 8>"$scratch/stop"
	until_true 10 grep -q '^$' "$scratch/ports" || { diag "$(cat "$scratch/front.err")"; exit 99; }
}
