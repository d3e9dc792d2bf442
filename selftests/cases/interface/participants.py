# SPDX-License-Identifier: GPL-2.0
"""The body of interface/participants."""
import os
import subprocess
import sys

from lib import iolog
from lib.case import (K, MNT, Disk, buffer, check, disable, enable, iolog_now, put, run, same,
                      sync)

TREES = 1       # the inode of btrfs in which all metadata are
FILES = 500
FEW = 40        # btrfs has a worker copy inodes as soon as 128 have changed
ROUNDS = 4
disk = Disk(sys.argv[1])
names = ["%s/small%d" % (MNT, i) for i in range(FILES)]


def make():
    for name in names:
        with open(name, "wb") as file:
            file.write(b"m" * 1000)


# Each write is an extent of its own: it makes no page dirty, and a worker changes the metadata
def stream(name):
    fd, data = os.open(name, os.O_CREAT | os.O_WRONLY | os.O_DIRECT), buffer(4 * K)
    for i in range(128):
        same("pwrite", os.pwritev(fd, [data], i * 64 * K), 4 * K)
    os.close(fd)


# What a task changes here is in memory only until the transaction ends
def chmod():
    for name in names:
        os.chmod(name, 0o600)


def look():
    for name in names:
        with open(name, "rb") as file:
            file.read()


def chmod_some():
    for name in names[:50]:
        os.chmod(name, 0o640)


# A read-only snapshot refuses new times, each time anew
def look_back():
    for name in names:
        with open(name.replace(MNT, MNT + "/snapshot"), "rb") as file:
            file.read()


# Each inode counts once, however often it is changed: they are fewer than those of chmod()
def touch_few():
    for i in range(20 * FEW):
        os.utime(names[i % FEW])


def touch():
    os.utime(names[0])


def written(what):
    """{who: bytes} of the metadata that a sync writes."""
    sync()
    entries = [e for e in iolog_now() if e.op == "W" and e.ino == TREES]
    print(what, iolog.bytes_by(entries, "who", "comm", "how"))
    return iolog.bytes_by(entries, "who")


def must_pay(what, got, pid):
    total, mine = sum(got.values()), got.get("pid-%d" % pid, 0)
    check(total, what + ": no metadata was written")
    check(mine > total // 2, "%s: %d of %d bytes are whose change it was" % (what, mine, total))
    check(got.get(maker, 0) <= total // 10,
          "%s: %d of %d bytes are charged to who has ended long ago" %
          (what, got.get(maker, 0), total))


put("devs", disk.name)
sync()
enable()
iolog_now()
pid = run(make)
maker = ""
must_pay("small files", written("small files"), pid)
maker = "pid-%d" % pid
for i in range(ROUNDS):
    run(touch)
    pid = run(stream, "%s/direct%d" % (MNT, i))
    what = "direct writes %d" % i
    must_pay(what, written(what), pid)
pid = run(chmod)
must_pay("modes", written("modes"), pid)
pid = run(look)
must_pay("times", written("times"), pid)
same("snapshot", subprocess.run(["btrfs", "subvolume", "snapshot", "-r", MNT, MNT + "/snapshot"],
                                stdout=subprocess.DEVNULL, check=False).returncode, 0)
written("a snapshot")
pid = run(chmod_some)
run(look_back)
must_pay("a read-only snapshot", written("a read-only snapshot"), pid)
run(touch_few)
pid = run(chmod)
run(touch_few)
must_pay("few inodes", written("few inodes"), pid)
disable()
