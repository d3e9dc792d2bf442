# SPDX-License-Identifier: GPL-2.0
"""The body of interface/status."""
import os
import re
import subprocess
import sys

from lib.case import (BLKDISCARD, K, M, MNT, Disk, buffer, check, child, disable, drop_caches,
                      enable, iolog_now, put, read, same, status, value, wait_for)

raw, ext = Disk(sys.argv[1]), Disk(sys.argv[2])

s = status()
for key, want in (("enabled", "0"), ("session", "0"), ("role", "thread"), ("charge", "split"),
                  ("inflight", "0"), ("losses", "0"), ("reclaimed", "roles=0 acts=0 causes=0")):
    same("status " + key, s[key], want)
put("devs", raw.name + " " + ext.name)
lines = [x for x in read("status").splitlines() if x.startswith("dev ")]
same("the devices of status", lines, ["dev %s %s" % (d.number, d.name) for d in (raw, ext)])
before = {d.name: d.stat() for d in (raw, ext)}
enable()
s = status()
same("enabled", s["enabled"], "1")
same("session", s["session"], "1")
same("sums before any IO", [k for k in s if k.startswith("disk") or k.startswith("total")], [])
check(len(s["hooks"]) > 10, "status lists %d hooks" % len(s["hooks"]))
# Hooks of a module that is not loaded wait for it
missing = [h for h in s["hooks"] if " missing " in h or " waiting for " in h]
for hook in missing:
    check(re.match(r"\w+ \S+ (missing error=-\d+ lost: \S|waiting for \S+)", hook),
          "a hook's line is %r" % hook)
for hook in s["hooks"]:
    check(hook in missing or
          re.match(r"\w+ \S+ (attached|ready|(spare for|replaced by) \w+$)", hook),
          "a hook's line is %r" % hook)
print("hooks: %d, missing %r" % (len(s["hooks"]), missing))
for name in "block_bio_queue", "block_rq_issue", "block_rq_complete", "block_bio_complete":
    check([h for h in s["hooks"] if re.match(r"tracepoint \S*%s\S* attached" % name, h)],
          "%s is not attached" % name)

# --- a mixed load, all of it within the measured interval


def flush(fd):
    os.fsync(fd)
    os.close(fd)


def buffered(name, size):
    fd = os.open(MNT + "/" + name, os.O_CREAT | os.O_RDWR)
    os.write(fd, os.urandom(size))
    flush(fd)


def on_raw():
    raw.direct_write(0, 128 * K, 16)
    raw.direct_read(0, 64 * K, 9)
    raw.direct_write(9 * M + 512, 512, 13)
    fd = raw.open(os.O_RDWR)
    for i in range(64):
        os.pwrite(fd, b"y" * 4096, 16 * M + i * 8192)
    os.pread(fd, 2 * M, 32 * M)
    if raw.queue("discard_max_bytes") != "0":
        raw.ioctl_range(BLKDISCARD, 48 * M, 4 * M)
    flush(fd)


def large():
    fd, m = raw.open(), buffer(4 * M)
    same("a large write", os.pwritev(fd, [m], 40 * M), 4 * M)
    same("a large read", os.preadv(fd, [m], 20 * M), 4 * M)
    os.close(fd)


subprocess.run(["mount", "-t", "ext4", ext.node, MNT], check=True)
jobs = [child(on_raw), child(large)]
jobs += [child(buffered, "f%d" % n, (n + 1) * 300 * K) for n in range(4)]
for pid in jobs:
    wait_for(pid)
os.sync()
drop_caches()
for n in range(4):
    with open(MNT + "/f%d" % n, "rb") as f:
        same("the size of a file", len(f.read()), (n + 1) * 300 * K)
os.unlink(MNT + "/f0")
subprocess.run(["umount", MNT], check=True)
os.sync()

after = {d.name: d.stat() for d in (raw, ext)}
s = status()
same("inflight at rest", s["inflight"], "0")
total = {}
for d in raw, ext:
    b, a = before[d.name], after[d.name]
    did = {k: a[k] - b[k] for k in a}

    def of(op, key="bytes"):
        return s.get("disk %s %s" % (d.name, op), {}).get(key, 0)
    for op in "RAWDF":
        row = s.get("disk %s %s" % (d.name, op))
        if row:
            same("bytes by how in " + op, row["bytes"],
                 sum(row[k] for k in ("exact", "inherited", "submitter", "lost")))
            same("lost bytes in " + op, row["lost"], 0)
            for k, v in row.items():
                t = total.setdefault("total " + op, {})
                t[k] = t.get(k, 0) + v
    same("bytes read from " + d.name, of("R") + of("A"), did["Rb"])
    same("bytes written to " + d.name, of("W"), did["Wb"])
    same("bytes discarded on " + d.name, of("D"), did["Db"])
    same("reads from " + d.name, of("R", "ios") + of("A", "ios"), did["R"])
    # The disk counts an empty flush as a write
    same("writes to and flushes of " + d.name, of("W", "ios") + of("F", "ios"), did["W"])
    same("discards on " + d.name, of("D", "ios"), did["D"])
    print(d.name, did)
for key, row in total.items():
    same(key, s[key], row)
same("losses", s["lost"], {})
same("the sum of losses", read("status").count("\nlosses 0\n"), 1)

# --- the same in iolog
log = iolog_now()
for d in raw, ext:
    for op in "RAWDF":
        row = s.get("disk %s %s" % (d.name, op), {"bytes": 0})
        mine = [e for e in log if e.disk == d.name and e.op == op]
        same("bytes of %s in iolog on %s" % (op, d.name), sum(e.bytes for e in mine), row["bytes"])
        same("IOs of %s in iolog on %s" % (op, d.name),
             len([e for e in mine if "part" not in e.words]), row.get("ios", 0))
        for how in "exact", "inherited", "submitter", "lost":
            same("%s bytes of %s in iolog on %s" % (how, op, d.name),
                 sum(e.bytes for e in mine if e.how == how), row.get(how, 0))

# --- objects
for what in "roles", "intents", "acts":
    number, limit = s[what].split()
    same("status " + what, number, value("nr_" + what))
    same("the limit of " + what, limit, "max=" + value("max_" + what))
check(int(s["memory.dirtier"]) > 0, "the dirtier table has no size")

# --- sums stay after disabling; a new session begins with none
disable()
now = status()
same("enabled", now["enabled"], "0")
same("the sums after disabling", {k: v for k, v in now.items() if k.startswith("disk ")},
     {k: v for k, v in s.items() if k.startswith("disk ")})
raw.direct_write(0, 4096)
same("disabled, nothing counts", status().get("total W"), now.get("total W"))
enable()
now = status()
same("session", now["session"], "2")
same("a new session's sums", [k for k in now if k.startswith("disk")], [])

# --- a device is not watched from the moment that it leaves devs
put("devs", ext.name, os.O_TRUNC)
raw.direct_write(0, 4096, 5)
same("IO to a disk that is not watched", status().get("total W"), None)
put("devs", raw.name)
raw.direct_write(0, 4096, 5)
same("IO to one that is", status()["disk %s W" % raw.name]["ios"], 5)
disable()
