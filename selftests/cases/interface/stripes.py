# SPDX-License-Identifier: GPL-2.0
"""The body of interface/stripes."""
import os
import sys

from lib.case import (K, Disk, buffer, check, disable, enable, iolog_now, output, put, run, same,
                      status)

NODE, CHUNK = "/dev/md78", 64 * K
disks = [Disk(node) for node in sys.argv[1:]]
code, said = output("mdadm", "-q", "--create", NODE, "--run", "--assume-clean", "--level=5",
                    "--metadata=1.0", "--chunk=64", "--raid-devices=%d" % len(disks),
                    *(disk.node for disk in disks))
check(not code, "mdadm says", code, said)
# (nobody marks the array clean some time after a write)
put("/sys/block/md78/md/safe_mode_delay", "0")


def write(at, size):
    fd = os.open(NODE, os.O_WRONLY | os.O_DIRECT)
    os.pwritev(fd, [buffer(size)], at)
    os.close(fd)


def read_block(at):
    fd = os.open(NODE, os.O_RDONLY | os.O_DIRECT)
    os.preadv(fd, [buffer(4 * K)], at)
    os.close(fd)


def entries(do, *args):
    """What a process does to the disks: (operation, bytes, how), as often as that is so."""
    iolog_now()
    me = "pid-%d" % run(do, *args)
    log = iolog_now()
    same("who pays", {e.who for e in log}, {me})
    return sorted((e.op, e.bytes, e.how) for e in log)


# where the superblock is written, that is the thread's
run(write, 0, 4 * K)
put("devs", " ".join(disk.name for disk in disks), os.O_TRUNC)
enable()
# one block: raid456 reads the old data and parity (or the other data), and writes both
for nr in range(1, 4):
    log = entries(write, nr * 4 * K, 4 * K)
    print(log)
    same("writes", [e for e in log if e[0] == "W"],
         [("W", 4 * K, "exact"), ("W", 4 * K, "inherited")])
    reads = [e for e in log if e[0] == "R"]
    check(len(reads) == 2 and set(reads) == {("R", 4 * K, "inherited")}, "reads:", reads)
# all blocks of a stripe: nothing is read
width = (len(disks) - 1) * CHUNK
log = entries(write, 4 * width, width)
same("bytes of a full stripe", {how: sum(e[1] for e in log if e[2] == how) for how in
                                ("exact", "inherited")}, {"exact": width, "inherited": CHUNK})
same("reads for a full stripe", [e for e in log if e[0] == "R"], [])
# what is read for itself
same("a read", entries(read_block, 8 * K), [("R", 4 * K, "exact")])
same("losses", status()["lost"], {})
disable()
put("devs", "", os.O_TRUNC)
same("mdadm --stop", output("mdadm", "-qS", NODE)[0], 0)
