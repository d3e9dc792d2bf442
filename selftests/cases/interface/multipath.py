# SPDX-License-Identifier: GPL-2.0
"""The body of interface/multipath."""
import mmap
import os
import re
import subprocess
import sys
import time

from lib import iolog
from lib.case import (BLKDISCARD, PAGE, Disk, buffer, child, disable, enable, eventually, iolog_now,
                      put, run, same, status, value, wait_for)

below, other = Disk(sys.argv[1]), Disk(sys.argv[2])
SIZE, COUNT = 16 << 10, 16
CALLS = (os.pwritev,) * 3 + (os.preadv,) * 3
# What the processes of work() share: for each how many IOs it has begun, how many have ended, and
# whether all are to end
board = memoryview(mmap.mmap(-1, PAGE)).cast("Q")
BEGUN, ENDED, END = 0, len(CALLS), 2 * len(CALLS)


def dmsetup(*args):
    subprocess.run(["dmsetup"] + list(args), check=True)


# With mode "mq" dm-multipath clones requests, with "bio" it clones bios
def create(mode):
    sectors = int(value(below.sys("size")))
    paths = "round-robin 0 2 1 %s 3 %s 3" % (below.node, below.node)
    dmsetup("create", "--noudevsync", "ifmp", "--table",
            "0 %d multipath 3 queue_if_no_path queue_mode %s 0 1 1 %s" % (sectors, mode, paths))
    dmsetup("mknodes", "ifmp")
    return Disk("/dev/mapper/ifmp")


# {(disk, op, who, how): bytes} of the entries since the last call
def charged():
    return iolog.bytes_by([e for e in iolog_now() if e.bytes], "disk", "op", "who", "how")


# COUNT IOs, and more until it is told to end
def goes_on(top, nr):
    fd, m = top.open(), buffer(SIZE)
    while board[ENDED + nr] < COUNT or not board[END]:
        at = (nr << 20) + board[ENDED + nr] % COUNT * SIZE
        board[BEGUN + nr] += 1
        same("an IO", CALLS[nr](fd, [m], at), SIZE)
        board[ENDED + nr] += 1
        # the log has room for them all
        time.sleep(0 if board[END] else 0.002)
    os.close(fd)


# Several processes at a time, each with sectors of its own
def work(top, meanwhile=None):
    want, pids = {}, []
    for n in range(END + 1):
        board[n] = 0
    board[END] = not meanwhile
    for nr in range(len(CALLS)):
        pids.append(child(goes_on, top, nr))
    if meanwhile:
        meanwhile()
    board[END] = 1
    for nr, pid in enumerate(pids):
        wait_for(pid)
        want["WR"[CALLS[nr] == os.preadv], "pid-%d" % pid, "exact"] = SIZE * board[ENDED + nr]
    pid = run(top.ioctl_range, BLKDISCARD, 16 << 20, 4 << 20)
    want["D", "pid-%d" % pid, "exact"] = 4 << 20
    return want


def watched(what, top, devs, meanwhile=None):
    put("devs", " ".join(d.name for d in devs), os.O_TRUNC)
    before = [d.stat() for d in devs]
    enable()
    iolog_now()
    want = work(top, meanwhile)
    for disk, old in zip(devs, before):
        now, sums = disk.stat(), status()
        for op in "RWD":
            same("%s: bytes of %s %s in status" % (what, disk.name, op),
                 sums["disk %s %s" % (disk.name, op)]["bytes"], now[op + "b"] - old[op + "b"])
    # Requests that the path refused leave nothing either
    eventually("nothing is in flight", lambda: status()["inflight"] == "0")
    disable()
    same(what, charged(), {(d.name,) + k: v for d in devs for k, v in want.items()})
    same("losses, " + what, status()["lost"], {})


def paths(message):
    dmsetup("message", "ifmp", "0", "%s %s" % (message, below.number))


# How often paths have failed
def failures():
    said = subprocess.run(["dmsetup", "status", "ifmp"], stdout=subprocess.PIPE, check=True).stdout
    counts = re.findall(r" %s [AF] (\d+)" % below.number, said.decode())
    same("paths in %r" % said, len(counts), 2)
    return sum(int(n) for n in counts)


def ended():
    return list(board[ENDED:END])


# Each process has an IO under way, and none of them ends
def all_wait():
    before, _ = ended(), below.stat()
    return ended() == before and all(board[BEGUN + nr] > n for nr, n in enumerate(before))


def reinstate():
    before = ended()
    paths("reinstate_path")
    eventually("each process goes on",
               lambda: all(now > then for now, then in zip(ended(), before)))


# Both paths lead to one disk: no IO as long as it has failed
def comes_and_goes():
    for _ in range(4):
        paths("fail_path")
        eventually("each process waits for a path", all_wait)
        done = below.stat(), ended()
        time.sleep(0.1)
        same("IO on a path that has failed", (below.stat(), ended()), done)
        reinstate()


# Requests fail while the disk is offline, and multipath sends them anew
def breaks():
    for _ in range(2):
        before = failures()
        put(below.sys("device/state"), "offline\n")
        eventually("both paths have failed", lambda: failures() >= before + 2)
        eventually("each process waits for a path", all_wait)
        put(below.sys("device/state"), "running\n")
        reinstate()


for mode in "mq", "bio":
    top = create(mode)
    for devs in [below], [top], [below, top]:
        watched("queue_mode %s, watching %s" % (mode, "+".join(d.name for d in devs)), top, devs)
    watched("queue_mode %s, a path that comes and goes" % mode, top, [below], comes_and_goes)
    if mode == "mq":
        watched("queue_mode %s, a path that breaks" % mode, top, [below], breaks)
    dmsetup("remove", "--noudevsync", "ifmp")

# Another disk is watched: multipath's IO is not logged, and leaves nothing behind
top = create("mq")
put("devs", other.name, os.O_TRUNC)
enable()
work(top)
same("logged IO of disks that are not watched", charged(), {})
eventually("no IO is in flight", lambda: status()["inflight"] == "0")
disable()
