# SPDX-License-Identifier: GPL-2.0
"""The body of failure/opens."""
import contextlib
import errno
import os
import resource
import signal
import sys
import time

from lib import abi
from lib.case import (IOB, PAGE, SLOWNESS, Disk, K, M, check, disable, enable, eventually,
                      kernel_memory, meminfo, path, put, same, status, value)

disk = Disk(sys.argv[1])
MANY = 4096
# of each file of stats but two: there are so many that MANY of each take too long
STATS = 256
# MANY objects of 64 bytes are more, also where some find room between others
LEFT = MANY * 48
# How many are read, too, and what each may hold then: what Documentation/reliability.rst promises,
# as the allocator rounds it up.  A look at what is dirty has room for a line and a row of each page
# of a leaf (of u32).  The open file comes on top.
READ, HOLD, OPEN = 256, 1 * K, 4 * K
READS = {"dirty": (16, PAGE // 4 * 512), "status": (64, 64 * K), "iolog": (READ, 32 * K),
         "intents": (READ, 32 * K), "sums_bin": (READ, 8 * K), "devs": (READ, 16 * K)}
ONE = ("counters_pipe", "counters_pipe_bin")  # for one opener, of both
resource.setrlimit(resource.RLIMIT_NOFILE, (2 * MANY, 2 * MANY))
REFS = "/sys/module/ioblame/refcnt"


class Opener:
    """A process that opens files and holds them until it is killed.

    @size: it reads so much of each, once all are open
    """

    def __init__(self, names, flags, size=0):
        out, said = os.pipe()
        self.pid = os.fork()
        if not self.pid:
            os.close(out)
            self.hold(said, names, flags, size)
        os.close(said)
        with os.fdopen(out) as f:
            self.result = f.readline().strip()

    @staticmethod
    def hold(said, names, flags, size):
        done, error, fds = 0, "", []
        try:
            for done, name in enumerate(names):
                fds.append(os.open(path(name), flags))
            done = len(names)
            for fd in fds if size else ():
                # a log may be empty: EAGAIN
                with contextlib.suppress(BlockingIOError):
                    os.read(fd, size)
        except OSError as e:
            error = errno.errorcode[e.errno]
        os.write(said, ("%d %s\n" % (done, error)).encode())
        while True:
            signal.pause()

    def kill(self):
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)


def many(name, n=MANY, flags=os.O_RDONLY):
    o = Opener([name] * n, flags)
    same("opening %s %d times" % (name, n), o.result, str(n))
    return o


def try_one(name, result):
    o = Opener([name], os.O_RDONLY)
    same("opening %s once" % name, o.result, result)
    o.kill()


def memory():
    """Bytes that the kernel has for itself, without the logs, whose size is no matter of opens."""
    return meminfo("Slab", "VmallocUsed", "Percpu") - int(status()["memory.log"])


def refs():
    return int(value(REFS))


def everything():
    """Every file, by its name in the folder."""
    return sorted(os.path.relpath(folder + "/" + n, IOB) for folder, _, names in os.walk(IOB)
                  for n in names)


put("devs", disk.name)
put("nr_counters", "2")
enable(log=False)
base = refs()
files = everything()
stats = [f for f in files if f.startswith("stats/")]
check(len(files) > 60, "only %d files" % len(files))


# --- each file by itself, for reading and for writing
def open_each():
    """{(file, mode): bytes for each that is open}"""
    sizes = {}
    for name in [f for f in files if f not in stats]:
        modes = [(os.O_RDONLY, "r")]
        if os.stat(path(name)).st_mode & 0o200:
            modes.append((os.O_WRONLY, "w"))
        for flags, mode in modes:
            before = memory()
            o = Opener([name] * MANY, flags)
            same("opening %s for %s" % (name, mode), o.result,
                 "1 EBUSY" if name in ONE else str(MANY))
            held = refs() - base
            sizes[name, mode] = max(0, memory() - before) / MANY
            check(held >= 1, "%s is open, and the module has %d references" % (name, refs()))
            if name in ONE:
                for other in ONE:
                    try_one(other, "0 EBUSY")
            o.kill()
            same("references after %s" % name, refs(), base)
    for name in stats:
        o = many(name, MANY if name in (stats[0], stats[-1]) else STATS)
        check(refs() > base, "%s is open, and the module has %d references" % (name, refs()))
        o.kill()
        same("references after %s" % name, refs(), base)
    return sizes


def kept():
    """Bytes that the kernel keeps while nothing is open, without the logs."""
    return kernel_memory() - int(status()["memory.log"])


# RCU and the kernel's workers free some of it later
def settled(enough):
    """The least of what is kept within ten seconds, or what is @enough."""
    least = kept()
    for _ in range(10):
        if least <= enough:
            break
        time.sleep(1)
        least = min(least, kept())
    return least


# What an open leaves it leaves each time.  The caches of the kernel have all they want after the
# first time, but for what they take for others meanwhile.
def leaves_nothing():
    before = settled(0)
    open_each()
    more = settled(before + LEFT - 1) - before
    print("when each was open once more, %d bytes more are kept" % more)
    return more < LEFT


started = time.monotonic()
per_open = open_each()
print("%.1f s; bytes for each open file: %s" % (
    time.monotonic() - started, sorted(((round(v), k) for k, v in per_open.items()))[-5:]))
for key, size in per_open.items():
    # struct file, what the file system notes of it, and ours
    check(size < 2 * K * SLOWNESS, "an open file %s (%s) takes %d bytes" % (key + (size,)))


# (KASAN keeps what is freed; there kmemleak looks for what is not)
if SLOWNESS == 1:
    check(any(leaves_nothing() for _ in range(3)), "an open leaves memory behind")


# --- files that are read, too: there is room for what is read then, until they are closed
# (of what is less than 2 KiB for each it is not seen that it comes back; KASAN keeps what is freed)
def is_back(what, before, least):
    if SLOWNESS == 1:
        eventually("%s: what readers held is given back" % what,
                   lambda: memory() - before < least)


def held_once(name, n):
    """Bytes that so many readers hold."""
    before = memory()
    o = Opener([name] * n, os.O_RDONLY | os.O_NONBLOCK, abi.SUM.size if name == "sums_bin" else 1)
    same("opening and reading %s %d times" % (name, n), o.result, str(n))
    held = memory() - before
    print("%s: each of %d readers holds %d bytes" % (name, n, held / n))
    o.kill()
    same("references after readers of %s" % name, refs(), base)
    is_back(name, before, max(held / 4, 512 * K))
    return held


# What the kernel takes for others meanwhile is not there each time
def read_one(name):
    n, most = READS.get(name, (READ, HOLD))
    bound = n * (most + OPEN) * SLOWNESS
    check(any(held_once(name, n) < bound for _ in range(3)), "%s: readers hold too much" % name)


# One after the other
def read_by_turns(name, n):
    for _ in range(n):
        fd = os.open(path(name), os.O_RDONLY)
        same("the first byte of " + name, len(os.read(fd, 1)), 1)
        os.close(fd)


disable()
put("sums", "1")
# an entry of counters_pipe is long then
put("nr_counters", "256")
put("counters/0", "W size 0 1 2 3 4 5 6 4096 0")
enable()
disk.direct_write(0, 4096, 64)
for name in ("iolog", "iolog_bin0", "iolog_bin1", "roles", "intents", "intents_bin", "dirty",
             "sums_bin", "status", "devs"):
    read_one(name)
for name in ONE:
    # (who did no IO since the last opening is not in it)
    disk.direct_write(0, 4096, 4)
    read_by_turns(name, 1)
    before = memory()
    for _ in range(64):
        disk.direct_write(0, 4096, 1)
        read_by_turns(name, 1)
    is_back(name, before, 512 * K)
disable()
put("nr_counters", "2")
put("sums", "0")
enable(log=False)
same("references after all readers", refs(), base)

# --- who listens is known across sessions: the hook at the issue of a request serves the logs
BINS = ("iolog_bin0", "iolog_bin1")


def heard(when, yes):
    hook = [h for h in status()["hooks"] if " block_rq_issue " in h][0]
    same("the hook " + when, hook.split()[-1], "attached" if yes else "ready")


def logs(when, mib):
    same("the logs' memory " + when, int(status()["memory.log"]) // M, mib)


def again():
    disable()
    enable(log=False)


heard("without readers", False)
logs("without readers", 0)
old = [many(name) for name in BINS]
heard("with the binary logs open", True)
logs("with the binary logs open", 2)
# a session that begins has logs of its own: those that are open listen to nothing any more
again()
heard("when only logs of the session before are open", False)
logs("when only logs of the session before are open", 0)
new = [many(name, 7) for name in BINS]
heard("with new ones, too", True)
for o in old:
    o.kill()
heard("when the old ones are closed", True)
logs("when the old ones are closed", 2)
for o in new:
    o.kill()
heard("when all are closed", False)
# of the text log there is one for all sessions
text = many("iolog")
heard("with iolog open", True)
again()
heard("with iolog open since the session before", True)
new = [many(name, 3) for name in BINS]
disable()
text.kill()
enable(log=False)
heard("when iolog was closed while disabled", False)
again()
for o in new:
    o.kill()
heard("when logs were closed two sessions later", False)
logs("in the end", 0)
one = many(BINS[0], 1)
disk.direct_write(0, 4096, 4)
heard("with one log", True)
one.kill()
heard("without it", False)

# --- all at once: thousands of each of these, enabled and disabled meanwhile
crowd = [many(name) for name in ("iolog", "status", "intents_bin", "devs") + BINS]
crowd.append(Opener(["counters_pipe"], os.O_RDONLY))
same("the one opener", crowd[-1].result, "1")
for i in range(3):
    disk.direct_write(0, 4096, 4)
    again()
for o in crowd:
    os.kill(o.pid, signal.SIGKILL)
for o in crowd:
    os.waitpid(o.pid, 0)
eventually("no reference is left", lambda: refs() == base)
heard("after the crowd", False)
logs("after the crowd", 0)
for name in ONE:
    try_one(name, "1")
disable()
