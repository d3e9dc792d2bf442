# SPDX-License-Identifier: GPL-2.0
"""The body of interface/ending.

A loop device writes what two tasks write, each to its half of the disk below, one after the other
in one worker: of each IO the sector tells whose it is.
"""
import os
import random
import sys

from lib.case import (PAGE, Disk, buffer, check, child, disable, enable, eventually, iolog_now,
                      kill, put)

disk, node = Disk(sys.argv[1]), sys.argv[2]
HALF = 32 << 20
SESSIONS, EACH = 20, 100


def writes(half):
    """On one CPU, so that the other task is next."""
    os.sched_setaffinity(0, {0})
    fd = os.open(node, os.O_RDWR | os.O_DIRECT)
    page = [buffer(PAGE)]
    while True:
        os.pwritev(fd, page, half * HALF + random.randrange(HALF // PAGE) * PAGE)


def ios():
    """Writes that the disk has done."""
    with open(disk.sys("stat"), encoding="ascii") as f:
        return int(f.read().split()[4])


put("devs", disk.name)
pids = [child(writes, half) for half in range(2)]
seen, known, wrong = 0, 0, []
for n in range(SESSIONS):
    enable()
    before = ios()
    eventually("IO goes on", lambda: ios() >= before + EACH)
    disable()
    log = [e for e in iolog_now() if e.op == "W" and e.disk == disk.name]
    seen += len(log)
    # (of IO that began before, or whose beginning is not looked at any more, nothing is known)
    log = [e for e in log if e.how not in ("lost", "submitter")]
    known += len(log)
    wrong += ["session %d: %d of %d: %s, %s" % (n, i, len(log), e.who, e.how)
              for i, e in enumerate(log) if e.who != "pid-%d" % pids[e.sector * 512 // HALF]]
for pid in pids:
    kill(pid)
print("%d IOs in %d sessions, %d known" % (seen, SESSIONS, known))
check(seen >= EACH * SESSIONS, "%d IOs are few" % seen)
# (those while it was enabled, but for one or two that had begun before)
check(known >= SESSIONS * (EACH - 10), "%d of %d IOs are known" % (known, seen))
check(not wrong, "%d of %d IOs are another's: %r" % (len(wrong), known, wrong[:10]))
