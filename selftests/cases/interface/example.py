# SPDX-License-Identifier: GPL-2.0
"""The body of interface/example."""
import os
import sys

from lib.case import (MNT, PAGE, Disk, check, disable, enable, iolog_now, put, run, same, status,
                      sync)

disk = Disk(sys.argv[1])
PAGES = 6  # such a file needs no block for its map
HOOKS = "nilfs_set_file_dirty", "__nilfs_mark_inode_dirty", "nilfs_segctor_construct"


def write():
    fd = os.open(MNT + "/file", os.O_WRONLY | os.O_CREAT, 0o600)
    os.write(fd, b"x" * (PAGES * PAGE))
    os.close(fd)


def thread():
    """The pid of the thread that writes segments."""
    for pid in filter(str.isdigit, os.listdir("/proc")):
        with open("/proc/%s/comm" % pid) as f:
            if f.read() == "segctord\n":
                return int(pid)
    return None


put("devs", disk.name)
enable()
hooks = {words[1]: words[2:] for words in (line.split(" ") for line in status()["hooks"])}
for hook in HOOKS:
    check(hook in hooks, "status has no hook", hook)
    check(hooks[hook][0] in ("attached", "waiting"), hook, "is", *hooks[hook])

writer = run(write)
sync()
segctord = thread()
check(segctord, "there is no segctord")
log = [e for e in iolog_now() if e.op == "W" and e.sub == segctord]
ino = os.stat(MNT + "/file").st_ino
disable()

done = {}
for e in log:
    key = e.who, e.how, "data" if e.ino == ino else "log"
    done[key] = done.get(key, 0) + e.bytes
print("segctord %d wrote for pid-%d: %r" % (segctord, writer, done))
who = "pid-%d" % writer
same("who pays for what segctord writes", {key[0] for key in done}, {who})
same("bytes of the file", done.get((who, "exact", "data")), PAGES * PAGE)
# a summary and the super root at least, which no task makes dirty
check(done.get((who, "inherited", "log"), 0) >= 2 * PAGE, "segctord has written no segment")
