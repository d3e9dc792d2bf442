# SPDX-License-Identifier: GPL-2.0
"""The body of failure/oom."""
import mmap
import os
import signal
import sys
import time

from lib.case import (LIBC, MNT, SLOWNESS, K, M, Disk, check, child, disable, drop_caches,
                      enable, eventually, iolog_now, put, read, same, status, sync, takes)

disk = Disk(sys.argv[1])
GROUPS = "/sys/fs/cgroup"
TOP = GROUPS + "/ioboom"
LIMIT, WRITTEN, MAPPED = 24 * M, 2 * M, 512 * K
ROUNDS = 3		# for each kind of role
MCL_CURRENT, MCL_FUTURE = 1, 2


def dying():
    rows = dict(line.split() for line in read(GROUPS + "/cgroup.stat").splitlines())
    return int(rows["nr_dying_descendants"])


# How many are still dying once all that can be freed is freed, or no more than @enough
def dying_for_good(enough):
    end = time.monotonic() + 10 * SLOWNESS
    while dying() > enough and time.monotonic() < end:
        sync()
        drop_caches()
        time.sleep(0.2)
    return dying()


def pids(group):
    return [int(p) for p in read(group + "/cgroup.procs").split()]


# Processes come and go until the group is killed
def storm(group):
    put(group + "/cgroup.procs", "0")
    while True:
        try:
            pid = os.fork()
        except OSError:
            continue  # no memory
        if not pid:
            bytearray(256 * K)
            os._exit(0)
        os.waitpid(pid, 0)


# Makes pages of a file dirty, by write and by stores, and then takes memory until it is killed
def hog(group, name):
    put(group + "/cgroup.procs", "0")
    fd = os.open(name, os.O_RDWR | os.O_CREAT, 0o600)
    for at in range(0, WRITTEN, 64 * K):
        os.pwrite(fd, b"w" * 64 * K, at)
    os.ftruncate(fd, WRITTEN + MAPPED)
    with mmap.mmap(fd, MAPPED, offset=WRITTEN) as m:
        for at in range(0, MAPPED, 4 * K):
            m[at] = 1
        taken = []
        while True:
            taken.append(b"\xaa" * M)


def end_group(group):
    def empty():
        for pid in pids(group):
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            pass
        return not pids(group)
    eventually("%s is empty" % group, empty)


# One group that runs out of memory; who must pay for which inode
def killed(n, whole_group):
    group, name = "%s/%d" % (TOP, n), "%s/%d" % (MNT, n)
    os.mkdir(group)
    put(group + "/memory.max", str(LIMIT))
    put(group + "/memory.oom.group", str(int(whole_group)))
    child(storm, group)
    pid = child(hog, group, name)
    _, how = os.waitpid(pid, 0)
    same("how the hog ends", how, signal.SIGKILL)
    events = dict(line.split() for line in read(group + "/memory.events").splitlines())
    check(int(events["oom_kill"]) > 0, "nobody was killed: %r" % events)
    end_group(group)
    return os.stat(name).st_ino, pid, os.stat(group).st_ino


def judge(role, wrote, log):
    for ino, pid, group in wrote:
        want = "pid-%d" % pid if role == "thread" else "cgroup-%d" % group
        got = {}
        for e in log:
            if e.op == "W" and e.dev == disk.dev and e.ino == ino:
                got[e.who, e.how] = got.get((e.who, e.how), 0) + e.bytes
        same("who pays, by %s, for inode %#x" % (role, ino), got,
             {(want, "exact"): WRITTEN + MAPPED})


# A page of a library that a process in a group is the first to need is the group's, and stays as
# long as this process has it mapped, too: so all of them are there before
same("mlockall", LIBC.mlockall(MCL_CURRENT | MCL_FUTURE), 0)
os.mkdir(TOP)
put(GROUPS + "/cgroup.subtree_control", "+memory")
put(TOP + "/cgroup.subtree_control", "+memory")
put("devs", disk.name)
others = dying_for_good(0)
# What the file system itself keeps for good, such as its bitmaps, is charged to the group that
# was first to need it: these groups are there for that, and run without ioblame
for n in range(ROUNDS):
    killed(n, n % 2)
    os.rmdir("%s/%d" % (TOP, n))
    os.unlink("%s/%d" % (MNT, n))
before = dying_for_good(others)
print("without ioblame: of %d groups %d are dying for good" % (ROUNDS, before - others))
check(before - others < ROUNDS, "no group is freed without ioblame either")
n = ROUNDS
for role in "thread", "cgroup":
    takes("role", role, role)
    sync()
    enable()
    log, wrote = [], []
    for i in range(ROUNDS):
        wrote.append(killed(n, i % 2))
        log += iolog_now()
        n += 1
    sync()
    judge(role, wrote, log + iolog_now())
    # the files keep the groups' memory: without them, and though roles remember the
    # groups, nothing does
    for i in range(n - ROUNDS, n):
        os.rmdir("%s/%d" % (TOP, i))
        os.unlink("%s/%d" % (MNT, i))

    # (of 24 groups one stayed for good, and of 3 that ran without ioblame: what the machine keeps.
    # A role that holds its group holds each)
    def freed():
        sync()
        drop_caches()
        return dying() <= before + 1
    print("by %s: %d groups are dying" % (role, dying() - others))
    eventually("the groups are freed, while enabled", freed, 30)
    print("by %s: %d groups are dying in the end" % (role, dying() - others))
    same("losses", {k: v for k, v in status()["lost"].items() if k == "stack_wrong"}, {})
    disable()
    before = dying()
os.rmdir(TOP)
put(GROUPS + "/cgroup.subtree_control", "-memory")
