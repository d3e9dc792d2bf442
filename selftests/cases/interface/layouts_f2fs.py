# SPDX-License-Identifier: GPL-2.0
"""The body of interface/layouts_f2fs: one way of knowing the structs of f2fs."""
import os
import subprocess
import sys

from lib.case import (MNT, PAGE, K, M, Disk, compressible, disable, enable, eventually, iolog_now,
                      put, run, sync)
from lib.layouts import judge, verdict

disk = Disk(sys.argv[2])
NAMES = {"compress_io_ctx", "f2fs_sb_info"}
PAGES = 512


def write(name, pages, data):
    fd = os.open(MNT + "/" + name, os.O_RDWR | os.O_CREAT, 0o600)
    for n in pages:
        os.pwrite(fd, data(n), n * PAGE)
    os.close(fd)


put("devs", disk.name)
subprocess.run(["mount", "-o", "discard,compress_algorithm=lz4,compress_extension=small",
                disk.node, MNT], check=True)
# a checkpoint wakes the thread that discards only if there was no IO for this long
put("/sys/fs/f2fs/%s/discard_idle_interval" % disk.name, "0")
write("large", range(PAGES), lambda n: os.urandom(PAGE))
sync()
enable()
# two writers of one file, which neither of them writes back
halves = range(PAGES // 2), range(PAGES // 2, PAGES)
writers = [run(write, "a.small", half, compressible) for half in halves]
ino = os.stat(MNT + "/a.small").st_ino
sync()
written = [e for e in iolog_now() if e.op == "W" and e.ino in (ino, 0)]
judge("compressed writes", written, writers, 256 * K)
who = run(os.unlink, MNT + "/large")
got = []


def all_came():
    sync()
    got.extend(e for e in iolog_now() if e.op == "D")
    return sum(e.bytes for e in got) >= 2 * M


eventually("the discards", all_came, 60)
judge("discards", got, [who], 2 * M)
verdict(NAMES, NAMES)
disable()
subprocess.run(["umount", MNT], check=True)
