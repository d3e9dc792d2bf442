# SPDX-License-Identifier: GPL-2.0
"""The body of interface/multipath."""
import os
import subprocess
import sys
import time

from lib import iolog
from lib.case import (BLKDISCARD, Disk, child, disable, enable, eventually, iolog_now, put, run,
                      same, status, value, wait_for)

below, other = Disk(sys.argv[1]), Disk(sys.argv[2])
SIZE, COUNT = 16 << 10, 16


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


# Several processes at a time, each with sectors of its own
def work(top, meanwhile=None):
    want, pids = {}, []
    for nr in range(3):
        pids.append(("W", child(top.direct_write, nr << 20, SIZE, COUNT)))
        pids.append(("R", child(top.direct_read, 8 + nr << 20, SIZE, COUNT)))
    if meanwhile:
        meanwhile()
    for op, pid in pids:
        wait_for(pid)
        want[op, "pid-%d" % pid, "exact"] = SIZE * COUNT
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


# Both paths lead to one disk: no IO as long as it has failed
def comes_and_goes():
    for _ in range(4):
        paths("fail_path")
        done = below.stat()
        time.sleep(0.1)
        same("IO on a path that has failed", below.stat(), done)
        paths("reinstate_path")
        time.sleep(0.05)


# Requests fail while the disk is offline, and multipath sends them anew
def breaks():
    for _ in range(2):
        put(below.sys("device/state"), "offline\n")
        time.sleep(0.1)
        put(below.sys("device/state"), "running\n")
        paths("reinstate_path")
        time.sleep(0.05)


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
