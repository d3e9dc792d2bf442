# SPDX-License-Identifier: GPL-2.0
"""The body of scale/processes: processes come and go, a sync comes now and then."""
import os
import sys

from lib.case import MNT, SCRATCH, Disk, disable, enable, put, same, status, sync, value
from lib.crowd import Tally, crowd, percent, show_status, verdict, wanted, wanted_same

ROUNDS, PROCESSES, ROLES = 6, 5000, 16384
KINDS = ("roles", "intents", "causes", "acts")
disk = Disk(sys.argv[1])
BLOCK = os.statvfs(MNT).f_bsize
manifest = SCRATCH + "/manifest"
put("devs", disk.name)
put("max_roles", str(ROLES))
# (acts are made for counters, and for sums)
put("nr_counters", "1")
put("counters/0", "W size 0 1 1024 2048 4096 8192 16384 32768 0")
enable()
log = Tally("-i", "-l", str(1 << 20), "-m", manifest)
before = disk.stat()["Wb"]
objects = []
for n in range(ROUNDS):
    os.mkdir("%s/%d" % (MNT, n))
    crowd("processes", "%s/%d" % (MNT, n), PROCESSES, 600, manifest=manifest)
    sync()
    objects.append({kind: int(value("nr_" + kind)) for kind in KINDS})
    print(objects[-1], "memory:", status()["memory.objects"])
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
wanted(max(o["roles"] for o in objects) <= ROLES, "%d roles" % max(o["roles"] for o in objects))
for kind in ("roles", "causes", "acts"):
    wanted(objects[0][kind] >= PROCESSES, "fewer %s than processes: %r" % (kind, objects[0]))
    # what a round leaves is not more each time; it goes when room is short, every other round or so
    early, late = [max(o[kind] for o in half) for half in (objects[:ROUNDS // 2],
                                                           objects[ROUNDS // 2:])]
    wanted(late <= early * 1.5, "%s grow: %r" % (kind, [o[kind] for o in objects]))
wanted(objects[-1]["intents"] <= objects[2]["intents"] + 50, "intents grow: %r" % objects)
verdict()
