# SPDX-License-Identifier: GPL-2.0
"""The body of scale/processes: processes come and go, a sync comes now and then."""
import os
import sys

from lib.case import MNT, SCRATCH, Disk, disable, enable, put, same, status, sync, value
from lib.crowd import Tally, crowd, percent, show_status, verdict, wanted, wanted_same

ROUNDS, PROCESSES, ROLES = 6, 5000, 16384
disk = Disk(sys.argv[1])
BLOCK = os.statvfs(MNT).f_bsize
manifest = SCRATCH + "/manifest"
put("devs", disk.name)
put("max_roles", str(ROLES))
enable()
log = Tally("-i", "-l", str(1 << 20), "-m", manifest)
before = disk.stat()["Wb"]
objects = []
for n in range(ROUNDS):
    os.mkdir("%s/%d" % (MNT, n))
    crowd("processes", "%s/%d" % (MNT, n), PROCESSES, 600, manifest=manifest)
    sync()
    objects.append([int(value("nr_" + name)) for name in ("roles", "intents", "acts")])
    print("roles, intents, acts:", *objects[-1], "memory:", status()["memory.objects"])
written = disk.stat()["Wb"] - before
disable()
sums = log.end()
sums.show("kind", "comm", "how", "intent", op="W")
show_status()
same("bytes in the log", sums.written, written)
right, wrong, _, _ = sums.files[0]
whole = ROUNDS * PROCESSES * BLOCK
print("%.2f %% of the files are charged to the process that wrote it" % percent(right, whole))
wanted_same("bytes charged to another process", wrong, 0)
wanted_same("bytes charged to the process that wrote them", right, whole)
wanted_same("bytes without a role", sums.bytes(op="W", kind="nobody"), 0)
wanted(max(o[0] for o in objects) <= ROLES, "%d roles" % max(o[0] for o in objects))
# what a round leaves is not more each time
wanted(objects[-1][2] <= objects[2][2] * 1.5, "acts grow: %r" % objects)
wanted(objects[-1][1] <= objects[2][1] + 50, "intents grow: %r" % objects)
verdict()
