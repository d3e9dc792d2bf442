# SPDX-License-Identifier: GPL-2.0
"""The body of failure/failslab.

The kernel's fault injection lets allocations fail that failure/allocations does not reach: those
inside of the kernel's functions that ioblame calls.  A number in fail-nth lets one allocation of
this task fail, so each place of a call has its turn.  What other tasks and workers allocate for
ioblame fails at random, by the stack: one that has ioblame's code in it.
"""
import os
import random
import sys
import time

from allocations_work import Traces, Work, small_write
from lib.case import (check, disable, enable, error_of, load, path, put, read, same, status,
                      unload, value)

began = time.monotonic()
ALL = os.environ.get("IOB_PLACES") == "all"
MANY = 1 << 30
ATTRS = "/sys/kernel/debug/failslab/", "/sys/kernel/debug/fail_page_alloc/"
seed = random.randrange(1 << 30)
print("seed %d" % seed, flush=True)
dice = random.Random(seed)
work = Work(*sys.argv[1:])
# (opened once: an open allocates, too)
nth = os.open("/proc/thread-self/fail-nth", os.O_RDWR)


def said(text):
    print("%6.1f %s" % (time.monotonic() - began, text), flush=True)


def failing(n, do):
    """Call it, and let its @n-th allocation fail; what it says, and 0 if it has come to that one"""
    os.pwrite(nth, b"%d" % n, 0)
    got = error_of(do)
    left = int(os.pread(nth, 32, 0))
    os.pwrite(nth, b"0", 0)
    return got, left


def allocations(do):
    """How many a call makes"""
    got, left = failing(MANY, do)
    same("with memory", got, "")
    return MANY - left


def turns(count, most):
    """Which of @count have their turn: @most of them, or all"""
    if ALL or count <= most:
        return range(1, count + 1)
    step = count / most
    return sorted({int(step * i + dice.random() * step) + 1 for i in range(most)})


def configure():
    put("devs", " ".join(disk.name for disk in work.disks))
    put("nr_counters", "1")
    put("counters/0", "W size 0 4096 8192 16384 32768 65536 131072 262144 0")
    put("log_at_enable", "1")
    put("sums", "1")


def write(name, text):
    """As put(), but an error is an exception."""
    fd = os.open(path(name), os.O_WRONLY)
    try:
        same("bytes written of %r" % text, os.write(fd, text.encode()), len(text))
    finally:
        os.close(fd)


def enabling():
    write("enable", "1")


def disabling():
    write("enable", "0")


class Tally:
    """What came of the failures of one kind of call."""

    def __init__(self, what, count):
        self.what, self.count, self.failed, self.refused = what, count, 0, 0

    def add(self, n, got, left):
        what = "%s without its allocation %d of %d" % (self.what, n, self.count)
        check(got in ("", "ENOMEM"), what, "says", got)
        self.failed += not left
        self.refused += bool(got)
        return what

    def end(self):
        said("%s: %d allocations, %d failed, %d of these were refused"
             % (self.what, self.count, self.failed, self.refused))
        check(self.failed, "nothing failed:", self.what)


for attr in ATTRS:
    put(attr + "probability", "0")
    put(attr + "times", "-1")
    put(attr + "verbose", "0")
    put(attr + "ignore-gfp-wait", "N")
put(ATTRS[1] + "min-order", "0")

# --- loading and unloading
load()
unload()
traces = Traces()
tally = Tally("loading", allocations(load))
unload()
for n in turns(tally.count, 40):
    got, left = failing(n, load)
    what = tally.add(n, got, left)
    if not got:
        unload()
    traces.same_after(what)
tally.end()


def unloading():
    load()
    configure()
    enable()
    small_write(work.raw)


unloading()
tally = Tally("unloading", allocations(unload))
for n in turns(tally.count, 15):
    unloading()
    got, left = failing(n, unload)
    what = tally.add(n, got, left)
    if got:
        unload()
    traces.same_after(what)
tally.end()

# --- enabling and disabling
load()
configure()
enable()
hooks = status()["hooks"]
disable()
PLAIN = ["devs", "nr_counters", "counters/0", "ttl_secs"]


def settings():
    return {name: value(name) for name in PLAIN}


before = settings()
tally, others = Tally("enabling", allocations(enabling)), 0
disable()
for n in turns(tally.count, 60):
    got, left = failing(n, enabling)
    what = tally.add(n, got, left)
    same("enable after " + what, value("enable"), "0" if got else "1")
    same("settings after " + what, settings(), before)
    if got:
        enable()
    else:
        others += status()["hooks"] != hooks
    small_write(work.raw)
    disable()
tally.end()
said("in %d sessions status has other lines for hooks" % others)
enable()
same("hooks in the end", status()["hooks"], hooks)
tally = Tally("disabling", allocations(disabling))
for n in turns(tally.count, 20):
    enable()
    small_write(work.raw)
    got, left = failing(n, disabling)
    what = tally.add(n, got, left)
    same("enable after " + what, value("enable"), "1" if got else "0")
    disable()
tally.end()

# --- the files of a session


class Reads:
    """Read a file to its end, or until it would block; @steady: it has the same bytes each time."""

    def __init__(self, name, flags=os.O_RDONLY, steady=False):
        self.what, self.name, self.flags, self.data = "reading " + name, name, flags, b""
        self.want = read(name).encode() if steady else None

    def prepare(self):
        self.data = b""

    def do(self):
        fd = os.open(path(self.name), self.flags)
        try:
            while True:
                piece = os.read(fd, 1 << 16)
                if not piece:
                    break
                self.data += piece
        except BlockingIOError:
            pass
        finally:
            os.close(fd)

    def judge(self, what, got):
        if not got and self.want is not None:
            same("what is read, " + what, self.data, self.want)


class Writes:
    """Write a setting, which reads as by @other before."""

    def __init__(self, name, text, other):
        self.what, self.name = "writing %r to %s" % (text, name), name
        self.text, self.other = text, other
        self.prepare()
        self.before = value(name)
        self.do()
        self.want = value(name)
        check(self.before != self.want, "%s reads as before, %s" % (name, self.what))

    def prepare(self):
        put(self.name, self.other)

    def do(self):
        write(self.name, self.text)

    def judge(self, what, got):
        same("%s after %s" % (self.name, what), value(self.name),
             self.before if got else self.want)


enable()
work.round(whole=True)
counter = value("counters/0")
OPS = [(Reads, name, os.O_RDONLY, True)
       for name in ("devs", "nr_counters", "counters/0", "counters/0_filter")]
OPS += [(Reads, name) for name in ("status", "roles", "intents", "intents_bin", "counters_pipe",
                                   "counters_pipe_bin", "sums_bin", "stats/idx_nomem")]
OPS += [(Reads, name, os.O_RDONLY | os.O_NONBLOCK) for name in ("iolog", "iolog_bin0")]
OPS += [(Writes, "counters/0_filter", "size > 4096", "size > 8192"),
        (Writes, "counters/0", counter, counter.replace("262144", "524288")),
        (Writes, "ttl_secs", "120", "60"),
        (Writes, "devs", work.raw.name, "!" + work.raw.name)]
for kind, *args in OPS:
    op = kind(*args)
    op.prepare()
    tally = Tally(op.what, allocations(op.do))
    for n in turns(tally.count, 10):
        op.prepare()
        before = settings()
        got, left = failing(n, op.do)
        what = tally.add(n, got, left)
        op.judge(what, got)
        if got:
            same("settings after " + what, settings(), before)
        op.prepare()
        same("again, " + what, error_of(op.do), "")
        op.judge("again, " + what, "")
    if tally.count:
        tally.end()

# --- probes and workers, whoever's task it is
code = [int(line.split()[0], 16) for line in read("/proc/kallsyms").splitlines()
        if line.endswith("\t[ioblame]") and line.split()[1] in "tT"]
check(min(code) > 0, "addresses are hidden")
for attr in ATTRS:
    put(attr + "stacktrace-depth", "32")
    put(attr + "require-start", "%#x" % min(code))
    put(attr + "require-end", "%#x" % (max(code) + 1))


failed = [0, 0]


def at_random(percent):
    for attr in ATTRS:
        put(attr + "times", str(MANY))
        put(attr + "probability", str(percent))


def not_any_more():
    for i, attr in enumerate(ATTRS):
        put(attr + "probability", "0")
        failed[i] += MANY - int(value(attr + "times"))
        put(attr + "times", str(MANY))


def read_again(error):
    same("reading iolog", error, "ENOMEM")
    not_any_more()


put("ttl_secs", "1")
for percent in 100, 50, 10, 2:
    before = sum(failed)
    work.read_again = read_again
    for more in None, work.many:
        at_random(percent)
        work.round(more)
        not_any_more()
    at_random(percent)
    # a look of reclaim
    time.sleep(1.2)
    not_any_more()
    lost = {name: n for name, n in status()["lost"].items() if n}
    said("%d %%: %d failed; lost: %r" % (percent, sum(failed) - before, lost))
    if percent >= 50:
        check(sum(failed) > before, "nothing failed at %d %%" % percent)
        check(lost, "no loss is counted at %d %%" % percent)
    work.read_again = None
    work.round(whole=True)
    disable()
    enable()
    work.round(whole=True)
said("failures of slab and of pages: %r" % failed)
disable()
unload()
traces.same_after("the whole")
work.end()
