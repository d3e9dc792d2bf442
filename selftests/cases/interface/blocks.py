# SPDX-License-Identifier: GPL-2.0
"""The body of interface/blocks."""
import mmap
import os
import sys

from lib import iolog
from lib.case import MNT, PAGE, Disk, disable, enable, iolog_now, put, run, same, sync

BLOCK = 1024
disk = Disk(sys.argv[1])
same("bytes in a block", os.statvfs(MNT).f_bsize, BLOCK)


def make(name, pages):
    """One write, for which a file system makes a large folio if it can."""
    fd = os.open(MNT + "/" + name, os.O_WRONLY | os.O_CREAT, 0o600)
    os.pwrite(fd, b"m" * (pages * PAGE), 0)
    os.close(fd)
    return os.stat(MNT + "/" + name).st_ino


def write(name, page, block, blocks=1):
    fd = os.open(MNT + "/" + name, os.O_WRONLY)
    os.pwrite(fd, b"w" * (blocks * BLOCK), page * PAGE + block * BLOCK)
    os.close(fd)


def store(name, page):
    fd = os.open(MNT + "/" + name, os.O_RDWR)
    with mmap.mmap(fd, 0) as m:
        m[page * PAGE + BLOCK] = 1
    os.close(fd)


def pages_by(ino):
    """{(who, how): pages} of the writes to a file until now.  Not each kernel knows which blocks of
    a page are dirty, and writes no more than those."""
    log = [e for e in iolog_now() if e.op == "W" and e.ino == ino]
    return {key: -(-size // PAGE) for key, size in iolog.bytes_by(log, "who", "how").items()}


inodes = {"large": make("large", 16), "small": make("small", 1)}
sync()
put("devs", disk.name)
enable()
for name, page in ("large", 3), ("small", 0):
    # the second one makes a block before the first one's dirty, the third one behind it
    first = run(write, name, page, 1)
    run(write, name, page, 0)
    run(write, name, page, 2, 2)
    want = {("pid-%d" % first, "exact"): 1}
    if name == "large":
        other = run(write, name, page + 2, 3)
        want["pid-%d" % other, "exact"] = 1
    sync()
    same("pages of " + name, pages_by(inodes[name]), want)
    # the page is clean: the next one pays
    nxt = run(write, name, page, 3)
    sync()
    same("pages of %s, again" % name, pages_by(inodes[name]), {("pid-%d" % nxt, "exact"): 1})
# who overwrites all of a folio that is dirty pays for nothing
first = run(write, "large", 0, 0, 16 * PAGE // BLOCK)
run(write, "large", 0, 0, 16 * PAGE // BLOCK)
sync()
same("pages of large that are overwritten", pages_by(inodes["large"]),
     {("pid-%d" % first, "exact"): 16})
# the first store may make all pages of a large folio dirty, which stay who has written to them; the
# second one is into a page of these
stored = [run(store, "large", page) for page in (3, 5)]
sync()
got = pages_by(inodes["large"])
got.pop(("pid-%d" % first, "exact"), 0)
same("pages of large that are stored into", got, {("pid-%d" % pid, "exact"): 1 for pid in stored})
disable()
