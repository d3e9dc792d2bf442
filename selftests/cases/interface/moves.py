# SPDX-License-Identifier: GPL-2.0
"""The body of interface/moves.

Two fill the file system in turns, so that segments have blocks of both.  One of them overwrites
its blocks, in any order: then there are no free segments, and its fsync() cleans some, where
the other's blocks are moved.  They are clean and in the page cache, with the other's acts.
"""
import os
import random
import subprocess
import sys

from lib.case import K, M, MNT, Disk, check, disable, enable, iolog_now, put, run, same, sync

PIECE = 512 * K
ROUND = 4 * M
ROUNDS = 24
ENOUGH = 16 * M

disk = Disk(sys.argv[1])
put("devs", disk.name)
# no thread cleans, and no hole of a segment is written: room is made by who needs it
subprocess.run(["mount", "-t", "f2fs", "-o", "background_gc=off,mode=lfs", disk.node, MNT],
               check=True)
enable()


def write(name):
    fd = os.open(name, os.O_WRONLY | os.O_CREAT, 0o600)
    os.write(fd, os.urandom(4 * K) * (PIECE // (4 * K)))
    os.fsync(fd)
    os.close(fd)


def free_part():
    fs = os.statvfs(MNT)
    return fs.f_bavail / fs.f_blocks


files = {"a": [], "b": []}
writers = set()
while free_part() > 0.05:
    for whose, names in files.items():
        names.append("%s/%s%d" % (MNT, whose, len(names)))
        writers.add(run(write, names[-1]))
sync()
iolog_now()
others = {os.stat(name).st_ino for name in files["a"]}


def overwrite(seed):
    """All of it becomes dirty before any of it is written."""
    order = random.Random(seed)
    fds = [os.open(name, os.O_WRONLY) for name in files["b"]]
    for _ in range(ROUND // (4 * K)):
        os.pwrite(order.choice(fds), b"b" * 4 * K, order.randrange(PIECE // (4 * K)) * 4 * K)
    for fd in fds:
        os.fsync(fd)
        os.close(fd)


moved = within = 0
for seed in range(ROUNDS):
    pid = run(overwrite, seed)
    for e in iolog_now():
        if e.op != "W" or e.ino not in others:
            continue
        check(e.pid not in writers, "it was written long ago: " + "\n".join(e.lines))
        moved += e.bytes
        if any("do_writepages+" in frame for frame in e.stack):
            same("who moved it in writeback", e.pid, pid)
            within += e.bytes
    if within >= ENOUGH:
        break
print("moved", moved, "of this in writeback", within)
check(within >= 1 * M, "writeback had to move only %d bytes of another's" % within)
disable()
