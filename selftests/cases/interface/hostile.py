# SPDX-License-Identifier: GPL-2.0
"""The body of interface/hostile.

The hostile user is nobody outside and root inside: of a user, a mount and a pid namespace, in
cgroups of his own.  The victim is root of the machine, in another cgroup.
"""
import ctypes
import mmap
import os
import sys

from lib.case import (IOB, MNT, PAGE, BinaryLog, Disk, check, child, disable, enable, fsync,
                      next_pid_is, put, replace, run, same, status, sync, wait_for,
                      write_pages)

NOBODY = 65534
NEWNS, NEWUSER, NEWPID = 0x20000, 0x10000000, 0x20000000
PR_SET_DUMPABLE, PR_SET_NAME = 4, 15
GROUPS = "/sys/fs/cgroup"
PAGES = range(8)
SIZE = len(PAGES) * PAGE
SHARED = MNT + "/shared/"
libc = ctypes.CDLL(None, use_errno=True)
disk = Disk(sys.argv[1])
grouped = os.path.exists(GROUPS + "/cgroup.procs")


def say(to, text):
    os.write(to, text.encode() + b"\n")


def prctl_name(name):
    libc.prctl(PR_SET_NAME, name.encode(), 0, 0, 0)


def enter_container():
    """Become the hostile user; the next child is the first process of the pid namespace."""
    if grouped:
        put(GROUPS + "/iobhostile/a/cgroup.procs", "0")
    os.setgroups([])
    os.setresgid(NOBODY, NOBODY, NOBODY)
    os.setresuid(NOBODY, NOBODY, NOBODY)
    libc.prctl(PR_SET_DUMPABLE, 1, 0, 0, 0)
    check(libc.unshare(NEWUSER | NEWNS | NEWPID) == 0, "unshare: errno", ctypes.get_errno())
    for name, text in (("setgroups", "deny"), ("uid_map", "0 %d 1" % NOBODY),
                       ("gid_map", "0 %d 1" % NOBODY)):
        put("/proc/self/" + name, text)


def hostile(do, *args):
    """Do it in a container of its own; the pid outside of the process that did it."""
    end, tell = os.pipe()

    def outside():
        enter_container()
        pid = child(do, *args)
        say(tell, str(pid))
        wait_for(pid)
    run(outside)
    os.close(tell)
    with os.fdopen(end) as f:
        return int(f.read())


def victim(do, *args):
    def moved():
        if grouped:
            put(GROUPS + "/iobvictim/cgroup.procs", "0")
        prctl_name("victim")
        do(*args)
    return run(moved)


def inode(name):
    return os.stat(SHARED + name).st_ino


def written(records, ino):
    """{(pid, name, cgroup, how): bytes} of the data of an inode."""
    sums = {}
    for r in records:
        if r.op == ord("W") and r.ino == ino and r.disk == disk.dev:
            key = (r.id, r.comm.rstrip(b"\0").decode(), r.cgroup, r.how)
            sums[key] = sums.get(key, 0) + r.bytes
    return sums


def charged(what, records, ino, pid, comm, cgroup, size=SIZE):
    same(what, written(records, ino), {(pid, comm, cgroup, 0): size})


def group(name):
    return os.stat(GROUPS + name).st_ino if grouped else None


def any_group(records):
    """Without the second hierarchy all is in the one cgroup that there is."""
    return {r.cgroup for r in records if r.id}.pop()


def session(do):
    """What @do returns, and the records of what it caused."""
    put("devs", disk.name)
    enable(log=False)
    log = BinaryLog()
    got = do()
    sync()
    disk.stat()
    disable()
    return got, log.end()


# the flusher stays asleep: all is written by sync, or by those who ask for it
INTERVAL = "/proc/sys/vm/dirty_writeback_centisecs"
periodic = replace(INTERVAL, "60000")
os.mkdir(SHARED)
os.chmod(SHARED, 0o777)
if grouped:
    for folder in ("/iobhostile", "/iobhostile/a", "/iobhostile/b", "/iobvictim"):
        os.makedirs(GROUPS + folder, exist_ok=True)
        if "hostile" in folder:
            os.chown(GROUPS + folder, NOBODY, NOBODY)
            os.chown(GROUPS + folder + "/cgroup.procs", NOBODY, NOBODY)


# --- nobody but root reads or sets anything, not even the root of a container
def tries_to_read(names):
    for name in names:
        for flags in (os.O_RDONLY, os.O_WRONLY):
            try:
                os.open(name, flags)
            except OSError as e:
                same("the error of opening " + name, e.strerror, "Permission denied")
            else:
                check(False, "the hostile user opens", name)
    same("mount", libc.mount(b"debugfs", MNT.encode(), b"debugfs", 0, None), -1)
    same("the error of mounting debugfs", os.strerror(ctypes.get_errno()),
         "Operation not permitted")


names = [os.path.join(folder, name) for folder, _, files in os.walk(IOB) for name in files]
check(len(names) > 40, "only %d files" % len(names))
for name in names:
    same("access to " + name, (os.stat(name).st_mode & 0o177, os.stat(name).st_uid), (0, 0))
same("access to the folder", os.stat(IOB).st_mode & 0o777, 0o700)
sections = "/sys/module/ioblame/sections/"
hostile(tries_to_read, names + [sections + n for n in os.listdir(sections)])
for name in os.listdir("/sys/module/ioblame/parameters"):
    mode = os.stat("/sys/module/ioblame/parameters/" + name).st_mode
    check(not mode & 0o077, "others may open the parameter " + name)


# --- to hide
def spoofs():
    prctl_name("jbd2/%s-8" % disk.name)
    write_pages(SHARED + "spoofed", PAGES)
    prctl_name("innocent")


def maps():
    fd = os.open(SHARED + "mapped", os.O_RDWR | os.O_CREAT, 0o600)
    os.ftruncate(fd, SIZE)
    m = mmap.mmap(fd, SIZE)
    prctl_name("maps")
    for page in PAGES:
        m[page * PAGE] = 1


def moves():
    prctl_name("moves")
    write_pages(SHARED + "moved1", PAGES)
    if grouped:
        put(GROUPS + "/iobhostile/b/cgroup.procs", "0")
    write_pages(SHARED + "moved2", PAGES)


def unlinks(tell):
    prctl_name("unlinks")
    fd = os.open(SHARED + "unlinked", os.O_RDWR | os.O_CREAT, 0o600)
    os.pwrite(fd, b"u" * SIZE, 0)
    os.unlink(SHARED + "unlinked")
    say(tell, str(os.fstat(fd).st_ino))
    # (what is dirty when nobody has it open any more is never written)
    os.fdatasync(fd)


def hides():
    end, tell = os.pipe()
    pids = [hostile(spoofs), hostile(maps), hostile(moves), hostile(unlinks, tell)]
    os.close(tell)
    with os.fdopen(end) as f:
        return pids, int(f.read())


(pids, unlinked), records = session(hides)
a, b = (group("/iobhostile/a"), group("/iobhostile/b")) if grouped else (any_group(records),) * 2
charged("what was written under another's name", records, inode("spoofed"), pids[0],
        "jbd2/%s-8" % disk.name, a)
charged("what was stored into a mapping", records, inode("mapped"), pids[1], "maps", a)
charged("what was written before the move", records, inode("moved1"), pids[2], "moves", a)
charged("what was written after the move", records, inode("moved2"), pids[2], "moves", b)
charged("what was written to a deleted file", records, unlinked, pids[3], "unlinks", a)


# --- to blame another
def dirties(name, comm="dirties"):
    prctl_name(comm)
    write_pages(SHARED + name, PAGES, b"h")


def blames():
    pids = {}
    for name in ("bait", "after", "before"):
        write_pages(SHARED + name, PAGES)
        os.chmod(SHARED + name, 0o666)
    sync()
    # another forces the write of what the hostile user has dirtied
    pids["bait"] = hostile(dirties, "bait")
    pids["fsync"] = victim(fsync, SHARED + "bait")
    # both write the same pages: the first one causes the IO
    pids["before"] = hostile(dirties, "before")
    victim(write_pages, SHARED + "before", PAGES)
    pids["after"] = victim(write_pages, SHARED + "after", PAGES)
    hostile(dirties, "after")
    return pids


pids, records = session(blames)
v = group("/iobvictim") if grouped else a
for name in ("bait", "before", "after"):
    # what made the file is charged to this program
    records = [r for r in records if not (r.ino == inode(name) and r.id == os.getpid())]
charged("what another forces to be written", records, inode("bait"), pids["bait"], "dirties", a)
submitters = {r.sub_pid for r in records if r.ino == inode("bait") and r.op == ord("W")}
same("who forces it", submitters, {pids["fsync"]})
charged("what another overwrites", records, inode("before"), pids["before"], "dirties", a)
charged("what he overwrites", records, inode("after"), pids["after"], "victim", v)


# A pid, and an inode, that were his before.  (A kernel thread may take the pid first: then nothing
# is written, as the first one that writes pays.)
def takes_pid(pid, do):
    for _ in range(50):
        next_pid_is(pid)
        if victim(lambda: os.getpid() == pid and do()) == pid:
            return
    check(False, "the pid %d does not come again" % pid)


def reuses():
    # (the first 300 are not given out again)
    while run(lambda: None) < 320:
        pass
    pid = hostile(dirties, "old", "before")
    takes_pid(pid, lambda: write_pages(SHARED + "new", PAGES))
    first = hostile(dirties, "ino", "before")
    ino = inode("ino")
    fsync(SHARED + "ino")
    os.unlink(SHARED + "ino")
    sync()
    for nr in range(50):
        second = victim(write_pages, SHARED + "ino%d" % nr, PAGES)
        if inode("ino%d" % nr) == ino:
            return pid, first, second, ino
    return check(False, "the inode %d does not come again" % ino)


(pid, first, second, ino), records = session(reuses)
charged("the former owner of the pid", records, inode("old"), pid, "before", a)
charged("its new owner", records, inode("new"), pid, "victim", v)
generations = {r.id: r.gen for r in records if r.ino == ino and r.op == ord("W")}
same("who wrote to the inode", set(generations), {first, second})
check(generations[first] != generations[second], "two files have one generation")


# --- to fill tables, so that others lose their blame
STORM = 120


def storms():
    prctl_name("storms")
    for nr in range(STORM):
        run(write_pages, SHARED + "storm%d" % nr, range(1))


def floods():
    ask, go = os.pipe()
    tell, done = os.pipe()

    def lives():
        prctl_name("lives")
        if grouped:
            put(GROUPS + "/iobvictim/cgroup.procs", "0")
        for name in ("lives0", "lives1"):
            os.read(ask, 1)
            write_pages(SHARED + name, PAGES)
            os.write(done, b"x")

    pid = child(lives)
    os.write(go, b"x")
    os.read(tell, 1)
    hostile(storms)
    os.write(go, b"x")
    os.read(tell, 1)
    wait_for(pid)
    return pid, victim(write_pages, SHARED + "newcomer", PAGES)


def flooded(what, kind, limit):
    put("role", kind)
    old = replace("max_roles", str(limit))
    (pid, newcomer), records = session(floods)
    put("max_roles", old)
    put("role", "thread")
    print(what, "status:", status()["known"], status()["lost"])
    return pid, newcomer, records


# By thread: who has a role keeps it; who comes later has one, or that is said
pid, newcomer, records = flooded("threads", "thread", 48)
for name in ("lives0", "lives1"):
    charged("during the storm: " + name, records, inode(name), pid, "lives", v)
who = {r.id for r in records if r.ino == inode("newcomer") and r.op == ord("W")}
check(who <= {newcomer, 0}, "the newcomer's data is charged to", who)
nobody = sum(r.bytes for r in records if r.id == 0)
known = {k: int(n) for k, n in (word.split("=") for word in status()["known"].split())}
check(nobody > 0, "the storm fills no table: the case shows nothing")
same("bytes of nobody in status", known["nomem"] + known["lost"], nobody)
check(status()["lost"].get("role_nomem", 0) > 0, "nothing is said of roles that had no room")
# By cgroup: a container has one role, whatever it does
if grouped:
    _, _, records = flooded("cgroups", "cgroup", 16)
    for name in ("lives0", "lives1", "newcomer"):
        same("the victim's " + name, {(r.cgroup, r.how) for r in records if r.ino == inode(name)
                                      and r.op == ord("W")}, {(v, 0)})
    storm = [inode("storm%d" % nr) for nr in range(STORM)]
    same("the storm's files", {r.cgroup for r in records if r.ino in storm and r.op == ord("W")},
         {a})
    same("losses", status()["lost"], {})
put(INTERVAL, periodic)
