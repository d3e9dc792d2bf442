# SPDX-License-Identifier: GPL-2.0
"""The body of failure/killed."""
import errno
import os
import pty
import random
import re
import select
import signal
import sys
import time

from lib import abi
from lib.case import (IOB, MNT, SCRATCH, SLOWNESS, Disk, K, M, buffer, check, disable, enable,
                      eventually, iolog_now, kernel_memory, kill, output, path, put,
                      read_bytes, read_fd, same, status, value, write_error)

disk = Disk(sys.argv[1])
SECONDS = int(sys.argv[2]) * SLOWNESS
REFS = "/sys/module/ioblame/refcnt"
COMMAND = os.environ["IOB_BIN"] + "/ioblame"
READERS = 16
seed = random.randrange(1 << 30)
print("seed %d" % seed)
dice = random.Random(seed)
# EIO: what debugfs says of a file that is gone
ALLOWED = errno.ENOENT, errno.EBUSY, errno.EAGAIN, errno.EINVAL, errno.ENODEV, errno.EIO


# --- each of these is killed somewhere inside

def forever(do, *args):
    while True:
        try:
            do(*args)
        except OSError as e:
            check(e.errno in ALLOWED, repr(e))
        time.sleep(0.005)


def reads(name, size=64 * K):
    fd = os.open(path(name), os.O_RDONLY)
    while os.read(fd, size):
        pass
    os.close(fd)


# The file stays open, half read.  sums_bin gives whole records only.
def holds(name):
    fd = os.open(path(name), os.O_RDONLY)
    try:
        os.read(fd, abi.SUM.size if name == "sums_bin" else 10)
        time.sleep(0.2)
    finally:
        os.close(fd)


def polls(name):
    fd = os.open(path(name), os.O_RDONLY | os.O_NONBLOCK)
    try:
        p = select.poll()
        p.register(fd, select.POLLIN)
        for _ in range(10):
            if p.poll(100):
                os.read(fd, 4096)
    finally:
        os.close(fd)


def reads_all():
    for folder, _, names in os.walk(IOB):
        for name in names:
            if not re.match(r"iolog|counters_pipe", name):
                read_bytes(folder + "/" + name)


def changes():
    for name, text in (("devs", disk.name), ("role_id", "7"), ("role_id", "0"),
                       ("counters/0", "RAW size 0 4096 8192 16384 32768 65536 131072 262144 0"),
                       ("counters/0_filter", "size > 4096"), ("ttl_secs", "5"),
                       ("role", dice.choice(("thread", "process", "cgroup")))):
        write_error(name, text)


def writes(n):
    name = "%s/w%d" % (MNT, n)
    while True:
        fd = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        os.write(fd, b"k" * 32 * K)
        os.fsync(fd)
        os.close(fd)


def forked(do, *args):
    pid = os.fork()
    if pid:
        return pid
    try:
        forever(do, *args)
    finally:
        os._exit(1)


# The live view needs a terminal
def command(*words):
    if words:
        pid = os.fork()
        out = -1
    else:
        pid, out = pty.fork()
    if pid:
        if out >= 0:
            terminals[pid] = out
        return pid
    if words:
        null = os.open("/dev/null", os.O_RDWR)
        for fd in range(3):
            os.dup2(null, fd)
    os.environ["TERM"] = "linux"
    os.execv(COMMAND, (COMMAND,) + words)


# (the live view has no words)
WORDS = {
    "snoop": ("snoop", "-D", disk.name), "record": ("record", "-o", SCRATCH + "/recorded"),
    "report": ("report", "-d", "2"), "hist": ("hist", "io_time", "--by", "process", "-d", "2"),
    "stacks": ("stacks", "--svg", "-d", "2"), "top": ("top", "-b", "0.2"),
    "dirty": ("dirty", "0.1"), "sums": ("sums", "-D", disk.name, "0.1"),
    "trace": ("trace", "-D", disk.name), "sched": ("sched", "-D", disk.name, "0.2"),
    "nvme": ("nvme", "0.2"), "scsi": ("scsi", "0.2"), "advise": ("advise", "-D", disk.name),
    "export": ("export", "--format", "trace-event", "-o", SCRATCH + "/exported"),
}
WORDS.update((name, (name, "-D", disk.name, "0.2")) for name in (
    "stat", "errors", "flush", "files", "pattern"))
terminals = {}
KINDS = (
    ["%s %s" % (do.__name__, name) for do in (reads, holds, polls)
     for name in ("iolog", "iolog_bin0", "iolog_bin1")] +
    ["%s %s" % (do.__name__, name) for do in (reads, holds)
     for name in ("counters_pipe", "counters_pipe_bin", "dirty", "intents", "intents_bin",
                  "roles", "status", "sums_bin")] +
    ["reads_all", "changes"] +
    ["command"] + ["command " + name for name in WORDS])


def begin(kind):
    do, _, name = kind.partition(" ")
    if do == "command":
        return command(*WORDS.get(name, ()))
    return forked(globals()[do], *([name] if name else []))


statuses = {}


def ended(pid):
    done, status = os.waitpid(pid, os.WNOHANG)
    if done:
        statuses[pid] = status
    return done != 0


# Return: false if it has ended before.  One that does not end once it is killed hangs in the
# kernel.
def kill_at_once(pid, kind):
    before = ended(pid)
    if not before:
        os.kill(pid, signal.SIGKILL)
        eventually("%s ends once it is killed" % kind, lambda: ended(pid))
    # a command is refused if another one has changed what it needs
    check(not before or kind.startswith("command"), "%s ended by itself" % kind)
    # ioblame(8), Exit status: one that is refused says so, and never dies of a signal
    status = statuses.pop(pid)
    check(not before or os.WIFEXITED(status) and os.WEXITSTATUS(status) <= 4,
          "%s ended by itself with the wait status %#x" % (kind, status))
    if pid in terminals:
        os.close(terminals.pop(pid))
    return not before


def rounds():
    alive, killed, switched = [], {}, 0
    end = time.monotonic() + SECONDS
    while time.monotonic() < end or len(killed) < len(KINDS):
        check(time.monotonic() < end + 6 * len(KINDS) * SLOWNESS,
              "not each kind was killed: %r" % killed)
        while len(alive) < READERS:
            # what was killed least, as often as not by itself
            few = min(killed.get(k, 0) for k in KINDS)
            kind = dice.choice([k for k in KINDS if killed.get(k, 0) == few])
            alive.append((begin(kind), kind))
        if not dice.randrange(3):
            # EBUSY: changed meanwhile by another
            write_error("enable", str(dice.randrange(3) and 1))
            write_error("nr_counters", str(dice.randrange(1, 4)))
            write_error("devs", disk.name)
            # mostly on: the command sums sets it, too, and its keeper sets it back
            write_error("sums", str(dice.randrange(4) and 1))
            switched += 1
        time.sleep(dice.choice((0, 0, 0.01, 0.03, 0.1)))
        pid, kind = alive.pop(dice.randrange(len(alive)))
        if kill_at_once(pid, kind):
            killed[kind] = killed.get(kind, 0) + 1
    for pid, kind in alive:
        kill_at_once(pid, kind)
    print("killed %d, switched %d times; of each kind %s" % (
        sum(killed.values()), switched, sorted(killed.values())))


def commands():
    _, said = output("ps", "-eo", "comm=")
    return [line for line in said.splitlines() if line.startswith("ioblame")]


# Buffers of the commands trace and sched
def instances():
    return [n for n in os.listdir("/sys/kernel/tracing/instances") if n.startswith("ioblame-")]


loads = [forked(writes, n) for n in range(2)]
time.sleep(0.5)
before = kernel_memory()
same("insmod", output("insmod", os.environ["IOB_KO"], "check_stacks=1")[0], 0)
put("devs", disk.name)
put("nr_counters", "1")
put("sums", "1")
enable(log=False)
rounds()

# --- nothing is left of them
eventually("no command and no keeper runs", lambda: not commands())
same("instances of tracefs", instances(), [])
disable()
eventually("the module has no reference", lambda: value(REFS) == "0")
for name in "counters_pipe", "counters_pipe_bin":
    os.close(os.open(path(name), os.O_RDONLY))
put("devs", disk.name, os.O_TRUNC)
put("role", "thread")
put("nr_counters", "1")
# on, whatever it was set to last
put("sums", "1")
enable(log=False)
same("the logs' memory", status()["memory.log"], "0")
same("the hook that only readers want",
     [h.split()[-1] for h in status()["hooks"] if " block_rq_issue " in h], ["ready"])
disable()
for pid in loads:
    kill(pid)
os.sync()

# --- and it works
enable()
sums = os.open(path("sums_bin"), os.O_RDONLY)
fd = os.open(MNT + "/last", os.O_WRONLY | os.O_CREAT | os.O_DIRECT, 0o600)
os.pwritev(fd, [buffer(64 * K)], 0)
os.close(fd)
same("who pays", {e.who for e in iolog_now() if e.ino == os.stat(MNT + "/last").st_ino},
     {"pid-%d" % os.getpid()})
check(sum(r.bytes for r in abi.SUM.split(read_fd(sums))) >= 64 * K, "sums_bin lacks the write")
os.close(sums)
check("stack_wrong" not in status()["lost"], status()["lost"])
disable()
same("rmmod", output("rmmod", "ioblame")[0], 0)


# RCU and the kernel's workers free some of it later
def is_back():
    return kernel_memory() - before < 4 * M


def what_has_memory():
    print(output("sh", "-c", "slabtop -o -s c | head -n 25; sort -k2 -rn /proc/vmallocinfo | "
                 "head -n 20; cat /proc/meminfo")[1])


eventually("the memory is back", is_back, otherwise=what_has_memory)
