# SPDX-License-Identifier: GPL-2.0
"""The body of interface/loop."""
import fcntl
import os
import subprocess
import sys

from lib import iolog
from lib.case import Disk, check, disable, enable, eventually, iolog_now, put, run, same

swap, loop, disk = Disk(sys.argv[1]), Disk(sys.argv[2]), Disk(sys.argv[5])
group, scratch = sys.argv[3:5]
file, on_disk = scratch + "/memory/file", scratch + "/disk/file"
hog = scratch + "/memory/hog"
FILE, SIZE, FULL = 48 << 20, 24 << 20, 40 << 20
LOOP_CHANGE_FD = 0x4C06


def myself(do, *args):
    do(*args)
    return os.getpid()


def limit(size):
    put(group + "/memory.high", size)


def swap_free():
    with open("/proc/meminfo") as f:
        return next(int(line.split()[1]) << 10 for line in f if line.startswith("SwapFree:"))


# Fill a file; its memory is charged to the group
def fill(name, size):
    put(group + "/cgroup.procs", "0")
    fd = os.open(name, os.O_RDWR)
    for at in range(0, size, 1 << 20):
        same("pwrite", os.pwrite(fd, os.urandom(1 << 20), at), 1 << 20)
    os.close(fd)


def swap_out():
    limit("max")
    run(fill, file, SIZE)
    before = swap_free()
    limit("2M")
    eventually("most of the file is swapped out", lambda: before - swap_free() > SIZE // 2)
    limit("max")


# {(who, how): bytes} of the reads of a disk since the last call
def reads_of(device):
    return iolog.bytes_by([e for e in iolog_now() if e.op in "RA" and e.disk == device.name],
                          "who", "how")


# Another process, or with do=myself this one, that reads the loop device is charged for what is
# swapped in
def swap_in(when, do=run):
    swap_out()
    iolog_now()
    reader = do(loop.direct_read, 0, 64 << 10, SIZE // (64 << 10))
    got = reads_of(swap)
    print("%s: read by %r: %r" % (when, "pid-%d" % reader, got))
    check(sum(got.values()) > SIZE // 2, "too little was swapped in")
    same("the role that swaps in, " + when, set(got), {("pid-%d" % reader, "inherited")})


def swapon():
    subprocess.run(["swapon", swap.node], check=True)


# None of this IO reaches a disk
put("devs", "%s %s" % (loop.name, swap.name))
enable()
writer = run(loop.direct_write, 0, 64 << 10, 100)
reader = run(loop.direct_read, 0, 64 << 10, 100)
disable()
same("IO without swap", iolog.bytes_by(iolog_now(), "disk", "op", "who", "how"),
     {(loop.name, "W", "pid-%d" % writer, "exact"): 6400 << 10,
      (loop.name, "R", "pid-%d" % reader, "exact"): 6400 << 10})

# Swap is added after the first IO to the device
for devs in "%s" % swap.name, "%s %s" % (loop.name, swap.name):
    put("devs", devs)
    enable()
    run(loop.direct_read, 0, 64 << 10, 10)
    swapon()
    swap_in("swap added, watching " + devs)
    disable()
    # Swap is there from the beginning
    enable()
    swap_in("swap there, watching " + devs)
    disable()
    subprocess.run(["swapoff", swap.node], check=True)


# A full swap area: what fills it goes after the first IO to the device, by the same task
def fill_swap():
    subprocess.run(["mkswap", swap.node, str(FULL >> 10)], check=True, stdout=subprocess.DEVNULL)
    swapon()
    limit("max")
    run(fill, hog, 2 * FULL)
    eventually("the swap area is full", lambda: limit("2M") or not swap_free())
    limit("max")


for devs in "%s" % swap.name, "%s %s" % (loop.name, swap.name):
    os.truncate(file, 0)
    os.truncate(file, FILE)
    open(hog, "wb").close()
    fill_swap()
    put("devs", devs)
    enable()
    for _ in range(10):
        loop.direct_read(0, 64 << 10)
    print("bytes of the full area that are free: %d" % swap_free())
    os.unlink(hog)
    swap_in("the full area has room, watching " + devs, myself)
    disable()
    subprocess.run(["swapoff", swap.node], check=True)


def losetup(*args):
    subprocess.run(["losetup"] + list(args), check=True)


def change_file(to):
    lo, fd = os.open(loop.node, os.O_RDONLY), os.open(to, os.O_RDONLY)
    fcntl.ioctl(lo, LOOP_CHANGE_FD, fd)
    os.close(lo)
    os.close(fd)


# Another process, or with do=myself this one, reads the loop device.  The bytes read of the
# disk below, the roles charged for them, and the role that should be
def read_file(what, do=run):
    # drop_caches leaves pages that a CPU has not put on a list yet; this does not
    fd = os.open(on_disk, os.O_RDONLY)
    os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
    os.close(fd)
    iolog_now()
    reader = do(loop.direct_read, 0, 64 << 10, (8 << 20) // (64 << 10)) or os.getpid()
    got = reads_of(disk)
    print("%s: read by %r: %r" % (what, "pid-%d" % reader, got))
    return sum(got.values()), set(got), {("pid-%d" % reader, "inherited")}


# LOOP_CHANGE_FD gives a read-only device another file; then losetup sets it anew.  Before the
# first change no hook has seen a request
os.truncate(file, 8 << 20)
losetup("-d", loop.node)
losetup("-r", loop.node, file)
put("devs", disk.name)
enable()
same("read of the disk for a file on tmpfs", read_file("tmpfs")[0], 0)
change_file(on_disk)
size, who, reader = read_file("changed")
check(size >= 8 << 20, "the new file is not read")
same("the role that reads the new file", who, reader)
change_file(file)
same("read of the disk for a file on tmpfs again", read_file("tmpfs again")[0], 0)
losetup("-d", loop.node)
losetup("-r", loop.node, on_disk)
size, who, reader = read_file("set anew")
check(size >= 8 << 20, "the file is not read")
same("the role that reads the file", who, reader)
disable()

# This task itself reads, so that what is remembered of it from before must not matter


def myself(do, *args):
    do(*args)


put("devs", "%s %s" % (loop.name, disk.name))
losetup("-d", loop.node)
losetup("-r", loop.node, file)
enable()
for when in "first", "second":
    same("read of the disk for a file on tmpfs, %s time" % when, read_file("tmpfs", myself)[0], 0)
    change_file(on_disk)
    size, who, reader = read_file("changed, %s time" % when, myself)
    check(size >= 8 << 20, "the new file is not read, %s time" % when)
    same("the role that reads the new file, %s time" % when, who, reader)
    change_file(file)
disable()
