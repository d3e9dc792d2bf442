# SPDX-License-Identifier: GPL-2.0
"""sums_bin, as a program reads it that adds up what it has seen."""
import collections
import os

from lib import abi
from lib.case import check, path, same

GONE, REST, PAST = (abi.CONSTANTS["IOB_SUM_" + word] for word in ("GONE", "REST", "PAST"))
NUMBERS = "ios", "bytes", "errors"


class Sums:
    """An opener: what it has read so far, by id."""

    def __init__(self):
        self.fd = os.open(path("sums_bin"), os.O_RDONLY)
        self.last, self.over, self.gone = {}, {}, set()

    def next(self, size=1 << 20):
        """One pass; its records. A record is checked against the one before of its id."""
        data = b""
        while True:
            piece = os.read(self.fd, size)
            if not piece:
                break
            same("bytes beyond whole records", len(piece) % abi.SUM.size, 0)
            data += piece
        records = list(abi.SUM.split(data))
        for r in records:
            check(r.id not in self.gone, "sum %d is gone and comes again" % r.id)
            old = self.last.get(r.id)
            check(not old or all(getattr(old, n) <= getattr(r, n)
                                 for n in NUMBERS + ("total_ns",)),
                  "sum %d goes back: %r, then %r" % (r.id, old, r))
            same("slots of sum %d" % r.id, sum(r.lat), r.ios)
            self.last[r.id] = r
            if r.flags & GONE:
                self.gone.add(r.id)
        return records

    def all(self):
        """What all sums together have, by operation."""
        total = collections.defaultdict(lambda: [0, 0])
        for r in self.last.values():
            total[chr(r.op)][0] += r.ios
            total[chr(r.op)][1] += r.bytes
        return dict(total)

    def close(self):
        os.close(self.fd)
