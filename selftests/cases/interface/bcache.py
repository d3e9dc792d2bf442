# SPDX-License-Identifier: GPL-2.0
"""The body of interface/bcache."""
import os
import struct
import sys

from lib import iolog
from lib.case import (M, Disk, disable, enable, eventually, iolog_now, put, run, same, status)

MAGIC = bytes.fromhex("c68573f64e1a45ca8265f57f48ba6d81")
below = Disk(sys.argv[1])


def crc64(data):
    crc = (1 << 64) - 1
    for byte in data:
        crc ^= byte << 56
        for _ in range(8):
            crc = (crc << 1 ^ (0x42F0E1EBA9EA3693 if crc >> 63 else 0)) & (1 << 64) - 1
    return crc ^ (1 << 64) - 1


# What make-bcache -B writes: a disk whose data begin behind 16 sectors, which has no cache
def make(disk):
    sb = struct.pack("<QQ16s16s16s32s", 8, 1, MAGIC, b"u" * 16, b"s" * 16, b"")
    sb = sb.ljust(184 - 8, b"\0") + struct.pack("<QHHHH", 0, 1, 0, 0, 0) + bytes(8)
    fd = os.open(disk.node, os.O_WRONLY)
    os.pwrite(fd, struct.pack("<Q", crc64(sb)) + sb, 4096)
    os.fsync(fd)
    os.close(fd)


make(below)
put("/sys/fs/bcache/register", below.node)
eventually("bcache0 is there", lambda: os.path.exists("/dev/bcache0"))
upper = Disk("/dev/bcache0")


def writes():
    for i in range(4):
        same("bytes written", upper.direct(os.pwritev, i * M, M), M)


def reads():
    for i in range(4):
        same("bytes read", upper.direct(os.preadv, i * M, M), M)


for watched in below, upper:
    put("devs", watched.name)
    enable()
    writer, reader = run(writes), run(reads)
    log = [e for e in iolog_now() if e.op in ("W", "R")]
    print(watched.name, iolog.bytes_by(log, "op", "who", "how"))
    same("the IO of " + watched.name, iolog.bytes_by(log, "op", "who", "how"),
         {("W", "pid-%d" % writer, "exact"): 4 * M, ("R", "pid-%d" % reader, "exact"): 4 * M})
    same("how often %s had a request" % watched.name, len(log), 2 * 4 * M // 65536)
    # of bcache they are those of the disk, without the superblock
    first = 0 if watched is upper else 16
    same("where", sorted(e.sector for e in log),
         sorted(2 * [first + i * 128 for i in range(4 * M // 65536)]))
    same("losses", status()["lost"], {})
    disable()
