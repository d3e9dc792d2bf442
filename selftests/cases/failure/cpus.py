# SPDX-License-Identifier: GPL-2.0
"""The body of failure/cpus."""
import contextlib
import mmap
import os
import signal
import sys
import time

from lib import abi, iolog
from lib.case import (IOB, K, MNT, SCRATCH, SLOWNESS, Disk, buffer, check, child, counted, disable,
                      enable, fsync, iolog_bins, kill, path, pipe, put, read_fd, read_to, run,
                      same, status, sync, value, wait_for, write_pages)

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


# --- a CPU that comes back knows the stacks that it had walked
# Reads of one page, each by a call that has a stack of its own: it differs in the system call at
# least.  They change nothing, so that no journal and no flusher does IO, too.
def mapped(fd):
    with mmap.mmap(fd, 64 * K, prot=mmap.PROT_READ) as m:
        m[0]


def advised(fd):
    with mmap.mmap(fd, 64 * K, prot=mmap.PROT_READ) as m:
        m.madvise(mmap.MADV_WILLNEED, 0, 4 * K)


def sent(fd):
    out = os.open("/dev/null", os.O_WRONLY)
    os.sendfile(out, fd, 0, 4 * K)
    os.close(out)


page = buffer(4 * K)
BUFFERED = (lambda fd: os.read(fd, 4 * K), lambda fd: os.pread(fd, 4 * K, 0),
            lambda fd: os.readv(fd, [page]), lambda fd: os.preadv(fd, [page], 0),
            lambda fd: os.posix_fadvise(fd, 0, 4 * K, os.POSIX_FADV_WILLNEED),
            mapped, advised, sent)
DIRECT = (lambda fd: os.readv(fd, [page]), lambda fd: os.preadv(fd, [page], 0))
TIMES = 4
READS = TIMES * (len(BUFFERED) + len(DIRECT))


def read_on_the_new_one():
    os.sched_setaffinity(0, {1})
    for calls, flags in ((BUFFERED, 0), (DIRECT, os.O_DIRECT)):
        fd = os.open(MNT + "/direct", os.O_RDONLY | os.O_NOATIME | flags)
        os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_RANDOM)
        for call in calls * TIMES:
            os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
            os.lseek(fd, 0, os.SEEK_SET)
            call(fd)
            if not flags:
                # some only begin to read
                os.pread(fd, 1, 0)


# Return: how many stacks had to be walked
def walks(when):
    names, old = ("walked", "known", "reads"), read_counts()
    run(read_on_the_new_one)
    new = dict(zip(names, (b - a for a, b in zip(old, read_counts()))))
    print("%s: %r" % (when, new))
    check(new["reads"] >= READS, "%s: %d reads of %d" % (when, new["reads"], READS))
    # (a CPU without a cache walks each stack, and counts none)
    check(new["walked"] + new["known"] >= READS, "%s: stacks that nobody counts" % when)
    return new["walked"]


def read_counts():
    return (int(value("stats/stack_walked")), int(value("stats/stack_known")), disk.stat()["R"])


cpu(False)
enable(log=False)
cpu(True)
sync()
first = walks("a CPU that knows nothing")
again = walks("a CPU that knows these stacks")
# Each of the calls is walked once by who does not know it.  Two may share a place, and what cannot
# be known again for certain is walked each time.
check(first - again >= (len(BUFFERED) + len(DIRECT)) * 3 // 4,
      "it learns nothing: %d stacks walked, then %d" % (first, again))
cpu(False)
cpu(True)
# A quarter: another task (a timer's worker) may have come by, with a few stacks of its own.  All
# that it had learned is four times as much.
back = walks("the same CPU, back again")
check(back <= again + (first - again) // 4,
      "it has forgotten: %d stacks walked, %d before it went, %d at first" % (back, again, first))
disable()
