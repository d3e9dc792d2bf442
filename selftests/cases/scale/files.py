# SPDX-License-Identifier: GPL-2.0
"""The body of scale/files and its companions: files.py NODE PERCENT

All settings are as after loading. One program makes 60,000 files of 600 bytes; then, all
synced, two others write 8 MiB each.
"""
import os
import subprocess
import sys

from lib.case import MNT, M, Disk, disable, enable, put, same, status, sync
from lib.crowd import Tally, crowd, percent, show_status, verdict, wanted

FILES = int(os.environ.get("SCALE_FILES", "60000"))
disk, GOAL = Disk(sys.argv[1]), float(sys.argv[2])


# Also what xfs holds in its log is written to its place now
def all_written():
    sync()
    with open("/proc/mounts", encoding="ascii") as f:
        kind = [line.split()[2] for line in f if line.split()[1] == MNT][0]
    if kind == "xfs":
        subprocess.run(["fsfreeze", "-f", MNT], check=True)
        subprocess.run(["fsfreeze", "-u", MNT], check=True)
    return disk.stat()["Wb"]


def evicted(text):
    """owner_evicted as a whole, and the sum of its kinds."""
    return text["lost"].get("owner_evicted", 0), sum(
        int(number) for key, number in text.items() if key.startswith("owner_evicted."))


put("devs", disk.name)
at_first = all_written()
enable()
log = Tally("-i", "-l", str(M))
maker = crowd("files", MNT, FILES, 600)
written = all_written() - at_first
made = log.sums()
print("the files: %d bytes, charged to" % written)
made.show("kind", "id", "comm", "how", "intent", op="W")
show_status()

after_files = disk.stat()["Wb"]
writers = {crowd("one", MNT + "/" + name, 8 * M): os.stat(MNT + "/" + name).st_ino
           for name in ("one", "two")}
written_then = all_written() - after_files
disable()
both = log.end()
print("then the two:")
for row in both.rows:
    row["bytes"] -= made.bytes(**{k: v for k, v in row.items() if k not in ("ios", "bytes")})
both.show("kind", "id", "comm", "how", "intent", "place", op="W")
show_status()
whole, kinds = evicted(status())
wanted(whole == kinds, "owner_evicted is %d, its kinds are %d in all" % (whole, kinds))
same("bytes of the files in the log", made.written, written)
same("bytes after them in the log", both.written - made.written, written_then)
share = percent(made.bytes(op="W", kind="thread", id=maker), written)
data = sum(both.bytes(op="W", kind="thread", id=pid, place=ino)
           for pid, ino in writers.items())
print("%.2f %% of the files' bytes, %.2f %% of the two's data" % (share, percent(data, 16 * M)))
wanted(data == 16 * M, "%d of 16 MiB are charged to the two that wrote them" % data)
wanted(share >= GOAL, "%.2f %% of the files' bytes are charged to who made them, not %s %%" %
       (share, GOAL))
verdict()
