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

# What mkdir changes is its own, also in a page of which that fsync has written another block
made = [e for e in log if e not in mine]
same("writes of mkdir", {e.who for e in made}, {"pid-%d" % maker})
check(sum(e.bytes for e in made) >= 1024, "not both FATs: %r" % made)


# fsync writes buffers and leaves their pages dirty: who changes a buffer next pays for it
def append(name):
    fd = os.open(MNT + "/" + name, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    for _ in range(3):
        os.write(fd, b"a" * 65536)
        os.fsync(fd)
    os.close(fd)


iolog_now()
writers = [run(append, name) for name in ("first", "second", "first", "second")]
log = [e for e in iolog_now() if e.op == "W"]
for pid in writers:
    metadata = [e for e in log if e.sub == pid and not e.ino]
    same("who has changed the metadata that fsync writes", {e.who for e in metadata},
         {"pid-%d" % pid})
    check(len(metadata) >= 3, "it writes %d times" % len(metadata))
disable()
