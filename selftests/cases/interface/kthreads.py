# SPDX-License-Identifier: GPL-2.0
"""The body of interface/kthreads.

A SCSI target of this machine keeps a disk in a file: kernel threads write the file through the
page cache, for a driver that ioblame does not know.
"""
import os
import sys

from lib.case import (CONFIGFS, MNT, M, Disk, check, disable, enable, eventually, iolog_now, pipe,
                      put, read, run, same, sync, takes, write_pages)

SIZE = 16 * M
TARGET = CONFIGFS + "/target"
STORE = TARGET + "/core/fileio_0"
FABRIC = TARGET + "/loopback/naa.600140510b1a3e01"
GROUPS = "/sys/fs/cgroup"
disk = Disk(sys.argv[1])
kept, own = MNT + "/kept", MNT + "/own"


def disks():
    return set(os.listdir("/sys/block"))


def make_target():
    old = disks()
    with open(kept, "wb", buffering=0) as f:
        f.write(bytes(SIZE))
    os.makedirs(STORE + "/store")
    put(STORE + "/store/control", "fd_dev_name=%s,fd_dev_size=%d" % (kept, SIZE))
    put(STORE + "/store/enable", "1")
    os.makedirs(FABRIC + "/tpgt_1")
    put(FABRIC + "/tpgt_1/nexus", "naa.600140510b1a3e02")
    os.mkdir(FABRIC + "/tpgt_1/lun/lun_0")
    os.symlink(STORE + "/store", FABRIC + "/tpgt_1/lun/lun_0/store")
    eventually("the target's disk appears", lambda: disks() - old)
    node = "/dev/" + (disks() - old).pop()
    eventually("it has a node", lambda: os.path.exists(node))
    return Disk(node)


def remove_target():
    os.unlink(FABRIC + "/tpgt_1/lun/lun_0/store")
    for folder in (FABRIC + "/tpgt_1/lun/lun_0", FABRIC + "/tpgt_1", FABRIC, TARGET + "/loopback",
                   STORE + "/store", STORE):
        os.rmdir(folder)


def written(entries, name):
    """{(who, how)} of the data of a file."""
    ino = os.stat(name).st_ino
    return {(e.who, e.how) for e in entries if e.op == "W" and e.ino == ino}


def in_root(do, *args):
    if grouped:
        put(GROUPS + "/cgroup.procs", "0")
    do(*args)


grouped = os.path.exists(GROUPS + "/cgroup.procs")
target = make_target()
sync()
put("devs", disk.name)
put("nr_counters", "1")
put("counters/0", "W size 0 1 2 3 4 5 6 7 0")
for role in ("thread", "process") + (("cgroup",) if grouped else ()):
    takes("role", role, role)
    enable()
    pid = run(in_root, write_pages, own, range(4))
    sync()
    run(target.direct_write, 0, 65536, 8)
    sync()
    log = iolog_now()
    by_kernel, by_process = written(log, kept), written(log, own)
    who = "pid-%d" % pid
    if role == "cgroup":
        root = os.stat(GROUPS).st_ino
        who = "cgroup-%d" % root
        same("who wrote the target's file", {w for w, _ in by_kernel}, {who})
        lines = [line for line in read("roles").splitlines()[1:]
                 if line == "0 - - - %d alive" % root]
        same("roles of the cgroup", len(lines), 2)
        check(who in {act["who"] for act in pipe()}, "counters_pipe lacks", who)
    same("what a process wrote, by " + role, by_process, {(who, "exact")})
    same("how a kernel thread's is charged, by " + role, {how for _, how in by_kernel},
         {"submitter"})
    disable()
put("nr_counters", "0")
takes("role", "thread", "thread")
remove_target()
