# SPDX-License-Identifier: GPL-2.0
"""The body of interface/direct."""
import os
import sys

from lib.case import (MNT, Disk, buffer, check, counted, disable, enable, eventually, iolog_now,
                      pipe, put, replace, run, same, value)

disk = Disk(sys.argv[1])
names = [MNT + "/a", MNT + "/b"]
for name in names:
    with open(name, "wb") as f:
        f.write(b"x" * 65536)
os.sync()
inos = [os.stat(name).st_ino for name in names]
fds = [os.open(name, os.O_RDONLY | os.O_DIRECT) for name in names]
raw = disk.open(os.O_RDONLY | os.O_DIRECT)
page = buffer(4096)
me = "pid-%d" % os.getpid()


# One system call, and one place in the kernel, for whatever it reads
def get(fd, at=0):
    same("bytes read", os.preadv(fd, [page], at * 4096), 4096)


# The direct reads logged since the last call: who, which inode
def reads():
    return [(e.who, e.ino) for e in iolog_now() if e.op == "R"]


put("devs", disk.name)
put("nr_counters", "1")
put("counters/0", "RWAF size 0 1 2 3 4 5 6 7 0")
enable()
iolog_now()

# --- two files and the device by turns: one stack for ext4, one for the device
for i in range(8):
    for fd in fds[0], fds[1], fds[1], raw, raw, fds[0]:
        get(fd, i)
a, b = inos
same("files by turns", reads(), [(me, i) for i in (a, b, b, 0, 0, a)] * 8)

# --- two system calls that end in the same functions: each has an intent


def seek_and_read(fd, at):
    os.lseek(fd, at, os.SEEK_SET)
    same("bytes read", os.readv(fd, [page]), 4096)


calls = [lambda at: os.preadv(raw, [page], at), lambda at: seek_and_read(raw, at)]
turns = [0, 0, 0, 1, 1, 1, 0, 1] * 8
for i, call in enumerate(turns):
    calls[call](i * 4096)
intents = [e.intent for e in iolog_now() if e.op == "R"]
same("reads by two calls", len(intents), len(turns))
same("intents of two calls", intents, [intents[0] if t == 0 else intents[3] for t in turns])
check(intents[0] != intents[3], "two calls have one intent")

# --- other roles, with a buffered write between (which looks the role up)
want = []
buffered = os.open(names[0], os.O_RDWR)
for nr, role in enumerate(("5", "0", "6", "5", "5", "0")):
    put("role_id", role)
    os.pwrite(buffered, b"y", nr * 4096)
    for i in range(3):
        get(raw, i)
    want += [("user-" + role if role != "0" else me, 0)] * 3
same("roles by turns", reads(), want)

# --- another thread of the process, another process


def other():
    for i in range(3):
        get(raw, i)


pids = []
for i in range(3):
    get(raw)
    pids.append(run(other))
want = []
for pid in pids:
    want += [(me, 0)] + [("pid-%d" % pid, 0)] * 3
same("processes by turns", reads(), want)

# --- a device leaves `devs` and comes back
want = []
for i in range(3):
    get(raw)
    put("devs", "!" + disk.name)
    get(raw)
    put("devs", disk.name, os.O_TRUNC)
    get(raw)
    want += [(me, 0)] * 2
same("while it was watched", reads(), want)

# --- acts that are reclaimed between two IOs


# What was read goes, but for the two acts that are always there
def all_reclaimed():
    pipe()
    return int(value("nr_acts")) == 2


# (what comes after this program holds IO up, which may take longer)
ttl = replace("ttl_secs", "1")
for i in range(2):
    get(raw)
    eventually("all acts are reclaimed", all_reclaimed, 60)
    get(raw)
same("before and after acts were reclaimed", reads(), [(me, 0)] * 4)
same("stats/act_lost", value("stats/act_lost"), "0")
same("what is counted of the last one", sum(counted(pipe(), me)[0]), 1)
same("stats/stack_wrong", value("stats/stack_wrong"), "0")
disable()
put("ttl_secs", ttl)
