# SPDX-License-Identifier: GPL-2.0
"""The body of lifetime/cycles, and of the soak's cycles: RAW EXT CYCLES SECONDS [ROUNDS FILE].

A cycle is: load, enable, disable (two of three), unload.  All the time fio writes and verifies,
processes read all of ioblame's files and change its settings, and one switches tracers on and
off.  With ROUNDS there are as many rounds of CYCLES cycles.  After each one all else ends, and
what memory holds goes to FILE, a line of JSON for each round.
"""
import ctypes
import errno
import json
import mmap
import os
import random
import re
import select
import signal
import subprocess
import sys
import time

from lib import abi, counters, memory
from lib.case import (IOB, MNT, SCRATCH, Disk, check, child, disable, enable, error_of, iolog_now,
                      output, path, put, read, read_bytes, same, status, wait_for, write_error)

raw, ext = Disk(sys.argv[1]), Disk(sys.argv[2])
WANTED, SECONDS = int(sys.argv[3]), int(sys.argv[4])
ROUNDS = int(sys.argv[5]) if sys.argv[5:] else 0
FLOOR = min(WANTED, 20)  # at least so many, however long they take
TRACING = "/sys/kernel/tracing"
EXPEDITED = "/sys/kernel/rcu_expedited"
seed = random.randrange(1 << 30)
print("seed %d" % seed)
dice = random.Random(seed)

# --- fio: direct, buffered and mmap; each run writes all and verifies all
STOP = SCRATCH + "/stop"
COMMON = ["--minimal", "--verify=crc32c", "--verify_fatal=1", "--group_reporting", "--rw=randwrite",
          "--rate_iops=50"]
JOBS = (
    ["--name=direct", "--filename=" + raw.node, "--direct=1", "--ioengine=libaio", "--iodepth=8",
     "--bs=8k", "--size=2M", "--numjobs=2", "--offset_increment=32M"],
    ["--name=raw", "--filename=" + raw.node, "--bs=4k", "--offset=64M", "--size=2M",
     "--ioengine=psync", "--fsync=64"],
    ["--name=files", "--directory=" + MNT, "--bs=16k", "--size=4M", "--numjobs=2",
     "--ioengine=psync", "--fsync=32", "--fallocate=none"],
    ["--name=mapped", "--directory=" + MNT, "--bs=4k", "--size=2M", "--ioengine=mmap",
     "--fallocate=none"],
)


def load_of(job, out):
    runs = 0
    while not os.path.exists(STOP):
        # nice: a guest without KVM must find time for the cycles
        code, said = output("nice", "-n", "19", "fio", *job, *COMMON, cwd=SCRATCH)
        check(code == 0, "fio ended with %d: %s" % (code, said[-800:]))
        runs += 1
    with open(out, "w") as f:
        f.write(str(runs))


# --- processes that read, and that change settings, all the time
# EIO: what debugfs says of a file that is gone
ALLOWED = errno.ENOENT, errno.EBUSY, errno.EAGAIN, errno.EINVAL, errno.ENODEV, errno.EIO
# while its first byte is set, they keep out: the module is to go
gate = mmap.mmap(-1, mmap.PAGESIZE)


def forever(do, pause):
    while True:
        while gate[0]:
            time.sleep(0.01)
        try:
            do()
        except OSError as e:
            check(e.errno in ALLOWED, repr(e))
        time.sleep(pause)


def waits_for_iolog():
    """Until a signal ends it: no gate holds it back."""
    fd = os.open(path("iolog"), os.O_RDONLY)
    try:
        while os.read(fd, 65536):
            time.sleep(0.01)
    finally:
        os.close(fd)


def polls_iolog():
    fd = os.open(path("iolog"), os.O_RDONLY | os.O_NONBLOCK)
    try:
        p = select.poll()
        p.register(fd, select.POLLIN)
        for _ in range(4):
            if gate[0] or not p.poll(20) or not os.read(fd, 4096):
                break
    finally:
        os.close(fd)


def reads_pipes():
    for name in "counters_pipe", "counters_pipe_bin":
        data = read_bytes(name)
        if name == "counters_pipe":
            counters.parse(data.decode("ascii", "replace"))
        else:
            counters.parse_bin(data)


def reads_bins():
    fds = []
    try:
        for n in range(os.sysconf("SC_NPROCESSORS_CONF")):
            fds.append(os.open(path("iolog_bin%d" % n), os.O_RDONLY | os.O_NONBLOCK))
        for fd in fds:
            p = select.poll()
            p.register(fd, select.POLLIN)
            p.poll(10)
            for _ in abi.IOLOG.split(os.read(fd, abi.IOLOG.size * 100)):
                pass
    finally:
        for fd in fds:
            os.close(fd)


def reads_rest():
    for folder, _, names in os.walk(IOB):
        for name in names:
            if gate[0]:
                return
            if not re.match(r"iolog|counters_pipe|role_id", name):
                read(folder + "/" + name)
    fd = os.open(path("intents"), os.O_RDONLY)
    try:
        os.lseek(fd, 0, os.SEEK_END)
        os.read(fd, 100)
    finally:
        os.close(fd)


def changes():
    for name, text, flags in (
            ("devs", raw.name, os.O_TRUNC), ("devs", ext.name, 0), ("devs", "!" + raw.number, 0),
            ("devs", raw.name + " nosuch", os.O_TRUNC), ("devs", raw.name + " " + ext.name, 0),
            ("counters/0", "RAW size 0 1 4096 8192 16384 32768 65536 131072 0", 0),
            ("counters/1", "RAWDF age 0 1 10 100 1000 10000 100000 1000000 0", 0),
            ("counters/1_filter", "size > 4096 && !(offset & 1)", 0),
            ("counters/1_filter", "size >", 0), ("counters/1_filter", "0", 0),
            ("counters/0", "", 0), ("counters/0", "RAW", 0),
            ("nr_counters", str(dice.randrange(4)), 0), ("ttl_secs", str(dice.randrange(3)), 0),
            ("role_id", str(dice.randrange(3)), 0),
            ("max_acts", str(dice.choice((4, 100, 65536))), 0),
            ("max_roles", str(dice.choice((4, 65536))), 0),
            ("role", dice.choice(("thread", "process", "cgroup")), 0),
            ("charge", dice.choice(("split", "first")), 0)):
        if gate[0]:
            return
        try:
            write_error(name, text, flags)
        except OSError:
            pass  # the file of a counter that is not there
        time.sleep(0.01)


# --- tracers: events of the block layer, a kprobe and the function tracer on hooked functions

def traced(name, text):
    """ftrace takes a word or a line from each write(2): a Python file repeats them to the end."""
    def do():
        with open(TRACING + "/" + name, "w") as f:
            f.write(text)
    return error_of(do)


TRACED = ("do_writepages", "submit_bio_noacct", "jbd2_journal_dirty_metadata",
          "jbd2_journal_commit_transaction")
STEPS = (("events/block/enable", "1"), ("events/iobcycles/enable", "1"),
         ("current_tracer", "function"), ("events/block/enable", "0"),
         ("events/iobcycles/enable", "0"), ("current_tracer", "nop"), ("trace", "0"))


def tracers_begin():
    if not os.path.exists(TRACING + "/current_tracer"):
        subprocess.run(["mount", "-t", "tracefs", "tracefs", TRACING], check=True)
    same("a probe event", traced("kprobe_events", "p:iobcycles/pages do_writepages\n"), "")
    same("what to trace", traced("set_ftrace_filter", " ".join(TRACED) + "\n"), "")


def traces():
    """Steps at any time: before, during and after each step of a cycle."""
    for name, text in STEPS:
        said = traced(name, text)
        check(not said, "writing %r to %s gives %s" % (text, name, said))
        with open(TRACING + "/trace", "rb") as f:
            f.read(1 << 16)
        time.sleep(0.3)


def tracers_end():
    for name, text in STEPS[3:]:
        same("ending the tracers", traced(name, text), "")
    same("no filter", traced("set_ftrace_filter", ""), "")
    same("no probe event", traced("kprobe_events", ""), "")


# seconds between two passes
READERS = ((polls_iolog, 0.05), (reads_pipes, 0.2), (reads_bins, 0.1), (reads_rest, 0.7),
           (changes, 0.3))


class Company:
    """All that runs beside the cycles."""

    def __init__(self):
        if os.path.exists(STOP):
            os.remove(STOP)
        tracers_begin()
        self.loads = [(child(load_of, job, SCRATCH + "/runs%d" % n), SCRATCH + "/runs%d" % n)
                      for n, job in enumerate(JOBS)]
        gate[0] = 1
        self.readers = [child(forever, do, pause) for do, pause in READERS]
        self.tracer = child(forever_traces)

    def alive(self):
        for pid in [pid for pid, _ in self.loads] + self.readers + [self.tracer]:
            check(os.waitpid(pid, os.WNOHANG) == (0, 0), "a process has ended")

    def end(self):
        end_all(self.readers + [self.tracer])
        tracers_end()
        open(STOP, "w").close()
        runs = []
        for pid, out in self.loads:
            wait_for(pid)
            with open(out) as f:
                runs.append(int(f.read()))
        print("verified runs of fio, for each job:", runs)
        check(min(runs) > 0, "no run of fio has ended")


def forever_traces():
    while True:
        traces()


def end_all(pids):
    for pid in pids:
        os.kill(pid, signal.SIGTERM)
    for pid in pids:
        _, how = os.waitpid(pid, 0)
        check(how == signal.SIGTERM, "a process ended with status %#x" % how)


# --- the cycles: by system calls, as insmod and rmmod take longer to start than to run
libc = ctypes.CDLL(None, use_errno=True)
FINIT_MODULE, DELETE_MODULE = 313, 176  # of amd64


def load(parameters):
    fd = os.open(os.environ["IOB_KO"], os.O_RDONLY)
    done = libc.syscall(FINIT_MODULE, fd, parameters.encode(), 0)
    os.close(fd)
    check(done == 0, "loading: %s" % os.strerror(ctypes.get_errno()))


def unload():
    """True if the module is gone, False if it is in use."""
    if libc.syscall(DELETE_MODULE, b"ioblame", os.O_NONBLOCK) == 0:
        return True
    error = ctypes.get_errno()
    check(error == errno.EAGAIN, "unloading: %s" % os.strerror(error))
    return False


times = {"load": [], "enable": [], "disable": [], "unload": []}
refused = enabled = 0


def timed(what, do, *args):
    at = time.monotonic()
    done = do(*args)
    times[what].append(time.monotonic() - at)
    return done


def gone():
    """Unload.  The first attempt comes while readers have files open, most times."""
    global refused
    at = time.monotonic()
    while not timed("unload", unload):
        times["unload"].pop()
        gate[0] = 1
        refused += 1
        check(time.monotonic() - at < 60, "the module stays in use")
        time.sleep(0.005)
    gate[0] = 1
    check(not os.path.exists(IOB), "the folder remains after the unload")


def cycle(nr):
    global enabled
    # grace periods of either kind
    put(EXPEDITED, str(int(dice.randrange(4) > 0)))
    gate[0] = 0
    timed("load", load, "check_stacks=1" if nr % 4 == 0 else "")
    write_error("devs", raw.name + " " + ext.name, os.O_TRUNC)
    # in every tenth, files are open through disable, and while the unload is refused
    held = []
    waiting = []
    if nr % 10 == 1:
        held = [os.open(path(n), os.O_RDONLY) for n in ("status", "iolog", "intents", "roles")]
        waiting = [child(forever, waits_for_iolog, 0.1) for _ in range(2)]
    for n in range(dice.randrange(2, 5) if nr % 10 == 1 else 1):
        if n:
            timed("disable", put, "enable", "0")
        timed("enable", put, "enable", "1")
        enabled += 1
        time.sleep(dice.choice((0, 0, 0.02, 0.05)))
    # a third are unloaded while enabled
    if dice.randrange(3):
        timed("disable", put, "enable", "0")
    if held:
        check(not unload(), "it is unloaded with files open")
        end_all(waiting)
    for fd in held:
        os.close(fd)
    gone()


def cycles():
    """One round.  Return how many cycles, and the seconds they took."""
    company = Company()
    started = time.monotonic()
    done = 0
    while done < WANTED and not (done >= FLOOR and time.monotonic() - started > SECONDS):
        cycle(done)
        done += 1
        if done % 10 == 0:
            company.alive()
    took = time.monotonic() - started
    company.end()
    put(EXPEDITED, "0")
    print("%d cycles in %.0f s, %d enablings, %d refused unloads" % (done, took, enabled, refused))
    for what, secs in times.items():
        secs.sort()
        print("%s: %d, median %.0f ms, longest %.0f ms, in all %.1f s"
              % (what, len(secs), secs[len(secs) // 2] * 1000, secs[-1] * 1000, sum(secs)),
              flush=True)
        secs.clear()
    check(done >= FLOOR, "only %d cycles in %.0f s" % (done, took))
    check(refused > 0, "no unload was refused: no reader had a file open")
    return done, took


def soak():
    """Rounds, each followed by a look at the memory.  The first one fills what is kept."""
    begun, done = time.monotonic(), 0
    first = None
    for nr in range(ROUNDS):
        some, took = cycles()
        done += some
        held = memory.now()
        if first is None:
            first, at_first = held, done
        grown = memory.grown(first, held, done - at_first)
        with open(sys.argv[6], "a", encoding="ascii") as f:
            json.dump({"cycles": done, "seconds": time.monotonic() - begun, "took": took,
                       "refused": refused, "memory": held, "grown": grown}, f)
            f.write("\n")
        print("round %d: %d cycles, grown: %r" % (nr, done, grown), flush=True)
        check(not grown, "memory grows: %r" % grown)


if ROUNDS:
    soak()
else:
    cycles()

# --- fio has lost nothing, the file system neither
subprocess.run(["umount", MNT], check=True)
code, said = output("e2fsck", "-fn", ext.node)
check(code == 0, "e2fsck: " + said)

# --- after all this ioblame still works
load("")
put("devs", raw.name)
before = raw.stat()
enable()
raw.direct_write(0, 65536, 20)
raw.direct_read(0, 4096, 10)
after = raw.stat()
s = status()
same("inflight", s["inflight"], "0")
same("losses", s["lost"], {})
same("bytes written", s["disk %s W" % raw.name]["bytes"], after["Wb"] - before["Wb"])
same("bytes read", s["disk %s R" % raw.name]["bytes"], after["Rb"] - before["Rb"])
same("entries", len(iolog_now()), 30)
disable()
check(unload(), "the last unload is refused")
