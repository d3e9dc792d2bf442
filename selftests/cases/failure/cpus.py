# SPDX-License-Identifier: GPL-2.0
"""The body of failure/cpus."""
import contextlib
import os
import signal
import sys
import time

from lib import abi, iolog
from lib.case import (IOB, K, MNT, SCRATCH, SLOWNESS, Disk, buffer, check, child, counted, disable,
                      enable, fsync, iolog_bins, kill, path, pipe, put, read_fd, read_to, run,
                      same, status, sync, wait_for, write_pages)

disk = Disk(sys.argv[1])
TEXT = SCRATCH + "/iolog"
CYCLES = 4
# what a CPU that goes could lose
LOSSES = ("node_nomem", "pgtree_nomem", "cnts_nomem", "iolog_overflow", "iolog_bin_overflow",
          "inflight_nomem", "inflight_stale", "inflight_unseen", "task_nomem", "stack_wrong")


def cpu(online):
    put("/sys/devices/system/cpu/cpu1/online", "%d" % online)


# Direct writes from one CPU, where they end, too: rq_affinity is 2
def write_on(where, count):
    # (it fails while the CPU is away)
    with contextlib.suppress(OSError):
        os.sched_setaffinity(0, {where})
    fd, m = os.open(MNT + "/direct", os.O_RDWR | os.O_DIRECT), buffer(4 * K)
    for n in range(count):
        os.pwritev(fd, [m], n % 64 * 4 * K)


def write_forever(name):
    while True:
        write_pages(MNT + "/" + name, range(16))
        fsync(MNT + "/" + name)
        time.sleep(0.05 * SLOWNESS)


def open_bin(nr):
    return os.open("%s/iolog_bin%d" % (IOB, nr), os.O_RDONLY | os.O_NONBLOCK)


def records(fd):
    return list(abi.IOLOG.split(read_fd(fd, abi.IOLOG.size * 50)))


# (metadata has no inode)
def of(log, pid):
    return [r for r in log if r.pid == pid and r.ino == ino and r.op == ord("W")]


def writes_of(pid):
    return counted([a for a in pipe() if a["ino"] == ino], "pid-%d" % pid)[0][7]


put(disk.sys("queue/rq_affinity"), "2")
write_pages(MNT + "/direct", range(64))
ino = os.stat(MNT + "/direct").st_ino
sync()
put("devs", disk.name)
put("nr_counters", "1")
put("counters/0", "W size 0 1 2 3 4 5 6 4096 0")
enable(log=False)
same("logs of one CPU", iolog_bins(), ["iolog_bin0"])
text = os.open(path("iolog"), os.O_RDONLY)
before = disk.stat()
reader = child(read_to, text, TEXT)
os.close(text)
bins = [open_bin(0)]

# --- a CPU that was not there when ioblame was enabled
cpu(True)
same("logs of two CPUs", iolog_bins(), ["iolog_bin0", "iolog_bin1"])
bins.append(open_bin(1))
pid = run(write_on, 1, 100)
logs = [records(fd) for fd in bins]
same("records on the new CPU", len(of(logs[1], pid)), 100)
same("how they are known", {r.how for r in of(logs[1], pid)}, {abi.HOWS.index("exact")})
same("records on the other CPU", of(logs[0], pid), [])

# --- records that nobody has read yet stay when their CPU goes
pid = run(write_on, 1, 50)
cpu(False)
there = records(bins[1])
same("records of a CPU that has gone", len(of(there, pid)), 50)
logs[1] += there
same("its log is there, too", iolog_bins(), ["iolog_bin0", "iolog_bin1"])
pid = run(write_on, 0, 50)
there = records(bins[0])
same("records on the CPU that stays", len(of(there, pid)), 50)
logs[0] += there
cpu(True)
pid = run(write_on, 1, 50)
there = records(bins[1])
same("records of the CPU that is back", len(of(there, pid)), 50)
logs[1] += there

# --- by turns under IO, of tasks that are pinned to it, too
loads = [child(write_forever, "load%d" % n) for n in range(3)]
for n in range(CYCLES):
    tasks = [child(write_on, 1, 40), child(write_on, 0, 40)]
    time.sleep(0.2 * SLOWNESS)
    cpu(False)
    time.sleep(0.1 * SLOWNESS)
    cpu(True)
    for task in tasks:
        wait_for(task)
for load in loads:
    kill(load)
sync()
after = disk.stat()
for nr, fd in enumerate(bins):
    logs[nr] += records(fd)
end = status()
same("losses", {k: v for k, v in end["lost"].items() if k in LOSSES}, {})
same("IO under way", end["inflight"], "0")
moved = {op: after[op + "b"] - before[op + "b"] for op in "RWD"}
same("bytes of status", {op: end.get("disk %s %s" % (disk.name, op), {"bytes": 0})["bytes"]
                         for op in "RWD"}, moved)
same("bytes of the binary logs",
     sum(r.bytes for log in logs for r in log if r.op == ord("W")), moved["W"])
check(all(logs), "a log is empty")
same("writes of 4 KiB that are counted", writes_of(pid), 50)
for fd in bins:
    os.close(fd)

disable()
wait_for(reader)
with open(TEXT, "rb") as f:
    entries = iolog.parse_text(f.read().decode("ascii", "replace"))
same("bytes of iolog", sum(e.bytes for e in entries if e.op == "W"), moved["W"])
print("entries: %d, on the CPU that goes: %d" % (len(entries), len(logs[1])))


# --- enabled and disabled while it goes and comes
def switch_forever():
    while True:
        enable(log=False)
        disable()


switch = child(switch_forever)
for n in range(2):
    cpu(False)
    time.sleep(0.05 * SLOWNESS)
    cpu(True)
    time.sleep(0.05 * SLOWNESS)
kill(switch, signal.SIGKILL)
disable()
enable(log=False)
same("logs at last", iolog_bins(), ["iolog_bin0", "iolog_bin1"])
pid = run(write_on, 1, 10)
same("writes that are counted at last", writes_of(pid), 10)
disable()
