# SPDX-License-Identifier: GPL-2.0
"""The body of lifetime/loads."""
import itertools
import os
import platform
import random
import sys
import time

from lib.case import (K, M, MNT, PAGE, SLOWNESS, Delayed, Disk, buffer, check, child, disable,
                      drop_caches, enable, eventually, iolog_now, kernel_memory, kill, load, output,
                      put, read, same, status, sync, unload, wait_for)

ext, below = Disk(sys.argv[1]), Disk(sys.argv[2])
LOADS = int(sys.argv[3]) // SLOWNESS
PAGES = 64
# A read of the slow disk takes SLOW seconds, less than what the kernel takes for a hang, or until
# all are released in the end. What takes AT_ONCE may have waited for one, unless one that began
# before it is still under way: then it waited for a CPU
AT_ONCE, SLOW = 5 * SLOWNESS, 90 * SLOWNESS
# preadv and preadv2: a reader waits for its IO in one of them
PREADV = {"x86_64": ("295", "327"), "aarch64": ("69", "286")}[platform.machine()]
# in which loads ioblame sees a read begin whose end it does not see (some are disabled before)
SEES = range(0, LOADS, LOADS // 5 + 1)
seed = random.randrange(1 << 30)
print("seed %d" % seed, flush=True)
dice = random.Random(seed)

slow = Delayed("iobloads", below, SLOW)


# --- IO that goes on all the time: each page of a file says how often it was written
def page_of(turn):
    return b"%020d" % turn * (PAGE // 20) + b"." * (PAGE % 20)


def writes(name, flags):
    os.nice(19)
    fd = os.open(MNT + "/" + name, os.O_RDWR | os.O_CREAT | flags, 0o600)
    m = buffer(PAGE)
    for turn in itertools.count(1):
        m.seek(0)
        m.write(page_of(turn))
        os.pwritev(fd, [m], turn % PAGES * PAGE)
        if turn % 16 == 0:
            os.fsync(fd)
        time.sleep(0.002)


# All pages are whole, and of the last PAGES turns
def is_whole(name):
    with open(MNT + "/" + name, "rb") as f:
        pages = [f.read(PAGE) for _ in range(PAGES)]
    turns = [int(p[:20] or b"0") for p in pages]
    print("%s: %d turns" % (name, max(turns)))
    last = max(turns)
    same("what %s holds" % name, sorted(turns), list(range(last - PAGES + 1, last + 1)))
    check(last > 4 * LOADS, "%s was written %d times only" % (name, last))
    for turn, page in zip(turns, pages):
        check(page == page_of(turn), "turn %d of %s is torn" % (turn, name))


# A process that reads, for SLOW seconds at most
def begin_slow():
    pid = child(slow.direct_read, next(offsets), 4 * K)
    readers[pid] = time.monotonic()
    return pid


# Who has read is forgotten; it must have read all
def is_reading(pid):
    if pid in readers:
        ended, how = os.waitpid(pid, os.WNOHANG)
        if ended:
            check(how == 0, "a reader of the slow disk ended with status %#x" % how)
            del readers[pid]
    return pid in readers


def soon(what, do, *args):
    last, began = max(readers, key=readers.get), time.monotonic()
    do(*args)
    took = time.monotonic() - began
    times.setdefault(what, []).append(took)
    if took >= AT_ONCE:
        check(is_reading(last), "%s takes %.1f s, and no read takes longer" % (what, took))


times = {}
readers, offsets = {}, itertools.cycle(range(0, 12 * M, 64 * K))
# what a first load fills stays
load()
put("devs", ext.name)
enable()
disable()
unload()
memory = kernel_memory()
writers = [child(writes, "direct", os.O_DIRECT), child(writes, "buffered", 0)]
began = time.monotonic()
for n in range(LOADS):
    for pid in list(readers):
        is_reading(pid)
    if time.monotonic() - max(readers.values(), default=-SLOW) > SLOW / 3:
        pid = begin_slow()
        eventually("the read is under way",
                   lambda: read("/proc/%d/syscall" % pid).split()[0] in PREADV)
    soon("load", load)
    put("devs", slow.name if n in SEES else "%s %s" % (ext.name, slow.name))
    put("sums", str(n % 2))
    soon("enable", put, "enable", "1")
    if n in SEES:
        seen = begin_slow()
        eventually("ioblame has seen it begin", lambda: int(status()["inflight"]) > 0)
    time.sleep(dice.choice((0, 0, 0.02, 0.1)))
    if n % 3:
        soon("disable", put, "enable", "0")
        same("contexts of IO under way", status()["inflight"], "0")
    soon("unload", unload)
    if n in SEES:
        check(is_reading(seen), "the read that ioblame saw begin is over before ioblame is gone")
took = time.monotonic() - began
print("%d loads in %.0f s; %d of them were over before a read that they saw begin" % (
    LOADS, took, len(SEES)))
for what, secs in times.items():
    print("%s: median %.0f ms, longest %.0f ms" % (
        what, sorted(secs)[len(secs) // 2] * 1000, max(secs) * 1000))
for pid in writers:
    kill(pid)
sync()
drop_caches()
is_whole("direct")
is_whole("buffered")
slow.release()
for pid in readers:
    wait_for(pid)
slow.remove()
eventually("the memory is back", lambda: kernel_memory() - memory < 8 * M)

# --- after all this ioblame still works
load()
put("devs", ext.name)
sync()
before = ext.stat()
enable()
fd = os.open(MNT + "/direct", os.O_RDWR | os.O_DIRECT)
for n in range(20):
    os.pwritev(fd, [buffer(PAGE)], n * PAGE)
os.close(fd)
after, s = ext.stat(), status()
same("losses", s["lost"], {})
same("bytes written", s["disk %s W" % ext.name]["bytes"], after["Wb"] - before["Wb"])
same("who pays", {e.pid for e in iolog_now() if e.op == "W" and e.how == "exact"}, {os.getpid()})
disable()
unload()
same("umount", output("umount", MNT), (0, ""))
same("e2fsck", output("e2fsck", "-fn", ext.node)[0], 0)
