# SPDX-License-Identifier: GPL-2.0
"""The body of scale/devices: devices.py LABEL SECOND FIRST"""
import os
import sys

from lib.case import MNT, Disk, disable, enable, put, sync
from lib.crowd import Tally, crowd, percent, verdict, wanted

label, second, first = sys.argv[1], Disk(sys.argv[2]), Disk(sys.argv[3])

for what, devs in (("both are watched", [first, second]), ("only this is watched", [second])):
    put("devs", " ".join(d.name for d in devs))
    folder = "%s/%d" % (MNT, len(devs))
    os.mkdir(folder)
    sync()
    sync()
    before = second.stat()["Wb"]
    enable()
    log = Tally()
    # (it syncs nothing itself)
    crowd("files", folder, 128, 4096)
    sync()
    written = second.stat()["Wb"] - before
    disable()
    sums = log.end()
    number = "%x" % second.dev
    print("%s, %s: %d bytes" % (label, what, written))
    sums.show("kind", "comm", "how", "why", op="W", disk=number)
    right = sums.bytes(op="W", disk=number, kind="thread", comm="crowd")
    wanted(written > 0 and percent(right, written) >= 98,
           "%s, %s: %.1f %% of the bytes are charged to who writes" %
           (label, what, percent(right, written)))
verdict()
