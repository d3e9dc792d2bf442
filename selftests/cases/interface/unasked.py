# SPDX-License-Identifier: GPL-2.0
"""The body of interface/unasked: each part is called by its name."""
import fcntl
import mmap
import os
import subprocess
import sys

from lib import iolog
from lib.case import (K, M, MNT, PAGE, Disk, check, child, disable, drop_caches, enable, fsync,
                      iolog_now, kill, put, run, same, sync)

FICLONE = 0x40049409
disks = [Disk(node) for node in sys.argv[2:]]


def writes(log):
    return iolog.bytes_by([e for e in log if e.op == "W"], "disk", "who", "how")


def make(name, size, piece):
    fd = os.open(name, os.O_RDWR | os.O_CREAT, 0o600)
    for at in range(0, size, piece):
        os.pwrite(fd, bytes([at // piece % 251 + 1]) * piece, at)
    os.close(fd)


def make_synced(name, size, piece):
    make(name, size, piece)
    fsync(name)


def behind():
    """RAID 1 copies what it writes behind, and the task that unplugs it submits the copies."""
    name, size = MNT + "/behind", 4 * M
    make(name, size, size)
    sync()
    enable()
    writer = run(make, name, size, size)
    syncer = run(fsync, name)
    sync()
    log = iolog_now()
    disable()
    by = writes(log)
    print("behind: writer", writer, "syncer", syncer, by)
    for disk in disks:
        check(sum(n for (d, _, _), n in by.items() if d == disk.name) >= size,
              "too little is written to", disk.name)
    exact = {key: n for key, n in by.items() if key[1:] == ("pid-%d" % syncer, "exact")}
    # (metadata of the file system that fsync itself changes)
    check(sum(exact.values()) <= 64 * K, "data of others is exactly the syncer's: %r" % exact)


def rewrite(name, size):
    """Every other page: each becomes an extent of its own."""
    fd = os.open(name, os.O_RDWR)
    for at in range(0, size, 2 * PAGE):
        os.pwrite(fd, b"r" * PAGE, at)
    os.close(fd)


def look_at(name):
    with open(name, "rb") as f:
        f.read(1)


def mapped_by_worker(what, name, size):
    """A worker of xfs maps what was written, which another task has read meanwhile."""
    sync()
    enable()
    writer = run(rewrite, name, size)
    reader = run(look_at, name)
    sync()
    for action in "-f", "-u":
        subprocess.run(["fsfreeze", action, MNT], check=True)
    log = iolog_now()
    disable()
    by = writes(log)
    print(what + ": writer", writer, "reader", reader, by)
    check(sum(by.values()) >= size // 2 + 100 * K, "too little is written")
    its = {key: n for key, n in by.items() if key[1] == "pid-%d" % reader}
    # (the inodes beside the one whose time of access it changed, and its part of the log)
    check(sum(its.values()) <= 64 * K, "%s: trees are the reader's: %r" % (what, its))


def cloned():
    """A block that two files share is written elsewhere."""
    name, size = MNT + "/cloned", 16 * M
    make(name, size, M)
    to = os.open(name + ".clone", os.O_RDWR | os.O_CREAT, 0o600)
    fd = os.open(name, os.O_RDWR)
    fcntl.ioctl(to, FICLONE, fd)
    os.close(to)
    os.close(fd)
    mapped_by_worker("cloned", name, size)


def filled():
    """A hole gets blocks, which are not written yet."""
    name, size = MNT + "/filled", 16 * M
    fd = os.open(name, os.O_RDWR | os.O_CREAT, 0o600)
    os.ftruncate(fd, size)
    os.close(fd)
    mapped_by_worker("filled", name, size)


def write_part(name):
    fd = os.open(name, os.O_RDWR)
    os.pwrite(fd, b"p" * 100, 5000)
    os.close(fd)


def partial():
    """To change a part of a block xfs reads it, and waits as for direct IO."""
    name = MNT + "/partial"
    make_synced(name, M, M)
    ino = os.stat(name).st_ino
    # (its inode stays: the extents are not read again)
    fd = os.open(name, os.O_RDONLY)
    os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
    enable()
    writer = run(write_part, name)
    log = [e for e in iolog_now() if e.op in "RA"]
    disable()
    os.close(fd)
    print("partial:", ["%s %d %s ino=%d %s" % (e.op, e.bytes, e.who, e.ino, e.how) for e in log])
    same("the reads for a part of a block", [(e.op, e.who, e.ino, e.how) for e in log],
         [("R", "pid-%d" % writer, ino, "exact")])


def stores(name, size):
    """Store into a mapped file, and have it written, for ever."""
    fd = os.open(name, os.O_RDWR)
    m = mmap.mmap(fd, size)
    n = 0
    while True:
        n += 1
        for at in range(0, size, PAGE):
            m[at:at + 8] = b"%08d" % (n % 10 ** 8)
        m.flush()


def direct_from(name, to, size, times):
    """Write another file directly from that mapping.  Returns nothing: the log tells."""
    fd = os.open(name, os.O_RDWR)
    m = mmap.mmap(fd, size)
    out = os.open(to, os.O_RDWR | os.O_DIRECT)
    for _ in range(times):
        same("bytes of a direct write", os.pwritev(out, [m], 0), size)


def extents(name):
    """The sectors of a file's data on the disk."""
    text = subprocess.run(["filefrag", "-b512", "-v", name], check=True,
                          stdout=subprocess.PIPE).stdout.decode()
    found = set()
    for line in text.splitlines():
        words = line.replace("..", " ").replace(":", " ").split()
        if len(words) >= 6 and words[0].isdigit() and words[3].isdigit():
            found.update(range(int(words[3]), int(words[4]) + 1))
    return found


def mapped():
    """The buffer of a direct IO of btrfs is another file's pages, which are being written."""
    name, to, size = MNT + "/mapped", MNT + "/direct", 64 * K
    make_synced(name, size, size)
    make_synced(to, size, size)
    drop_caches()
    sectors = extents(to)
    check(len(sectors) == size // 512, "the sectors are not known: %d" % len(sectors))
    enable()
    storer = child(stores, name, size)
    writer = run(direct_from, name, to, size, 100)
    kill(storer)
    log = [e for e in iolog_now() if e.op == "W" and e.sector in sectors]
    disable()
    by = iolog.bytes_by(log, "who", "how")
    print("mapped: storer", storer, "writer", writer, by)
    same("direct writes from a mapped file", by, {("pid-%d" % writer, "exact"): 100 * size})


put("devs", " ".join(disk.name for disk in disks))
{"behind": behind, "cloned": cloned, "filled": filled, "partial": partial,
 "mapped": mapped}[sys.argv[1]]()
