# SPDX-License-Identifier: GPL-2.0
"""The body of failure/modprobe."""
import fcntl
import os
import struct
import sys
import termios
import time

from lib.case import (SLOWNESS, Disk, check, child, disable, enable, eventually, kill, output, put,
                      same, status)

disk = Disk(sys.argv[1])
# one in which there are no hooks, and one in which there are
MODULES = (("brd", "rd_nr=1"), ("f2fs",))
ALONE, ROUNDS = 2, 6
# No modprobe and no rmmod may take longer, in seconds.  In an emulated guest either takes about a
# second by itself, and so does an enabling.  Beside one it shares the CPUs, and a module with hooks
# waits for the one that runs: three or four seconds at the worst.  What waits in vain for a gap
# between enablings, or for a grace period of each hook, takes longer than this.
LIMIT = 10 * SLOWNESS


# How often the other has enabled and disabled so far.
def times_switched(come):
    return struct.unpack("i", fcntl.ioctl(come, termios.FIONREAD, bytes(4)))[0]


def took(*words):
    began = time.monotonic()
    code, said = output(*words)
    check(code == 0, "%s: %s" % (" ".join(words), said))
    return time.monotonic() - began


# Each module goes and comes.  Return: the time of each command.
def go_and_come():
    times = {}
    for module in MODULES:
        for words in ("rmmod", module[0]), ("modprobe",) + module:
            times[" ".join(words)] = took(*words)
    return times


# Once modprobe has returned nobody holds f2fs, which is not used: an rmmod would be refused.  It is
# looked at until the other has enabled twice.
def check_not_held(come):
    looks = holds = 0
    end = time.monotonic() + LIMIT
    begun = times_switched(come)
    with open("/sys/module/f2fs/refcnt", "rb", buffering=0) as refcnt:
        while times_switched(come) < begun + 3 and time.monotonic() < end:
            looks += 1
            holds += os.pread(refcnt.fileno(), 16, 0) != b"0\n"
    same("how often f2fs was held, of %d looks" % looks, holds, 0)


def longest(rounds):
    return {words: round(max(times[words] for times in rounds), 2) for words in rounds[0]}


def switch_forever(switched):
    while True:
        enable(log=False)
        disable()
        os.write(switched, b".")


def hooks():
    return sorted(status()["hooks"])


put("devs", disk.name)
put("nr_counters", "1")
enable(log=False)
whole = hooks()
began = time.monotonic()
disable()
enable(log=False)
print("a disabling and an enabling take %.2f s" % (time.monotonic() - began))
disable()
ready = hooks()
print("by itself: %r" % longest([go_and_come() for _ in range(ALONE)]))
same("hooks that are not as they were before f2fs went", sorted(set(hooks()) ^ set(ready)), [])

come, switched = os.pipe()
switch = child(switch_forever, switched)
os.close(switched)
rounds = []
for _ in range(ROUNDS):
    rounds.append(go_and_come())
    same("who enables and disables still runs", os.waitpid(switch, os.WNOHANG), (0, 0))
    slow = {words: seconds for words, seconds in rounds[-1].items() if seconds > LIMIT}
    same("what takes longer than %d s beside it" % LIMIT, slow, {})
    check_not_held(come)
print("beside enabling: %r" % longest(rounds))

# Neither do modules hold up enabling: if it stood, nothing was shown
count = times_switched(come)
print("enabled and disabled %d times meanwhile" % count)
check(count >= 2, "enabled and disabled %d times in %d rounds" % (count, ROUNDS))
kill(switch)
disable()
enable(log=False)
# (a worker may attach to what came last)
eventually("all hooks are as before", lambda: hooks() == whole)
disable()
