# SPDX-License-Identifier: GPL-2.0
"""The body of interface/folios."""
import fcntl
import mmap
import os
import struct
import subprocess
import sys

from lib import iolog
from lib.case import (MNT, PAGE, Disk, check, disable, enable, iolog_now, meminfo, put, read,
                      run, same, sync)

# one write, for which a file system makes one folio if it can
PAGES = 16
BTRFS_IOC_DEFRAG_RANGE = 0x40309410
disk, fs = Disk(sys.argv[1]), sys.argv[2]
LARGE = fs == "xfs" or not os.environ["IOB_KERNEL"].endswith("6.12")


def write(name, first, pages, flags=0):
    fd = os.open(MNT + "/" + name, os.O_WRONLY | os.O_CREAT | flags, 0o600)
    os.pwrite(fd, b"w" * (pages * PAGE), first * PAGE)
    os.close(fd)


def store(name, page):
    fd = os.open(MNT + "/" + name, os.O_RDWR)
    with mmap.mmap(fd, 0) as m:
        m[page * PAGE] = 1
    os.close(fd)


def defragment(name):
    fd = os.open(MNT + "/" + name, os.O_RDWR)
    fcntl.ioctl(fd, BTRFS_IOC_DEFRAG_RANGE,
                struct.pack("=QQQII16x", 0, (1 << 64) - 1, 0, 1 << 20, 0))
    os.close(fd)


def written(name):
    """{(who, how): pages} of the writes to a file until now."""
    ino = os.stat(MNT + "/" + name).st_ino
    log = [e for e in iolog_now() if e.op == "W" and e.ino == ino]
    return {key: size // PAGE for key, size in iolog.bytes_by(log, "who", "how").items()}


def rows(key, ino=None):
    """{(id, how): pages} of the file `dirty`, of all files or of one."""
    found = {}
    for line in read("dirty").splitlines():
        row = dict(word.split("=", 1) for word in line.split(" "))
        if key in row and (ino is None or int(row["ino"], 16) == ino):
            who = int(row["id"]), row.get("how")
            found[who] = found.get(who, 0) + int(row[key])
    return {who: pages for who, pages in found.items() if pages}


def dirty_in_machine():
    """The kernel's own count of dirty pages, with those that CPUs have not added up yet."""
    put("/proc/sys/vm/stat_refresh", "1")
    return meminfo("Dirty") // PAGE


def pid(nr):
    return "pid-%d" % nr, "exact"


def settle():
    """What is noted of earlier changes is written, the metadata to their places too."""
    sync()
    for action in "--freeze", "--unfreeze":
        subprocess.run(["fsfreeze", action, MNT], check=True)
    iolog_now()


def inherited():
    """For whom something was written that others changed for them, until now."""
    log = [e for e in iolog_now() if e.op == "W"]
    print("written:", iolog.bytes_by(log, "who", "how"))
    return {e.who for e in log if e.how == "inherited"}


put("devs", disk.name)
run(write, "old", 0, PAGES)
sync()
enable()

# --- what is dirty, and what is cancelled: by who changed a page, not by who once wrote the folio
first = run(write, "file", 0, PAGES)
sync()
second = run(write, "file", 3, 1)
got = rows("dirty", os.stat(MNT + "/file").st_ino)
same("dirty pages of a folio", got,
     {(second, "exact"): 1, **({(0, "-"): PAGES - 1} if LARGE else {})})
same("all that is dirty", sum(rows("dirty").values()), dirty_in_machine())
run(os.unlink, MNT + "/file")
got = rows("cancelled")
same("what is cancelled, of who once wrote the folio", got.get((first, None), 0), 0)
# (btrfs cleans its pages itself before they are truncated)
if fs != "btrfs":
    same("what is cancelled, of who changed a page", got.get((second, None), 0), 1)

# --- metadata: for whom one page is written anew, and its blocks are allocated, by whomever
# (on btrfs a transaction may have participants of the one before)
for flags in () if fs == "btrfs" else (os.O_DSYNC, 0):
    first = run(write, "shared", 0, PAGES)
    sync()
    if fs == "xfs":
        subprocess.run(["cp", "--reflink=always", MNT + "/shared", MNT + "/clone"], check=True)
    settle()
    second = run(write, "shared", 7, 1, flags)
    sync()
    got = inherited()
    check("pid-%d" % first not in got, "who wrote the folio inherits: %r" % got)
    check(flags or fs == "ext4" or "pid-%d" % second in got,
          "who changed a page does not: %r" % got)

# --- a store into a folio that is dirty already makes the rest of it dirty
first = run(write, "old", 0, 1)
second = run(store, "old", 3)
sync()
same("pages of a folio that is stored into", written("old"),
     {pid(first): 1, pid(second): PAGES - 1 if LARGE else 1})

# --- so do other changes
if fs == "btrfs":
    # (one extent would be left alone)
    for page in 0, 8:
        run(write, "old", page, 1)
        sync()
    written("old")
    first = run(write, "old", 0, 1)
    second = run(defragment, "old")
    sync()
    got = written("old")
    # (nothing tells that the first page was dirty)
    got[pid(second)] = got.get(pid(second), 0) + got.pop(pid(first), 0)
    same("pages of a folio that is defragmented", got, {pid(second): PAGES})
disable()
