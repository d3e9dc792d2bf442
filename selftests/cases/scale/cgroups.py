# SPDX-License-Identifier: GPL-2.0
"""The body of scale/cgroups."""
import os
import sys

from lib.case import MNT, SCRATCH, Disk, child, disable, enable, put, same, sync, value, wait_for
from lib.crowd import Tally, crowd, percent, show_status, verdict, wanted_same

HOME = "/sys/fs/cgroup/iobscale"
disk = Disk(sys.argv[1])
BLOCK = os.statvfs(MNT).f_bsize
put("devs", disk.name)
groups = [f.path for f in os.scandir(HOME) if f.is_dir()]
same("cgroups", len(groups), 1000)


def processes_of(role):
    """A process in each cgroup writes a file."""
    manifest, folder = SCRATCH + "/manifest-" + role, MNT + "/" + role
    put("role", role)
    os.mkdir(folder)
    sync()
    enable()
    log = Tally("-i", "-l", str(1 << 20), "-m", manifest)
    crowd("cgroups", folder, 600, *groups, manifest=manifest)
    sync()
    disk.stat()
    disable()
    sums = log.end()
    print("role", role)
    sums.show("kind", "how", "intent", op="W")
    show_status()
    right, wrong, cgroups, _ = sums.files[0]
    whole = len(groups) * BLOCK
    print("%.2f %% of the files are charged to the role that wrote it" % percent(right, whole))
    wanted_same("bytes charged to another role", wrong, 0)
    wanted_same("bytes under another cgroup", cgroups, 0)
    wanted_same("bytes charged to the role that wrote them", right, whole)
    wanted_same("bytes without a role", sums.bytes(op="W", kind="nobody"), 0)


# One process goes from cgroup to cgroup, and writes to the disk in each
def wanders(places):
    fd = os.open(MNT + "/wanders", os.O_WRONLY | os.O_CREAT, 0o600)
    for nr, group in enumerate(places):
        put(group + "/cgroup.procs", "0")
        os.pwrite(fd, b"x" * BLOCK, nr * BLOCK)
        os.fdatasync(fd)
    os.close(fd)
    put("/sys/fs/cgroup/cgroup.procs", "0")


def moves(role):
    put("role", role)
    places = groups[:50]
    enable()
    log = Tally("-i")
    wait_for(child(wanders, places))
    sync()
    disk.stat()
    disable()
    ino = os.stat(MNT + "/wanders").st_ino
    sums = log.end()
    got = {cgroup: size for (cgroup,), size in sums.by("cgroup", op="W", place=ino).items()}
    right = sum(min(BLOCK, got.get(os.stat(group).st_ino, 0)) for group in places)
    wanted_same("bytes under the cgroup that the task was in, role " + role, right,
                len(places) * BLOCK)
    os.unlink(MNT + "/wanders")


same("role", value("role"), "thread")
processes_of("thread")
processes_of("cgroup")
moves("cgroup")
moves("thread")
verdict()
