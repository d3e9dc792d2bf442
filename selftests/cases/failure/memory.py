# SPDX-License-Identifier: GPL-2.0
"""The body of failure/memory."""
import ctypes
import glob
import mmap
import os
import re
import struct
import sys
import time

from lib import iolog
from lib.case import (K, M, MNT, PAGE, SLOWNESS, Disk, buffer, check, child, disable,
                      drop_caches, enable, eventually, fsync, iolog_now, kill, put, read, run,
                      same, status, sync, value, write_error, write_pages)

disk = Disk(sys.argv[1])
BLOCKS = sorted(sys.argv[2:])
BLOCK_PAGES = int(value("/sys/devices/system/memory/block_size_bytes"), 16) // PAGE
FIRST = min(int(value(os.path.dirname(b) + "/phys_index"), 16) for b in BLOCKS) * BLOCK_PAGES


def come():
    for block in BLOCKS:
        put(block, "online_movable")


# Pages under IO cannot move: the kernel asks to try again
def go():
    end = time.monotonic() + 20 * SLOWNESS
    for block in BLOCKS:
        while True:
            said = write_error(block, "offline")
            if not said:
                break
            check(said in ("EBUSY", "EAGAIN") and time.monotonic() < end,
                  "taking %s away gives %s" % (block, said))
            time.sleep(0.1)


def write(name, size):
    with open(MNT + "/" + name, "wb") as f:
        for _ in range(size // (64 * K)):
            f.write(b"m" * 64 * K)


# The page frames of a file's pages, all of which are in the page cache
def frames(name):
    pages = os.path.getsize(MNT + "/" + name) // PAGE
    with open(MNT + "/" + name, "r+b") as f, open("/proc/self/pagemap", "rb") as pagemap:
        m = mmap.mmap(f.fileno(), pages * PAGE)
        at = ctypes.c_char.from_buffer(m)
        for n in range(pages):
            m[n * PAGE]
        pagemap.seek(ctypes.addressof(at) // PAGE * 8)
        entries = struct.unpack("%dQ" % pages, pagemap.read(pages * 8))
        del at
        m.close()
    check(all(e >> 63 for e in entries), "pages of %s are not there" % name)
    return [e & ((1 << 55) - 1) for e in entries]


# How many of its pages are in the memory that comes and goes
def new(name):
    return sum(frame >= FIRST for frame in frames(name))


# All data of a file was written by one process, and its pages' age is known
def written(log, name, pid, size):
    ino = os.stat(MNT + "/" + name).st_ino
    mine = [e for e in log if e.op == "W" and e.ino == ino]
    same("writes of " + name, iolog.bytes_by(mine, "who", "how"),
         {("pid-%d" % pid, "exact"): size})
    check(all(e.micros("age") is not None for e in mine), "%s: pages without age" % name)


def table():
    return int(status()["memory.dirtier"])


def write_forever():
    fd, m = os.open(MNT + "/load", os.O_RDWR | os.O_CREAT | os.O_DIRECT, 0o600), buffer(4 * K)
    for n in range(1 << 30):
        os.pwritev(fd, [m], n % 64 * 4 * K)
        write_pages(MNT + "/more", [n % 512])
        if n % 64 == 0:
            fsync(MNT + "/more")
        time.sleep(0.005 * SLOWNESS)


# The memory's devices of ACPI.  A kernel that knows none leaves the memory to the firmware.
def modules():
    found = {os.path.dirname(node)
             for node in glob.glob("/sys/bus/acpi/devices/PNP0C80:*/physical_node*")}
    if not found:
        with open("/boot/config-" + os.uname().release) as f:
            config = f.read().splitlines()
        check("CONFIG_ACPI_HOTPLUG_MEMORY=y" not in config, "ACPI has no memory module")
        print("this kernel cannot eject memory: it has no CONFIG_ACPI_HOTPLUG_MEMORY")
    return found


# Rows of System RAM that reach into the module's memory
def there_of_iomem():
    return [row for row in read("/proc/iomem").splitlines()
            if "System RAM" in row and int(row.split()[0].split("-")[1], 16) >= FIRST * PAGE]


# The kernel takes it offline, and takes its struct pages away, by a worker of its own; then the
# device goes.  Blocks whose pages are in use for a moment come back: it is asked again.
def pull_out(ejected):
    end = time.monotonic() + 60 * SLOWNESS
    while any(os.path.exists(block) for block in BLOCKS):
        check(time.monotonic() < end, "the memory is not gone: %r" % there_of_iomem())
        for module in ejected:
            said = write_error(module + "/eject", "1")
            same("the error of ejecting " + module, said, "")
        again = time.monotonic() + 10 * SLOWNESS
        while any(os.path.exists(block) for block in BLOCKS) and time.monotonic() < again:
            time.sleep(0.1)
    eventually("no memory is there", lambda: not there_of_iomem())


# How many pages of a file the table says are dirty, by who dirtied them
def dirty_of(name):
    found, ino = {}, os.stat(MNT + "/" + name).st_ino
    for line in read("dirty").splitlines():
        row = dict(re.findall(r"(\w+)=(\S+)", line))
        if int(row.get("ino", "0"), 16) == ino:
            key = row["id"], row["how"]
            found[key] = found.get(key, 0) + int(row["dirty"])
    return found


# While the memory goes
def look_forever():
    while True:
        read("dirty")
        status()


# A file's data is read from the disk, not from memory
def read_back(name):
    with open(MNT + "/" + name, "rb") as f:
        same("what is read of " + name, set(f.read()), {ord("m")})


sync()
put("devs", disk.name)
put("nr_counters", "1")
put("counters/0", "W age 0 1 2 3 4 5 6 7 0")
enable()
before = disk.stat()

# --- memory that comes when ioblame is enabled
early = run(write, "early", 4 * M)
same("pages in memory that is not there", new("early"), 0)
size = table()
come()
check(table() > size, "the table has not grown: %d bytes" % size)
late = run(write, "late", 16 * M)
there = new("late")
print("pages in new memory: %d of %d" % (there, 16 * M // PAGE))
check(there > 12 * M // PAGE, "only %d pages are in new memory" % there)

# --- it goes while these are dirty: they move
go()
same("pages in memory that has gone", new("late"), 0)
again = run(write, "again", 4 * M)
sync()
log = iolog_now()
written(log, "early", early, 4 * M)
written(log, "late", late, 16 * M)
written(log, "again", again, 4 * M)

# --- by turns, under IO
load = child(write_forever)
for n in range(3):
    come()
    pid = run(write, "turn", 8 * M)
    check(new("turn"), "nothing is in new memory")
    go()
    fsync(MNT + "/turn")
    fresh = iolog_now()
    written(fresh, "turn", pid, 8 * M)
    log += fresh
    os.unlink(MNT + "/turn")
kill(load)

# --- what the table has for memory that goes is freed
come()
run(write, "late", 16 * M)
sync()
os.unlink(MNT + "/late")
size = table()
go()
check(table() < size, "the table keeps %d of %d bytes" % (table(), size))

# --- it is pulled out: its struct pages go while the table has entries of pages there, of which
# some are dirty and some are written
pulled = modules()
if pulled:
    # (a new file may have the number of the one that was removed)
    log += iolog_now()
    come()
    clean = run(write, "clean", 8 * M)
    sync()
    pid = run(write, "pulled", 8 * M)
    check(new("clean") and new("pulled"), "nothing is in new memory")
    same("dirty before it goes", dirty_of("pulled"), {("%d" % pid, "exact"): 8 * M // PAGE})
    look = child(look_forever)
    pull_out(pulled)
    same("who looks at what is dirty still runs", os.waitpid(look, os.WNOHANG), (0, 0))
    kill(look)
    for name in "clean", "pulled":
        same("pages of %s in memory that is gone" % name, new(name), 0)
    same("dirty when it is gone", dirty_of("pulled"), {("%d" % pid, "exact"): 8 * M // PAGE})
    last = run(write, "last", 4 * M)
    sync()
    fresh = iolog_now()
    written(fresh, "clean", clean, 8 * M)
    written(fresh, "pulled", pid, 8 * M)
    written(fresh, "last", last, 4 * M)
    same("dirty at last", dirty_of("last"), {})
    log += fresh
    drop_caches()
    reader = run(read_back, "pulled")
    fresh = iolog_now()
    ino = os.stat(MNT + "/pulled").st_ino
    same("reads", iolog.bytes_by([e for e in fresh if e.op in "RA" and e.ino == ino], "who"),
         {"pid-%d" % reader: 8 * M})
    log += fresh

# --- nothing is missing
sync()
after = disk.stat()
log += iolog_now()
same("bytes in iolog", sum(e.bytes for e in log if e.op == "W"), after["Wb"] - before["Wb"])
same("bytes of status", status()["disk %s W" % disk.name]["bytes"], after["Wb"] - before["Wb"])
same("pages without an entry", status()["lost"].get("pgtree_nomem", 0), 0)
disable()
