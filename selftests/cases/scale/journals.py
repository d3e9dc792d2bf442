# SPDX-License-Identifier: GPL-2.0
"""The body of scale/journals: one file system on each of 100 partitions, then one for 100."""
import ctypes
import fcntl
import os
import subprocess
import sys

from lib.case import MNT, SCRATCH, M, Disk, check, disable, enable, fail, put, same, sync
from lib.crowd import Tally, crowd, percent, show_status, verdict, wanted, wanted_same

WRITERS, SIZE, OWN = 100, 6 * M, 64 << 10
BLKPG, ADD, DELETE = 0x1269, 1, 2
MS_NOATIME = 1024
MKFS = ["mkfs.ext4", "-qF", "-E", "lazy_itable_init=0,lazy_journal_init=0"]
libc = ctypes.CDLL(None, use_errno=True)
disk = Disk(sys.argv[1])
one = Disk(sys.argv[2])


class Partition(ctypes.Structure):
    _fields_ = [("start", ctypes.c_longlong), ("length", ctypes.c_longlong),
                ("number", ctypes.c_int), ("name", ctypes.c_char * 128)]


class Argument(ctypes.Structure):
    _fields_ = [("what", ctypes.c_int), ("flags", ctypes.c_int), ("length", ctypes.c_int),
                ("data", ctypes.c_void_p)]


def partitions(what):
    fd = disk.open(os.O_RDWR)
    for n in range(1, WRITERS + 1):
        p = Partition(n * SIZE, SIZE, n, b"")
        fcntl.ioctl(fd, BLKPG, Argument(what, 0, ctypes.sizeof(p), ctypes.addressof(p)))
    os.close(fd)


def node(n):
    return "%s%d" % (disk.node, n)


def folder(n):
    return "%s/%d" % (MNT, n)


def mount_one(device, where):
    os.makedirs(where, exist_ok=True)
    if libc.mount(device.encode(), where.encode(), b"ext4", MS_NOATIME, None):
        fail("mount", device, os.strerror(ctypes.get_errno()))


def umount_one(where):
    check(libc.umount2(where.encode(), 0) == 0, "umount", where)


# The file system of the first partition, again and again
def make_all():
    subprocess.run(MKFS + ["-b", "1024", "-N", "256", node(1)], check=True)
    with open(node(1), "rb") as f:
        pieces = [(at, data) for at in range(0, SIZE, 65536)
                  for data in [f.read(65536)] if data.strip(b"\0")]
    for n in range(2, WRITERS + 1):
        fd = os.open(node(n), os.O_WRONLY)
        for at, data in pieces:
            os.pwrite(fd, data, at)
        os.close(fd)


# All to their places, and no journal has a commit to make
def settle():
    sync()
    sync()
    return disk.stat()["Wb"], one.stat()["Wb"]


# The pids of the writers, in the order of their folders: crowd forks one after the other, and pids
# are not used again
def pids_of(manifest):
    with open(manifest, encoding="ascii") as f:
        pids = sorted({int(line.split()[0]) for line in f})
    same("writers", len(pids), WRITERS)
    return pids


def many_journals():
    manifest = SCRATCH + "/manifest-many"
    partitions(ADD)
    make_all()
    for n in range(1, WRITERS + 1):
        mount_one(node(n), folder(n))
    at_first, _ = settle()
    put("devs", disk.name)
    enable()
    log = Tally("-z", str(SIZE // 512))
    crowd("writers", OWN, *[folder(n) for n in range(1, WRITERS + 1)], manifest=manifest)
    written = settle()[0] - at_first
    disable()
    sums = log.end()
    for n in range(1, WRITERS + 1):
        umount_one(folder(n))
    partitions(DELETE)
    sums.show("kind", "comm", "how", "intent", "why", op="W")
    show_status()
    same("bytes in the log", sums.written, written)
    # who wrote what is in each place
    right, others = 0, 0
    for place, pid in enumerate(pids_of(manifest), 1):
        sizes = sums.by("kind", "id", op="W", comm="crowd", place=place)
        right += sizes.pop(("thread", pid), 0)
        others += sum(sizes.values())
    wanted_same("bytes charged to the writer of another file system", others, 0)
    wanted(percent(right, written) >= 99.9, "%.2f %% of the bytes on 100 file systems are "
           "charged to the one that writes there" % percent(right, written))


# Each has a folder of its own, whose block is in the journal
def one_journal():
    manifest = SCRATCH + "/manifest-one"
    subprocess.run(MKFS + ["-b", "4096", one.node], check=True)
    mount_one(one.node, MNT)
    home = MNT + "/writers"
    os.mkdir(home)
    for n in range(WRITERS):
        os.mkdir("%s/%d" % (home, n))
    _, at_first = settle()
    put("devs", one.name)
    enable()
    log = Tally("-i", "-l", str(1 << 20), "-m", manifest)
    crowd("writers", OWN, *["%s/%d" % (home, n) for n in range(WRITERS)], manifest=manifest)
    written = settle()[1] - at_first
    disable()
    sums = log.end()
    umount_one(MNT)
    sums.show("kind", "comm", "how", "intent", "why", op="W")
    show_status()
    same("bytes in the log", sums.written, written)
    right = sums.bytes(op="W", kind="thread", comm="crowd")
    wanted(percent(right, written) >= 99.9,
           "%.2f %% of the bytes are charged to the 100 writers" % percent(right, written))
    right, wrong, _, whole = sums.files[0]
    wanted_same("bytes of all files", whole, WRITERS * OWN)
    wanted_same("bytes of files charged to another writer", wrong, 0)
    wanted(percent(right, whole) >= 99.9, "%.2f %% of the bytes of files are charged to the one "
           "that writes there" % percent(right, whole))
    journal = sums.by("id", op="W", why="journal", comm="crowd")
    print("journal: %d bytes, from %d to %d for %d writers" % (
        sum(journal.values()), min(journal.values()), max(journal.values()), len(journal)))
    wanted_same("writers that pay for blocks in the journal", len(journal), WRITERS)


many_journals()
one_journal()
verdict()
