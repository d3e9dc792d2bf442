# SPDX-License-Identifier: GPL-2.0
"""The body of interface/retry."""
import os
import subprocess
import sys
import time

from lib.case import (MNT, SLOWNESS, Disk, check, child, disable, enable, iolog_now, output, put,
                      run, same, status, sync, wait_for)

raw = Disk(sys.argv[1])
FILES = 200
LEAST = 100  # of some 16 places


def fact(*words):
    """A number of the file system; xfs_db prints `name = number` or `0xnumber (number)`."""
    status, said = output("xfs_db", "-r", *[w for word in words for w in ("-c", word)], raw.node)
    same("xfs_db " + words[-1], status, 0)
    return int(said.split()[-1].strip("()"))


def table(bad):
    """All is as below, or fails but for the log, without which xfs would give up."""
    parts = [(0, log), (log, log + log_size), (log + log_size, sectors)]
    return "".join("%d %d %s\n" % (begin, end - begin,
                                   "error" if bad and begin != log else
                                   "linear %s %d" % (raw.node, begin)) for begin, end in parts)


def switch(bad):
    for words, text in ((["suspend", "--nolockfs", "--noflush", "ifretry"], None),
                        (["reload", "ifretry"], table(bad)),
                        (["resume", "--noudevsync", "ifretry"], None)):
        subprocess.run(["dmsetup", *words], input=text, text=True, check=True)


def writes():
    """That have ended, also those that failed."""
    return status().get("disk %s W" % dm.name, {"ios": 0})["ios"]


def create():
    os.mkdir(MNT + "/new")
    for nr in range(FILES):
        with open("%s/new/%d" % (MNT, nr), "wb"):
            pass


def freeze():
    """Returns when all metadata is in its place."""
    subprocess.run(["fsfreeze", "--freeze", MNT], check=True)


sectors = int(output("blockdev", "--getsz", raw.node)[1])
log = fact("convert fsblock %d daddr" % fact("sb 0", "print logstart"))
log_size = fact("sb 0", "print logblocks") * fact("sb 0", "print blocksize") // 512
subprocess.run(["dmsetup", "create", "--noudevsync", "ifretry"], input=table(False), text=True,
               check=True)
output("dmsetup", "mknodes")
dm = Disk("/dev/mapper/ifretry")
subprocess.run(["mount", "-t", "xfs", dm.node, MNT], check=True)
put("devs", dm.name)
enable()
maker = "pid-%d" % run(create)
# the log has it
sync()
iolog_now()
before = writes()
switch(True)
freezer = child(freeze)
# At once, by the worker, and then again and again, by the thread of the log: so often on some
# kernels that a reader of the log gets to no end. Nothing is checked before the disk works again
# and the file system is thawed: who waits for it cannot be ended
end = time.monotonic() + 20 * SLOWNESS
while writes() - before < LEAST and time.monotonic() < end:
    time.sleep(0.05)
repeated = writes() - before
switch(False)
wait_for(freezer)
subprocess.run(["fsfreeze", "--unfreeze", MNT], check=True)
check(repeated >= LEAST, "only %d writes" % repeated)
written = [e for e in iolog_now() if e.op == "W"]
disable()
put("devs", "", os.O_TRUNC)
subprocess.run(["umount", MNT], check=True)
same("dmsetup remove", output("dmsetup", "remove", "--noudevsync", "ifretry"), (0, ""))

first = {}
for e in written:
    if e.err:
        first.setdefault(e.sector, e)
mine = {sector for sector, e in first.items() if e.who == maker}
print("places that fail: %d, of %s: %d" % (len(first), maker, len(mine)))
again = [e for e in written if e.sector in mine and e is not first[e.sector]]
for sector in sorted(mine)[:4]:
    print(sector, [(e.who, e.how, e.sub_comm, e.err) for e in written if e.sector == sector])
check([e for e in again if e.err], "no repetition failed")
check([e for e in again if not e.err], "no repetition worked")
check(len({e.sub_comm for e in again}) > 1, "only one task repeats")
same("who pays for repetitions", sorted({e.who for e in again}), [maker])
