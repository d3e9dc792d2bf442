# SPDX-License-Identifier: GPL-2.0
"""The body of lifetime/cycles."""
import errno
import os
import random
import re
import select
import signal
import subprocess
import sys
import time

from lib import abi, counters, tracing
from lib.case import (IOB, M, MNT, SCRATCH, Disk, check, child, disable, enable, eventually,
                      iolog_now, kernel_memory, output, path, put, read, read_bytes, same, status,
                      wait_for, write_error)

raw, ext = Disk(sys.argv[1]), Disk(sys.argv[2])
WANTED, SECONDS, LEAST = (int(n) for n in sys.argv[3:])
seed = random.randrange(1 << 30)
print("seed %d" % seed)
dice = random.Random(seed)

# --- fio: direct, buffered and mmap; each run writes all and verifies all
STOP = SCRATCH + "/stop"
COMMON = ["--minimal", "--verify=crc32c", "--verify_fatal=1", "--group_reporting", "--rw=randwrite",
          "--rate_iops=80"]
JOBS = (
    ["--name=direct", "--filename=" + raw.node, "--direct=1", "--ioengine=libaio", "--iodepth=8",
     "--bs=8k", "--size=4M", "--numjobs=2", "--offset_increment=32M"],
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


# what a first load fills stays
subprocess.run(["insmod", os.environ["IOB_KO"]], check=True)
put("devs", raw.name + " " + ext.name)
enable()
disable()
subprocess.run(["rmmod", "ioblame"], check=True)
memory_before = kernel_memory()
loads = [(child(load_of, job, SCRATCH + "/runs%d" % n), SCRATCH + "/runs%d" % n)
         for n, job in enumerate(JOBS)]

# --- processes that read, and that change settings, all the time
# EIO: what debugfs says of a file that is gone
ALLOWED = errno.ENOENT, errno.EBUSY, errno.EAGAIN, errno.EINVAL, errno.ENODEV, errno.EIO


def forever(do):
    while True:
        try:
            do()
        except OSError as e:
            check(e.errno in ALLOWED, repr(e))
        time.sleep(0.1)


def reads_iolog():
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
        for _ in range(5):
            if p.poll(50):
                os.read(fd, 4096)
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
        for _ in range(10):
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
            if not re.match(r"iolog|counters_pipe|role_id", name):
                read(folder + "/" + name)
    fd = os.open(path("intents"), os.O_RDONLY)
    os.lseek(fd, 0, os.SEEK_END)
    os.read(fd, 100)
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
        try:
            write_error(name, text, flags)
        except OSError:
            pass  # the file of a counter that is not there
        time.sleep(0.01)


# --- in every fourth load others trace and probe what ioblame hooks, from before it comes until
# it is gone


class Tracers:
    def __init__(self):
        known = read(tracing.TRACING + "available_filter_functions").split()
        self.names = [n for n in ("do_writepages", "submit_bio_noacct", "do_get_write_access",
                                  "jbd2_journal_commit_transaction") if n in known]

    def on(self):
        tracing.put("set_ftrace_filter", "\n".join(self.names))
        tracing.put("current_tracer", "function_graph")
        tracing.put("kprobe_events", "".join("p:iobtest/p%d %s\nr:iobtest/r%d %s\n" % (n, f, n, f)
                                             for n, f in enumerate(self.names)))
        tracing.put("events/iobtest/enable", "1")

    def off(self):
        tracing.put("events/iobtest/enable", "0")
        tracing.put("kprobe_events", "")
        tracing.put("current_tracer", "nop")
        tracing.put("set_ftrace_filter", "")


WORK = (reads_iolog, reads_iolog, polls_iolog, reads_pipes, reads_bins, reads_rest, changes)

# --- the cycles


def rmmod():
    code, said = output("rmmod", "ioblame")
    return said if code else ""


def alive(pids):
    for pid, _ in pids:
        check(os.waitpid(pid, os.WNOHANG) == (0, 0), "fio has ended")


loaded = enabled = busy = 0
times = {"insmod": [], "enable": [], "disable": [], "rmmod": []}


def timed(what, do, *args):
    at = time.monotonic()
    done = do(*args)
    times[what].append(time.monotonic() - at)
    return done


started = time.monotonic()
tracers = Tracers()
traced = 0


def over():
    return loaded >= min(LEAST, 4) and time.monotonic() - started > SECONDS


# a cycle: load, enable and disable once or more, unload
while loaded < WANTED and not over():
    with_tracers = loaded % 4 == 0
    if with_tracers:
        tracers.on()
        traced += 1
    timed("insmod", subprocess.check_call, ["insmod", os.environ["IOB_KO"], "check_stacks=1"])
    loaded += 1
    put("devs", raw.name + " " + ext.name)
    put("nr_counters", "2")
    put("sums", str(loaded % 2))
    put("counters/0", "RAW size 0 1 4096 8192 16384 32768 65536 131072 0")
    # five of six loads are short, without readers; every sixth has them all
    crowded = loaded % 6 == 1
    readers = [child(forever, do) for do in WORK] if crowded else []
    held = [os.open(path(n), os.O_RDONLY) for n in ("status", "iolog", "intents", "roles")]
    times_on = dice.randrange(4, 8) if crowded else dice.randrange(1, 3)
    for n in range(times_on):
        timed("enable", put, "enable", "1")
        if n == 0 and not crowded:
            held += [os.open(path("iolog_bin%d" % c), os.O_RDONLY) for c in range(2)]
        time.sleep(dice.choice((0, 0, 0.02, 0.1)))
        # a third are unloaded while enabled
        if n + 1 < times_on or dice.randrange(3):
            timed("disable", put, "enable", "0")
        enabled += 1
    said = rmmod()
    check("in use" in said or "busy" in said.lower(), "rmmod with files open says %r" % said)
    busy += 1
    for pid in readers:
        os.kill(pid, signal.SIGTERM)
    for pid in readers:
        _, how = os.waitpid(pid, 0)
        check(how == signal.SIGTERM, "a reader ended with status %#x" % how)
    for fd in held:
        os.close(fd)
    said = timed("rmmod", rmmod)
    check(not said, "rmmod says " + said)
    check(not os.path.exists(IOB), "the folder remains after rmmod")
    if with_tracers:
        tracers.off()
    alive(loads)
took = time.monotonic() - started
print("%d loads, %d of them under tracers, %d enablings, %d refused unloads in %.0f s"
      % (loaded, traced, enabled, busy, took))
for what, secs in times.items():
    secs.sort()
    print("%s: %d, median %.0f ms, longest %.0f ms, in all %.1f s"
          % (what, len(secs), secs[len(secs) // 2] * 1000, secs[-1] * 1000, sum(secs)))
check(loaded >= LEAST, "only %d of %d cycles in %.0f s" % (loaded, LEAST, took))

# --- fio has lost nothing, the file system neither
open(STOP, "w").close()
for pid, out in loads:
    wait_for(pid)
runs = []
for pid, out in loads:
    with open(out) as f:
        runs.append(int(f.read()))
print("verified runs of fio, for each job:", runs)
check(min(runs) > 0, "no run of fio has ended")
subprocess.run(["umount", MNT], check=True)
code, said = output("e2fsck", "-fn", ext.node)
check(code == 0, "e2fsck: " + said)
eventually("the memory is back", lambda: kernel_memory() - memory_before < 8 * M)

# --- after all this ioblame still works
subprocess.run(["insmod", os.environ["IOB_KO"]], check=True)
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
same("the last rmmod", rmmod(), "")
