# SPDX-License-Identifier: GPL-2.0
"""The body of failure/unplug."""
import errno
import glob
import os
import re
import struct
import sys
import time

from lib import iolog
from lib.case import (K, M, MNT, SCRATCH, SLOWNESS, Disk, buffer, check, child, disable, enable,
                      error_of, eventually, iolog_now, output, path, put, read_to, run, same,
                      status, value, wait_for)

below, virtio, nvme, slot = (Disk(node) for node in sys.argv[1:])
TEXT = SCRATCH + "/iolog"

# a cause that was reclaimed, and a stack deeper than what is kept of one
USUAL = "act_stale", "stack_cut"
WRITERS = 6
SIZE = 64 * K
# what a program is told of a disk that is not there; a file system that has seen it says EROFS, too
GONE = "EIO", "ENXIO", "ENODEV"
# of PCI Express: a capability; its register for a slot; the slot's indicator and power, both off
CAP_EXPRESS = 0x10
SLOT_CONTROL = 0x18
POWER_OFF = 0x700


# of a node: the PCI device that was pulled
pci = {}


def sh(*words):
    code, said = output(*words)
    check(code == 0, "%s: %s" % (" ".join(words), said))
    return said


# --- how each kind of disk goes, and comes again
# The PCI devices on the way to it, its own last
def pci_of(disk):
    return re.findall(r"/(\w+:\w\w:\w\w\.\w)(?=/)", os.path.realpath("/sys/block/" + disk.name))


def pull_pci(disk):
    pci[disk.node] = pci_of(disk)[-1]
    put("/sys/bus/pci/devices/%s/remove" % pci[disk.node], "1")


# The power of its slot is cut: it is gone at once.  IO that is under way gets no answer, until its
# driver is told, which then fails all of it.  (That the driver finds out by a timeout is left out:
# lockdep of 6.12 takes the queue that it freezes there for a lock.)
def cut_power(disk):
    slot_of = pci_of(disk)[-2]
    with open("/sys/bus/pci/devices/%s/config" % slot_of, "r+b", buffering=0) as config:
        at = config_byte(config, 0x34)
        while config_byte(config, at) != CAP_EXPRESS:
            at = config_byte(config, at + 1)
        config.seek(at + SLOT_CONTROL)
        control, = struct.unpack("<H", config.read(2))
        config.seek(at + SLOT_CONTROL)
        config.write(struct.pack("<H", control | POWER_OFF))
    pull_pci(disk)


def config_byte(config, at):
    config.seek(at)
    return config.read(1)[0]


def rescan():
    put("/sys/bus/pci/rescan", "1")


def pull_scsi(disk):
    put("/sys/block/%s/device/delete" % disk.name, "1")


def scsi():
    output("modprobe", "-r", "scsi_debug")
    sh("modprobe", "scsi_debug", "dev_size_mb=48", "delay=1")
    nodes = []
    eventually("a disk of scsi_debug",
               lambda: nodes.extend(glob.glob("/sys/bus/pseudo/drivers/scsi_debug/adapter0/"
                                              "host*/target*/*/block/*")) or nodes)
    return os.path.basename(nodes[0])


def dm():
    output("dmsetup", "remove", "--noudevsync", "fu")
    sh("dmsetup", "create", "--noudevsync", "fu", "--table",
       "0 %d linear %s 0" % (48 * M // 512, below.node))
    sh("dmsetup", "mknodes", "fu")
    return os.path.basename(Disk("/dev/mapper/fu").name)


# The table is replaced: all further IO fails
def pull_dm(disk):
    code, said = output("dmsetup", "remove", "--noudevsync", "--force", "fu")
    check(code, "a device in use was removed: " + said)


def loop():
    name = SCRATCH + "/loop"
    with open(name, "w") as f:
        f.truncate(48 * M)
    return os.path.basename(sh("losetup", "-f", "--show", name).strip())


# Its file is cut off; it goes with its last user.  IO that is under way makes the file longer
# again, until the device has no size.
def pull_loop(disk):
    for _ in range(100):
        os.truncate(SCRATCH + "/loop", 0)
        sh("losetup", "-c", disk.node)
        if value(disk.sys("size")) == "0":
            break
    same("the size of " + disk.name, value(disk.sys("size")), "0")
    sh("losetup", "-d", disk.node)


# --- what is done to it
def write_until_it_fails(nr, tell):
    m = buffer(SIZE)
    try:
        fd = os.open("%s/direct%d" % (MNT, nr), os.O_RDWR | os.O_CREAT | os.O_DIRECT, 0o600)
        for n in range(1 << 30):
            os.pwritev(fd, [m], n % 64 * SIZE)
            if n % 16 == 0:
                os.fsync(fd)
    except OSError as e:
        os.write(tell, (errno.errorcode[e.errno] + "\n").encode())


def under_way(disk):
    return sum(int(n) for n in value(disk.sys("inflight")).split())


# Who has a file open for direct IO
def has_file(pid):
    folder = "/proc/%d/fd" % pid
    return any(os.readlink(folder + "/" + fd).startswith(MNT + "/direct")
               for fd in os.listdir(folder))


# Once all writers have their files open and IO is under way.  Several of them always wait for
# theirs: it is there a moment later, too.
def pull_under_io(what, pull, disk, writers):
    eventually("all writers have their files open", lambda: all(has_file(w) for w in writers))
    end = time.monotonic() + 20 * SLOWNESS
    busy = under_way(disk)
    while not busy:
        check(time.monotonic() < end, "%s: no IO is under way" % what)
        busy = under_way(disk)
    soon("pulling it", pull, disk)
    print("%s: pulled with %d IOs under way" % (what, busy))


# All that they were told: each ends by an error
def told(what, fd):
    with os.fdopen(fd) as f:
        words = f.read().split()
    print("%s: the writers are told %r" % (what, words))
    same("%s: writers that an error has ended" % what, len(words), WRITERS)
    check(set(words) & set(GONE), "%s: no writer is told that the disk is gone: %r" % (what, words))


# In so many seconds: a pulled disk must not hold it up
def soon(what, do, *args):
    began = time.monotonic()
    do(*args)
    took = time.monotonic() - began
    check(took < 20 * SLOWNESS, "%s takes %.1f s" % (what, took))


def nothing_under_way():
    return status()["inflight"] == "0"


def pulled(what, name, pull, back):
    disk = Disk("/dev/" + name)
    sh("mkfs.ext4", "-q", "-F", "-E", "lazy_itable_init=0,lazy_journal_init=0", disk.node)
    sh("mount", "-t", "ext4", disk.node, MNT)
    put("devs", name)
    put("nr_counters", "1")
    put("counters/0", "W age 0 1 2 3 4 5 6 7 0")
    enable(log=False)
    text = os.open(path("iolog"), os.O_RDONLY)
    reader = child(read_to, text, TEXT)
    os.close(text)
    node = os.open(disk.node, os.O_RDONLY)
    dirty = os.open(MNT + "/dirty", os.O_WRONLY | os.O_CREAT, 0o600)
    os.write(dirty, b"d" * M)
    errors, tell = os.pipe()
    writers = [child(write_until_it_fails, n, tell) for n in range(WRITERS)]
    os.close(tell)
    eventually("IO of the writers",
               lambda: status().get("disk %s W" % name, {"ios": 0})["ios"] > 40)
    os.write(dirty, b"e" * M)
    pull_under_io(what, pull, disk, writers)
    for pid in writers:
        wait_for(pid)
    told(what, errors)
    # its file is open and it is mounted
    eventually("no IO is under way", nothing_under_way)
    soon("disabling", disable)
    wait_for(reader)
    with open(TEXT, "rb") as f:
        log = iolog.parse_text(f.read().decode("ascii", "replace"))
    failed = [e for e in log if e.err]
    print("%s: %d entries, %d of which failed" % (what, len(log), len(failed)))
    check(failed or pull is not cut_power, "no IO was under way when the power was cut")
    check(log, "%s: the log is empty" % what)
    same("disks in the log", {e.disk for e in log}, {name})
    same("writers in the log", {e.pid for e in log if e.op == "W" and e.how == "exact"} -
         set(writers) - {os.getpid()}, set())
    soon("enabling without it", enable)
    said = error_of(os.write, dirty, b"f" * M), error_of(os.fsync, dirty)
    print("%s: write() says %r, fsync() %r" % ((what,) + said))
    check(any(said), "%s: data is written to a disk that is gone" % what)
    os.close(dirty)
    os.close(node)
    sh("umount", MNT)
    eventually("no IO is under way at last", nothing_under_way)
    iolog_now()
    # another disk, mostly with the same number; maybe by another name, which `devs` is to learn
    new = Disk("/dev/" + back())
    print("%s: %s %s is now %s %s" % (what, name, disk.number, new.name, new.number))
    if (new.number, new.name) != (disk.number, name):
        put("devs", new.name)
    # who looks at a new disk is told by another number
    time.sleep(0.2 * SLOWNESS)
    iolog_now()
    before = new.stat()
    pid = run(new.direct_write, 0, 4 * K, 64)
    log = [e for e in iolog_now() if e.op == "W"]
    same("%s: writes of the new disk" % what, iolog.bytes_by(log, "disk", "who", "how"),
         {(new.name, "pid-%d" % pid, "exact"): 256 * K})
    same("its own statistics", new.stat()["Wb"] - before["Wb"], 256 * K)
    same("losses", {k: v for k, v in status()["lost"].items() if k not in USUAL}, {})
    disable()


# A disk of PCI comes again, maybe by another name: the lowest that is free
def again(disk):
    home = "/sys/bus/pci/devices/" + pci.pop(disk.node)
    names = []
    rescan()
    eventually(disk.name + " is back", lambda: names.extend(
        os.path.basename(name) for name in glob.glob(home + "/nvme/nvme*/nvme*n1") +
        glob.glob(home + "/virtio*/block/*")) or names)
    eventually(names[0] + " has its node", lambda: os.path.exists("/dev/" + names[0]))
    return names[0]


# The disk of the slot does not come back: another one comes
def another(disk):
    pull_pci(disk)
    return again(disk)


pulled("virtio", virtio.name, pull_pci, lambda: again(virtio))
pulled("nvme", nvme.name, pull_pci, lambda: again(nvme))
pulled("slot", slot.name, cut_power, lambda: another(nvme))
pulled("scsi", scsi(), pull_scsi, scsi)
pulled("dm", dm(), pull_dm, dm)
pulled("loop", loop(), pull_loop, loop)
put("devs", "", os.O_TRUNC)
same("devices", value("devs"), "")
sh("dmsetup", "remove", "--noudevsync", "fu")
sh("losetup", "-D")
sh("modprobe", "-r", "scsi_debug")
