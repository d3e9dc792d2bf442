# SPDX-License-Identifier: GPL-2.0
"""The body of interface/layouts_thin: one way of knowing the structs of dm-thin."""
import sys

from lib.case import BLKDISCARD, K, M, Disk, disable, enable, iolog_now, put, run, sync
from lib.layouts import MODE, RIGHT, judge, verdict

planted, below, thin = sys.argv[2], Disk(sys.argv[3]), Disk("/dev/mapper/thin")
USED = {"dm_thin_new_mapping", "dm_bio_prison_cell"}
WRONG = {"both": USED, "holder": USED, "discard": {"dm_thin_new_mapping"}}[planted]
DATA = 8192  # the first sector below that has data, not metadata
# each run has blocks that no other run wrote
at = 4 * M * (("proved", "displaced", "used", "wrong").index(MODE) +
              ("both", "discard", "holder").index(planted))

put("devs", below.name)
enable()
iolog_now()


def data(op):
    return [e for e in iolog_now() if e.op == op and e.sector >= DATA]


# a block of 64 KiB is zeroed first, by a worker
who = run(thin.direct_write, at, 4 * K)
sync()
judge("zeroes and writes", data("W"), [who], 68 * K, RIGHT or planted == "discard")
run(thin.direct_write, at + M, M)
sync()
iolog_now()
who = run(thin.ioctl_range, BLKDISCARD, at + M, M)
sync()
judge("discards", data("D"), [who], M, RIGHT or planted == "holder")
verdict(USED, WRONG)
disable()
