# SPDX-License-Identifier: GPL-2.0
"""Recordings made here, so that the truth about them is known: see tools/ioblame/store.h."""
import struct

HEAD, INTENT, NAME, RECORDS, BEFORE, AFTER = range(1, 7)
DISK_NAME, FILE_NAME = 0, 1
# struct iob_iolog_bin_record of include/linux/ioblame.h
RECORD = struct.Struct("<HHBBHIIIIQiiQQQQIIIIIIQQIHH16s16sB7x")
START = 3_600_000_000_000
WALL = 1_700_000_000_000_000_000


def device(major, minor):
    return major << 20 | minor


class Recording:
    """With Recording(path) as r: names, intents and IOs, in this order."""

    def __init__(self, path):
        self.file = open(path, "wb")
        self.file.write(b"IOBLREC1" + struct.pack("<II", 0x01020304, 0))
        self.chunk(HEAD, b"version 1\nkernel 6.1.0-test\nwall_ns %d\nstart_ns %d\n" %
                   (WALL - START, START))
        self.chunk(BEFORE, b"enabled 1\nsession 1\n")
        self.ios, self.packed = [], []

    def chunk(self, kind, data):
        self.file.write(struct.pack("<II", kind, len(data)) + data)

    def name(self, kind, text, dev=0, nr=0, gen=0):
        self.chunk(NAME, struct.pack("<IIQII", kind, dev, nr, gen, 0) + text.encode() + b"\0")

    def intent(self, nr, frames):
        text = f"#{nr} modifier=0x0\n" + "".join(
            f"[ffffffff81000000] {frame}+0x1/0x2\n" for frame in frames)
        self.chunk(INTENT, text.encode())

    def io(self, at, op="W", size=4096, sector=0, disk=device(8, 0), took=1000, error=0, pid=100,
           comm="dd", ino=1, intent=2, sub_pid=None, sub_comm=None):
        """An IO that completed @at nanoseconds after the beginning, and took @took"""
        self.packed.append(RECORD.pack(
            RECORD.size, 1, ord(op), 0, 0, 1, disk, 0, size, sector, error, pid, 0,
            START + at - took, START + at - took, START + at, pid, pid, intent, 0, disk, 1, ino, 0,
            pid if sub_pid is None else sub_pid, 0, 1, comm.encode(),
            (comm if sub_comm is None else sub_comm).encode(), 0))
        if len(self.packed) == 10000:
            self.flush()

    def flush(self):
        if self.packed:
            self.chunk(RECORDS, b"".join(self.packed))
        self.packed = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.flush()
        self.chunk(AFTER, b"enabled 0\nsession 1\ntotal W ios=1 exact=4096\n"
                   b"loss test_lost 3 (a test)\n")
        self.file.close()
