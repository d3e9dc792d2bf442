# SPDX-License-Identifier: GPL-2.0
"""The body of interface/reads.

Delayed allocation finds the blocks when the flusher writes the pages.  Then it reads what
says which blocks are free.  Free space is in many pieces here, and nothing of it is cached.

ext4 may also zero blocks beside the page, of a small range that was allocated and not written.
"""
import os
import subprocess
import sys

from lib import iolog
from lib.case import (K, MNT, PAGE, Disk, check, disable, drop_caches, enable, iolog_now, put, run,
                      same, sync)

FILES = 1500


def make(names, size):
    for name in names:
        fd = os.open(name, os.O_RDWR | os.O_CREAT, 0o600)
        os.write(fd, b"m" * size)
        os.close(fd)


# After the mount a thread of ext4's reads what says which blocks are free, unless told not to
def mount(fs, disk):
    quiet = ["-o", "no_prefetch_block_bitmaps"] if fs == "ext4" else []
    command = ["mount", "-t", fs, disk.node, MNT]
    if not quiet or subprocess.run(command + quiet, check=False).returncode:
        subprocess.run(command, check=True)


def umount():
    subprocess.run(["umount", MNT], check=True)


def fragment(fs, disk):
    """Leave holes of 8 KiB all over the file system."""
    mount(fs, disk)
    files = ["%s/%d" % (MNT, n) for n in range(FILES)]
    run(make, files, 8 * K)
    sync()
    for name in files[::2]:
        os.unlink(name)
    sync()
    umount()
    drop_caches()


def write_scattered():
    make(["%s/new%d" % (MNT, n) for n in range(40)], 200 * K)


# A block in the midst of eight, which ext4 then zeroes instead of noting them as unwritten
def write_amid():
    fd = os.open(MNT + "/amid", os.O_RDWR | os.O_CREAT, 0o600)
    os.posix_fallocate(fd, 0, 8 * PAGE)
    os.pwrite(fd, b"a" * PAGE, 3 * PAGE)
    os.close(fd)


def zeroes_for_writer(disk):
    subprocess.run(["mount", "-t", "ext4", "-o", "dioread_lock", disk.node, MNT], check=True)
    sync()
    put("devs", disk.name)
    enable()
    iolog_now()
    who = "pid-%d" % run(write_amid)
    sync()
    log, ino = iolog_now(), os.stat(MNT + "/amid").st_ino
    disable()
    umount()
    data = [e for e in log if e.op == "W" and e.ino == ino]
    same("data", [(e.bytes, e.who, e.how) for e in data], [(PAGE, who, "exact")])
    first = data[0].sector - 3 * PAGE // 512
    beside = [e for e in log if first <= e.sector < first + 8 * PAGE // 512 and e not in data]
    # (how many blocks ext4 zeroes, and how many it notes as unwritten, is its own affair)
    zeroed = iolog.bytes_by(beside, "who", "how")
    same("who pays for zeroes beside it", set(zeroed), {(who, "inherited")})


def read_by(log):
    return iolog.bytes_by([e for e in log if e.op in "RA"], "who", "how")


def kernel_threads():
    return set(subprocess.run(["ps", "-o", "pid=", "--ppid", "2"], check=True,
                              stdout=subprocess.PIPE).stdout.decode().split())


for fs, node in zip(sys.argv[1::2], sys.argv[2::2]):
    disk = Disk(node)
    fragment(fs, disk)
    put("devs", disk.name)
    mount(fs, disk)
    enable()
    who = run(write_scattered)
    before = iolog_now()
    sync()
    log = iolog_now()
    disable()
    # (what a kernel thread reads for itself, such as xfs's log, is read before or after)
    got = read_by(log)
    print(fs, "writer", who, "before", read_by(before), "then", got)
    threads = {"pid-" + pid for pid in kernel_threads()}
    umount()
    for e in log:
        if e.op in "RA" and e.who in threads:
            print("\n".join(e.lines))
    wrong = {key: n for key, n in got.items() if key[0] in threads}
    same(fs + ": read by kernel threads", wrong, {})
    if fs in ("xfs", "ext4"):
        check(got.get(("pid-%d" % who, "inherited")), fs, "reads nothing for the writer:", got)
    if fs == "ext4":
        zeroes_for_writer(disk)
