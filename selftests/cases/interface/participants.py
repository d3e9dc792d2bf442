# SPDX-License-Identifier: GPL-2.0
"""The body of interface/participants."""
import ctypes
import fcntl
import glob
import os
import struct
import subprocess
import sys
import zlib

from lib import iolog
from lib.case import (K, MNT, PAGE, Disk, buffer, check, compressible, disable, enable, error_of,
                      iolog_now, put, run, same, sync, value)

TREES = 1       # the inode of btrfs in which all metadata are
FILES = 500
FEW = 40        # btrfs has a worker copy inodes as soon as 128 have changed
ROUNDS = 4
EXTENTS = 64    # written compressed
BTRFS_IOC_ENCODED_WRITE = 0x40809440
BTRFS_ENCODED_IO_COMPRESSION_ZLIB = 1
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


# As `btrfs receive` does with what was sent compressed; it makes no page dirty either
def write_encoded(fd, data):
    room = ctypes.create_string_buffer(data, len(data))
    vec = ctypes.create_string_buffer(struct.pack("QQ", ctypes.addressof(room), len(data)))
    for i in range(EXTENTS):
        fcntl.ioctl(fd, BTRFS_IOC_ENCODED_WRITE,
                    struct.pack("QQqQQQQII64x", ctypes.addressof(vec), 1, i * 128 * K, 0, 128 * K,
                                128 * K, 0, BTRFS_ENCODED_IO_COMPRESSION_ZLIB, 0))


def checksum():
    """By which driver btrfs computes it, "crc32c (crc32c-generic)"."""
    return "".join(value(name) for name in glob.glob("/sys/fs/btrfs/*-*/checksum"))


def written(what):
    """{who: bytes} of the metadata that a sync writes."""
    sync()
    return metadata(what, iolog_now())


def metadata(what, log):
    entries = [e for e in log if e.op == "W" and e.ino == TREES]
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

# With checksums, which compressed extents must have
same("remount", subprocess.run(["mount", "-o", "remount,datacow,datasum", MNT],
                               check=False).returncode, 0)
encoded = os.open(MNT + "/encoded", os.O_CREAT | os.O_RDWR)
# (5.10 has no such writes)
if error_of(fcntl.ioctl, encoded, BTRFS_IOC_ENCODED_WRITE, bytes(128)) != "ENOTTY":
    written("an empty file")
    run(touch)
    compressed = zlib.compress(b"".join(compressible(n) for n in range(128 * K // PAGE)))
    pid = run(write_encoded, encoded, compressed)
    sync()
    log = iolog_now()
    data = [e for e in log if e.op == "W" and e.ino not in (0, TREES)]
    must_pay("encoded writes", metadata("encoded writes", log), pid)
    print("encoded data", iolog.bytes_by(data, "who", "ino", "how"))
    # (where checksums are slow, as those of hardened-6.12, a worker submits, and pays)
    if "generic" not in checksum():
        same("who pays for encoded data", {(e.who, e.ino, e.how) for e in data},
             {("pid-%d" % pid, os.fstat(encoded).st_ino, "exact")})
        same("bytes of encoded data", sum(e.bytes for e in data),
             EXTENTS * -(-len(compressed) // (4 * K)) * 4 * K)
os.close(encoded)
disable()
