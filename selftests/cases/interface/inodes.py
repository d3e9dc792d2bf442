# SPDX-License-Identifier: GPL-2.0
"""The body of interface/inodes."""
import os
import sys

from lib.case import MNT, Disk, check, disable, enable, fsync, iolog_now, put, run, same

disk = Disk(sys.argv[1])


def fsync_then(name, do, *args):
    fsync(MNT + "/" + name, os.O_RDONLY)
    do(*args)


os.close(os.open(MNT + "/file", os.O_RDWR | os.O_CREAT, 0o600))
os.sync()
put("devs", disk.name)
enable()
changer = run(os.utime, MNT + "/file", (1e9, 1e9))
maker = run(fsync_then, "file", os.mkdir, MNT + "/directory")
os.sync()
log = [e for e in iolog_now() if e.op == "W"]

# The inode is charged to the task that changed it, not to the one that writes it
mine = [e for e in log if e.sub == maker]
same("writes of fsync", [(e.who, e.bytes) for e in mine], [("pid-%d" % changer, 512)])

# All blocks of a page have one role; mkdir writes blocks of both FATs besides
page = mine[0].sector // 8
made = [e for e in log if e.sector // 8 != page]
same("writes of mkdir", {e.who for e in made}, {"pid-%d" % maker})
check(sum(e.bytes for e in made) >= 1024, "not both FATs: %r" % made)
disable()
