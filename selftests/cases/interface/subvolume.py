# SPDX-License-Identifier: GPL-2.0
"""The body of interface/subvolume."""
import os
import sys

from lib import iolog
from lib.case import (MNT, M, Disk, check, disable, enable, eventually, iolog_now, output, put, run,
                      same, sync)

SIZE = 8 * M
disk = Disk(sys.argv[1])
discards = []


def btrfs(*words):
    status, said = output("btrfs", *words)
    check(status == 0, "btrfs %s: %s" % (" ".join(words), said))


# {role: bytes} of what has been discarded until now
def discarded():
    discards.extend(e for e in iolog_now() if e.op == "D")
    return iolog.bytes_by(discards, "who")


with open(MNT + "/file", "wb") as f:
    f.write(os.urandom(SIZE))
sync()
btrfs("subvolume", "snapshot", MNT, MNT + "/snapshot")
put("devs", disk.name)
sync()
enable()
iolog_now()
remover = run(os.unlink, MNT + "/file")
sync()
before = sum(discarded().values())
check(before < SIZE // 2, "%d bytes are discarded, which the snapshot has" % before)
deleter = run(btrfs, "subvolume", "delete", MNT + "/snapshot")


# (only this wakes the cleaner at once)
def freed():
    btrfs("filesystem", "sync", MNT)
    sync()
    return sum(discarded().values()) >= SIZE


eventually("what the snapshot had is discarded", freed, 60)
got = discarded()
print("removed by %d, deleted by %d: %r" % (remover, deleter,
                                            iolog.bytes_by(discards, "who", "comm", "how")))
same("bytes of the file that who removed it pays for",
     got.get("pid-%d" % remover, 0) >= SIZE // 4, False)
disable()
