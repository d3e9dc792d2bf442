# SPDX-License-Identifier: GPL-2.0
"""The body of interface/large_blocks."""
import os
import sys

from lib import iolog
from lib.case import MNT, PAGE, Disk, check, disable, enable, iolog_now, put, run, same, sync

BLOCK, BLOCKS = 4 * PAGE, 16
FILE = MNT + "/file"
disk = Disk(sys.argv[1])
same("bytes in a block", os.statvfs(MNT).f_bsize, BLOCK)


def write(blocks, page=0, pages=1):
    """In each of the blocks, some of its pages."""
    fd = os.open(FILE, os.O_WRONLY | os.O_CREAT, 0o600)
    for block in blocks:
        os.pwrite(fd, b"w" * (pages * PAGE), block * BLOCK + page * PAGE)
    os.close(fd)


def read_again():
    with open("/proc/sys/vm/drop_caches", "w", encoding="ascii") as file:
        file.write("3\n")
    with open(FILE, "rb") as file:
        same("bytes of the file", len(file.read()), BLOCKS * BLOCK)


def written():
    """{(who, how): blocks} of what was written of the file until now"""
    log = [e for e in iolog_now() if e.op == "W" and e.ino == os.stat(FILE).st_ino]
    return {key: size / BLOCK for key, size in iolog.bytes_by(log, "who", "how").items()}


def by(*pids):
    return {("pid-%d" % pid, "exact"): blocks for pid, blocks in pids}


def make_files():
    for i in range(200):
        os.mkdir(MNT + "/folder-%d" % i)
        with open(MNT + "/folder-%d/file" % i, "w", encoding="ascii") as file:
            file.write("x")


put("devs", disk.name)
enable()
first = run(write, range(BLOCKS), 0, 4)
sync()
same("blocks that are written at once", written(), by((first, BLOCKS)))

# one page of each block, in the cache as it was written
second = run(write, range(BLOCKS), 2)
other = run(write, range(BLOCKS), 1)
sync()
same("blocks of which a page is changed", written(), by((second, BLOCKS)))
check(other != second, "one writer")

# in folios that nobody has dirtied yet
read_again()
third = run(write, range(0, BLOCKS, 2), 1)
fourth = run(write, range(1, BLOCKS, 2), 3)
run(write, range(0, BLOCKS, 2), 2)
sync()
same("blocks that were read before", written(), by((third, BLOCKS / 2), (fourth, BLOCKS / 2)))

# metadata: by the log or in its place, it is the writer's
iolog_now()
maker = run(make_files)
sync()
os.sync()
log = [e for e in iolog_now() if e.op == "W"]
print("metadata and data:", iolog.bytes_by(log, "who", "how"))
same("bytes that are of who has submitted them", iolog.bytes_by(log, "how").get("submitter", 0), 0)
check(any(e.who == "pid-%d" % maker for e in log), "the maker has written nothing")
disable()
