# SPDX-License-Identifier: GPL-2.0
"""The body of interface/flushed.

The kernel counts such a write in the disk's statistics when its flush is done: that is the truth.
"""
import os
import sys

from lib.case import (K, BinaryLog, Disk, NullBlk, buffer, check, counted, disable, enable, pipe,
                      put, read, run, same)

MS = 1000000
EACH_MS = 20
NR = 100
# The kernel counts in ms from the moment at which a bio becomes a request
TOLERANCE = 0.1


def written_ms(disk):
    return int(read(disk.sys("stat")).split()[7])


# Each is a write with FUA
def write(disk, nr):
    fd, m = disk.open(os.O_RDWR | os.O_DIRECT | os.O_DSYNC), buffer(4 * K)
    for n in range(nr):
        same("pwritev", os.pwritev(fd, [m], n * 4 * K), 4 * K)
    os.close(fd)


# The writes' records, with what the kernel says that they took
def logged(disk, nr):
    before, log = written_ms(disk), BinaryLog(os.O_NONBLOCK)
    run(write, disk, nr)
    took = written_ms(disk) - before
    records = [r for r in log.end() if r.disk == disk.dev]
    data = [r for r in records if r.bytes]
    same("records", [(r.bytes, r.part) for r in data], [(4 * K, 0)] * nr)
    same("sectors", sorted(r.sector for r in data), [n * 8 for n in range(nr)])
    return records, took


# No log is open: the counters take another path
def in_counters(disk, nr):
    who = "pid-%d" % run(write, disk, nr)
    return counted(pipe(), who)


real = Disk(sys.argv[1])
same("its cache", real.queue("write_cache"), "write back")
same("it has FUA", real.queue("fua"), "0")
disks = [real]
# (that of older kernels always has FUA)
probe, slow = NullBlk("iobprobe", 0), None
if os.path.exists(probe.folder + "/fua"):
    slow = NullBlk("iobflushed", EACH_MS * MS, memory_backed="1", cache_size="1", fua="0")
    disks.append(slow)
probe.power("0")
probe.remove()
put("devs", " ".join(d.name for d in disks))
put("nr_counters", "2")
put("counters/0", "W size 0 1 4096 4097 5000 6000 7000 8000 0")
put("counters/1", "W total_time 0 %d 100000 200000 300000 400000 500000 600000 0" % (
    2 * EACH_MS * 1000 - 100))
enable()
# (behind each write comes a flush without data, which the kernel counts as a write)
records, took = logged(real, NR)
total = sum(r.complete_ns - r.queue_ns for r in records) / MS
print("%s: %.1f ms by the log, %d ms by the kernel" % (real.name, total, took))
check(total >= took * (1 - TOLERANCE) - 1, "the writes took %.1f ms, not %d ms" % (total, took))
same("writes in the counters", sum(in_counters(real, NR)[0]), NR)
if slow:
    records, took = logged(slow, 5)
    for r in [r for r in records if r.bytes]:
        check(r.complete_ns - r.issue_ns >= 2 * EACH_MS * MS - MS // 10,
              "%r has no time of its flush" % r)
    same("[writes alone, with their flush]", in_counters(slow, 5)[1][:2], [0, 5])
    print("%s: each has its flush" % slow.name)
disable()
if slow:
    slow.power("0")
    slow.remove()
