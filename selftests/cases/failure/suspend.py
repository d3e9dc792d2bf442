# SPDX-License-Identifier: GPL-2.0
"""The body of failure/suspend."""
import os
import sys
import time

from lib import iolog
from lib.case import (K, MNT, SCRATCH, SLOWNESS, BinaryLog, Disk, NullBlk, buffer, check, child,
                      disable, enable, eventually, fsync, kill, path, put, read_to, run, same,
                      status, sync, value, wait_for, write_pages)

disk = Disk(sys.argv[1])
TEXT = SCRATCH + "/iolog"
SECOND = 1000000000
SLEEPS = 3
# what a sleep could lose
LOSSES = ("iolog_overflow", "iolog_bin_overflow", "inflight_nomem", "inflight_stale",
          "inflight_unseen", "act_lost", "stack_wrong")
# its IO is under way while the machine sleeps; nobody waits for it, who could not be frozen
slow = NullBlk("iobsuspend", 4 * SECOND)


def now():
    return time.clock_gettime_ns(time.CLOCK_MONOTONIC)


# How long the machine has slept
def slept():
    return time.clock_gettime_ns(time.CLOCK_BOOTTIME) - now()


# A step of the kernel's own trial: tasks are frozen; or all is done but the last step, which ends
# by a wake-up event only: devices are suspended, one CPU is left, the clock stands
def suspend(step, state):
    put("/sys/power/pm_test", step)
    before = slept()
    put("/sys/power/state", state)
    return (slept() - before) / SECOND


def write_forever(name):
    fd = os.open(MNT + "/direct-" + name, os.O_RDWR | os.O_CREAT | os.O_DIRECT, 0o600)
    m = buffer(4 * K)
    for n in range(1 << 30):
        os.pwritev(fd, [m], n % 64 * 4 * K)
        write_pages(MNT + "/" + name, range(n % 64))
        if n % 8 == 0:
            fsync(MNT + "/" + name)
        time.sleep(0.005 * SLOWNESS)


put("/sys/module/suspend/parameters/pm_test_delay", "%d" % SLEEPS)
sync()
put("devs", "%s %s" % (disk.name, slow.name))
put("nr_counters", "1")
put("counters/0", "RAW total_time 0 60000000 70000000 80000000 90000000 1000000000 2000000000 "
    "3000000000 0")
enable(log=False)
before = disk.stat()
clock = status()["clock"]
text = os.open(path("iolog"), os.O_RDONLY)
log = BinaryLog(os.O_NONBLOCK)
reader = child(read_to, text, TEXT)
os.close(text)
loads = [child(write_forever, "load%d" % n) for n in range(2)]
ahead = os.open(slow.node, os.O_RDONLY)
times = []
for n, (step, state) in enumerate((("freezer", "freeze"), ("core", "mem"))):
    began = now()
    os.posix_fadvise(ahead, n * 64 * K, 4 * K, os.POSIX_FADV_WILLNEED)
    took = suspend(step, state)
    print("%s: the clock stood for %.1f s" % (step, took))
    check(step == "freezer" or took > 0, "the clock has not stood")
    same("IO under way", int(status()["inflight"]) > 0, True)
    eventually("the slow IO is done", lambda: Disk(slow.node).stat()["R"] > n)
    times.append((began, now()))
for load in loads:
    kill(load)
sync()
pid = run(write_pages, MNT + "/after", range(256))
sync()
after = disk.stat()
same("losses", {k: v for k, v in status()["lost"].items() if k in LOSSES}, {})
same("IO under way at last", status()["inflight"], "0")
same("the clock", status()["clock"], clock)
records = log.end()
slow_ones = sorted((r for r in records if r.disk == slow.dev), key=lambda r: r.complete_ns)
same("IO of the slow disk", len(slow_ones), len(times))
for r, (began, ended) in zip(slow_ones, times):
    # (the clock's speed is adjusted meanwhile)
    check(began - SECOND // 100 <= r.queue_ns <= r.complete_ns <= ended,
          "%r from %d to %d" % (r, began, ended))
    print("it took %.1f s of %.1f" % ((r.complete_ns - r.queue_ns) / SECOND,
                                      (ended - began) / SECOND))
for r in records:
    check(times[0][0] - 60 * SECOND < r.queue_ns <= r.complete_ns <= now(), "times of %r" % r)
same("acts with IO of more than a minute",
     [line for line in value("counters_pipe").splitlines()
      if line.startswith("  ") and any(int(n) for n in line.split()[1:])], [])
disable()
wait_for(reader)
with open(TEXT, "rb") as f:
    entries = iolog.parse_text(f.read().decode("ascii", "replace"))
for what, got in (("records", sum(r.bytes for r in records
                                  if r.op == ord("W") and r.disk == disk.dev)),
                  ("entries", sum(e.bytes for e in entries
                                  if e.op == "W" and e.disk == disk.name))):
    same("bytes of all " + what, got, after["Wb"] - before["Wb"])
ino = os.stat(MNT + "/after").st_ino
same("writes after it", iolog.bytes_by([e for e in entries if e.op == "W" and e.ino == ino],
                                       "who", "how"), {("pid-%d" % pid, "exact"): 1024 * K})
put("/sys/power/pm_test", "none")
os.close(ahead)
slow.remove()
