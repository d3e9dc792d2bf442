# SPDX-License-Identifier: GPL-2.0
"""The body of interface/appends.

btrfs appends its data to zones: a bio is queued with the zone's first sector, and the disk, or the
block layer, says where it was put.  Each block has a tag, by which it is found on the disk.
"""
import os
import subprocess

from lib.case import (K, MNT, NullBlk, check, disable, enable, fail, iolog_now, output, put, run,
                      same, sync)

BLOCKS = 256
ZONE_MB = 4


def tag(n):
    return b"block %05d of what is appended " % n


def write():
    with open(MNT + "/file", "wb", buffering=0) as f:
        for n in range(BLOCKS):
            f.write(tag(n).ljust(4 * K, b"-"))
            if n % 16 == 15:
                os.fsync(f.fileno())


# Who appends: the disk, or the block layer, with a disk that cannot
def appends(name, **more):
    disk = NullBlk(name, 0, size="256", blocksize="4096", memory_backed="1", zoned="1",
                   zone_size=str(ZONE_MB), **more)
    code, said = output("mkfs.btrfs", "-q", "-f", "-O", "zoned", "-d", "single", "-m", "single",
                        disk.node)
    if code:
        fail("mkfs.btrfs: " + said)
    subprocess.run(["mount", "-t", "btrfs", disk.node, MNT], check=True)
    sync()
    put("devs", disk.name)
    enable()
    iolog_now()
    who = "pid-%d" % run(write)
    sync()
    ino = os.stat(MNT + "/file").st_ino
    log = [e for e in iolog_now() if e.op == "W" and e.ino == ino and e.who == who]
    disable()
    subprocess.run(["umount", MNT], check=True)
    same("bytes", sum(e.bytes for e in log), BLOCKS * 4 * K)
    at = []
    with open(disk.node, "rb", buffering=0) as f:
        for e in log:
            for offset in range(0, e.bytes, 4 * K):
                found = os.pread(f.fileno(), 4 * K, e.sector * 512 + offset)
                at += [n for n in range(BLOCKS) if found.startswith(tag(n))]
    lost = sorted(set(range(BLOCKS)) - set(at))
    same("blocks that are not where the log says", (len(lost), lost[:4]), (0, []))
    same("blocks there", len(at), BLOCKS)
    check(len({e.sector for e in log}) > 1, "all is at one sector")
    print(name, "zone_append_max_bytes", disk.queue("zone_append_max_bytes"), "IOs", len(log))
    disk.power("0")
    disk.remove()


appends("iobnative")
probe = NullBlk("iobprobe", 0)
emulates = os.path.exists(probe.folder + "/zone_append_max_sectors")
probe.power("0")
probe.remove()
if emulates:
    appends("iobemulated", zone_append_max_sectors="0")
put("devs", "", os.O_TRUNC)
