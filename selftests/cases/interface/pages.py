# SPDX-License-Identifier: GPL-2.0
"""The body of interface/pages."""
import ctypes
import mmap
import os
import struct
import sys

from lib import iolog
from lib.case import (MNT, PAGE, Disk, check, child, disable, enable, iolog_now, put, run, same,
                      sync, value, wait_for, write_pages)

disk = Disk(sys.argv[1])


# Write page by page: a large folio that is split on truncation drops its end unseen
def write(name, pages, byte=b"x"):
    write_pages(MNT + "/" + name, pages, byte)


def writes_of(log, ino):
    return iolog.bytes_by([e for e in log if e.op == "W" and e.ino == ino], "who", "how")


def cancelled():
    return int(value("stats/pages_cancelled"))


sync()
put("devs", disk.name)
enable()

# --- one process truncates pages that another has dirtied: half, all, or removes the file
for name, keep in ("half", 16), ("none", 0), ("gone", None):
    before = cancelled()
    writer = run(write, name, range(32))
    ino = os.stat(MNT + "/" + name).st_ino
    if keep is None:
        run(os.unlink, MNT + "/" + name)
    else:
        run(os.truncate, MNT + "/" + name, keep * PAGE)
    same("pages_cancelled by " + name, cancelled() - before, 32 - (keep or 0))
    sync()
    same("writes of " + name, writes_of(iolog_now(), ino),
         {("pid-%d" % writer, "exact"): keep * PAGE} if keep else {})
    # Pages that reuse the same frames have a dirtier of their own
    other = run(write, "other", range(64), b"o")
    ino = os.stat(MNT + "/other").st_ino
    sync()
    same("writes of another", writes_of(iolog_now(), ino),
         {("pid-%d" % other, "exact"): 64 * PAGE})
    os.unlink(MNT + "/other")


# --- two processes dirty pages of one file by turns, in runs of one to nine, which large
# bios write
MANY = 1024
run(write, "shared", range(MANY))
sync()
iolog_now()
turns, length = [[], []], 0
while len(turns[0]) + len(turns[1]) < MANY:
    at = len(turns[0]) + len(turns[1])
    turns[length % 2] += range(at, min(at + length % 9 + 1, MANY))
    length += 1
pids = [run(write, "shared", pages, byte) for pages, byte in zip(turns, (b"a", b"b"))]
sync()
log = iolog_now()
ino = os.stat(MNT + "/shared").st_ino
same("writes of shared", writes_of(log, ino),
     {("pid-%d" % pid, "exact"): len(pages) * PAGE for pid, pages in zip(pids, turns)})

# --- dirty pages migrate to other frames


def frames(at, pages):
    with open("/proc/self/pagemap", "rb") as f:
        f.seek(at // PAGE * 8)
        entries = struct.unpack("%dQ" % pages, f.read(pages * 8))
    return [entry & ((1 << 55) - 1) for entry in entries]


def dirty_and_tell(name, pages, tell, go):
    fd = os.open(MNT + "/" + name, os.O_RDWR | os.O_CREAT, 0o600)
    for _ in range(pages):
        os.write(fd, b"m" * PAGE)
    m = mmap.mmap(fd, pages * PAGE)
    at = ctypes.addressof(ctypes.c_char.from_buffer(m))
    for _ in range(2):
        # map them, for the first time or again
        for n in range(pages):
            m[n * PAGE]
        os.write(tell, struct.pack("%dQ" % pages, *frames(at, pages)))
        os.read(go, 1)
    os._exit(0)


OFFLINE = "/sys/devices/system/memory/soft_offline_page"
if os.path.exists(OFFLINE):
    N = 8
    (r, tell), (hear, go) = os.pipe(), os.pipe()
    pid = child(dirty_and_tell, "moved", N, tell, hear)
    first = struct.unpack("%dQ" % N, os.read(r, N * 8))
    check(all(first), "no page frames: %r" % (first,))
    for frame in first:
        put(OFFLINE, "%#x" % (frame * PAGE))
    os.write(go, b"1")
    second = struct.unpack("%dQ" % N, os.read(r, N * 8))
    moved = sum(a != b for a, b in zip(first, second))
    print("moved: %d of %d" % (moved, N))
    same("pages that have moved", moved, N)
    os.write(go, b"1")
    wait_for(pid)
    ino = os.stat(MNT + "/moved").st_ino
    sync()
    same("writes of moved", writes_of(iolog_now(), ino), {("pid-%d" % pid, "exact"): N * PAGE})
else:
    print("moved pages: not tested, this kernel cannot be asked to move one")
disable()
