# SPDX-License-Identifier: GPL-2.0
"""The body of scale/reclaim."""
import os
import sys
import time

from lib import abi
from lib.case import (MNT, Disk, buffer, check, child, disable, enable, eventually, iolog_now,
                      looks, next_pid_is, path, pipe, put, read, read_bytes, run, same, sync,
                      value, wait_for)
from lib.crowd import one_each, show_status, verdict, wanted, wanted_same
from lib.sums import Sums

disk, raw = Disk(sys.argv[1]), Disk(sys.argv[2])
KIND = {word: nr for nr, (_, word) in enumerate(abi.LISTS["IOB_ROLE_KINDS"])}


def pids():
    return {int(line.split()[0]) for line in read("roles").splitlines()[1:]}


# --- a role first made when its task has exited: the last reference to an unlinked file goes then
def holds(fd, go):
    os.read(go, 1)
    os._exit(0)


def late_roles(nr):
    made = []
    for n in range(nr):
        name = "%s/gone%d" % (MNT, n)
        fd = os.open(name, os.O_RDWR | os.O_CREAT, 0o600)
        os.pwrite(fd, b"g" * 65536, 0)
        os.fsync(fd)
        go = os.pipe()
        pid = child(holds, fd, go[0])
        os.unlink(name)
        os.close(fd)
        os.write(go[1], b"x")
        wait_for(pid)
        os.close(go[0])
        os.close(go[1])
        made.append(pid)
    # this process is the last one that changes the bitmaps and the like
    with open(MNT + "/last", "wb", buffering=0) as f:
        f.write(b"l" * 65536)
    os.unlink(MNT + "/last")
    sync()
    return set(made)


def freed(wanted_gone, seconds):
    """Those that are there after so long: a worker frees, without any reader.  It may take one part
    in a hundred of a CPU's time, so it comes seldom where a look takes long."""
    for _ in looks(seconds, 0.5):
        there = wanted_gone & pids()
        if not there:
            break
    return there


put("devs", disk.name)
put("ttl_secs", "1")
enable()
late = late_roles(20)
seen = late & pids()
print("roles of tasks that freed a file at their exit:", len(seen))
wanted(seen, "no task that exits has made a role")
left = freed(late, 10)
wanted_same("of these, roles that nothing frees", len(left), 0)
disable()

# --- a reader of counters_pipe stops in the middle: acts of others are freed all the same
put("devs", raw.name)
put("nr_counters", "1")
put("counters/0", "W size 0 1 1024 2048 4096 8192 16384 32768 0")
# (what was used within two or three seconds stays in any case)
LIMIT, ROUNDS, EACH = 512, 14, 64
put("max_acts", str(LIMIT))
put("max_roles", str(LIMIT))
enable()
raw.direct_write(0, 4096, 4)
stopped = os.open(path("counters_pipe"), os.O_RDONLY)
os.read(stopped, 10)


fd, page = raw.open(), buffer(4096)
for _ in range(ROUNDS):
    # how long a pass takes is the machine's affair: its grace periods
    eventually("roles and acts are freed, so that there is room for the next",
               lambda: all(int(value("nr_" + what)) <= LIMIT - EACH - 2
                           for what in ("roles", "acts")), 30)
    one_each(fd, page, EACH)
iolog = [e for e in iolog_now() if e.op == "W" and e.bytes == 4096]
same("writes in the log", len(iolog), ROUNDS * EACH + 4)
lost = [e for e in iolog if e.comm == "nomem"]
wanted_same("of %d writes, %d at most at a time, those without a role" % (ROUNDS * EACH, EACH),
            len(lost), 0)
show_status()
os.close(stopped)
os.close(fd)
disable()
put("max_acts", "65536")
put("max_roles", "65536")

# --- sums are what is short: acts, of which there is room for more, are freed for them
put("nr_counters", "0")
put("ttl_secs", "3600")
put("sums", "1")
put("max_sums", str(LIMIT // 2))
enable(log=False)
fd = raw.open()
for _ in range(ROUNDS // 2):
    # (there are no special ones; with one less than three quarters none is freed)
    eventually("sums are freed, so that there is room for the next",
               lambda: int(value("nr_sums")) <= LIMIT // 2 - EACH, 30)
    one_each(fd, page, EACH)
check(ROUNDS // 2 * EACH > LIMIT // 2, "there is room for all")
same("IOs without a sum of their own", value("stats/sum_nospc"), "0")
os.close(fd)
disable()

# --- a reader with long intervals misses none of the sums that go for want of room
put("max_sums", str(2 * EACH))
enable(log=False)
reader = Sums()
reader.next()
fd = raw.open()
for _ in range(3):
    one_each(fd, page, EACH)
    one_each(fd, page, EACH)
    # (longer than a sum must have been idle to go)
    time.sleep(5)
    reader.next()
wanted([n for n in reader.gone], "no sum went")
wanted_same("writes that a reader of sums_bin has seen", reader.all().get("W", [0])[0],
            3 * 2 * EACH)
wanted_same("sums that it has missed", value("stats/sum_unseen"), "0")
reader.close()
os.close(fd)
disable()
put("sums", "0")
put("max_sums", "65536")
put("ttl_secs", "1")
put("nr_counters", "1")
put("counters/0", "W size 0 1 1024 2048 4096 8192 16384 32768 0")

# --- what was read of an act before it was reclaimed is not counted twice
ACTS, OTHERS, EARLIER = 64, 60, 1000
put("max_acts", str(ACTS))
enable()
seen = {}


def growth():
    """What a reader that subtracts has more than at the last reading."""
    more = 0
    for a in pipe():
        act = (a["who"], a["comm"], a["int"], a["dev"], a["ino"], a["gen"])
        now = sum(a["hist"][0])
        # (one that comes back begins at 0)
        more += now - seen.get(act, 0) if now >= seen.get(act, 0) else now
        seen[act] = now
    return more


raw.direct_write(0, 4096, EARLIER)
wanted_same("writes that were read", growth(), EARLIER)
raw.direct_write(0, 4096)
for _ in range(OTHERS):
    run(raw.direct_write, 4096, 4096)
eventually("acts that nobody has read are merged", lambda: int(value("stats/acts_merged")) > 0)
total = growth()
# (what is about to be merged shows later)
for _ in looks(10, 0.2):
    if total >= OTHERS + 1:
        break
    total += growth()
time.sleep(1)
total += growth()
me = "pid-%d" % os.getpid()
wanted([act for act in seen if act[0] == me and not act[3]], "this process' act was not merged")
wanted_same("writes since", total, OTHERS + 1)
disable()
put("max_acts", "65536")

# --- counters_pipe_bin names each kind of role, and tells a pid that is used again
enable()


def as_user():
    put("role_id", "77")
    raw.direct_write(0, 4096)


def own_cgroup():
    with open("/proc/self/cgroup", encoding="ascii") as f:
        place = [line.rstrip("\n")[3:] for line in f if line.startswith("0::")][0]
    return os.stat("/sys/fs/cgroup" + place).st_ino


def again(pid):
    """A process that has the pid of one that is gone."""
    for _ in range(50):
        next_pid_is(pid)
        if run(raw.direct_write, 8192, 4096) == pid:
            return
    check(False, "no process gets pid %d again" % pid)


wait_for(child(as_user))
first = run(raw.direct_write, 4096, 4096)
again(first)
records = list(abi.PIPE.split(read_bytes("counters_pipe_bin")))
wanted(-77 in {r.id for r in records}, "counters_pipe_bin does not name user role 77")
same_pid = [r for r in records if r.id == first and r.role_kind == KIND["thread"]]
wanted_same("acts of two processes with one pid", len(same_pid), 2)
wanted_same("beginnings of these two", len({r.start_ns for r in same_pid if r.start_ns}), 2)
disable()
put("role", "cgroup")
enable()
run(raw.direct_write, 4096, 4096)
records = list(abi.PIPE.split(read_bytes("counters_pipe_bin")))
kinds = {(r.role_kind, r.cgroup) for r in records if any(r.cnts)}
wanted_same("role and cgroup of a cgroup's acts", kinds, {(KIND["cgroup"], own_cgroup())})
disable()
put("role", "thread")
verdict()
