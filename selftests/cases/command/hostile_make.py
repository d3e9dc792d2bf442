# SPDX-License-Identifier: GPL-2.0
"""Do IO under hostile names: of programs, files below the folder given, and a cgroup."""
import os
import sys

from hostile_names import CGROUP, NAMES


def make_cgroup():
    """True if there are cgroups."""
    if not os.path.exists("/sys/fs/cgroup/cgroup.procs"):
        return False
    os.makedirs(CGROUP, exist_ok=True)
    return True


def write_as(name, folder, grouped):
    if grouped:
        with open(CGROUP + b"/cgroup.procs", "w", encoding="ascii") as f:
            f.write(str(os.getpid()))
    with open("/proc/self/comm", "wb") as f:
        f.write(name[:15])
    fd = os.open(folder + b"/" + name, os.O_CREAT | os.O_WRONLY)
    os.write(fd, b"x" * 8192)
    os.fsync(fd)
    os._exit(0)


in_cgroup = make_cgroup()
for each in NAMES:
    if os.fork() == 0:
        write_as(each, os.fsencode(sys.argv[1]), in_cgroup)
    os.wait()
