# SPDX-License-Identifier: GPL-2.0
"""Make a recording of an hour: FILE RECORDS

Each IO is of another process on another file, so that nothing can be summed up.
"""
import struct
import sys

from lib import abi

name, records = sys.argv[1], int(sys.argv[2])
DISK = 8 << 20
US, MS = 10**3, 10**6
# enum store_type of tools/ioblame/store.h
HEAD, RECORDS, STATUS_AFTER = 1, 4, 6


def chunk(f, kind, data):
    f.write(struct.pack("<II", kind, len(data)) + data)


def record(n):
    at = 10**9 + n * 72 * MS
    return abi.IOLOG.pack(
        op=ord("W"), nr_bios=1, disk=DISK, opf=1, bytes=4096, sector=n * 8, id=1000 + n,
        queue_ns=at - 90 * US - n % 7919 * US, issue_ns=at - 50 * US, complete_ns=at,
        pid=1000 + n, tgid=1000 + n, intent_nr=2, dev=DISK, gen=n, ino=1000 + n,
        sub_pid=1000 + n, segments=1, comm=b"w%d" % n, sub_comm=b"w")


with open(name, "wb") as recording:
    recording.write(b"IOBLREC1" + struct.pack("<II", 0x01020304, 0))
    chunk(recording, HEAD, b"kernel x\nwall_ns 1700000000000000000\nstart_ns 1000000000\n")
    for first in range(0, records, 6553):
        chunk(recording, RECORDS,
              b"".join(map(record, range(first, min(first + 6553, records)))))
    chunk(recording, STATUS_AFTER, b"enabled 1\nsession 1\ntotal W ios=1 exact=4096\n")
