# SPDX-License-Identifier: GPL-2.0
"""The body of interface/dirty.

The truth is what the programs wrote, and the kernel's own count of dirty pages.
"""
import os
import signal
import sys
import time

from lib.case import (IOB, MNT, PAGE, SLOWNESS, Delayed, Disk, NullBlk, check, child, disable,
                      drop_caches, enable, eventually, fsync, meminfo, path, put, read, run, same,
                      sync, value, wait_for, write_pages)

disk = Disk(sys.argv[1])
NUMBERS = ("dirty", "writeback", "oldest", "cancelled", "int", "id", "tgid", "cgroup")


def rows(text=None):
    """The lines of the file, each a dict."""
    found = []
    for line in (read("dirty") if text is None else text).splitlines():
        row = dict(word.split("=", 1) for word in line.split(" "))
        for key in NUMBERS:
            if key in row:
                row[key] = int(row[key])
        for key in "dev", "ino", "gen":
            if key in row:
                row[key] = int(row[key], 16)
        found.append(row)
    return found


def of_file(name, key="dirty"):
    """{(who, how): pages} of a file."""
    ino = os.stat(MNT + "/" + name).st_ino
    sums = {}
    for row in rows():
        if row.get("ino") == ino and row["dev"] == disk.dev and row[key]:
            who = row["id"], row["how"]
            sums[who] = sums.get(who, 0) + row[key]
    return sums


def cancelled_of(pid):
    return sum(row["cancelled"] for row in rows() if "cancelled" in row and row["id"] == pid)


def dirty_in_machine():
    """The kernel's own count of dirty pages, with those that CPUs have not added up yet."""
    put("/proc/sys/vm/stat_refresh", "1")
    return meminfo("Dirty") // PAGE


def write(name, pages, byte=b"x"):
    write_pages(MNT + "/" + name, pages, byte)


sync()
drop_caches()
same("pages that are dirty in a machine at rest", dirty_in_machine(), 0)
put("devs", disk.name)
same("what is shown while ioblame is off", read("dirty"), "")

# --- dirtied before ioblame is on: the file is known, the dirtier is not
run(write, "early", range(16))
put("nr_counters", "1")
put("counters/0", "W age 0 1 2 3 4 5 6 7 0")
enable()
same("dirty pages of early", of_file("early"), {(0, "-"): 16})

# --- two programs and a third one
begin = time.monotonic_ns()
first = run(write, "first", range(300))
between = time.monotonic_ns()
second = run(write, "second", range(50))
end = time.monotonic_ns()
third = run(write, "first", range(400, 410))
same("dirty pages of first", of_file("first"), {(first, "exact"): 300, (third, "exact"): 10})
same("dirty pages of second", of_file("second"), {(second, "exact"): 50})
for row in rows():
    if row.get("id") == second and row["dirty"]:
        check(between - (1 << 14) <= row["oldest"] <= end, "the time of second's pages is %d of %d"
              " to %d" % (row["oldest"], between, end))
        same("the role of second", (row["role"], row["tgid"], row["comm"]),
             ("thread", second, value("/proc/self/comm")))
check(all(not row["oldest"] for row in rows() if row.get("how") == "-"), "a time of unknown pages")
same("writeback", sum(row.get("writeback", 0) for row in rows()), 0)

# --- all of them are as many as the kernel counts, and no more
same("all that is dirty", sum(row.get("dirty", 0) for row in rows()), dirty_in_machine())

# --- pieces of any size are the whole
with open(path("dirty"), "rb", buffering=0) as f:
    pieces = b"".join(iter(lambda: f.read(37), b"")).decode()
same("what is read in pieces", sorted(map(str, rows(pieces))), sorted(map(str, rows())))

# --- signals that come all the time do not begin the search anew: it ends, and so does the file
ticks = []
signal.signal(signal.SIGALRM, lambda *_: ticks.append(1))
signal.siginterrupt(signal.SIGALRM, False)
signal.setitimer(signal.ITIMER_REAL, 0.002, 0.002)
text = read("dirty")
signal.setitimer(signal.ITIMER_REAL, 0)
same("what is read while signals come", sorted(map(str, rows(text))), sorted(map(str, rows())))
print("signals meanwhile:", len(ticks))

# --- what is written is not dirty, though the table still names who dirtied it
fsync(MNT + "/first")
same("dirty pages of first after its fsync", of_file("first"), {})
same("dirty pages of second", of_file("second"), {(second, "exact"): 50})
again = run(write, "first", range(20, 27))
same("dirty pages of first, again", of_file("first"), {(again, "exact"): 7})

# --- dirtied again without a write between: the first one who did pays for it
run(write, "second", range(50))
same("dirty pages of second, twice", of_file("second"), {(second, "exact"): 50})

# --- cancelled: another program truncates
before = int(value("stats/pages_cancelled"))
run(os.truncate, MNT + "/second", 10 * PAGE)
same("dirty pages of second, cut", of_file("second"), {(second, "exact"): 10})
same("cancelled writes of second", cancelled_of(second), 40)
run(os.unlink, MNT + "/second")
same("cancelled writes of second, removed", cancelled_of(second), 50)
same("pages_cancelled", int(value("stats/pages_cancelled")) - before, 50)
same("cancelled writes of first", cancelled_of(first), 0)
fd = os.open(IOB + "/dirty", os.O_RDONLY)
os.lseek(fd, 0, os.SEEK_END)
same("what is behind the end", os.read(fd, 4096), b"")
os.close(fd)

# --- frames that second had belong to another file now
other = run(write, "other", range(200))
same("dirty pages of other", of_file("other"), {(other, "exact"): 200})
sync()
same("dirty pages after a sync", sum(row.get("dirty", 0) for row in rows()), dirty_in_machine())
for name in "early", "first", "other":
    same("dirty pages of " + name + " after a sync", of_file(name), {})

# --- pages that are being written
below = NullBlk("iobdirty", 0)
slow = Delayed("iobdirty", below, 100 * SLOWNESS)
put("devs", slow.name)


def write_slow():
    fd = os.open(slow.node, os.O_RDWR)
    os.pwrite(fd, b"s" * 8 * PAGE, 0)
    os._exit(0)


def held():
    """(dirty, writeback) of one reading"""
    mine = [row for row in rows() if row.get("dev") == slow.dev and row["id"] == writer]
    return tuple(sum(row.get(key, 0) for row in mine) for key in ("dirty", "writeback"))


fd = os.open(slow.node, os.O_RDWR)
writer = run(write_slow)
same("dirty pages of a block device", held(), (8, 0))
flusher = child(os.fsync, fd)
eventually("all pages of a block device are being written, and none is dirty",
           lambda: held() == (0, 8), otherwise=lambda: print("(dirty, writeback):", held()))
slow.release()
wait_for(flusher)
same("and then", held(), (0, 0))
os.close(fd)

# --- while it is off, nobody notes who dirties what
run(write, "late", range(16))
disable()
same("what is shown when ioblame is off again", read("dirty"), "")
slow.remove()
below.remove()
