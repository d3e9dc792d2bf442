# SPDX-License-Identifier: GPL-2.0
"""The body of interface/pipe."""
import os
import sys
import time

from lib import abi, counters
from lib.case import (M, SLOWNESS, Delayed, Disk, NullBlk, buffer, check, child, counted, disable,
                      enable, error_of, eventually, iolog_now, path, pipe, put, read, read_bytes,
                      read_fd, replace, run, same, status, takes, value, wait_for)

disk = Disk(sys.argv[1])
PIPES = "counters_pipe", "counters_pipe_bin"


# The flusher stays asleep. (0 would wake it at each dirtied inode, and on a disk without a
# history any dirty page exceeds the limit.)
INTERVAL = "/proc/sys/vm/dirty_writeback_centisecs"
periodic = replace(INTERVAL, "60000")
put("devs", disk.name)
put("nr_counters", "2")
put("counters/0", "W size 0 4096 8192 16384 32768 65536 131072 262144 0")
put("counters/1", "R size 0 4096 8192 16384 32768 65536 131072 262144 0")
enable()

# --- one opener over both


def busy(name):
    return error_of(lambda: os.close(os.open(path(name), os.O_RDONLY)))


for name in PIPES:
    fd = os.open(path(name), os.O_RDONLY)
    same("more openers", [busy(n) for n in PIPES + PIPES], ["EBUSY"] * 4)
    other = os.dup(fd)
    os.close(fd)
    same("more openers while a copy is open", [busy(n) for n in PIPES], ["EBUSY"] * 2)
    os.close(other)
    same("then", [busy(n) for n in PIPES], ["", ""])

# --- a process that does IO on command, so that its acts are always the same


class Worker:
    def __init__(self):
        self.tell, self.said = os.pipe(), os.pipe()
        self.pid = child(self.work)
        self.who = "pid-%d" % self.pid

    def work(self):
        bufs = {size: buffer(size) for size in (512, 4096, 8192)}
        fd = disk.open()
        while True:
            for letter in os.read(self.tell[0], 1).decode():
                if letter == "q":
                    os._exit(0)
                size = {"s": 512, "m": 4096, "l": 8192}[letter.lower()]
                if letter.isupper():
                    os.preadv(fd, [bufs[size]], 0)
                else:
                    os.pwritev(fd, [bufs[size]], 0)
                os.write(self.said[1], b"x")

    def do(self, letters):
        for letter in letters:
            os.write(self.tell[1], letter.encode())
            os.read(self.said[0], 1)

    def end(self):
        os.write(self.tell[1], b"q")
        wait_for(self.pid)


a, b = Worker(), Worker()
a.do("ssmmmS")
b.do("lL")
acts = pipe()
same("who", {x["who"] for x in acts}, {a.who, b.who})
same("counts of a", counted(acts, a.who),
     {0: [2, 3, 0, 0, 0, 0, 0, 0], 1: [1, 0, 0, 0, 0, 0, 0, 0]})
same("counts of b", counted(acts, b.who),
     {0: [0, 0, 1, 0, 0, 0, 0, 0], 1: [0, 0, 1, 0, 0, 0, 0, 0]})
same("nothing new since", pipe(), [])
same("nor in binary", read_bytes("counters_pipe_bin"), b"")
b.do("l")
acts = pipe()
same("who is new since", [x["who"] for x in acts], [b.who])
same("counts are never reset", counted(acts, b.who)[0], [0, 0, 2, 0, 0, 0, 0, 0])
# IO while the file is open shows at the next opening at the latest
fd = os.open(path("counters_pipe"), os.O_RDONLY)
same("nothing new at opening", read_fd(fd), b"")
a.do("l")
os.close(fd)
acts = pipe()
same("IO since the last opening", counted(acts, a.who)[0], [2, 3, 1, 0, 0, 0, 0, 0])

# --- text and binary
a.do("sSmMlL")
b.do("sSmMlL")
text = pipe()
a.do("sSmMlL")
b.do("sSmMlL")
data = read_bytes("counters_pipe_bin")
binary = counters.parse_bin(data)
same("the acts in binary", [(x["int"], x["dev"], x["ino"], x["gen"]) for x in binary],
     [(x["int"], x["dev"], x["ino"], x["gen"]) for x in text])
same("their ids", ["pid-%d" % x["id"] for x in binary], [x["who"] for x in text])
for t, x in zip(text, binary):
    same("one more of each", [[v - o for v, o in zip(n, m)] for n, m in zip(x["hist"], t["hist"])],
         [[1, 1, 1, 0, 0, 0, 0, 0] if sum(m) else [0] * 8 for m in t["hist"]])
same("bytes of a record", {len(r) for r in abi.PIPE.raw(data)}, {abi.PIPE.size + 2 * 8 * 4})
same("dev", {x["dev"] for x in binary}, {disk.dev})

# --- a seek takes the number of an act; within a record the position is that number
a.do("sS")
b.do("sS")
fd = os.open(path("counters_pipe"), os.O_RDONLY)
numbers, at = [], 0
while True:
    os.lseek(fd, at, os.SEEK_SET)
    if not os.read(fd, 1):
        break
    numbers.append(os.lseek(fd, 0, os.SEEK_CUR))
    at = numbers[-1] + 1
os.lseek(fd, 0, os.SEEK_SET)
whole = counters.parse(read_fd(fd).decode())
same("acts found by seeking", len(numbers), len(whole))
check(numbers == sorted(set(numbers)) and numbers[0] >= 2, "numbers %r" % numbers)
for n, nr in enumerate(numbers):
    os.lseek(fd, nr, os.SEEK_SET)
    same("from act %d on" % nr, counters.parse(read_fd(fd).decode()), whole[n:])
    os.lseek(fd, nr + 1, os.SEEK_SET)
    same("after act %d" % nr, counters.parse(read_fd(fd).decode()), whole[n + 1:])
os.lseek(fd, 0, os.SEEK_END)
same("behind the last", os.read(fd, 100), b"")
# tiny buffers
os.lseek(fd, 0, os.SEEK_SET)
same("in pieces of 7", counters.parse(read_fd(fd, 7).decode()), whole)
os.close(fd)
a.end()
b.end()

# --- reclaiming: a worker frees after the TTL what was read
iolog_now()
many = [run(disk.direct_write, 0, 4096) for _ in range(20)]


def pids():
    return {line.split()[1] for line in read("roles").splitlines()[1:]}


acts, roles = int(value("nr_acts")), int(value("nr_roles"))
same("all writers have roles", {str(p) for p in many} - pids(), set())
same("nr_roles", roles, len(read("roles").splitlines()) - 1)
pipe()
same("reclaimed within the TTL", status()["reclaimed"], "roles=0 acts=0 causes=0")

# One more writer, whose page stays dirty as long as the disk is held open: the last close
# would write it
held = disk.open(os.O_RDWR)


def dirty(offset):
    fd = disk.open(os.O_RDWR)
    os.pwrite(fd, b"d" * 4096, offset)
    os.close(fd)


late = run(dirty, 8 * M)


def gone():
    return {k: int(n) for k, n in (w.split("=") for w in status()["reclaimed"].split())}


def reclaimed_all():
    return gone()["roles"] >= 22 and gone()["acts"] >= 22


acts, roles = int(value("nr_acts")), int(value("nr_roles"))
unread = run(disk.direct_write, 0, 4096)
takes("ttl_secs", "1", "1")
eventually("causes are reclaimed without a reader", lambda: gone()["causes"] >= 20)
check(str(unread) in pids(), "the role of an act that nobody has read was reclaimed")
for _ in range(2):
    pipe()
eventually("what was read is reclaimed", reclaimed_all)
eventually("the worker is done", lambda: int(value("nr_acts")) == 2)
print("reclaimed:", gone())
eventually("no exited writer has a role",
           lambda: not {str(p) for p in many + [unread]} & pids())
same("the dirty page's", str(late) in pids(), True)
# (a pass counts what it has freed at its end)
eventually("nr_acts is less by what was reclaimed",
           lambda: int(value("nr_acts")) == acts + 1 - gone()["acts"])
eventually("nr_roles is less by what was reclaimed",
           lambda: int(value("nr_roles")) == roles + 1 - gone()["roles"])
# Others reuse the numbers; the dirty page keeps its cause
more = [run(disk.direct_write, 0, 4096) for _ in range(30)]
iolog_now()
os.sync()
e = [e for e in iolog_now() if e.sector == 8 * M // 512]
same("the entry of the page", [(x.who, x.bytes, x.how) for x in e],
     [("pid-%d" % late, 4096, "exact")])
acts = counted(pipe(), "pid-%d" % late)
same("its counts", acts[0], [0, 1, 0, 0, 0, 0, 0, 0])
os.posix_fadvise(held, 0, 0, os.POSIX_FADV_DONTNEED)
pipe()
pipe()
# (after two passes of a worker, which may take one part in a hundred of a CPU's time)
eventually("its role goes, once it is written", lambda: str(late) not in pids(), 20 * SLOWNESS)
same("losses", {k: v for k, v in status()["lost"].items()}, {})

# --- an IO in flight whose cause is reclaimed is charged to `lost`, to no other role
if sys.argv[2]:
    # It is in flight until it is released. A cause goes when a worker takes its turn: once in
    # hundred times the CPU time of the last one. (A task that waits for 120 * SLOWNESS seconds is
    # reported as hung.)
    below = NullBlk(sys.argv[2], 0)
    slow = Delayed(sys.argv[2], below, 100 * SLOWNESS)
    put("devs", slow.name)
    pid = child(slow.direct_write, 1 * M, 4096)
    eventually("the slow IO is in flight", lambda: status()["inflight"] != "0")
    before, began = int(value("stats/act_lost")), time.monotonic()
    eventually("all causes are gone", lambda: value("nr_causes") == "0")
    print("causes are gone after %.1f s" % (time.monotonic() - began))
    # others, which take the numbers of the causes that are gone
    run(disk.direct_write_in_threads, 2 * M, 4096, 30)
    iolog_now()
    same("the slow IO is still in flight", status()["inflight"], "1")
    slow.release()
    wait_for(pid)
    e = [e for e in iolog_now() if e.disk == slow.name]
    same("the slow IO", [(x.who, x.comm, x.how, x.intent, x.bytes, x.sub) for x in e],
         [("pid-0", "lost", "lost", abi.CONSTANTS["IOB_INTENT_LOST"], 4096, pid)])
    same("act_lost", int(value("stats/act_lost")), before + 1)
    same("lost bytes", status()["disk %s W" % slow.name]["lost"], 4096)
else:
    print("an IO in flight while its act is reclaimed: not tested, no null_blk or dm_delay")
disable()
os.close(held)

# --- max_acts is reached: counters lose the file, but not the role
put("devs", disk.name, os.O_TRUNC)
if sys.argv[2]:
    slow.remove()
    below.remove()
put("ttl_secs", "120")
takes("max_acts", "4", "4")
enable()
for _ in range(10):
    run(disk.direct_write, 0, 4096)
acts = pipe()
check(int(value("stats/idx_nospc")) >= 9, "idx_nospc is %s" % value("stats/idx_nospc"))
same("all are counted", sum(sum(x["hist"][0]) for x in acts), 10)
same("for ten roles", len({x["who"] for x in acts if x["who"] != "pid-0"}), 10)
same("without a file", len([x for x in acts if not x["dev"]]), 9)
same("known in status", status()["known"],
     "role+intent+file=4096 role+file=0 role=%d nomem=0 lost=0" % (9 * 4096))
same("entries of the log", {e.how for e in iolog_now() if e.op == "W"}, {"exact"})
same("bytes", status()["disk %s W" % disk.name]["bytes"], 10 * 4096)
run(disk.direct_write, 0, 4096)
disable()
same("one is counted after disabling", sum(sum(x["hist"][0]) for x in pipe()), 1)
put("max_acts", "65536")
put(INTERVAL, periodic)
