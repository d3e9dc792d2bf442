# SPDX-License-Identifier: GPL-2.0
"""The body of interface/swap."""
import mmap
import os
import signal
import sys

from lib import iolog
from lib.case import (check, child, disable, enable, eventually, iolog_now, kill, put, same, status,
                      takes)

disk, group = sys.argv[1].rsplit("/", 1)[1], sys.argv[2]
put("devs", disk)


def limit(size):
    put(group + "/memory.high", size)


def holder(ready):
    put(group + "/cgroup.procs", "0")
    m = mmap.mmap(-1, 32 << 20)
    for at in range(0, 32 << 20, 4096):
        m[at:at + 8] = os.urandom(8)
    os.write(ready, b"x")
    signal.pause()


# The owner of the memory sleeps; this process lowers the limit, which makes it reclaim
def swap_out(role):
    takes("role", role, role)
    limit("max")
    told, ready = os.pipe()
    pid = child(holder, ready)
    os.read(told, 1)
    enable()
    limit("8M")
    eventually("what is swapped out is written", lambda: status()["inflight"] == "0")
    log = [e for e in iolog_now() if e.op == "W"]
    written = iolog.bytes_by(log, "who")
    disable()
    kill(pid)
    print("%s: %r" % (role, written))
    check(sum(written.values()) >= 8 << 20, "too little was swapped out: %r" % written)
    return written, {e.how for e in log if e.who == max(written, key=written.get)}


written, how = swap_out("cgroup")
owner = "cgroup-%d" % os.stat(group).st_ino
same("the role that swapping out is charged to, by cgroup", list(written), [owner])
same("how that is known", how, {"inherited"})

written, how = swap_out("thread")
check(written.get("pid-%d" % os.getpid(), 0) * 2 > sum(written.values()),
      "less than half of it is charged to the task that reclaims: %r" % written)
# (whose memory it was is not known)
same("how that is known", how, {"submitter"})
