# SPDX-License-Identifier: GPL-2.0
"""The body of interface/clock."""
import ctypes
import os
import struct
import subprocess
import time

from lib.case import (SCRATCH, SLOWNESS, BinaryLog, Delayed, NullBlk, buffer, check, child, counted,
                      disable, enable, eventually, fail, pipe, put, same, status, takes, value,
                      wait_for)

TRUST = "/sys/module/ioblame/parameters/trust_tsc"
CLOCK = "/sys/devices/system/clocksource/clocksource0/current_clocksource"
MS = 1000000
libc = ctypes.CDLL(None)

if subprocess.run(["modprobe", "-q", "null_blk", "nr_devices=0"]).returncode:
    fail("no null_blk")
quick, slow = (NullBlk("iob%d" % ms, ms * MS) for ms in (20, 1000))
# its IO ends when it is let go
below = NullBlk("iobclock", 0)
held = Delayed("iobclock", below, 60 * SLOWNESS)
put("devs", " ".join(d.name for d in (quick, slow, held)))
put("nr_counters", "3")
# A disk completes nothing early; the time measured outside is the upper bound
put("counters/0",
    "R total_time 0 19900 10000000 10000000 10000000 10000000 10000000 10000000 0")
put("counters/1",
    "R total_time 0 990000 10000000 10000000 10000000 10000000 10000000 10000000 0")
put("counters/2", "R size 0 1 2 3 4 5 6 7 0")


# The records of one disk, in order of completion
def records_of(log, disk):
    return sorted((r for r in log.end() if r.disk == disk.dev), key=lambda r: r.complete_ns)


# Read @nr times; when each read began and ended
def reads(disk, nr):
    fd, m, outside = disk.open(), buffer(4096), []
    for n in range(nr):
        began = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
        same("preadv", os.preadv(fd, [m], n * 4096), 4096)
        outside.append((began, time.clock_gettime_ns(time.CLOCK_MONOTONIC)))
    os.close(fd)
    return outside


# The same by a process of its own: @do() meanwhile, then (its pid, the times)
def reads_of_another(disk, nr, do=lambda: None):
    told, tell = os.pipe()
    pid = child(lambda: [os.write(tell, struct.pack("=QQ", *at)) for at in reads(disk, nr)])
    do()
    wait_for(pid)
    said = os.read(told, 16 * nr)
    os.close(told)
    os.close(tell)
    return pid, list(struct.iter_unpack("=QQ", said))


# By how much queue_ns may be early: it is measured back from the end, and NTP may speed up the
# kernel's clock by a thousandth
def early(began, ended):
    return (ended - began) // 1000


# Let the kernel's clock run faster by so many percent
def slew(percent):
    timex = bytearray(256)
    struct.pack_into("=I", timex, 0, 0x4000)  # ADJ_TICK
    struct.pack_into("=q", timex, 88, 10000 + 100 * percent)  # us of a tick of 10 ms
    check(libc.adjtimex((ctypes.c_char * len(timex)).from_buffer(timex)) >= 0, "no adjtimex")
    time.sleep(0.2)


# What ioblame says of some reads of the 20 ms disk: with an open log, without
def measure(what):
    log = BinaryLog(os.O_NONBLOCK)
    outside = reads(quick, 5)
    time.sleep(0.1)
    got = records_of(log, quick)
    same("entries, " + what, len(got), len(outside))
    for e, (began, ended) in zip(got, outside):
        check(began - early(began, ended) <= e.queue_ns <= e.issue_ns <= e.complete_ns <= ended,
              "%s: %r of an IO from %d to %d" % (what, e, began, ended))
        check(e.complete_ns - e.queue_ns >= 19900000, "%s: %r took 20 ms and more" % (what, e))
    # no log is open: another path
    pid, outside = reads_of_another(quick, 20)
    hist = counted(pipe(), "pid-%d" % pid)
    same("reads of 20 ms, " + what, hist[0][:2], [0, 20])
    # the machine may have stood still during one
    most = sum(ended - began >= 980 * MS for began, ended in outside)
    check(sum(hist[1][:2]) == 20 and hist[1][1] <= most,
          "%s: [below, above] a second were %r, %d of them outside" % (what, hist[1][:2], most))
    print("%s: right" % what)


# One IO of a slow disk that is in flight when do() begins: its counts, its record, and when it
# began and ended outside
def meanwhile(do, disk=slow):
    def begun():
        eventually("an IO of the slow disk is in flight", lambda: int(status()["inflight"]) > 0)
        do()

    log = BinaryLog(os.O_NONBLOCK)
    pid, outside = reads_of_another(disk, 1, begun)
    time.sleep(0.1)
    entries = records_of(log, disk)
    same("IOs of the slow disk", len(entries), 1)
    return counted(pipe(), "pid-%d" % pid), entries[0], outside[0]


# The same, and its length is what the disk's timer makes it, or more, but not more than outside
def a_second(do):
    hist, e, (began, ended) = meanwhile(do)
    same("an IO of a second", hist[1][:2], [0, 1])
    check(e.complete_ns - e.queue_ns >= 999 * MS, "%r took a second and more" % e)
    check(began - early(began, ended) <= e.queue_ns and e.complete_ns <= ended,
          "%r of an IO from %d to %d" % (e, began, ended))


# The counter and the clock, measured outside of the module
class Ticks:
    def __init__(self):
        self.path = os.path.join(SCRATCH, "ticks")
        with open(self.path, "wb") as f:
            self.process = subprocess.Popen([os.environ["IOB_BIN"] + "/ticks"], stdout=f)

    def end(self):
        self.process.kill()
        self.process.wait()
        with open(self.path, encoding="ascii") as f:
            lines = f.read().splitlines()[:-1]
        return [tuple(map(int, line.split())) for line in lines]


def ticks_each_ns():
    ticks = Ticks()
    time.sleep(2)
    seen = ticks.end()
    return (seen[-1][0] - seen[0][0]) / (seen[-1][1] - seen[0][1])


# By how much the counter and the clock came apart in a second, at most, in ms
def came_apart(seen, each_ns):
    least = {}
    for count, ns in seen:
        ahead = (count - seen[0][0]) / each_ns - (ns - seen[0][1])
        second = (ns - seen[0][1]) // (1000 * MS)
        least[second] = min(ahead, least.get(second, ahead))
    each = [least[n] for n in sorted(least)]
    return max(abs(b - a) for a, b in zip(each, each[1:])) / MS


def switch_to(name):
    put(CLOCK, name)
    same("the kernel's clock", value(CLOCK), name)


first = value(CLOCK).strip()
same("the guest's clock", first, "tsc")
available = value(os.path.dirname(CLOCK) + "/available_clocksource").split()
other = [name for name in available if name != first][0]
check("clock" not in status(), "a clock while disabled")

# --- by the time stamp counter
enable(log=False)
same("clock", status()["clock"], "tsc")
measure("by the counter")
a_second(lambda: None)
# --- the kernel uses another clock, but the TSC is to be trusted: it goes on
speed = ticks_each_ns()
takes(TRUST, "2", "2")
switch_to(other)
outside = Ticks()
time.sleep(4)


def beside():
    a_second(lambda: None)
    measure("by the counter beside %s" % other)
    disable()
    enable(log=False)
    same("clock of a session that began so", status()["clock"], "tsc")
    measure("by the counter beside %s from the beginning" % other)


# The clocks of an emulator differ if its host is loaded. Then ioblame rightly drops the TSC, maybe
# during an IO, which has no length then. Only that excuses a failure: they must have come apart by
# half of what ioblame allows, at least.
pid = child(beside) if status()["clock"] == "tsc" else 0
failed = not pid or os.waitpid(pid, 0)[1]
apart = came_apart(outside.end(), speed)
print("the TSC and %s came apart by %.3f ms in a second" % (other, apart))
if failed:
    check(apart > 1, "the TSC was not trusted beside %s, or was wrong" % other)
    same("the clock once it was not right beside %s" % other, status()["clock"], "kernel")
    print("that is too much: not tested beside it")
# --- it is not trusted any more
put(TRUST, "0")
eventually("that is seen", lambda: status()["clock"] == "kernel")
measure("by %s instead of the counter" % other)
disable()
switch_to(first)
enable(log=False)
same("clock", status()["clock"], "tsc")
# --- the kernel drops the TSC, and nothing says that it can be trusted: of an IO in flight then
# nobody knows how long it took
put(TRUST, "1")


def drops():
    switch_to(other)
    eventually("the change is seen", lambda: status()["clock"] == "kernel")
    held.release()


hist, e, _ = meanwhile(drops, held)
same("an IO during which the clock changed", (sum(hist[0]), sum(hist[1]), sum(hist[2])), (0, 0, 1))
same("when it was queued", e.queue_ns, 0)
measure("by %s, since a moment ago" % other)
a_second(lambda: None)
# --- the TSC comes back: ioblame uses it from the next session on
a_second(lambda: switch_to(first))
same("clock then", status()["clock"], "kernel")
measure("by the kernel, which goes by the counter again")
disable()
switch_to(other)
enable(log=False)
same("clock of a session that began so", status()["clock"], "kernel")
measure("by %s from the beginning" % other)
disable()
switch_to(first)
enable(log=False)
same("clock at last", status()["clock"], "tsc")
measure("by the counter again")
disable()
# --- NTP slews the kernel's clock while a session begins: the counter has its speed all the same
slew(-5)
enable(log=False)
slew(0)
same("clock of a session that began in a slew", status()["clock"], "tsc")
measure("by the counter, since a slew")
disable()
same("losses", status()["lost"], {})
put("devs", "", os.O_TRUNC)
held.remove()
for disk in quick, slow, below:
    disk.power("0")
    disk.remove()
same("removing null_blk", subprocess.run(["modprobe", "-r", "null_blk"]).returncode, 0)
