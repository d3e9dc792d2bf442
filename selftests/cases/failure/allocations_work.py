# SPDX-License-Identifier: GPL-2.0
"""What runs while failure/allocations and failure/failslab have no memory, who must pay for it, and
what ioblame may leave behind"""
import errno
import os
import re
import subprocess

from lib.case import (IOB, M, MNT, PAGE, SCRATCH, Disk, NullBlk, buffer, check, compressible,
                      iolog_now, output, put, read, read_bytes, run, same, sync, write_pages)

PAGES = 16
DM_AT = 32 * M


class Work:
    """Disks, and a round of IO of known processes.  After a failure the shell file's undo() takes
    away what this has made under the name iobfail."""

    def __init__(self, raw, ext, btrfs, btrfs_dir):
        self.raw, self.ext, self.btrfs = Disk(raw), Disk(ext), Disk(btrfs)
        self.btrfs_dir = btrfs_dir
        table = "0 %d linear %s %d" % (DM_AT // 512, self.raw.node, DM_AT // 512)
        same("dmsetup", output("dmsetup", "create", "--noudevsync", "iobfail",
                               input=table.encode()), (0, ""))
        output("dmsetup", "mknodes")
        self.dm = Disk("/dev/mapper/iobfail")
        self.disks = self.raw, self.ext, self.btrfs, self.dm
        self.nr = 0
        # {(disk, inode): {pid: bytes}}
        self.files = {}
        # what to do when iolog cannot be opened, before it is opened again
        self.read_again = None

    def log(self):
        try:
            return iolog_now()
        except OSError as e:
            if not self.read_again:
                raise
            self.read_again(errno.errorcode[e.errno])
            return iolog_now()

    def end(self):
        output("dmsetup", "remove", "--noudevsync", "iobfail")

    def wrote(self, disk, name, pid, pages):
        of = self.files.setdefault((disk.name, os.stat(name).st_ino), {})
        of[pid] = of.get(pid, 0) + pages * PAGE

    def write_files(self):
        """Two processes, each with a file, and one that both write by turns; and a file that has
        another writer in each round, whose pages are still in memory."""
        own, both = "%s/own%d" % (MNT, self.nr), "%s/both%d" % (MNT, self.nr)

        def pages(first):
            write_pages("%s.%d" % (own, first), range(PAGES))
            write_pages(both, range(first, PAGES, 2))

        for first in range(2):
            pid = run(pages, first)
            self.wrote(self.ext, "%s.%d" % (own, first), pid, PAGES)
            self.wrote(self.ext, both, pid, PAGES // 2)
        again = MNT + "/again"
        self.wrote(self.ext, again, run(write_pages, again, range(PAGES)), PAGES)

    def write_compressed(self):
        def pages(name):
            fd = os.open(name, os.O_RDWR | os.O_CREAT, 0o600)
            for page in range(4 * PAGES):
                os.pwrite(fd, compressible(page), page * PAGE)
            os.close(fd)

        name = "%s/compressed%d" % (self.btrfs_dir, self.nr)
        self.wrote(self.btrfs, name, run(pages, name), 4 * PAGES)
        return name

    def round(self, more=None, whole=False):
        """Do IO.  Every byte of data is charged to who caused it, or is not exact; @whole: it is
        exact."""
        self.nr += 1
        self.write_files()
        compressed = self.write_compressed()
        direct = run(self.raw.direct_write, 0, PAGE, 24)
        below = run(self.dm.direct_write, 0, PAGE, 4)
        if more:
            more()
        sync(compressed)
        log = self.log()
        self.check_files(log, whole)
        for entry in log:
            if entry.how != "exact" or entry.op != "W":
                continue
            if entry.disk == self.raw.name and entry.sector < DM_AT // 512:
                same("who pays for " + entry.line, entry.pid, direct)
            elif entry.disk in (self.raw.name, self.dm.name):
                same("who pays for " + entry.line, entry.pid, below)

    def check_files(self, log, whole):
        sums = {}
        self.files, wanted = {}, self.files
        for entry in log:
            of = wanted.get((entry.disk, entry.ino))
            if of is None or entry.op != "W" or entry.how != "exact":
                continue
            check(entry.pid in of, "exact, but another wrote it: %s (writers: %r)"
                  % (entry.line, of))
            key = entry.disk, entry.ino, entry.pid
            sums[key] = sums.get(key, 0) + entry.bytes
            check(sums[key] <= of[entry.pid], "more than it wrote is exact: " + entry.line)
        for (disk, ino), of in wanted.items():
            for pid, size in of.items():
                got = sums.get((disk, ino, pid), 0)
                # (compressed data is less)
                enough = got > 0 if disk == self.btrfs.name else got == size
                check(enough or not whole, "of %d bytes that %d wrote to inode %d on %s, %d are "
                      "exact" % (size, pid, ino, disk, got))

    def many(self):
        """More acts than a leaf of an index holds, more tasks in a journal than are ready."""
        for what, count in ("files", 600), ("processes", 80):
            folder = "%s/%s%d" % (MNT, what, self.nr)
            os.mkdir(folder)
            subprocess.run([os.environ["IOB_BIN"] + "/crowd", what, folder, str(count), "512"],
                           check=True, stdout=subprocess.DEVNULL)

    def many_bios(self):
        """More bios at once than there are spare places for."""
        slow = NullBlk("iobfail", 300 * 1000 * 1000, 2048)
        put(slow.sys("queue/scheduler"), "none")
        put("devs", slow.name)
        # whether each is followed is not asked for
        subprocess.run(["fio", "--name=many", "--filename=" + slow.node, "--direct=1",
                        "--rw=randread", "--bs=4k", "--iodepth=2048", "--ioengine=libaio",
                        "--number_ios=2048", "--size=32M", "--minimal"], check=True,
                       stdout=subprocess.DEVNULL, cwd=SCRATCH)
        put("devs", "!" + slow.name)
        slow.remove()


def small_write(disk):
    """One IO of this process, which must be exact."""
    m = buffer(PAGE)
    fd = disk.open()
    same("pwrite", os.pwritev(fd, [m], 0), PAGE)
    os.close(fd)
    log = [entry for entry in iolog_now() if entry.disk == disk.name]
    same("the log of one write", [(e.op, e.bytes, e.pid, e.how) for e in log],
         [("W", PAGE, os.getpid(), "exact")])
    read_bytes("counters_pipe")


def lines(name, pattern="."):
    try:
        return [line for line in read(name).splitlines() if re.search(pattern, line)]
    except FileNotFoundError:
        return []


class Traces:
    """What ioblame may leave in the kernel, as it is when this is made.  Callers without a symbol
    are of a module that is gone."""

    def __init__(self):
        self.before = self.now()

    @staticmethod
    def now():
        return {
            "folder": os.path.exists(IOB),
            "module": os.path.exists("/sys/module/ioblame"),
            "caches": [name for name in os.listdir("/sys/kernel/slab") if "iob_" in name],
            "CPU states": lines("/sys/devices/system/cpu/hotplug/states", "ioblame"),
            "vmalloc": lines("/proc/vmallocinfo", r"ioblame|^\S+ +\d+ 0x"),
            "ftrace": lines("/sys/kernel/tracing/enabled_functions"),
            "kprobes": lines("/sys/kernel/debug/kprobes/list"),
        }

    def same_after(self, what):
        now = self.now()
        for key, old in self.before.items():
            same("%s after %s" % (key, what), now[key], old)
