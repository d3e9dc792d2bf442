# SPDX-License-Identifier: GPL-2.0
"""The body of interface/throttle."""
import os
import sys
import time

from lib.case import (MNT, K, M, Disk, buffer, check, child, disable, drop_caches, enable,
                      iolog_now, put, read, same, status, sync, value, wait_for)
from lib.tracing import TRACING

disk, parameters = Disk(sys.argv[1]), sys.argv[2]
GROUPS = "/sys/fs/cgroup"
TOP = GROUPS + "/iobthrottle"
GROUP = TOP + "/inner"
SIZE, PIECE = 1 * M, 64 * K
RATE = 2 * M		# bytes a second of both groups: a bio may wait twice


# Becomes a member of the group, and says how long its IO takes
def limited(do, name):
    put(GROUP + "/cgroup.procs", "0")
    started = time.monotonic()
    do(name)
    print("%s: %.1f s" % (do.__name__, time.monotonic() - started))
    sys.stdout.flush()


def direct_write(name):
    fd = os.open(name, os.O_RDWR | os.O_DIRECT)
    for at in range(0, SIZE, PIECE):
        same("bytes written", os.pwrite(fd, buffer(PIECE), at), PIECE)


# Readahead submits all before it waits
def buffered_read(name):
    fd = os.open(name, os.O_RDONLY)
    same("bytes read", len(os.read(fd, SIZE)), SIZE)


def buffered_write(name):
    fd = os.open(name, os.O_RDWR)
    same("bytes written", os.pwrite(fd, b"d" * SIZE, 0), SIZE)
    os.fsync(fd)


# {(role, how): bytes} of a file's data
def charged(log, op, ino):
    got = {}
    for e in log:
        if e.op in op and e.ino == ino:
            got[e.who, e.how] = got.get((e.who, e.how), 0) + e.bytes
    return got


JOBS = [(do, "%s/%s%d" % (MNT, do.__name__, n))
        for do in (direct_write, buffered_read, buffered_write) for n in range(2)]
for _, path in JOBS:
    with open(path, "wb") as f:
        f.write(b"x" * SIZE)
for folder in TOP, GROUP:
    os.mkdir(folder)
    # (of the folder above)
    put(os.path.dirname(folder) + "/cgroup.subtree_control", "+memory +io")
LIMIT = "%s rbps=%d wbps=%d" % (disk.number, RATE, RATE)
for folder in TOP, GROUP:
    put(folder + "/io.max", LIMIT)
put("devs", disk.name)
sync()
drop_caches()
enable()
functions = {line.split()[0] for line in read(TRACING + "enabled_functions").splitlines()}
same("throtl_add_bio_tg() is hooked", "throtl_add_bio_tg" in functions,
     parameters.startswith("check_stacks"))
check({"throtl_add_bio_tg", "__blk_throtl_bio", "blk_throtl_bio"} & functions, "nothing is hooked")
iolog_now()
began = time.monotonic()
pids = [child(limited, do, path) for do, path in JOBS]
for pid in pids:
    wait_for(pid)
took = time.monotonic() - began
entries = iolog_now()
# else nothing had to wait: four files of SIZE are written, and two are read
check(took > 4 * SIZE / RATE * 0.8, "it took %.1f s only" % took)
for pid, (do, path) in zip(pids, JOBS):
    same("who pays for %s" % path,
         charged(entries, "RA" if do is buffered_read else "W", os.stat(path).st_ino),
         {("pid-%d" % pid, "exact"): SIZE})
print("submitters:", sorted({e.words["sub_comm"] for e in entries if e.op in "RAW"}))
same("stats/stack_wrong", value("stats/stack_wrong"), "0")
same("losses", {k: v for k, v in status()["lost"].items() if v}, {})
disable()
for folder in GROUP, TOP:
    put(os.path.dirname(folder) + "/cgroup.subtree_control", "-io -memory")
    os.rmdir(folder)
