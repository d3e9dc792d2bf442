# SPDX-License-Identifier: GPL-2.0
"""The body of interface/unmount."""
import os
import subprocess
import sys

from lib import iolog
from lib.case import MNT, Disk, check, disable, enable, iolog_now, put, run, same, sync

SIZE, FILES = 1 << 20, 8
disk = Disk(sys.argv[1])


def make(name):
    for i in range(FILES):
        with open("%s/%s%d" % (MNT, name, i), "wb") as file:
            file.write(os.urandom(SIZE))


def delete(name):
    for i in range(FILES):
        os.unlink("%s/%s%d" % (MNT, name, i))


put("devs", disk.name)
enable()
subprocess.run(["mount", "-t", "f2fs", "-o", "discard", disk.node, MNT], check=True)
for name in "a", "b":
    run(make, name)
sync()
iolog_now()
deleters = {"pid-%d" % run(delete, name) for name in ("a", "b")}
# a checkpoint; its worker discards later, if it is idle
sync()
subprocess.run(["umount", MNT], check=True)
log = [e for e in iolog_now() if e.op == "D"]
by = iolog.bytes_by(log, "sub_comm", "who", "how")
print(by)
check([e for e in log if e.sub_comm == "umount"], "nothing was left to umount")
same("who pays for what is discarded", {who for _, who, _ in by}, deleters)
same("how that is known", {how for _, _, how in by}, {"inherited"})
# (blocks of nodes besides)
for who in deleters:
    size = sum(n for (_, one, _), n in by.items() if one == who)
    check(size >= 0.9 * FILES * SIZE, "%s pays for %d bytes" % (who, size))
disable()
