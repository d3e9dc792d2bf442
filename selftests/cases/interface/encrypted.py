# SPDX-License-Identifier: GPL-2.0
"""The body of interface/encrypted."""
import contextlib
import fcntl
import mmap
import os
import struct
import subprocess
import sys

from lib import iolog
from lib.case import (MNT, PAGE, Disk, check, disable, drop_caches, enable, iolog_now, put, run,
                      same, sync)

ext4, f2fs = Disk(sys.argv[1]), Disk(sys.argv[2])
TOTAL = 128  # pages of a file

ADD_KEY, SET_POLICY = 0xc0506617, 0x800c6613  # of linux/fscrypt.h
XTS, CTS, IDENTIFIER = 1, 4, 2


# Encrypt all files that are created below @path from now on
def encrypt(path):
    raw = bytes(range(64))
    arg = bytearray(struct.pack("=II32xII32x", IDENTIFIER, 0, len(raw), 0) + raw)
    fd = os.open(path, os.O_RDONLY)
    fcntl.ioctl(fd, ADD_KEY, arg)
    fcntl.ioctl(fd, SET_POLICY, struct.pack("=BBBB4x16s", 2, XTS, CTS, 0, bytes(arg[8:24])))
    os.close(fd)


# A page that lz4, too, compresses to about a third
def page(n):
    return b"".join(b"%d %d " % (n, i * i * i) for i in range(99)).ljust(PAGE, b".")


def pages(path, numbers, sync=False):
    fd = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    for n in numbers:
        os.pwrite(fd, page(n), n * PAGE)
    if sync:
        os.fsync(fd)
    os.close(fd)


def stores(path, numbers):
    fd = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    os.ftruncate(fd, TOTAL * PAGE)
    with mmap.mmap(fd, TOTAL * PAGE) as m:
        for n in numbers:
            m[n * PAGE:n * PAGE + PAGE] = page(n)
    os.close(fd)


def reads(path):
    with open(path, "rb") as f:
        data = f.read()
    for n in range(TOTAL):
        check(data[n * PAGE:][:PAGE] == page(n), "page %d of %s is wrong" % (n, path))


def sums_of(log, ops, ino):
    return iolog.bytes_by([e for e in log if e.op in ops and e.ino == ino], "who")


# Write and read files in the folder @name, encrypted, compressed in clusters or both
def work(disk, name, encrypted, compressed):
    home = MNT + "/" + name
    os.mkdir(home)
    if encrypted:
        encrypt(home)
    sync()
    put("devs", disk.name)
    # dirtied before ioblame is enabled: its dirtier is unknown
    run(pages, home + "/before", range(16))
    before = os.stat(home + "/before").st_ino
    enable()
    whole = range(TOTAL)
    # 5.10 does not compress a mapped file
    mapped = pages if compressed else stores
    who = {}
    for name, hands in (("fsync", [(pages, whole, True)]),
                        ("halves", [(pages, whole[:TOTAL // 2]), (mapped, whole[TOTAL // 2:])]),
                        ("turns", [(pages, whole[0::4]), (pages, whole[1::4]),
                                   (mapped, whole[2::4]), (pages, whole[3::4])])):
        who[name] = ["pid-%d" % run(do, home + "/" + name, *how) for do, *how in hands]
    sync()
    log = iolog_now()
    inos = {name: os.stat(home + "/" + name).st_ino for name in who}
    for name, ino in inos.items():
        entries = [e for e in log if e.op == "W" and e.ino == ino]
        sums = sums_of(log, "W", ino)
        total = sum(sums.values())
        print(name, total, sums)
        same("the writers of " + name, sorted(sums), sorted(who[name]))
        if compressed:
            check(TOTAL * PAGE // 9 < total < TOTAL * PAGE * 8 // 9,
                  "%s: %d bytes were written: not compressed" % (name, total))
        else:
            same("bytes of " + name, total, TOTAL * PAGE)
        for pid, n in sums.items():
            check(abs(n * len(sums) - total) <= (total // 5 if compressed else 0),
                  "%s of %s is charged %d of %d bytes" % (pid, name, n, total))
        same("how %s is known" % name, {e.how for e in entries},
             {"inherited" if compressed and name == "turns" else "exact"})
        if name != "fsync":
            same("entries of %s that a worker has submitted for itself" % name,
                 [e for e in entries if "pid-%d" % e.sub in sums], [])
    same("how before is known", {e.how for e in log if e.op == "W" and e.ino == before},
         {"submitter"})

    drop_caches()
    pid = run(reads, home + "/turns")
    same("readers", sums_of(iolog_now(), "RA", inos["turns"]),
         {"pid-%d" % pid: sum(sums_of(log, "W", inos["turns"]).values())})
    disable()


# The kernel has a function of this name
def knows(name):
    with open("/proc/kallsyms") as f:
        return any(line.split()[2] == name for line in f)


# The disk takes that much at once
@contextlib.contextmanager
def limited(disk, kib):
    path = "/sys/block/%s/queue/max_sectors_kb" % disk.name
    with open(path, encoding="ascii") as f:
        before = f.read()
    with open(path, "w", encoding="ascii") as f:
        f.write(str(kib))
    try:
        yield
    finally:
        with open(path, "w", encoding="ascii") as f:
            f.write(before)


def mounted(disk, fs, options, *folders):
    subprocess.run(["mount", "-t", fs, "-o", options, disk.node, MNT], check=True)
    for name, encrypted, compressed in folders:
        print("==", fs, options, name, flush=True)
        work(disk, name, encrypted, compressed)
    subprocess.run(["umount", MNT], check=True)


LZ4 = "compress_algorithm=lz4,compress_extension=*"
mounted(ext4, "ext4", "defaults", ("encrypted", True, False))
# The block layer encrypts, as no device here can: it puts other bios in the place of the file's.
# Where the kernel has that; from 7.0 on their submitters pay.
if knows("blk_crypto_fallback_encrypt_endio") and int(os.uname().release.split(".")[0]) < 7:
    mounted(ext4, "ext4", "inlinecrypt", ("inline", True, False))
    mounted(f2fs, "f2fs", "inlinecrypt", ("inline", True, False))
    # a device that takes only a part of such a bio at once: the rest of it is queued
    with limited(ext4, 64), limited(f2fs, 64):
        mounted(ext4, "ext4", "inlinecrypt", ("split", True, False))
        mounted(f2fs, "f2fs", "inlinecrypt", ("split", True, False))
else:
    print("== inlinecrypt: not on this kernel")
mounted(f2fs, "f2fs", "defaults", ("encrypted", True, False))
mounted(f2fs, "f2fs", LZ4, ("compressed", False, True))
# such a cluster has 32 pages, more than a page has sectors
mounted(f2fs, "f2fs", LZ4 + ",compress_log_size=5", ("both", True, True))
