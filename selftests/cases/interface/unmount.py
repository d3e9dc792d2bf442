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
# (its worker, which discards when it has been idle for so many seconds, leaves all to umount)
put("/sys/fs/f2fs/%s/discard_idle_interval" % disk.name, "3600")
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
same("how it is known who pays", {how for _, who, how in by if who in deleters}, {"inherited"})
# (their files, and blocks of nodes besides)
for who in deleters:
    size = sum(n for (_, one, _), n in by.items() if one == who)
    check(FILES * SIZE <= size <= 1.05 * FILES * SIZE, "%s pays for %d bytes" % (who, size))
# blocks that f2fs freed by writing them elsewhere are the submitter's
rest = {key: n for key, n in by.items() if key[1] not in deleters}
check({how for _, _, how in rest} <= {"submitter"}, "the rest is %r" % rest)
check(sum(rest.values()) <= 0.02 * 2 * FILES * SIZE, "the rest is %r" % rest)
disable()
