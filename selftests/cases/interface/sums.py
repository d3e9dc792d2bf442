# SPDX-License-Identifier: GPL-2.0
"""The body of interface/sums."""
import collections
import ctypes
import errno
import os
import sys
import time

from lib import abi
from lib.case import (SLOWNESS, K, M, PAGE, BinaryLog, Disk, NullBlk, check, disable, enable,
                      error_of, eventually, path, put, refuses, run, same, status, sync, takes,
                      value, write_error)
from lib.sums import GONE, NUMBERS, PAST, REST, Sums

disk = Disk(sys.argv[1])
SLOTS, NOBODY = abi.CONSTANTS["IOB_SUM_SLOTS"], 4


def of_device(before, after):
    """The same by the device's own statistics."""
    d = {k: after[k] - before[k] for k in before}
    found = {"R": [d["R"], d["Rb"]], "W": [d["W"], d["Wb"]], "D": [d["D"], d["Db"]]}
    return {op: v for op, v in found.items() if v[0]}


def same_as_device(what, sums, before):
    got, want = sums.all(), of_device(before, disk.stat())
    # (readahead is read, too)
    ahead = got.pop("A", [0, 0])
    if ahead[0]:
        got["R"] = [x + y for x, y in zip(got.get("R", [0, 0]), ahead)]
    # (the device may count a flush as an empty write)
    flushes = got.pop("F", [0, 0])[0]
    if "W" in want and 0 < want["W"][0] - got["W"][0] <= flushes:
        got["W"][0] = want["W"][0]
    same(what, got, want)


# --- off: there are none
same("sums", value("sums"), "0")
put("devs", disk.name)
enable(log=False)
run(disk.direct_write, 0, PAGE)
none = Sums()
same("sums while they are off", none.next(), [])
same("nr_sums", value("nr_sums"), "0")
none.close()
disable()

# --- the fast path: direct IO of several processes, against the device
takes("sums", "1", "1")
enable(log=False)
one = Sums()
same("the first pass before any IO", one.next(), [])
before = disk.stat()
writers = {run(disk.direct_write, n * M, 8 * K, 100): 8 * K for n in range(3)}
reader = run(disk.direct_read, 0, 16 * K, 50)
records = one.next()
same_as_device("all sums together", one, before)
for pid, size in writers.items():
    mine = [r for r in records if r.pid == pid]
    same("the sums of a writer", [(chr(r.op), abi.HOWS[r.how], r.disk, r.ios, r.bytes, r.tgid,
                                   r.errors, r.flags, r.dev) for r in mine],
         [("W", "exact", disk.dev, 100, 100 * size, pid, 0, 0, disk.dev)])
    check(mine[0].comm.rstrip(b"\0").startswith(b"python"), "its name is %r" % mine[0].comm)
    check(0 < mine[0].total_ns < 60e9, "its time is %d ns" % mine[0].total_ns)
    check(mine[0].start_ns, "its start is not known")
    same("its user", mine[0].uid, 0)
same("the sums of a reader", [(chr(r.op), r.ios, r.bytes) for r in records if r.pid == reader],
     [("R", 50, 50 * 16 * K)])
same("a pass with nothing new", one.next(), [])
same("status", [status()[k] for k in ("sums_on", "sums_total")], ["1", value("nr_sums")])
same("sums in status", status()["sums"], "%s max=65536" % value("nr_sums"))

# --- the user, of a process that has ended


def nobody_writes():
    os.setgroups([])
    os.setuid(65534)
    disk.direct_write(5 * M, PAGE, 2)


os.chmod(disk.node, 0o666)
his = run(nobody_writes)
same("another user's sums", [(r.uid, r.ios) for r in one.next() if r.pid == his], [(65534, 2)])

# --- each opener has a cursor of its own
two = Sums()
late = run(disk.direct_write, 4 * M, PAGE, 3)
same("what is new for the first", [(r.pid, r.ios) for r in one.next()], [(late, 3)])
same("what is new for the second", len(two.next(abi.SUM.size)), len(one.last))
same("they have the same", two.all(), one.all())
same("nothing more for the second", two.next(), [])

# --- the slow path: each IO against the log to the byte, with parts, flushes and discards
log = BinaryLog(os.O_NONBLOCK)
known = {r.id: r for r in one.last.values()}


def dirty(offset, pages):
    fd = disk.open(os.O_RDWR)
    os.pwrite(fd, b"d" * PAGE * pages, offset)
    os._exit(0)  # (the last close would write it)


def mixed():
    disk.direct_write(6 * M, 64 * K, 4)
    fd = disk.open(os.O_RDWR)
    os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
    for n in range(16):
        os.pread(fd, 16 * K, n * 16 * K)
    os.fsync(fd)
    os.close(fd)


held = disk.open(os.O_RDWR)
run(mixed)
for n in range(8):
    run(dirty, 8 * M + n * 3 * PAGE, 3)
sync()
if int(disk.queue("discard_max_bytes")):
    run(disk.ioctl_range, 0x1277, 32 * M, 4 * M)
os.close(held)
disk.stat()
records = one.next()
logged = log.end()


def by_who(items, parts):
    total = collections.defaultdict(lambda: [0, 0, 0])
    for r in items:
        key = (r.role_kind, r.pid, chr(r.op), abi.HOWS[r.how], r.disk, r.intent_nr, r.dev, r.ino)
        for n, x in enumerate(parts(r)):
            total[key][n] += x
    return {k: v for k, v in total.items() if any(v)}


ZERO = abi.SUM.unpack(abi.SUM.pack())
sums = by_who(records, lambda r: [getattr(r, n) - getattr(known.get(r.id, ZERO), n)
                                  for n in NUMBERS])
whole = by_who(logged, lambda r: [not r.part, r.bytes, 0])
for key in sorted(set(sums) | set(whole)):
    same("the sum of %r" % (key,), sums.get(key), whole.get(key))
check(any(r.part for r in logged) and any(not v[0] for v in sums.values()),
      "no IO had two originators")
check({"W", "F"} <= {k[2] for k in sums}, "operations are %r" % {k[2] for k in sums})
same_as_device("all sums together", one, before)
took = sum(r.complete_ns - r.queue_ns for r in logged if not r.part)
summed = sum(r.total_ns - known.get(r.id, ZERO).total_ns for r in records)
# (the log reads the clock a little later)
check(took * 3 / 4 <= summed <= took + 2000 * len(logged),
      "%d ns, not %d of %d IOs" % (summed, took, len(logged)))
two.next()
same("the second has it, too", two.all(), one.all())

# --- acts go: each opener sees their sums' end once; later ones see the past
takes("ttl_secs", "1", "1")
eventually("acts are reclaimed", lambda: int(value("nr_acts")) <= 4)
takes("ttl_secs", "120", "120")
gone = {r.pid for r in one.next() if r.flags & GONE}
check(set(writers) | {reader, late} <= gone, "gone are %r" % gone)
same_as_device("all sums together after reclaim", one, before)
three = Sums()
records = three.next()
check(any(r.flags & GONE for r in records), "the third has not seen what the second has not")
same_as_device("the third's sums", three, before)
two.next()
same("the second's are gone", two.gone, one.gone)
same("nothing is left", [x.next() for x in (one, two, three)], [[]] * 3)
four = Sums()
records = four.next()
check(any(r.flags & PAST for r in records) and not any(r.flags & GONE for r in records),
      "the fourth sees %r" % {r.flags for r in records})
same_as_device("the fourth's sums", four, before)
same("the past has nobody", {r.role_kind for r in records if r.flags}, {NOBODY})
run(disk.direct_write, 4 * M, PAGE, 2)
for sums in one, two, three, four:
    sums.next()
    same_as_device("after one more", sums, before)
same("sums that nobody saw", value("stats/sum_unseen"), "0")

# --- hostile openers
same("a buffer that is too small", error_of(os.read, one.fd, abi.SUM.size - 1), "EINVAL")
same("no bytes", os.read(one.fd, 0), b"")
same("a seek", error_of(os.lseek, one.fd, 0, os.SEEK_SET), "ESPIPE")
same("pread", error_of(os.pread, one.fd, 4096, 0), "ESPIPE")
fds = [os.open(path("sums_bin"), os.O_RDONLY) for _ in range(300)]
for fd in fds[::3]:
    os.read(fd, 4096)
for fd in fds:
    os.close(fd)
pid = run(disk.direct_write, 0, PAGE, 7)
libc = ctypes.CDLL(None, use_errno=True)
same("read to nowhere", (libc.read(one.fd, ctypes.c_void_p(16), 4096),
                         errno.errorcode[ctypes.get_errno()]), (-1, "EFAULT"))
same("nothing is lost by that", [(r.pid, r.ios) for r in one.next()], [(pid, 7)])
for text in "", "2", "-1", "x", "1 0":
    refuses("EINVAL", "sums", text)
same("max_sums while enabled", write_error("max_sums", "100"), "EBUSY")

# --- off and on in a session
takes("sums", "0", "0")
run(disk.direct_write, 0, PAGE, 5)
same("nothing is summed", one.next(), [])
takes("sums", "1", "1")
pid = run(disk.direct_write, 0, PAGE, 5)
same("summed again", [(r.pid, r.ios) for r in one.next()], [(pid, 5)])

# --- counters and sums together, and a counter with a filter
disable()
old = set(one.last)
same("after the session", [r.pid for r in Sums().next() if r.pid == pid], [pid])
put("nr_counters", "2")
put("counters/0", "RAW size 0 4096 8192 16384 32768 65536 131072 262144 0")
enable(log=False)
one.last.clear()
before = disk.stat()
for text in "0", "offset >= 0":
    put("counters/0_filter", text)
    run(disk.direct_write, 0, 8 * K, 50)
one.next()
same_as_device("sums beside counters", one, before)
same("ids that come again", old & set(one.last), set())

# --- no room: what has no sum of its own is in the disk's rest
disable()
takes("max_sums", "4", "4")
put("nr_counters", "0")
enable(log=False)
one.last.clear()
before = disk.stat()
for _ in range(10):
    run(disk.direct_write, 0, PAGE, 2)
records = one.next()
same_as_device("sums without room", one, before)
# (when three of four are taken, acts that are idle for some seconds are reclaimed)
nospc = int(value("stats/sum_nospc"))
check(0 < nospc <= 12, "sum_nospc is %d" % nospc)
check(len([r for r in records if not r.flags]) <= 4, "more than four sums of acts")
same("the rest", [(r.role_kind, chr(r.op), r.ios) for r in records if r.flags & REST],
     [(NOBODY, "W", nospc)])
check("sum_nospc" in status()["lost"], "status does not say it")
# a reader that stops reading stops nothing: five sums are kept for it, the others are past
two.last.clear()
two.next()
takes("ttl_secs", "1", "1")
eventually("the acts are reclaimed", lambda: int(value("nr_sums")) == 0)
for _ in range(4):
    run(disk.direct_write, 0, PAGE, 2)
eventually("these acts, too", lambda: int(value("nr_sums")) == 0)
check(int(value("stats/sum_unseen")) >= 3, "sum_unseen is " + value("stats/sum_unseen"))
same("the ends of sums", len([r for r in two.next() if r.flags & GONE]), 5)
five = Sums()
five.next()
same_as_device("a new opener has all", five, before)
disable()
takes("ttl_secs", "120", "120")
takes("max_sums", "65536", "65536")

# --- whenever a reader comes, its first pass has all, and one that stays sees no sum twice
takes("ttl_secs", "1", "1")
enable(log=False)
stays = Sums()
done, end = 0, time.monotonic() + 12
# (on a slow kernel the worker rests for longer)
while (time.monotonic() < end or
       not stays.gone and time.monotonic() < end + 12 * (SLOWNESS - 1)):
    # (each look frees acts that are idle for two seconds)
    disk.direct_write_in_threads(0, PAGE, 1)
    done += 1
    comes = Sums()
    comes.next()
    stays.next()
    same("writes that the newcomer and the other one know",
         [x.all()["W"][0] for x in (comes, stays)], [done] * 2)
    comes.close()
print("first passes: %d, sums that went: %d" % (done, len(stays.gone)))
check(stays.gone, "no act went")
stays.close()
disable()
takes("ttl_secs", "120", "120")

# --- a reader in the middle of a pass is told nothing more of a session that is over
enable(log=False)
for _ in range(20):
    run(disk.direct_write, 0, PAGE)
fd = os.open(path("sums_bin"), os.O_RDONLY)
SIZE = abi.SUM.size
same("bytes of the first sum", len(os.read(fd, SIZE)), SIZE)
disable()
enable(log=False)
old = b"".join(iter(lambda: os.read(fd, 16 * SIZE), b""))
same("sums of the session before", len(old), 0)
os.close(fd)
disable()

# --- errors
if sys.argv[2]:
    bad = NullBlk("sums", 0)
    put(bad.folder + "/badblocks", "+0-7")
    put("devs", bad.name, os.O_TRUNC)
    enable(log=False)
    one.last.clear()

    def fails():
        for sector in 0, 0, 8:
            said = error_of(bad.direct, os.pwritev, sector * 512, PAGE)
            same("writing sector %d" % sector, said, "" if sector else "EIO")

    pid = run(fails)
    same("errors", [(chr(r.op), r.ios, r.errors) for r in one.next() if r.pid == pid],
         [("W", 3, 2)])
    disable()
    put("devs", "", os.O_TRUNC)
    bad.power("0")
    bad.remove()
else:
    print("errors: not tested, no null_blk")
