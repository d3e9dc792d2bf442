# SPDX-License-Identifier: GPL-2.0
"""The body of interface/iolog."""
import errno
import os
import re
import select
import signal
import subprocess
import sys
import time

from lib import abi, iolog
from lib.case import (K, M, MNT, BinaryLog, Disk, check, child, disable, enable, error_of,
                      eventually, fail, fsync, iolog_bins, path, pipe, put, read, read_bytes,
                      read_fd, replace, run, same, status, takes, wait_for, write_pages)

raw, ext = Disk(sys.argv[1]), Disk(sys.argv[2])
put("devs", raw.name + " " + ext.name)
LOG = path("iolog")


# What one read gives, or the name of its error
def read_once(fd):
    try:
        return os.read(fd, 65536)
    except OSError as e:
        return errno.errorcode[e.errno]


# --- disabled: end of file at once, blocking or not
for flags in 0, os.O_NONBLOCK:
    fd = os.open(LOG, os.O_RDONLY | flags)
    same("iolog while disabled", read_once(fd), b"")
    os.close(fd)


def memory():
    return int(status()["memory.log"])


def entries_of(data):
    return [(e.op, e.sector) for e in iolog.parse_text(data.decode())]


# --- by default an entry is kept only while iolog is open: no IO costs, and no memory is taken
enable(log=False)
raw.direct_write(0, 4096, 5)
same("memory of the logs that no program has opened", memory(), 0)
fd = os.open(LOG, os.O_RDONLY | os.O_NONBLOCK)
check(memory() >= 1 * M, "an open log has %d bytes" % memory())
same("entries from before the opening", read_once(fd), "EAGAIN")
raw.direct_write(1 * M, 4096, 2)
other = os.open(LOG, os.O_RDONLY | os.O_NONBLOCK)
os.close(fd)
same("entries since the opening", entries_of(read_once(other)), [("W", 2048), ("W", 2056)])
raw.direct_write(2 * M, 4096)
os.close(other)
same("memory after the last close", memory(), 0)
fd = os.open(LOG, os.O_RDONLY | os.O_NONBLOCK)
same("what the last reader left", read_once(fd), "EAGAIN")
same("losses", status()["lost"], {})
disable()
same("the end", read_once(fd), b"")

# --- a log that is open before enabling has all from the beginning
enable(log=False)
raw.direct_write(0, 4096, 3)
same("entries of a log that was open before", entries_of(read_once(fd)),
     [("W", n * 8) for n in range(3)])
raw.direct_write(1 * M, 4096, 3)
disable()
enable(log=False)
same("entries of the session before", read_once(fd), "EAGAIN")
os.close(fd)
disable()

# --- log_at_enable: entries are kept for a reader to come, until there is no more room
enable()
check(memory() >= 1 * M, "a log of the beginning has %d bytes" % memory())
raw.direct_write(0, 4096, 3)
disable()
same("entries of a session that is over", entries_of(read_bytes("iolog")),
     [("W", n * 8) for n in range(3)])
enable()
dd = ["taskset", "1", "dd", "if=" + raw.node, "of=/dev/null", "bs=512", "iflag=direct",
      "status=none"]
eventually("the log is full", lambda: not subprocess.call(dd + ["count=20000"]) and
           int(status()["lost"].get("iolog_unread", 0)) > 1000, 120)
lost = status()["lost"]
same("losses of a full log", list(lost), ["iolog_unread"])
raw.direct_read(0, 4096)
same("a full log counts on", status()["lost"]["iolog_unread"], lost["iolog_unread"] + 1)
fd = os.open(LOG, os.O_RDONLY | os.O_NONBLOCK)
count = len(entries_of(read_fd(fd)))
check(count > 20000, "a full log has %d entries" % count)
raw.direct_write(0, 4096)
same("entries once there is room", entries_of(read_once(fd)), [("W", 0)])
same("not counted any more", status()["lost"]["iolog_unread"], lost["iolog_unread"] + 1)
os.close(fd)
raw.direct_write(4096, 4096)
disable()
same("an entry after the close", entries_of(read_bytes("iolog")), [("W", 8)])

# --- logs that are not read fast enough: each counts what it has no room for; the rest has all
put("nr_counters", "1")
put("counters/0", "R size 0 512 1024 4096 8192 16384 32768 65536 0")
enable(log=False)
fd, bins = os.open(LOG, os.O_RDONLY | os.O_NONBLOCK), BinaryLog(os.O_NONBLOCK)
before = raw.stat()
eventually("both logs are full", lambda: not subprocess.call(dd + ["count=20000"]) and
           {"iolog_overflow", "iolog_bin_overflow"} <= set(status()["lost"]), 120)
after, s = raw.stat(), status()
nr, row = after["R"] - before["R"], s["disk %s R" % raw.name]
same("sums", (row["ios"], row["bytes"]), (nr, after["Rb"] - before["Rb"]))
same("a counter", sum(sum(a["hist"][0]) for a in pipe()), nr)
same("iolog", len(entries_of(read_fd(fd))) + int(s["lost"]["iolog_overflow"]), nr)
same("iolog_bin", len(bins.end()) + int(s["lost"]["iolog_bin_overflow"]), nr)
os.close(fd)
disable()
put("nr_counters", "0")

# --- O_NONBLOCK and poll
enable()
fd = os.open(LOG, os.O_RDONLY | os.O_NONBLOCK)
same("an empty iolog with O_NONBLOCK", read_once(fd), "EAGAIN")
p = select.poll()
p.register(fd, select.POLLIN)
same("poll of an empty iolog", p.poll(300), [])
started = time.monotonic()
pid = child(lambda: (time.sleep(1), raw.direct_write(1 * M, 4096)))
same("poll when there is IO", p.poll(30000), [(fd, select.POLLIN)])
check(time.monotonic() - started > 0.5, "poll returned before there was IO")
wait_for(pid)
text = read_once(fd).decode()
same("then again", read_once(fd), "EAGAIN")
same("poll after reading all", p.poll(100), [])
log = iolog.parse_text(text)
same("entries for one IO", len(log), 1)
e = log[0]
for key, want in (("op", "W"), ("bytes", 4096), ("sector", 2048), ("who", "pid-%d" % pid),
                  ("comm", "python3"), ("dev", raw.dev), ("ino", 0), ("gen", 0),
                  ("disk", raw.name), ("how", "exact"), ("sub", pid),
                  ("sub_comm", "python3"), ("modifier", 0)):
    same(key + " in " + e.line, getattr(e, key), want)
for word in "wait", "io":
    check(e.micros(word) is not None, "no %s in %r" % (word, e))
same("the words of " + e.line, list(e.words),
     ["disk", "how", "sub", "sub_comm", "wait", "io", "age"])
check(len(e.stack) > 3, "a stack of %d" % len(e.stack))
same("the first line", re.match(r"W 4096 @ 2048 pid-%d \(python3\) dev=0x%x ino=0x0 gen=0x0 " %
                                (pid, raw.dev), text) is not None, True)

# --- epoll that tells of a change only once wakes for each IO, also behind one that was there
for edge in False, True:
    ep = select.epoll()
    raw.direct_write(0, 4096)
    ep.register(fd, select.EPOLLIN | (select.EPOLLET if edge else 0))
    for n in range(4):
        same("epoll, edge %s, the %d. time" % (edge, n), ep.poll(30), [(fd, select.EPOLLIN)])
        while read_once(fd) != "EAGAIN":
            pass
        raw.direct_write(n * 4096, 4096)
    ep.close()
    while read_once(fd) != "EAGAIN":
        pass

# --- small reads give the same text; poll reports the rest of an entry
raw.direct_write(0, 8192, 3)
whole = os.read(fd, 5)
same("poll within an entry", p.poll(0), [(fd, select.POLLIN)])
whole += read_fd(fd, 5)
same("entries from pieces", [(e.sector, e.bytes) for e in iolog.parse_text(whole.decode())],
     [(n * 16, 8192) for n in range(3)])
os.close(fd)

# --- reading consumes: what one reader takes, no other gets
raw.direct_write(0, 4096, 6)
a, b = (os.open(LOG, os.O_RDONLY | os.O_NONBLOCK) for _ in "ab")
one = read_once(a)
same("entries for the first", len(iolog.parse_text(one.decode())), 6)
same("what the other gets", read_once(b), "EAGAIN")
same("the error of a seek", error_of(os.lseek, a, 0, os.SEEK_SET), "ESPIPE")
os.close(a)
os.close(b)

# --- a blocking reader gets entries as IO completes, and end of file on disabling


def reader(out):
    fd = os.open(LOG, os.O_RDONLY)
    while True:
        data = os.read(fd, 65536)
        os.write(out, data)
        if not data:
            break


# What the readers have said, until now or until all have ended
def reap(r):
    data = b""
    while select.select([r], [], [], 0)[0]:
        part = os.read(r, 65536)
        if not part:
            break
        data += part
    return data


r, w = os.pipe()
os.set_blocking(w, True)
pids = [child(reader, w) for _ in range(3)]
os.close(w)
time.sleep(0.5)
same("what blocked readers said", select.select([r], [], [], 0), ([], [], []))
raw.direct_write(2 * M, 512, 5)
text = bytearray()
eventually("five entries reach blocked readers",
           lambda: text.extend(reap(r)) or text.count(b"W 512 @ ") >= 5)
os.kill(pids[0], signal.SIGTERM)
os.waitpid(pids[0], 0)
disable()
for pid in pids[1:]:
    wait_for(pid)
text.extend(reap(r))
same("entries that three readers got", text.count(b"W 512 @ "), 5)
os.close(r)

# --- iolog_bin blocks, polls and ends as iolog does
enable()
names = iolog_bins()
fds = {os.open(path(n), os.O_RDONLY | os.O_NONBLOCK) for n in names}
same("empty iolog_bin with O_NONBLOCK", {read_once(fd) for fd in fds}, {"EAGAIN"})
same("poll of them", select.select(fds, [], [], 0.2), ([], [], []))
raw.direct_write(0, 4096)
ready = select.select(fds, [], [], 30)[0]
same("files with a record", len(ready), 1)
same("the record", [(e.op, e.sector, e.bytes) for e in abi.IOLOG.split(read_once(ready[0]))],
     [(ord("W"), 0, 4096)])


def bin_reader(name):
    fd = os.open(path(name), os.O_RDONLY)
    while os.read(fd, 4096):
        pass


raw.direct_write(8192, 4096)
fd = select.select(fds, [], [], 30)[0][0]
got = [e.sector for e in abi.IOLOG.split(read_fd(fd, 7))]
same("a record that is read in pieces", got, [16])


# --- with room for a record, a read gives whole ones; a part of one is for who has begun it
def one_cpu(count):
    """Write so many blocks from sector 32 on, until one CPU completes all.  Return: its file."""
    same("what is left", {read_once(fd) for fd in fds}, {"EAGAIN"})
    for _ in range(20):
        raw.direct_write(16 * K, 4096, count)
        ready = select.select(fds, [], [], 30)[0]
        if len(ready) == 1:
            return ready[0]
        for fd in ready:
            read_fd(fd)
    fail("no writes that complete on one CPU")


SIZE = abi.IOLOG.size
fd = one_cpu(3)
part = os.read(fd, 2 * SIZE + SIZE // 2)
same("with room for two records and a half", len(part), 2 * SIZE)
same("their sectors", [e.sector for e in abi.IOLOG.split(part)], [32, 40])
same("the third", [e.sector for e in abi.IOLOG.split(os.read(fd, 4 * SIZE))], [48])
fd = one_cpu(2)
other = os.open(os.readlink("/proc/self/fd/%d" % fd), os.O_RDONLY | os.O_NONBLOCK)
same("a part", len(os.read(other, 7)), 7)
same("poll within a record", select.select([other], [], [], 0)[0], [other])
os.close(other)
same("what the other gets", [e.sector for e in abi.IOLOG.split(read_once(fd))], [40])

one = memory()
check(one >= len(names) * M, "%d open binary logs have %d bytes" % (len(names), one))

pids = [child(bin_reader, n) for n in names]
time.sleep(0.3)
same("readers that have ended", [os.waitpid(p, os.WNOHANG)[0] for p in pids], [0] * len(pids))
disable()
for pid in pids:
    wait_for(pid)
same("iolog_bin while disabled", {read_once(fd) for fd in fds}, {b""})
for fd in fds:
    os.close(fd)

# --- after disabling the rest can be read, then end of file
enable()
fd = os.open(LOG, os.O_RDONLY)
raw.direct_read(0, 4096, 4)
disable()
rest = read_fd(fd, 300)
same("entries read after disabling", len(iolog.parse_text(rest.decode())), 4)
same("and then", os.read(fd, 100), b"")
os.close(fd)

# --- iolog_bin and iolog agree on pages of alternate dirtiers, with `split` and `first`
subprocess.run(["mount", "-t", "ext4", "-o", os.environ["EXT4_QUIET"], ext.node, MNT], check=True)
# 0 would wake the flusher at once; 600 s keep it asleep
INTERVAL = "/proc/sys/vm/dirty_writeback_centisecs"
periodic = replace(INTERVAL, "60000")
PAGES = 32


def one_write(mode):
    name = MNT + "/" + mode
    takes("charge", mode, mode)
    fd = os.open(name, os.O_CREAT | os.O_RDWR)
    os.close(fd)
    os.sync()
    # sync(2) also wakes a flusher, which must find nothing dirty
    time.sleep(0.5)
    enable()
    bins = BinaryLog()
    same("the number of iolog_bin files", len(bins.fds), os.sysconf("SC_NPROCESSORS_CONF"))
    first = run(write_pages, name, range(0, PAGES, 2), b"a")
    second = run(write_pages, name, range(1, PAGES, 2), b"b")
    fsync(name)
    raw.direct_write(5 * M, 4096, 3)
    raw.direct_read(5 * M, 4096, 2)
    ino = os.stat(name).st_ino
    time.sleep(0.3)
    disable()
    text = iolog.parse_text(read("iolog"))
    binary = bins.end()
    same("losses", status()["lost"], {})
    t = sorted((e.op, e.sector, e.bytes, e.pid, e.intent, e.dev, e.ino, e.gen, e.part, e.sub,
                e.modifier) for e in text)
    b = sorted((chr(e.op), e.sector, e.bytes, e.id, e.intent_nr, e.dev, e.ino, e.gen, e.part,
                e.sub_pid, e.modifier) for e in binary)
    same("iolog_bin", b, t)
    for e in binary:
        check(e.complete_ns >= e.issue_ns >= e.queue_ns > 0, "times of %r" % e)
        same("error", e.error, 0)
        check(e.disk in (raw.dev, ext.dev), "disk %#x" % e.disk)
        same("role_kind", e.role_kind, 0)
        same("pid", e.pid, e.id)
    # With both values of `charge` all bytes are there
    for d in raw, ext:
        for op in "RW":
            row = status().get("disk %s %s" % (d.name, op), {"bytes": 0})
            same("bytes of %s in iolog_bin" % op,
                 sum(e.bytes for e in binary if e.disk == d.dev and e.op == ord(op)),
                 row["bytes"])
    data = [e for e in text if e.op == "W" and e.disk == ext.name and e.ino == ino and
            e.bytes and e.pid in (first, second) and e.sub == os.getpid()]
    return first, second, sorted(data, key=lambda e: e.sector)


first, second, data = one_write("split")
same("bytes of the file", sum(e.bytes for e in data), PAGES * 4096)
same("entries: one for each run", [e.bytes for e in data], [4096] * PAGES)
same("the role of each", [e.who for e in data],
     ["pid-%d" % (first, second)[n % 2] for n in range(PAGES)])
start = data[0].sector
same("sectors", [e.sector for e in data], [start + 8 * n for n in range(PAGES)])
same("parts of one IO", [e.words.get("part", "0") for e in data], [str(n) for n in range(PAGES)])
same("times are the IO's", len({(e.words["wait"], e.words["io"]) for e in data}), 1)

first, second, data = one_write("first")
same("one entry", [(e.bytes, e.who, e.words.get("part")) for e in data],
     [(PAGES * 4096, "pid-%d" % first, None)])
put(INTERVAL, periodic)
subprocess.run(["umount", MNT], check=True)
