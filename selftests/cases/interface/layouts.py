# SPDX-License-Identifier: GPL-2.0
"""The body of interface/layouts: one way of knowing private structs, all stacks once."""
import os
import sys

from lib import iolog
from lib.case import (Disk, K, M, SCRATCH, disable, enable, eventually, iolog_now, put, run,
                      same)
from lib.layouts import MODE, RIGHT, judge, known, verdict

SEEN, loop = set(sys.argv[2].split()), Disk(sys.argv[3])
array, below, xfs, btrfs = ([Disk(d) for d in arg.split()] for arg in sys.argv[4:8])
# used by what is done below, and proved by it where there is no BTF
USED = {"loop_device", "r5dev", "stripe_head", "dm_crypt_io", "dm_snap_pending_exception",
        "xfs_cil_ctx", "xfs_cil", "btrfs_trans_handle", "btrfs_ref", "btrfs_inode"}
FREES = {"small": M, "large": 3 * M}


def entries(disks):
    os.sync()
    names = {d.name for d in disks}
    return [e for e in iolog_now() if e.disk in names]


def right(*structs):
    return RIGHT or not SEEN & set(structs)


def make(name, size):
    with open(name, "wb") as f:
        f.write(os.urandom(size))


# Two tasks delete files of one transaction: who pays for the discards of which
def delete(disk, place, sure):
    folder = "%s/%s/" % (SCRATCH, place)
    for name, size in FREES.items():
        make(folder + name, size)
    os.sync()
    iolog_now()
    pids = {name: run(os.unlink, folder + name) for name in FREES}
    got = []

    def all_came():
        got.extend(e for e in entries(disk) if e.op == "D")
        return sum(e.bytes for e in got) >= sum(FREES.values())

    eventually("the discards of " + place, all_came)
    print("%s: discards of %s by %r: %r" % (MODE, place, pids, iolog.bytes_by(got, "who", "how")))
    same("others that are taken for causes of discards", set(known(got)) - set(pids.values()),
         set())
    same("the larger file's discards on %s are known" % place,
         known(got).get(pids["large"], 0) >= FREES["large"], sure)


put("devs", " ".join(d.name for d in array + below + xfs + btrfs))
enable()
crypt, md, origin = (Disk(d) for d in ("/dev/mapper/laycrypt", "/dev/md77",
                                       "/dev/mapper/layorigin"))
iolog_now()
who = run(crypt.direct_write, 0, 64 * K, 4)
judge("what dm-crypt writes", entries(below), [who], 256 * K, right("dm_crypt_io"))
# each mode copies other chunks, of 8 KiB
at = M * (1 + ("proved", "displaced", "used", "wrong").index(MODE)) + 64 * K * len(SEEN)
who = run(origin.direct_write, at, 4 * K, 3)
judge("what dm-snapshot copies", entries(below), [who], 44 * K,
      right("dm_snap_pending_exception"))
# (further on than the flags are large, which follow the sector)
who = run(md.direct_write, 4 * M, 64 * K, 4)
got = entries(array)
judge("what raid456 writes", got, [who], 256 * K, True)
judge("the data among it", [e for e in got if e.how == "exact"], [who], 256 * K, right("r5dev"))
# (what a wrong loop_device costs is time)
who = run(loop.direct_write, 0, 64 * K, 4)
judge("what a loop device writes", entries(xfs), [who], 256 * K, True)
delete(xfs, "xfs", right("xfs_cil_ctx"))
delete(btrfs, "btrfs", right("btrfs_trans_handle", "btrfs_ref"))
used = USED | SEEN
if SEEN & {"btrfs_ref"}:
    # (nothing asks for the transaction of what is no reference)
    used -= {"btrfs_trans_handle"}
if "r5dev" in SEEN:
    # what is learnt from one
    used -= {"stripe_head"}
verdict(used, SEEN)
disable()
