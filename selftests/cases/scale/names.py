# SPDX-License-Identifier: GPL-2.0
"""The body of scale/names."""
import ctypes
import os
import subprocess
import sys

from lib import iolog
from lib.case import (MNT, Disk, buffer, disable, enable, iolog_now, kill, put, read, replace, run,
                      sync, value)
from lib.crowd import verdict, wanted, wanted_same

disk = Disk(sys.argv[1])
# the flusher stays asleep: all is written by sync
INTERVAL = "/proc/sys/vm/dirty_writeback_centisecs"
periodic = replace(INTERVAL, "60000")


def write(name):
    with open(MNT + "/" + name, "wb", buffering=0) as f:
        f.write(b"n" * 4096)


def names_of(entries, name):
    """The names under which the data of a file was written."""
    ino = os.stat(MNT + "/" + name).st_ino
    return set(iolog.bytes_by([e for e in entries if e.op == "W" and e.ino == ino and
                               e.why != "journal"], "comm"))


def rename(name):
    put("/proc/self/comm", name)


def renames_itself():
    rename("first")
    write("renamed1")
    rename("second")
    write("renamed2")
    rename("third")


put("devs", disk.name)
enable()
# sh writes, and is another program when that is synced
shell = subprocess.Popen(["sh", "-c", "echo text >%s/by-sh; exec sleep 1000" % MNT])
while not os.path.exists(MNT + "/by-sh") or \
        os.readlink("/proc/%d/exe" % shell.pid) == os.path.realpath("/bin/sh"):
    pass
run(renames_itself)
sync()
log = iolog_now()
wanted_same("what sh wrote before it became sleep", names_of(log, "by-sh"), {"sh"})
wanted_same("under the first name", names_of(log, "renamed1"), {"first"})
wanted_same("under the second name", names_of(log, "renamed2"), {"second"})
kill(shell.pid)
shell.returncode = 0


# Past the page cache, where the task completes its IO itself
def renames_itself_direct():
    fd = os.open(MNT + "/direct", os.O_RDWR | os.O_CREAT | os.O_DIRECT, 0o600)
    page = buffer(4096)
    for nr, name in enumerate(("one", "two", "one")):
        rename(name)
        os.pwritev(fd, [page], nr * 4096)
    os.close(fd)


run(renames_itself_direct)
log = [e for e in iolog_now() if e.ino == os.stat(MNT + "/direct").st_ino and e.op == "W"]
wanted_same("direct writes", [e.comm for e in log if e.bytes == 4096][:3], ["one", "two", "one"])
disable()

# --- a thread that is always another one: its roles are bounded, and are found in one bucket
NAMES, ROLES, PR_SET_NAME = 2000, 64, 15
often = MNT + "/often"
libc = ctypes.CDLL(None)


def renames_itself_often():
    fd = os.open(often, os.O_RDWR | os.O_DIRECT)
    page = buffer(4096)
    for nr in range(NAMES):
        libc.prctl(PR_SET_NAME, b"name-%d" % nr, 0, 0, 0)
        os.pwritev(fd, [page], 0)
    os.close(fd)


write("often")
sync()
enable()
pid = run(renames_itself_often)
log = [e for e in iolog_now() if e.ino == os.stat(often).st_ino and e.op == "W" and
       e.bytes == 4096]
mine = [line.split() for line in read("roles").splitlines()[1:] if line.split()[1] == str(pid)]
many = int(value("stats/role_many"))
disable()
wanted_same("direct writes under many names", len(log), NAMES)
wanted_same("whose they are", {e.who for e in log}, {"pid-%d" % pid})
wanted_same("the first names", [e.comm for e in log[:50]], ["name-%d" % nr for nr in range(50)])
wanted_same("the last names", {e.comm for e in log[ROLES + 1:]}, {"many-roles"})
wanted(len(mine) <= ROLES + 1, "the thread has %d roles" % len(mine))
wanted_same("their states", {line[5] for line in mine}, {"exited"})
wanted_same("their cgroups", len({line[4] for line in mine}), 1)
wanted(many >= NAMES - ROLES - 1, "role_many is %d" % many)
put(INTERVAL, periodic)
verdict()
