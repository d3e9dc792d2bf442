# SPDX-License-Identifier: GPL-2.0
"""The body of interface/syncs."""
import ctypes
import mmap
import os
import random
import sys

from lib.case import K, PAGE, Disk, buffer, disable, enable, put, run, same, status

libc = ctypes.CDLL(None, use_errno=True)
SIZE = 64
aligned = buffer(16 * K)


class File:
    def __init__(self, folder):
        self.name = folder + "/file"
        self.fd = os.open(self.name, os.O_RDWR | os.O_CREAT, 0o600)
        self.direct = os.open(self.name, os.O_RDWR | os.O_DIRECT)
        os.truncate(self.fd, SIZE * PAGE)
        self.map = mmap.mmap(self.fd, SIZE * PAGE)
        self.folder = folder

    def dirty(self, rnd):
        for _ in range(4):
            os.pwrite(self.fd, b"d" * PAGE, rnd.randrange(SIZE) * PAGE)
        self.map[rnd.randrange(SIZE) * PAGE] = 7

    def fsync(self, rnd):
        os.fsync(self.fd)

    def fdatasync(self, rnd):
        os.fdatasync(self.fd)

    def syncfs(self, rnd):
        libc.syncfs(self.fd)

    def msync(self, rnd):
        self.map.flush()

    def sync_range(self, rnd):
        libc.sync_file_range(self.fd, ctypes.c_long(0), ctypes.c_long(0), 7)

    def read_direct(self, rnd):
        os.preadv(self.direct, [aligned], rnd.randrange(SIZE - 4) * PAGE)

    def write_direct(self, rnd):
        os.pwritev(self.direct, [aligned], rnd.randrange(SIZE - 4) * PAGE)

    def write_sync(self, rnd):
        os.pwritev(self.fd, [b"s" * PAGE], rnd.randrange(SIZE) * PAGE, os.RWF_SYNC)

    def punch(self, rnd):
        libc.fallocate(self.fd, 3, ctypes.c_long(rnd.randrange(SIZE) * PAGE), ctypes.c_long(PAGE))

    def shorten(self, rnd):
        os.truncate(self.fd, SIZE * PAGE - 100)
        os.truncate(self.fd, SIZE * PAGE)

    def rename(self, rnd):
        fd = os.open(self.name + "2", os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o600)
        os.pwrite(fd, b"r" * PAGE, 0)
        os.close(fd)
        os.rename(self.name + "2", self.name + "3")

    def drop(self, rnd):
        os.posix_fadvise(self.fd, 0, 0, os.POSIX_FADV_DONTNEED)


WAYS = (File.fsync, File.fdatasync, File.syncfs, File.msync, File.sync_range, File.read_direct,
        File.write_direct, File.write_sync, File.punch, File.shorten, File.rename, File.drop)


def load(folders, seed):
    rnd = random.Random(seed)
    files = [File(f) for f in folders]
    for _ in range(400):
        f = rnd.choice(files)
        f.dirty(rnd)
        rnd.choice(WAYS)(f, rnd)


disks = [Disk(node) for node in sys.argv[1::2]]
folders = sys.argv[2::2]
put("devs", " ".join(d.name for d in disks))
for which in [[f] for f in folders] + [folders]:
    enable()
    run(load, which, 1)
    os.sync()
    same("losses on %r" % which, status()["lost"], {})
    disable()
