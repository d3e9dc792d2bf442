# SPDX-License-Identifier: GPL-2.0
"""The body of interface/stacks."""
import mmap
import os
import subprocess
import sys

from lib.case import MNT, Disk, check, child, disable, enable, put, same, value, wait_for

disk = Disk(sys.argv[1])
cpus = sorted(os.sched_getaffinity(0))
SIZE = 24 * 4096
PER_CALL = 8


def stacks():
    return [int(value("stats/stack_" + s)) for s in ("known", "walked")]


# Dirty pages by write and by mmap, each with its writeback, and read past the cache
def work(nr, rounds):
    os.sched_setaffinity(0, {cpus[nr % len(cpus)]})
    fd = os.open("%s/file%d" % (MNT, nr), os.O_RDWR)
    m = mmap.mmap(fd, SIZE)
    for i in range(rounds):
        disk.direct_read(0, 4096, 8)
        for page in range(8):
            os.pwrite(fd, b"%d" % i, page * 4096)
        os.fsync(fd)
        for page in range(8, 16):
            m[page * 4096] = i
        m.flush()
        # other system calls do the same: other stacks
        os.lseek(fd, 16 * 4096, os.SEEK_SET)
        for page in range(16, 20):
            os.write(fd, bytes([i]) * 4096)
            os.pwritev(fd, [bytes([i])], (page + 4) * 4096)
    m.close()
    os.close(fd)


# One call dirties many pages, then another call at about the same stack depth does: the
# fast path for further pages of a call must tell the two apart
def write_much(nr, rounds):
    os.sched_setaffinity(0, {cpus[nr % len(cpus)]})
    fd = os.open("%s/file%d" % (MNT, nr), os.O_RDWR)
    for i in range(rounds):
        data = bytes([i % 256]) * PER_CALL * 4096
        os.pwrite(fd, data, 0)
        os.lseek(fd, len(data), os.SEEK_SET)
        os.write(fd, data)
        os.pwritev(fd, [data], 2 * len(data))
        os.fsync(fd)
    os.close(fd)


# Run two processes at once; the stacks known and walked meanwhile
def both(rounds, what=work):
    before = stacks()
    for pid in [child(what, nr, rounds) for nr in (0, 1)]:
        wait_for(pid)
    same("stats/stack_wrong", value("stats/stack_wrong"), "0")
    return [a - b for a, b in zip(stacks(), before)]


for nr in 0, 1:
    with open("%s/file%d" % (MNT, nr), "wb") as f:
        f.write(bytes(SIZE))
os.sync()
for name in "known", "walked", "wrong":
    same("stats/stack_%s before any IO is looked at" % name, value("stats/stack_" + name), "0")
put("devs", disk.name)
enable()
first = both(4)
check(first[1] > 10, "from the start, %d stacks were known and %d walked" % tuple(first))

known, walked = both(8)
print("known %d, walked %d" % (known, walked))
check(known > 200, "only %d stacks were known" % known)
check(known >= 10 * walked, "%d stacks were known and %d walked" % (known, walked))

known, walked = both(150, write_much)
print("many pages by each call: known %d, walked %d" % (known, walked))
check(known >= 10 * walked, "many pages by each call: %d stacks were known and %d walked" %
      (known, walked))

# A module that loads or unloads changes what addresses mean: the cache is dropped
for command in (["modprobe", "null_blk", "nr_devices=0"], ["modprobe", "-r", "null_blk"]):
    idle = both(2)[1]
    subprocess.run(command, check=True)
    again = both(2)[1]
    print("after %s: walked %d, before %d" % (" ".join(command), again, idle))
    check(again >= idle + 10, "after %s %d stacks were walked, %d before" %
          (" ".join(command), again, idle))

# A new session knows no stack of the one before
disable()
enable()
again = both(2)[1]
check(again >= 10, "in a new session only %d stacks were walked" % again)
disable()
