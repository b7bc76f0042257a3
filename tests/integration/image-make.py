#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Makes images for tests/integration/image.sh: good ones, and ones that are wrong in one place.

image-make.py layout DIR WHAT [--compress gzip|gzip-odd|zstd|plain] [--docker] [--break HOW]
	an OCI layout with one image called "t"
image-make.py tar FILE WHAT
	the layers of WHAT, one tar each: FILE.0, FILE.1, ...
image-make.py list DIR
	a tree as lines: name, type, mode without setuid and setgid, size, time, link or content hash
"""
import copy, gzip, hashlib, io, json, os, stat, subprocess, sys, tarfile

NOW = 1700000000


class Layer:
    def __init__(self, fmt=tarfile.PAX_FORMAT):
        self.out = io.BytesIO()
        self.tar = tarfile.open(fileobj=self.out, mode="w", format=fmt, encoding="utf-8", errors="surrogateescape")

    def add(self, name, kind=tarfile.REGTYPE, data=b"", mode=0o644, link="", mtime=NOW, pax=None, uid=0, dev=(0, 0)):
        t = tarfile.TarInfo(name)
        t.type, t.mode, t.linkname, t.mtime, t.uid, t.gid = kind, mode, link, mtime, uid, uid
        t.size, (t.devmajor, t.devminor) = len(data), dev
        t.pax_headers = pax or {}
        self.tar.addfile(t, io.BytesIO(data) if data else None)
        return self

    def dir(self, name, mode=0o755, **kw):
        return self.add(name, tarfile.DIRTYPE, mode=mode, **kw)

    def sym(self, name, link, **kw):
        return self.add(name, tarfile.SYMTYPE, mode=0o777, link=link, **kw)

    def hard(self, name, link, **kw):
        return self.add(name, tarfile.LNKTYPE, link=link, **kw)

    def bytes(self):
        self.tar.close()
        return self.out.getvalue()


def base():
    l = Layer()
    l.dir("./", mode=0o755).dir("etc").dir("usr").dir("usr/bin").dir("usr/lib").sym("bin", "usr/bin").sym("lib", "/usr/lib")
    l.add("usr/bin/tool", data=b"#!/bin/sh\n" * 1000, mode=0o755).add("usr/bin/suid", data=b"s", mode=0o4755)
    l.add("usr/bin/sgid", data=b"s", mode=0o2755).hard("usr/bin/tool2", "usr/bin/tool").hard("usr/bin/tool3", "./usr/bin/tool2")
    l.dir("tmp", mode=0o1777).dir("ro", mode=0o555).add("ro/in", data=b"x", mode=0o444).add("etc/a", data=b"a").add("etc/b", data=b"b")
    l.add("etc/shadow", data=b"root", mode=0o640, uid=42)
    l.dir("gone").add("gone/x", data=b"x").add("gone/y", data=b"y")
    l.dir("opq").add("opq/old", data=b"old").dir("opq/sub").add("opq/sub/old", data=b"old")
    l.dir("merge", mode=0o700).add("merge/one", data=b"1").add("wasfile", data=b"f").dir("wasdir").add("wasdir/x", data=b"x")
    l.sym("waslink", "etc").add("empty").add("fifo", tarfile.FIFOTYPE, mode=0o640)
    l.add("ns", data=b"ns", pax={"mtime": "1600000000.123456789"}).add("old", data=b"old", mtime=-86400)
    l.dir("d" * 120).add("d" * 120 + "/" + "f" * 200, data=b"long").add("nfd-e\u0301", data=b"nfd").add("nfc-\u00e9", data=b"nfc")
    l.add("bytes-\udcff\udcfe", data=b"raw")
    l.add("twice", data=b"first").add("twice", data=b"second").sym("loop", "loop").sym("out", "../../../../etc")
    l.dir("devices").add("devices/null", tarfile.CHRTYPE, dev=(1, 3)).add("devices/sd", tarfile.BLKTYPE, dev=(8, 0))
    l.add("devices/zero", tarfile.CHRTYPE)
    return l.bytes()


def change():
    l = Layer(tarfile.GNU_FORMAT)
    l.add("usr/bin/.wh.suid").add("etc/.wh.b").add(".wh.gone").add("etc/.wh.never")
    l.dir("opq", mode=0o750).add("opq/new", data=b"new").add("opq/.wh..wh..opq").add("opq/late", data=b"late")
    l.dir("merge", mode=0o711).add("merge/two", data=b"2").dir("wasfile").add("wasfile/in", data=b"in").add("wasdir", data=b"now a file")
    l.dir("waslink").add("waslink/in", data=b"in").add("usr/bin/tool", data=b"new tool", mode=0o700)
    l.add(".wh..wh.plnk").dir("l" * 150).add("l" * 150 + "/" + "m" * 150, data=b"gnu long")
    return l.bytes()


def lean():
    """Leans on what is below: through links, by hard links, into directories that it does not describe."""
    l = Layer(tarfile.USTAR_FORMAT)
    l.add("lib/through", data=b"by a link of the layer below").add("ro/more", data=b"m").hard("linked", "etc/a")
    l.hard("usr/lib/linked2", "/bin/tool3").add("tmp/t", data=b"t").add("bin/new", data=b"n", mode=0o755).add("merge/.wh.one")
    return l.bytes()


def top():
    l = Layer()
    l.add(".wh.wasfile").dir("wasfile").add("opq/.wh.new").add("gone", data=b"again, as a file").add("out/x", data=b"inside")
    return l.bytes()


def many(n=130):
    out = [base()]
    for i in range(1, n):
        l = Layer()
        l.dir("many").add("many/%d" % i, data=b"%d" % i)
        if i > 1:
            l.add("many/.wh.%d" % (i - 1)) if i % 3 == 0 else l.add("many/last", data=b"%d" % i)
        out.append(l.bytes())
    return out


def hostile(entry):
    l = Layer()
    l.dir("d").add("ok", data=b"ok")
    entry(l)
    return [l.bytes()]


def bomb_depth(l):
    l.add("/".join("a" * 5 for _ in range(600)), data=b"x")


def xattrs():
    pax = {"SCHILY.xattr.user.keep": "v", "SCHILY.xattr.user.overlay.opaque": "y", "SCHILY.xattr.security.capability": "x",
           "SCHILY.xattr.trusted.x": "y", "SCHILY.xattr.system.posix_acl_access": "x"}
    return Layer().add("file", data=b"x", mode=0o400, pax=pax).dir("dir", pax=pax).bytes()


IMAGES = {
    "xattrs": lambda: [xattrs()],
    "base": lambda: [base()],
    "whole": lambda: [base(), change(), lean(), top()],
    "other": lambda: [base(), Layer().add("other", data=b"o" * 5000).bytes()],
    "empty-twice": lambda: [Layer().bytes(), base(), Layer().bytes(), Layer().bytes()],
    "many": many,
    "noend": lambda: [base().rstrip(b"\0") + b"\0" * (-len(base().rstrip(b"\0")) % 512)],
    "zero": lambda: [base(), b""],
    "opaque-root": lambda: [base(), Layer().add("left", data=b"l").add(".wh..wh..opq").bytes()],
    "dotdot": lambda: hostile(lambda l: l.add("d/../../canary", data=b"x")),
    "absolute": lambda: hostile(lambda l: l.add("/canary", data=b"x")),
    "link-out": lambda: hostile(lambda l: l.sym("s", os.environ.get("CANARY", "/canary")).add("s/file", data=b"x")),
    "link-hard": lambda: hostile(lambda l: l.hard("h", os.environ.get("CANARY", "/canary") + "/file")),
    "link-early": lambda: hostile(lambda l: l.hard("h", "later").add("later", data=b"x")),
    "root-link": lambda: hostile(lambda l: l.sym(".", "/canary").sym("./", "/canary").add("x", data=b"x")),
    "wh-empty": lambda: hostile(lambda l: l.add("d/.wh.")),
    "wh-dot": lambda: hostile(lambda l: l.add("d/.wh..")),
    "wh-dotdot": lambda: hostile(lambda l: l.add("d/.wh...")),
    "wh-through": lambda: hostile(lambda l: l.sym("s", os.environ.get("CANARY", "/canary")).add("s/.wh.file").add("s/.wh..wh..opq")),
    "deep": lambda: hostile(bomb_depth),
    "longname": lambda: hostile(lambda l: l.add("n" * 300, data=b"x")),
    "file-as-dir": lambda: hostile(lambda l: l.add("ok/x", data=b"x")),
    "links": lambda: hostile(lambda l: [l.sym("l%d" % i, "l%d" % (i + 1)) for i in range(60)] and l.add("l0/x", data=b"x")),
}


def sha(b):
    return "sha256:" + hashlib.sha256(b).hexdigest()


def squeeze(b, how):
    if how == "zstd":
        # a skippable frame before, as zstd:chunked writes it behind, and two frames
        half = len(b) // 2
        z = lambda x: subprocess.run(["zstd", "-q", "-c"], input=x, stdout=subprocess.PIPE, check=True).stdout
        return z(b[:half]) + z(b[half:]) + b"\x50\x2a\x4d\x18\x04\0\0\0abcd"
    if how == "gzip":
        return gzip.compress(b, 6, mtime=0)
    if how == "gzip-odd":  # two members and padding
        half = len(b) // 2
        return gzip.compress(b[:half], 6, mtime=0) + gzip.compress(b[half:], 1, mtime=0) + b"\0" * 100
    return b


class Layout:
    def __init__(self, path):
        self.path = path
        os.makedirs(path + "/blobs/sha256")
        self.write("oci-layout", json.dumps({"imageLayoutVersion": "1.0.0"}).encode())

    def write(self, name, data):
        with open(os.path.join(self.path, name), "wb") as f:
            f.write(data)

    def blob(self, data, media, **more):
        self.write("blobs/sha256/" + sha(data)[7:], data)
        return dict({"mediaType": media, "digest": sha(data), "size": len(data)}, **more)

    def doc(self, value, media, **more):
        return self.blob(value if isinstance(value, bytes) else json.dumps(value).encode(), media, **more)


def layout(path, what, compress="gzip", docker=False, how=None):
    o = Layout(path)
    tars = IMAGES[what]()
    oci = "application/vnd.oci.image."
    dock = "application/vnd.docker.distribution.manifest."
    t_layer = "application/vnd.docker.image.rootfs.diff.tar.gzip" if docker else oci + "layer.v1.tar" + (
        "" if compress == "plain" else "+" + compress.split("-")[0])
    t_manifest = dock + "v2+json" if docker else oci + "manifest.v1+json"
    t_index = dock + "list.v2+json" if docker else oci + "index.v1+json"
    blobs = [squeeze(t, compress) for t in tars]
    descs = [o.blob(b, t_layer) for b in blobs]
    config = {"architecture": "amd64" if os.uname().machine == "x86_64" else "arm64", "os": "linux",
              "config": {"Env": ["PATH=/usr/bin", "X=a b"], "Entrypoint": ["/bin/tool"], "Cmd": ["-x"], "WorkingDir": "/w",
                         "User": "daemon", "StopSignal": "SIGINT", "Volumes": {"/proc": {}}},
              "rootfs": {"type": "layers", "diff_ids": [sha(t) for t in tars]},
              "history": [{"created_by": "made\x1b[31m"}]}
    blob = "%s/blobs/sha256/" % path
    if how == "diffid":
        config["rootfs"]["diff_ids"][0] = "sha256:" + "0" * 64
    if how == "diffid-count":
        config["rootfs"]["diff_ids"].append("sha256:" + "0" * 64)
    if how == "diffid-path":
        config["rootfs"]["diff_ids"][0] = "sha256:../../../x"
    if how == "os":
        config["os"] = "windows"
    if how == "env":
        config["config"]["Env"] = ["=x"]
    d_config = o.doc(config, "application/vnd.docker.container.image.v1+json" if docker else oci + "config.v1+json")
    manifest = {"schemaVersion": 2, "mediaType": t_manifest, "config": d_config, "layers": descs}
    if how == "size":
        manifest["layers"] = [dict(descs[0], size=descs[0]["size"] + 1)] + descs[1:]
    if how == "digest-path":
        manifest["layers"] = [dict(descs[0], digest="sha256:../../../../etc/passwd")]
    if how == "foreign":
        manifest["layers"] = [dict(descs[0], mediaType=oci + "layer.nondistributable.v1.tar+gzip", urls=["http://x.test/"])]
    if how == "both":
        manifest["manifests"] = []
    if how == "media":
        manifest["mediaType"] = t_index
    if how == "layer-media":
        manifest["layers"] = [dict(descs[0], mediaType="text/plain")]
    text = json.dumps(manifest).encode()
    if how == "dupkey":
        text = text[:-1] + b', "layers": []}'
    if how == "big":
        text = text[:-1] + b" " * (5 << 20) + b"}"
    d_manifest = o.doc(text, t_manifest)
    plat = {"os": "linux", "architecture": config["architecture"]}
    other = {"os": "linux", "architecture": "s390x"}
    decoy = o.doc({"schemaVersion": 2, "config": d_config, "layers": [dict(descs[0], digest="sha256:" + "1" * 64)]}, t_manifest)
    inner = o.doc({"schemaVersion": 2, "mediaType": t_index, "manifests": [
        dict(decoy, platform={"os": "unknown", "architecture": "unknown"}, annotations={"vnd.docker.reference.type": "attestation-manifest"}),
        dict(decoy, platform=other), dict(d_manifest, platform=plat)]}, t_index)
    mine = dict(inner if how != "flat" else d_manifest, annotations={"org.opencontainers.image.ref.name": "t"})
    o.write("index.json", json.dumps({"schemaVersion": 2, "manifests": [
        mine, dict(decoy, annotations={"org.opencontainers.image.ref.name": "decoy"})]}).encode())
    target = {"flip-manifest": d_manifest, "flip-config": d_config, "flip-index": inner, "flip": descs[0]}.get(how)
    if target:
        name = blob + target["digest"][7:]
        data = bytearray(open(name, "rb").read())
        data[len(data) // 2] ^= 1
        open(name, "wb").write(data)
    if how == "short":
        os.truncate(blob + descs[0]["digest"][7:], descs[0]["size"] // 2)
    if how == "long":
        open(blob + descs[0]["digest"][7:], "ab").write(b"x")
    if how == "no-layer":
        os.remove(blob + descs[0]["digest"][7:])
    if how == "fifo":
        os.remove(blob + descs[0]["digest"][7:])
        os.mkfifo(blob + descs[0]["digest"][7:])


def listing(top):
    rows = []
    top = os.fsencode(top)
    for where, dirs, files in os.walk(top):
        for name in dirs + files:
            p = os.path.join(where, name)
            st = os.lstat(p)
            kind = stat.S_IFMT(st.st_mode)
            if kind in (stat.S_IFCHR, stat.S_IFBLK, stat.S_IFSOCK):
                continue
            what = ""
            if kind == stat.S_IFREG:
                what = "%d %s" % (st.st_size, hashlib.sha256(open(p, "rb").read()).hexdigest())
            if kind == stat.S_IFLNK:
                what = repr(os.readlink(p))
            mode = 0o777 if kind == stat.S_IFLNK else st.st_mode & 0o1777
            rows.append("%r %x %o %d %s" % (os.path.relpath(p, top), kind >> 12, mode, st.st_mtime_ns, what))
    print("\n".join(sorted(rows)))


def main(argv):
    if argv[0] == "list":
        return listing(argv[1])
    if argv[0] == "tar":
        for i, t in enumerate(IMAGES[argv[2]]()):
            open("%s.%d" % (argv[1], i), "wb").write(t)
        return None
    opts = {"compress": "gzip", "docker": False, "how": None}
    rest = iter(argv[3:])
    for o in rest:
        if o == "--docker":
            opts["docker"] = True
        else:
            opts["how" if o == "--break" else o[2:]] = next(rest)
    return layout(argv[1], argv[2], **opts)


main(sys.argv[1:])
