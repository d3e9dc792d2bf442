# SPDX-License-Identifier: GPL-2.0
"""The body of failure/suspend."""
import os
import re
import sys
import time

from lib import iolog
from lib.case import (K, MNT, SCRATCH, SLOWNESS, BinaryLog, Delayed, Disk, NullBlk, buffer, check,
                      child, disable, enable, eventually, fsync, kill, output, path, put, read_to,
                      run, same, status, sync, value, wait_for, write_pages)

disk = Disk(sys.argv[1])
TEXT = SCRATCH + "/iolog"
SECOND = 1000000000
SLEEPS = 3
# what a sleep could lose
LOSSES = ("iolog_overflow", "iolog_bin_overflow", "inflight_nomem", "inflight_stale",
          "inflight_unseen", "act_lost", "stack_wrong")
# Each step of the kernel's own trial, and a state in which it is taken: tasks are frozen; devices
# are suspended, too; all is done but the sleep itself, in which the CPUs idle; all is done but the
# last step, which ends by a wake-up event only: one CPU is left, the clock stands.  Suspend-to-idle
# knows no step but the first three.  The last row is no trial: the module stay wakes the machine.
STEPS = (("freezer", "freeze"), ("devices", "freeze"), ("platform", "freeze"), ("core", "mem"),
         ("none", "freeze"))
STAY = "/sys/module/stay/parameters/"
# Its IO is under way while the machine sleeps; nobody waits for it, who could not be frozen.  It
# waits until the machine is awake and lets it go, however long suspending and resuming take.  A
# loop device has requests, as most disks have, and the kernel waits for none to suspend it.
below = NullBlk("iobsuspend", 0)
delayed = Delayed("iobsuspend", below, 60 * SLOWNESS)
node = output("losetup", "-f", "--show", "--direct-io=on", delayed.node)[1].strip()
slow = Disk(node)
# (else its worker would wait for each, and the kernel for the worker, to freeze it)
same("direct IO of the loop device", value(slow.sys("loop/dio")), "1")


def now():
    return time.clock_gettime_ns(time.CLOCK_MONOTONIC)


# How long the machine has slept.  Both clocks are asked again if the host stood still in between.
def slept():
    while True:
        began, boot = now(), time.clock_gettime_ns(time.CLOCK_BOOTTIME)
        if now() - began < SECOND // 10:
            return boot - began


# Those that this kernel has
def steps():
    tests, states = (re.findall(r"\w+", value("/sys/power/" + name))
                     for name in ("pm_test", "state"))
    print("steps of a suspend: %s; states: %s" % (tests, states))
    return [(step, state) for step, state in STEPS if step in tests and state in states]


# Return: for how many seconds the clock stood.  A step that is reached waits there.
def suspend(step, state):
    put("/sys/power/pm_test", step)
    put(STAY + "wake", str(SLEEPS if step == "none" else 0))
    began, before = now(), slept()
    put("/sys/power/state", state)
    stood = slept() - before
    took = (now() - began + stood) / SECOND
    if step == "none":
        took = int(value(STAY + "slept")) / 1000
    # (the clock that goes on while the other stands may be known to a second only)
    check(took > SLEEPS - 1.5, "the step %s was not reached: it took %.1f s" % (step, took))
    return stood / SECOND


# How long the slow disk's reads took in all, as the block layer says
def kernels_ms():
    return int(value(slow.sys("stat")).split()[3])


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
for n, (step, state) in enumerate(steps()):
    began, ms = now(), kernels_ms()
    os.posix_fadvise(ahead, n * 64 * K, 4 * K, os.POSIX_FADV_WILLNEED)
    took = suspend(step, state)
    print("%s of %s: the clock stood for %.1f s" % (step, state, took))
    check(took > 0.5 if state == "mem" else took < 0.5,
          "%s of %s: the clock has stood for %.1f s" % (step, state, took))
    same("IO under way", int(status()["inflight"]) > 0, True)
    same("IO that waits", delayed.waiting(), 1)
    delayed.release()
    eventually("the slow IO is done", lambda: Disk(slow.node).stat()["R"] > n)
    # under way while the clock stood: ioblame gives it no length
    times.append((began, now(), kernels_ms() - ms if state != "mem" else None))
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
for r, (began, ended, want) in zip(slow_ones, times):
    if want is None:
        same("when it was queued and issued", (r.queue_ns, r.issue_ns), (0, 0))
        check(began <= r.complete_ns <= ended, "%r from %d to %d" % (r, began, ended))
        continue
    # (the clock's speed is adjusted meanwhile)
    check(began - SECOND // 100 <= r.queue_ns <= r.complete_ns <= ended,
          "%r from %d to %d" % (r, began, ended))
    took = (r.complete_ns - r.queue_ns) / SECOND
    print("it took %.1f s of %.1f" % (took, (ended - began) / SECOND))
    check(abs(took - want / 1000) < 0.2 * SLOWNESS, "it took %.1f s, not %.1f" % (
        took, want / 1000))
# when the clock stood for the first time
stood = min((began for began, _, want in times if want is None), default=now())
for r in records:
    check(r.queue_ns > times[0][0] - 60 * SECOND or (not r.queue_ns and r.complete_ns > stood),
          "when %r was queued" % r)
    check(r.queue_ns <= r.complete_ns <= now(), "times of %r" % r)
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
same("entries of the slow disk that have no times",
     [(e.words["wait"], e.words["io"]) for e in entries if e.disk == slow.name].count(("-", "-")),
     sum(want is None for _, _, want in times))
ino = os.stat(MNT + "/after").st_ino
same("writes after it", iolog.bytes_by([e for e in entries if e.op == "W" and e.ino == ino],
                                       "who", "how"), {("pid-%d" % pid, "exact"): 1024 * K})
put("/sys/power/pm_test", "none")
os.close(ahead)
same("losetup -d", output("losetup", "-d", slow.node), (0, ""))
delayed.remove()
below.remove()
