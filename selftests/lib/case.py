# SPDX-License-Identifier: GPL-2.0
"""What a case in the guest uses: ioblame's files, disks, IO of known size, processes.

    from lib.case import check, enable, same

The first check that fails ends the case, from a child process or a thread too: at once, so
nothing of `finally` and atexit is done.  What must go in any case, a trap of the shell file takes
away.
"""
import ctypes
import errno
import fcntl
import glob
import mmap
import os
import platform
import re
import signal
import struct
import subprocess
import sys
import threading
import time

from lib import abi, counters, iolog
from lib.status import parse as parse_status

IOB = os.environ["IOB"]
SCRATCH = os.environ["SCRATCH"]
# how many times as long as on Debian's kernels something may take
SLOWNESS = int(os.environ.get("IOB_SLOWNESS", "1"))
MNT = SCRATCH + "/mnt"
PAGE = os.sysconf("SC_PAGESIZE")
K, M = 1 << 10, 1 << 20
BLKDISCARD, BLKZEROOUT = 0x1277, 0x127F
CONFIGFS = "/sys/kernel/config"


def fail(*words):
    sys.stdout.flush()
    print("fail:", *words, file=sys.stderr, flush=True)
    os._exit(1)


def check(true, *words):
    if not true:
        fail(*words)


def same(what, got, want):
    check(got == want, "%s is %r, not %r" % (what, got, want))


# --- ioblame's files, and others by their whole path

def path(name):
    return name if name.startswith("/") else IOB + "/" + name


def read(name):
    with open(path(name), "rb") as f:
        return f.read().decode("ascii", "replace")


def value(name):
    return read(name).rstrip("\n")


def write_error(name, text, flags=0):
    """The name of the error of one write(2), "" if it takes the whole text."""
    fd = os.open(path(name), os.O_WRONLY | flags)
    try:
        data = os.fsencode(text)
        n = os.write(fd, data)
        return "" if n == len(data) else "short: %d of %d" % (n, len(data))
    except OSError as e:
        return errno.errorcode[e.errno]
    finally:
        os.close(fd)


def put(name, text, flags=0):
    said = write_error(name, text, flags)
    check(not said, "writing %r to %s gives %s" % (text, name, said))


def replace(name, text):
    """Write a setting; its old text."""
    old = value(name)
    put(name, text)
    return old


def takes(name, text, reads, flags=0):
    """A write is accepted, and the file then reads so."""
    put(name, text, flags)
    same(name + " after writing %r" % text, value(name), reads)


def refuses(error, name, text, flags=0):
    """A write is refused with this error and changes nothing."""
    before = read(name)
    same("the error of writing %r to %s" % (text[:60], name),
         write_error(name, text, flags), error)
    same("%s after the refused %r" % (name, text[:60]), read(name), before)


def enable(log=True):
    """@log: entries are kept for iolog_now(); else only while iolog is open, as by default."""
    put("log_at_enable", str(int(log)))
    takes("enable", "1", "1")


def disable():
    takes("enable", "0", "0")


def error_of(do, *args):
    """The name of the error of a call, "" if it works."""
    try:
        do(*args)
        return ""
    except OSError as e:
        return errno.errorcode[e.errno]


def meminfo(*rows):
    """The sum of these rows of /proc/meminfo, in bytes."""
    kib = dict(re.findall(r"^(\S+): +(\d+)", read("/proc/meminfo"), re.M))
    return sum(int(kib[row]) for row in rows) * K


def shrink_slabs():
    """Free what is kept of slabs without objects, and what KASAN keeps of objects that are freed.

    KASAN's quarantine may have a 32nd of the memory, all counted as SUnreclaim.
    """
    for cache in glob.glob("/sys/kernel/slab/*"):
        # (caches of one size may share a folder)
        if os.path.islink(cache):
            continue
        try:
            said = write_error(cache + "/shrink", "1")
        except FileNotFoundError:
            continue    # a cache that went meanwhile
        check(said in ("", "ENODEV"), "%s: %s" % (cache, said))


def kernel_memory():
    """The bytes that the kernel keeps for itself, once its caches are dropped."""
    drop_caches()
    shrink_slabs()
    # VmallocUsed has areas that are free, too: they stay in it until there are many
    pages = re.findall(r" pages=(\d+) ", read("/proc/vmallocinfo"))
    parts = [meminfo("SUnreclaim"), meminfo("Percpu"), sum(map(int, pages)) * PAGE]
    print("memory: %s KiB" % [part // K for part in parts])
    return sum(parts)


def read_fd(fd, size=1 << 20):
    """All until the end, or until a read would block."""
    data = b""
    try:
        while True:
            piece = os.read(fd, size)
            if not piece:
                break
            data += piece
    except BlockingIOError:
        pass
    return data


def read_to(fd, name):
    """Copy what is read to another file, until the end. A system call that gives EINTR ends it."""
    with open(name, "wb") as f:
        while True:
            data = os.read(fd, 1 << 16)
            if not data:
                break
            f.write(data)


def read_bytes(name, size=1 << 20):
    with open(path(name), "rb", buffering=0) as f:
        return read_fd(f.fileno(), size)


# --- disks

def buffer(size, byte=b"\xa5"):
    """Memory that begins on a page."""
    m = mmap.mmap(-1, size)
    m.write(byte * size)
    return m


class Disk:
    """A block device, by its node."""

    def __init__(self, node):
        self.node = node
        dev = os.stat(node).st_rdev
        self.number = "%d:%d" % (os.major(dev), os.minor(dev))
        self.name = os.path.basename(os.path.realpath("/sys/dev/block/" + self.number))
        self.dev = os.major(dev) << 20 | os.minor(dev)

    def sys(self, name):
        return "/sys/block/%s/%s" % (self.name, name)

    def queue(self, name):
        return value(self.sys("queue/" + name))

    def open(self, flags=os.O_RDWR | os.O_DIRECT):
        return os.open(self.node, flags)

    def direct(self, call, offset, size):
        """One IO by os.preadv or os.pwritev; the bytes that it has done."""
        fd, m = self.open(), buffer(size)
        try:
            return call(fd, [m], offset)
        finally:
            os.close(fd)

    # Each IO is one request that is complete on return
    def direct_write(self, offset, size, count=1):
        fd, m = self.open(), buffer(size)
        for i in range(count):
            same("pwrite", os.pwritev(fd, [m], offset + i * size), size)
        os.close(fd)

    def direct_read(self, offset, size, count=1):
        fd, m = self.open(), buffer(size)
        for i in range(count):
            same("preadv", os.preadv(fd, [m], offset + i * size), size)
        os.close(fd)

    def direct_write_in_threads(self, offset, size, nr):
        """Each thread is a role, and takes less time than a process."""
        threads = [threading.Thread(target=self.direct_write, args=(offset, size))
                   for _ in range(nr)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()

    def ioctl_range(self, request, offset, size):
        """BLKDISCARD or BLKZEROOUT."""
        fd = self.open(os.O_RDWR)
        fcntl.ioctl(fd, request, struct.pack("=QQ", offset, size))
        os.close(fd)

    def stat(self):
        """{R, Rb, W, Wb, D, Db, F}: requests, and bytes with a b; at rest."""
        last = None
        for _ in range(200):
            v = [int(x) for x in read(self.sys("stat")).split()]
            if v == last and v[8] == 0:
                break
            last = v
            time.sleep(0.05)
        v += [0] * (17 - len(v))
        return {"R": v[0], "Rb": v[2] * 512, "W": v[4], "Wb": v[6] * 512,
                "D": v[11], "Db": v[13] * 512, "F": v[15]}


def scsi_disk():
    """The disk of the module scsi_debug."""
    for _ in range(100):
        for name in os.listdir("/sys/block"):
            model = "/sys/block/%s/device/model" % name
            if os.path.exists(model) and read(model).startswith("scsi_debug") and \
               os.path.exists("/dev/" + name):
                return Disk("/dev/" + name)
        time.sleep(0.1)
    fail("scsi_debug shows no disk")


class NullBlk(Disk):
    """A null_blk device of 64 MiB that completes an IO after @nsec nanoseconds, by a timer, and
    has @depth of them under way at most; and what @more sets."""

    def __init__(self, name, nsec, depth=64, **more):
        if not os.path.exists(CONFIGFS + "/nullb"):
            subprocess.run(["mount", "-t", "configfs", "configfs", CONFIGFS], check=False)
        self.folder = CONFIGFS + "/nullb/" + name
        os.mkdir(self.folder)
        for setting, text in (("size", "64"), ("irqmode", "2" if nsec else "0"),
                              ("completion_nsec", str(nsec)), ("queue_mode", "2"),
                              ("hw_queue_depth", str(depth)), *more.items()):
            put(self.folder + "/" + setting, text)
        old = set(os.listdir("/sys/block"))
        self.power("1")
        super().__init__("/dev/" + (set(os.listdir("/sys/block")) - old).pop())

    def power(self, text):
        put(self.folder + "/power", text)

    def remove(self):
        os.rmdir(self.folder)


class Delayed(Disk):
    """A disk of dm_delay: an IO waits for @seconds, or until release(), and then goes to the disk
    below.  The kernel looks for no partitions on it, which on a slow null_blk takes many IOs."""

    def __init__(self, name, below, seconds):
        self.mapped, self.below = name, below
        self.dmsetup("create", "--table", self.table(seconds))
        output("dmsetup", "mknodes")
        super().__init__("/dev/mapper/" + name)

    def dmsetup(self, what, *words):
        same("dmsetup " + what, output("dmsetup", what, "--noudevsync", self.mapped, *words),
             (0, ""))

    def table(self, seconds):
        return "0 %s delay %s 0 %d" % (value(self.below.sys("size")), self.below.node,
                                       seconds * 1000)

    def delay(self, seconds):
        """From now on; IO that waits is done when this returns."""
        self.dmsetup("reload", "--table", self.table(seconds))
        self.release()

    def waiting(self):
        """How many bios wait."""
        done, said = output("dmsetup", "status", self.mapped)
        same("dmsetup status", done, 0)
        return sum(map(int, said.split()[3:]))

    def release(self):
        """All IO that waits is done when this returns."""
        self.dmsetup("suspend", "--nolockfs")
        self.dmsetup("resume")

    def remove(self):
        self.dmsetup("remove")


def write_pages(name, pages, byte=b"x"):
    """Write these pages of a file, which is made if it is not there, one by one."""
    fd = os.open(name, os.O_RDWR | os.O_CREAT, 0o600)
    for page in pages:
        os.pwrite(fd, byte * PAGE, page * PAGE)
    os.close(fd)


def compressible(n, seed=0):
    """A page of data that compresses to about a third."""
    return b"".join(b"%d %d %d " % (seed, n, i * i * i) for i in range(PAGE // 6))[:PAGE]


def fsync(name, flags=os.O_RDWR):
    fd = os.open(name, flags)
    os.fsync(fd)
    os.close(fd)


def sync(*compressed):
    """By a process of its own, so that this one submits nothing.

    @compressed: files that btrfs compresses.  sync(2) does not wait for what btrfs' workers have
    yet to compress; fsync(2) does.
    """
    subprocess.run(["sync"], check=True)
    if compressed:
        subprocess.run(["sync", *compressed], check=True)


def drop_caches():
    put("/proc/sys/vm/drop_caches", "3")


# --- counters_pipe

def pipe():
    return counters.parse(read("counters_pipe"))


def counted(acts, who):
    """{counter: histogram} of one role, summed up over its acts."""
    total = {}
    for a in acts:
        if a["who"] == who:
            for nr, hist in enumerate(a["hist"]):
                total[nr] = counters.added(total.get(nr, [0] * counters.SLOTS), hist)
    return total


# --- the logs

def iolog_now():
    """The entries that are there by now, without waiting."""
    fd = os.open(path("iolog"), os.O_RDONLY | os.O_NONBLOCK)
    try:
        data = read_fd(fd, 1 << 16)
    finally:
        os.close(fd)
    return iolog.parse_text(data.decode("ascii", "replace"))


def iolog_bins():
    """The names of the binary logs, one for each CPU."""
    return sorted(n for n in os.listdir(IOB) if re.match(r"iolog_bin\d+$", n))


class BinaryLog:
    """All binary logs, open."""

    def __init__(self, flags=0):
        self.fds = [os.open(path(name), os.O_RDONLY | flags) for name in iolog_bins()]

    def end(self):
        """The records that have come; closes the logs."""
        data = b"".join(read_fd(fd, abi.IOLOG.size * 50) for fd in self.fds)
        for fd in self.fds:
            os.close(fd)
        return list(abi.IOLOG.split(data))


def status():
    return parse_status(read("status"))


# --- processes

def child(do, *args):
    """Call it in a process of its own; the pid. A failure there fails the case."""
    pid = os.fork()
    if pid:
        return pid
    try:
        do(*args)
        os._exit(0)
    except BaseException as e:
        fail("in a child:", repr(e))


def wait_for(pid):
    _, how = os.waitpid(pid, 0)
    check(how == 0, "a child ended with status %#x" % how)


def run(do, *args):
    """Call it in a process of its own that has ended then; its pid."""
    pid = child(do, *args)
    wait_for(pid)
    return pid


def next_pid_is(pid):
    """The pids before this one are given out: the next process, or thread, likely gets it."""
    if os.path.exists("/proc/sys/kernel/ns_last_pid"):
        put("/proc/sys/kernel/ns_last_pid", str(pid - 1))
        return
    # a kernel without CHECKPOINT_RESTORE: few pids are left, and they are used up
    was = read("/proc/sys/kernel/pid_max")
    put("/proc/sys/kernel/pid_max", str(pid + 300))
    for _ in range(2 * pid):
        last = run(lambda: None)
        if last < pid and all(os.path.exists("/proc/%d" % n) for n in range(last + 1, pid)):
            break
    put("/proc/sys/kernel/pid_max", was)


def kill(pid, number=signal.SIGKILL):
    """End a child that goes on for ever: one that has ended before has failed."""
    os.kill(pid, number)
    how = os.waitpid(pid, 0)[1]
    check(how & 0x7f == number, "a child has ended by itself, with status %#x" % how)


def output(*words, **more):
    """Run a command; (status, all that it says)."""
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          check=False, **more)
    return done.returncode, done.stdout.decode("utf-8", "replace")


def looks(seconds, step=0.05):
    """Once each @step seconds until so many are over.  While the machine stands still nobody does
    anything, so that time is none of them: what sleeps for far longer than it asked for."""
    end = time.monotonic() + seconds * SLOWNESS
    while True:
        yield
        began = time.monotonic()
        if began >= end:
            return
        time.sleep(step)
        slept = time.monotonic() - began
        if slept > step + 1:
            end += slept - step


def eventually(what, true, seconds=20, otherwise=None):
    """@otherwise: to be called before the case fails, to say more."""
    for _ in looks(seconds):
        if true():
            return
    if otherwise:
        otherwise()
    fail("not within %d s: %s" % (seconds * SLOWNESS, what))


# --- insmod and rmmod without a process for each

LIBC = ctypes.CDLL(None, use_errno=True)
FINIT_MODULE, DELETE_MODULE = {"x86_64": (313, 176), "aarch64": (273, 106)}[platform.machine()]


def module_call(what, *args):
    if LIBC.syscall(*args):
        e = ctypes.get_errno()
        raise OSError(e, os.strerror(e), what)


def load():
    fd = os.open(os.environ["IOB_KO"], os.O_RDONLY | os.O_CLOEXEC)
    try:
        module_call("loading", FINIT_MODULE, fd, b"", 0)
    finally:
        os.close(fd)


def unload():
    module_call("unloading", DELETE_MODULE, b"ioblame", os.O_NONBLOCK)
    check(not os.path.exists(IOB), "the folder remains")
