# SPDX-License-Identifier: GPL-2.0
"""The body of interface/lazytime."""
import os
import sys

from lib.case import MNT, Disk, check, disable, drop_caches, enable, iolog_now, put, run, same

NODES = 1       # the inode of f2fs in which all inodes are
disk = Disk(sys.argv[1])


def make(*names):
    for name in names:
        with open(MNT + "/" + name, "wb") as file:
            file.write(b"m" * 8192)


def look(name):
    with open(MNT + "/" + name, "rb") as file:
        file.read()


def nodes_by():
    """(who pays, who writes) of what was written of inodes"""
    return {(e.who, e.sub_comm) for e in iolog_now() if e.op == "W" and e.ino == NODES}


make("a", "b")
os.sync()
drop_caches()
put("devs", disk.name)
enable()
# who changed most in the checkpoint before
run(make, *("c%d" % i for i in range(20)))
os.sync()
drop_caches()
iolog_now()
reader = run(look, "a")
other = run(look, "b")
os.sync()
got = nodes_by()
print(got)
check(got, "no time was written")
same("who pays for the times", {who for who, _ in got}, {"pid-%d" % reader, "pid-%d" % other})
disable()
