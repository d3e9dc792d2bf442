# SPDX-License-Identifier: GPL-2.0
"""The body of interface/chained."""
import os
import subprocess
import sys

from lib.case import (M, MNT, PAGE, Disk, check, disable, enable, iolog_now, output, put, run, same,
                      status, sync)

NODE, SIZE = "/dev/md78", 8 * M
disks = [Disk(node) for node in sys.argv[1:]]


def write(name):
    """A file of pages that do not lie one behind the other: a bio has room for 256 of them."""
    page = b"\xa5" * PAGE
    with open(MNT + "/" + name, "wb", 0) as f, open(MNT + "/other", "wb", 0) as other:
        for _ in range(SIZE // PAGE):
            f.write(page)
            other.write(page)


def must(*words):
    code, said = output(*words)
    check(not code, *words, "says", code, said)


def create(level):
    chunk = ["--chunk=64"] if level != "linear" else []
    must("mdadm", "-q", "--create", NODE, "--run", "--assume-clean", "--level=" + level,
         "--metadata=1.0", *chunk, "--raid-devices=%d" % len(disks), *(d.node for d in disks))


def begin(level):
    """An array with a file system on which all has been written that is written once."""
    create(level)
    must("mkfs.xfs", "-q", "-f", NODE)
    must("mount", "-t", "xfs", NODE, MNT)
    if level == "5":
        # (nobody marks the array clean some time after a write)
        put("/sys/block/md78/md/safe_mode_delay", "0")
    write("first")
    sync()


def end():
    disable()
    put("devs", "", os.O_TRUNC)
    same("umount", output("umount", MNT)[0], 0)
    same("mdadm --stop", output("mdadm", "-qS", NODE)[0], 0)


def written(names):
    """The entries of a file's data on these disks, when all is written."""
    iolog_now()
    me = "pid-%d" % run(write, "file")
    sync()
    ino = os.stat(MNT + "/file").st_ino
    log = [e for e in iolog_now() if e.op == "W"]
    strangers = [e for e in log if e.how == "submitter"]
    check(not strangers, "charged to the submitter:", *[e.line for e in strangers[:1]])
    log = [e for e in log if e.ino == ino and e.disk in names]
    same("who pays", {e.who for e in log}, {me})
    return log


names = [disk.name for disk in disks]
for level in "5", "linear", "0":
    begin(level)
    put("devs", " ".join(["md78", *names]), os.O_TRUNC)
    enable()
    log = written(["md78", *names])
    sizes = [e.bytes for e in log if e.disk == "md78"]
    check(len(sizes) >= SIZE // (256 * PAGE), level, "bios are not chained:", sizes)
    same("bytes on the array, " + level, sum(sizes), SIZE)
    same("bytes of data on its disks, " + level,
         sum(e.bytes for e in log if e.disk in names and e.how == "exact"), SIZE)
    parity = sum(e.bytes for e in log if e.how == "inherited")
    check(SIZE // 4 <= parity <= SIZE // 2 if level == "5" else not parity, "parity:", parity)
    same("losses, " + level, status()["lost"], {})
    end()

# --- disks that take bios as they are, and end them at once: the pieces of a bio have one address
subprocess.run(["modprobe", "brd", "rd_nr=2", "rd_size=16384"], check=True)
disks = [Disk("/dev/ram%d" % nr) for nr in range(2)]
create("0")
put("devs", " ".join(disk.name for disk in disks), os.O_TRUNC)
enable()
iolog_now()
me = "pid-%d" % run(Disk(NODE).direct_write, 0, M, 4)
log = [e for e in iolog_now() if e.op == "W"]
same("who pays for pieces", {(e.who, e.how) for e in log}, {(me, "exact")})
same("where they are", sorted((e.disk, s) for e in log for s in e.sectors),
     [(disk.name, start + n) for disk in disks
      for start in [min(e.sector for e in log if e.disk == disk.name)]
      for n in range(2 * M // 512)])
same("what is under way", status()["inflight"], "0")
same("losses of pieces", status()["lost"], {})
disable()
put("devs", "", os.O_TRUNC)
same("mdadm --stop", output("mdadm", "-qS", NODE)[0], 0)
subprocess.run(["modprobe", "-r", "brd"], check=True)
