# SPDX-License-Identifier: GPL-2.0
"""The body of interface/layouts_folios: one way of knowing iomap's and btrfs' structs."""
import os
import sys

from lib.case import (K, PAGE, SCRATCH, Disk, compressible, disable, enable, iolog_now, put, run,
                      same, sync)
from lib.layouts import MODE, RIGHT, judge, known, verdict

xfs, btrfs = Disk(sys.argv[2]), Disk(sys.argv[3])
WHOLE = 64 * K  # one folio
name = SCRATCH + "/xfs/file"


def write(path, at, data):
    fd = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    os.pwrite(fd, data, at)
    os.close(fd)


def writes(path, disk):
    ino = os.stat(path).st_ino
    return [e for e in iolog_now() if e.op == "W" and e.disk == disk.name and e.ino == ino]


put("devs", "%s %s" % (xfs.name, btrfs.name))
write(name, 0, b"0" * WHOLE)
sync()
enable()
# The first dirtier of a page pays for it, and the last one if nothing tells that it was dirty
first = run(write, name, 0, b"1" * WHOLE)
last = run(write, name, 3 * PAGE, b"2" * PAGE)
sync()
got = known(writes(name, xfs))
print("%s: writes of a folio, first by pid-%d, then by pid-%d: %r" % (MODE, first, last, got))
same("who pays for the pages", got,
     {first: WHOLE} if RIGHT else {first: WHOLE - PAGE, last: PAGE})
# what is learnt is right, wherever it is looked for first
name = SCRATCH + "/btrfs/" + MODE
who = run(write, name, 0, b"".join(compressible(n) for n in range(64)))
sync(name)
judge("compressed writes", writes(name, btrfs), [who], 16 * K, True)
verdict({"iomap_folio_state", "btrfs_inode", "btrfs_bio"}, {"iomap_folio_state"})
disable()
