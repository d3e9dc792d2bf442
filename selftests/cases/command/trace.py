# SPDX-License-Identifier: GPL-2.0
"""What blktrace recorded, a line for each event: action, sector, sectors, pid; or with "waits"
how many requests were inserted and then issued, and how long that took in all.

From its files and not by blkparse, which adds up the completions of an IO that was split, and
prints those sums.
"""
import glob
import struct
import sys

# struct blk_io_trace of linux/blktrace_api.h
TRACE = struct.Struct("=IIQQIIIIIHH")
MAGIC, NOTIFY = 0x65617407, 1 << 10 << 16
# by the lower half of the action
LETTERS = dict(enumerate(" QMFGSRDCPUUIXBA"))

events = []
for name in sorted(glob.glob(sys.argv[1] + ".blktrace.*")):
    with open(name, "rb") as f:
        data = f.read()
    at = 0
    while at + TRACE.size <= len(data):
        magic, _, when, sector, size, action, pid, _, _, _, more = TRACE.unpack_from(data, at)
        if magic != MAGIC:
            sys.exit("%s has no event at %d" % (name, at))
        at += TRACE.size + more
        letter = LETTERS.get(action & 0xff, "?")
        if not action & NOTIFY and letter in "QGMFIDCXRSB":
            events.append((when, letter, sector, "X" if letter == "X" else size // 512, pid))
if sys.argv[2:] == ["waits"]:
    inserted, waits = {}, []
    for when, letter, sector, sectors, pid in sorted(events):
        if letter == "I" and sectors:
            inserted[sector] = when
        elif letter == "D" and sector in inserted:
            waits.append(when - inserted.pop(sector))
    print(len(waits), sum(waits))
else:
    for event in events:
        print(*event[1:])
