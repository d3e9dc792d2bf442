# SPDX-License-Identifier: GPL-2.0
"""The body of interface/lazytime."""
import os
import subprocess
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


def drop():
    # (the first time leaves what was used)
    for _ in range(3):
        drop_caches()


def umount():
    subprocess.run(["umount", MNT], check=True)


def nodes_by():
    """{who pays: how} of what was written of inodes"""
    return {e.who: e.how for e in iolog_now() if e.op == "W" and e.ino == NODES}


def read_and(what, end):
    """Who pays for what is written once two tasks have read and end() was called; the two."""
    iolog_now()
    readers = {"pid-%d" % run(look, name) for name in ("a", "b")}
    end()
    got = nodes_by()
    print(what, got)
    check(got, what + ": no time was written")
    same(what + ": how it is known", {got.get(who) for who in readers}, {"inherited"})
    return set(got), readers


make("a", "b")
os.sync()
drop_caches()
# of these times nothing is known: they wait already when ioblame is enabled
for name in ("a", "b"):
    run(look, name)
put("devs", disk.name)
enable()
dropper = run(drop)
os.sync()
got = nodes_by()
print("changed earlier", got)
check(got, "changed earlier: no time was written")
check("pid-%d" % dropper not in got, "who drops the inodes pays for what it has not changed")
# who changed most in the checkpoint before
run(make, *("c%d" % i for i in range(20)))
os.sync()
drop_caches()
got, readers = read_and("a sync", os.sync)
same("who pays at a sync", got, readers)
# the task that drops them makes the inodes dirty
got, readers = read_and("dropped", lambda: (run(drop), os.sync()))
same("who pays for what was dropped", got, readers)
# (an unmount writes some of its own)
got, readers = read_and("an unmount", umount)
check(readers <= got, "%r do not pay" % (readers - got))
disable()
