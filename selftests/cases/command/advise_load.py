#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Loads for `ioblame advise`: LOAD FOLDER-OR-DISK. Each suffers from one thing, or from none."""
import mmap
import os
import random
import sys
import time

PAGE = 4096
MIB = 1 << 20


def forget(path):
    """Drop a file's pages from memory."""
    fd = os.open(path, os.O_RDONLY)
    os.fsync(fd)
    os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
    os.close(fd)


def fsync_each(path, size, times):
    with open(path, "wb", buffering=0) as file:
        for _ in range(times):
            file.write(b"x" * size)
            os.fsync(file.fileno())
    os.unlink(path)


def fsync_lines(folder):
    """64 lines, each synced"""
    path = folder + "/lines"
    with open(path, "wb", buffering=0) as file:
        for _ in range(64):
            file.write(b"a line\n" * 16)
            os.fsync(file.fileno())


def fsync_large(folder):
    fsync_each(folder + "/large-synced", MIB, 40)


def direct_writes(path, places):
    page = mmap.mmap(-1, PAGE)
    page.write(b"x" * PAGE)
    fd = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    os.posix_fallocate(fd, 0, 16 * MIB)
    os.fsync(fd)
    os.close(fd)
    fd = os.open(path, os.O_RDWR | os.O_DIRECT)
    for place in places:
        os.pwritev(fd, [page], place * PAGE)
    os.close(fd)


def write_random(folder):
    direct_writes(folder + "/random", random.Random(1).sample(range(4096), 640))


def write_sequence(folder):
    direct_writes(folder + "/sequence", range(640))


def large(folder):
    """A file of 24 MiB that is not in memory"""
    path = folder + "/large"
    if not os.path.exists(path):
        with open(path, "wb") as file:
            for _ in range(24):
                file.write(os.urandom(MIB))
    forget(path)
    return path


def read_times(folder, times):
    path = large(folder)
    for _ in range(times):
        with open(path, "rb", buffering=0) as file:
            while file.read(MIB):
                pass
        forget(path)


def read_thrice(folder):
    read_times(folder, 3)


def read_once(folder):
    read_times(folder, 1)


def fault(folder, places):
    path = large(folder)
    fd = os.open(path, os.O_RDONLY)
    area = mmap.mmap(fd, 0, prot=mmap.PROT_READ)
    try:
        # with huge pages a fault reads 2 MiB
        area.madvise(mmap.MADV_NOHUGEPAGE)
    except OSError:
        pass
    for place in places:
        area[place * PAGE]
    area.close()
    os.close(fd)


def fault_random(folder):
    # 192 KiB apart, in no order: the windows of 128 KiB do not touch
    places = list(range(24, 24 * 256, 48))
    random.Random(1).shuffle(places)
    fault(folder, places)


def fault_sequence(folder):
    fault(folder, range(24 * 256))


def many_files(folder):
    """Names without data"""
    for turn in range(12):
        for i in range(800):
            name = f"{folder}/name-{turn}-{i}-{'x' * 150}"
            os.close(os.open(name, os.O_CREAT | os.O_WRONLY, 0o600))
        os.sync()


def write_much(folder):
    with open(folder + "/much", "wb") as file:
        for _ in range(48):
            file.write(b"x" * MIB)
            time.sleep(0.01)
    os.unlink(folder + "/much")


def reads(disk, size, pause):
    area = mmap.mmap(-1, size)
    fd = os.open(disk, os.O_RDONLY | os.O_DIRECT)
    most = os.lseek(fd, 0, os.SEEK_END) // size
    chance = random.Random(1)
    while True:
        os.preadv(fd, [area], chance.randrange(most) * size)
        time.sleep(pause)


def small_reads(disk):
    reads(disk, PAGE, 0.01)


def large_reads(disk):
    # four at once
    for _ in range(3):
        if not os.fork():
            break
    reads(disk, MIB, 0)


def nothing(_path):
    pass


if __name__ == "__main__":
    globals()[sys.argv[1]](sys.argv[2])
