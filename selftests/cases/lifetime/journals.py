# SPDX-License-Identifier: GPL-2.0
"""The body of lifetime/journals: two file systems, one after the other, again and again.

Tids of ext4 and checkpoints of xfs begin anew in each.  All runs on one CPU, so that the second
log is likely where the first one was.  `first` takes part in one large transaction of the first
file system, `second` in small ones of the second.
"""
import ctypes
import os
import subprocess
import sys

from lib.case import MNT, Disk, check, child, disable, enable, fsync, kill, put, same, sync
from lib.crowd import Tally, show_status, verdict, wanted, wanted_same

ROUNDS = 10
PR_SET_NAME = 15
MKFS = {"ext4": ["mkfs.ext4", "-qF", "-b", "4096", "-E", "lazy_itable_init=0,lazy_journal_init=0"],
        "xfs": ["mkfs.xfs", "-qf"]}
libc = ctypes.CDLL(None, use_errno=True)
disk = Disk(sys.argv[1])


class Worker:
    """A process that lives on, as what is noted for it does: it makes @count files in each of
    @times folders, and commits each folder."""

    def __init__(self, name, times, count):
        self.ask, self.answer = os.pipe(), os.pipe()
        self.pid = child(self.serve, name, times, count)

    def serve(self, name, times, count):
        libc.prctl(PR_SET_NAME, name.encode(), 0, 0, 0)
        while os.read(self.ask[0], 1):
            for n in range(times):
                home = "%s/%d" % (MNT, n)
                os.mkdir(home)
                for i in range(count):
                    os.mkdir("%s/%d" % (home, i))
                fsync(home, os.O_RDONLY)
            os.write(self.answer[1], b"x")

    def work(self):
        os.write(self.ask[1], b"x")
        same("the answer", os.read(self.answer[0], 1), b"x")


def fresh(fs):
    subprocess.run(MKFS[fs] + [disk.node], check=True)
    check(not libc.mount(disk.node.encode(), MNT.encode(), fs.encode(), 0, None), "mount", fs)


def end():
    sync()
    check(not libc.umount2(MNT.encode(), 0), "umount")
    disk.stat()


def paid(log, name):
    """The bytes that a worker has paid for in journals until now."""
    disk.stat()
    return log.sums().bytes(op="W", why="journal", comm=name)


def pair(fs, first, second, log):
    """What each pays in the second file system's journal."""
    fresh(fs)
    first.work()
    end()
    fresh(fs)
    before = paid(log, "first"), paid(log, "second")
    check(before[0] > 0, "nothing in the first journal is charged to who took part")
    second.work()
    end()
    return paid(log, "first") - before[0], paid(log, "second") - before[1]


os.sched_setaffinity(0, {0})
workers = Worker("first", 1, 100), Worker("second", 5, 2)
put("devs", disk.name)
enable()
tally = Tally()
for kind in MKFS:
    pairs = [pair(kind, *workers, tally) for _ in range(ROUNDS)]
    print(kind, "bytes of first and second in the second journal:", pairs)
    wanted_same(kind + ": bytes charged to who took part in the journal before",
                [p[0] for p in pairs], [0] * ROUNDS)
    wanted(all(p[1] for p in pairs), kind + ": nothing is charged to who takes part")
disable()
tally.end().show("comm", "why", op="W")
show_status()
for w in workers:
    kill(w.pid)
verdict()
