# SPDX-License-Identifier: GPL-2.0
"""A small load on mounted file systems, and whether each of its bytes is charged to its writer

    place = Place(disk, "/tmp/scratch/ext4")
    load = Load([place])
    load.blamed("beside a tracer")

Each round has new files: what a writer causes is the same in all rounds.
"""
import fcntl
import os
from dataclasses import dataclass, field
from typing import Dict

from lib.case import (Disk, buffer, check, disable, enable, iolog_now, output, put, run, same,
                      status)

FIFREEZE, FITHAW = 0xC0045877, 0xC0045878
FILES, FILE, DIRECT, LOOP = 12, 8192, 65536, 32768


def hooks():
    """The lines of status about hooked functions."""
    return [h for h in status()["hooks"] if h.startswith("function ")]


@dataclass
class Place:
    """A mounted file system on a disk of its own.

    @loop: a loop device whose file is there, with this inode
    @own: so many bytes of metadata may be the file system's own, as it looks after its log
    """
    disk: Disk
    mnt: str
    loop: str = ""
    loop_ino: int = 0
    own: int = 0


@dataclass
class Round:
    """Who must pay for how much of which file, of one file system."""
    place: Place
    files: Dict[int, tuple] = field(default_factory=dict)  # inode: (pid, bytes)

    def add(self, name, pid, size):
        self.files[os.stat(name).st_ino] = (pid, size)


def buffered(folder):
    os.mkdir(folder)
    for i in range(FILES):
        with open("%s/%d" % (folder, i), "wb") as f:
            f.write(b"x" * FILE)


def direct(name):
    fd = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_DIRECT, 0o600)
    same("a direct write", os.pwritev(fd, [buffer(DIRECT)], 0), DIRECT)
    os.close(fd)


def to_loop(device, at):
    fd = os.open(device, os.O_WRONLY | os.O_DIRECT)
    same("a write to the loop device", os.pwritev(fd, [buffer(LOOP)], at), LOOP)
    os.close(fd)


class Load:
    def __init__(self, places):
        self.places = places
        self.rounds = 0

    def start(self):
        """Load ioblame and watch the disks."""
        same("insmod", output("insmod", os.environ["IOB_KO"], "check_stacks=1")[0], 0)
        put("devs", " ".join(p.disk.name for p in self.places))
        self.settle()
        enable()

    @staticmethod
    def end():
        disable()
        same("rmmod", output("rmmod", "ioblame")[0], 0)

    def settle(self):
        """What was changed before is written: no round meets it."""
        for p in self.places:
            fd = os.open(p.mnt, os.O_RDONLY)
            fcntl.ioctl(fd, FIFREEZE, 0)
            fcntl.ioctl(fd, FITHAW, 0)
            os.close(fd)

    def written(self):
        now = status()
        return sum(now.get("disk %s W" % p.disk.name, {"bytes": 0})["bytes"]
                   for p in self.places)

    def disks_have(self):
        return sum(p.disk.stat()["Wb"] for p in self.places)

    def write(self, place):
        r = Round(place)
        base = "%s/%d" % (place.mnt, self.rounds)
        pid = run(buffered, base)
        for i in range(FILES):
            r.add("%s/%d" % (base, i), pid, FILE)
        r.add(base + ".direct", run(direct, base + ".direct"), DIRECT)
        if place.loop:
            pid = run(to_loop, place.loop, self.rounds * LOOP)
            r.files[place.loop_ino] = (pid, LOOP)
        return r

    def blamed(self, when):
        """One round, while ioblame is enabled with log_at_enable."""
        # xfs writes what the round before has changed half a minute later, else
        self.settle()
        iolog_now()
        before, by_itself = self.written(), self.disks_have()
        rounds = [self.write(p) for p in self.places]
        self.rounds += 1
        os.sync()
        log = [e for e in iolog_now() if e.op == "W"]
        same("bytes in iolog %s" % when, sum(e.bytes for e in log), self.written() - before)
        same("bytes by the disks' own statistics %s" % when, self.disks_have() - by_itself,
             sum(e.bytes for e in log))
        for r in rounds:
            self.judge(when, r, [e for e in log if e.disk == r.place.disk.name])
        check("stack_wrong" not in status()["lost"], "%s: %r" % (when, status()["lost"]))

    def judge(self, when, r, log):
        got = {}
        for e in log:
            if e.dev == r.place.disk.dev and e.ino in r.files:
                who = got.setdefault(e.ino, {})
                who[e.who] = who.get(e.who, 0) + e.bytes
        for ino, (pid, size) in r.files.items():
            same("%s: who pays for inode %#x" % (when, ino), got.get(ino),
                 {"pid-%d" % pid: size})
        pids = {"pid-%d" % pid for pid, _ in r.files.values()}
        others = [e for e in log if e.who not in pids]
        check(sum(e.bytes for e in others) <= r.place.own and not any(e.ino for e in others),
              "%s: charged to others on %s: %r" % (when, r.place.mnt, [
                  (e.who, e.comm, e.bytes, e.ino, e.how, e.why) for e in others]))
        print("%s: %d bytes on %s" % (when, sum(e.bytes for e in log), r.place.mnt))
