# SPDX-License-Identifier: GPL-2.0
"""The body of interface/../lifetime/errors."""
import errno
import os
import subprocess
import sys
import time

from lib.case import (K, M, SCRATCH, Disk, NullBlk, check, disable, enable, error_of, eventually,
                      iolog_now, output, put, same, scsi_disk, status, takes, value, write_error)

raw = Disk(sys.argv[1])
SCSI_DEBUG = "/sys/bus/pseudo/drivers/scsi_debug/"
TIMEOUT = 2		# seconds
IOS = 24
# a disk that is pulled out: a command takes so many jiffies, and it takes so many at once
SLOW, DEPTH = 25, 4


def write(disk, offset, size):
    return disk.direct(os.pwritev, offset, size)


def read_at(disk, offset, size):
    return disk.direct(os.preadv, offset, size)


def watch(disk):
    put("devs", disk.name, os.O_TRUNC)
    enable()


def at_rest(what):
    eventually("nothing in flight after " + what, lambda: status()["inflight"] == "0")


def row(disk, op):
    return status().get("disk %s %s" % (disk.name, op), {"bytes": 0, "ios": 0, "lost": 0})


# --- a device mapper target that fails, and one that fails in the middle of an IO
half = 32 * M // 512
table = "0 %d linear %s 0\n%d %d error" % (half, raw.node, half, half)
same("dmsetup", output("dmsetup", "create", "--noudevsync", "ioberr", input=table.encode()),
     (0, ""))
output("dmsetup", "mknodes")
dm = Disk("/dev/mapper/ioberr")
watch(dm)
same("a write to what works", write(dm, 0, 8192), 8192)
same("a write to the failing half", error_of(write, dm, 40 * M, 8192), "EIO")
same("a read of it", error_of(read_at, dm, 48 * M, 4096), "EIO")
# half of it would work
across = error_of(write, dm, 32 * M - 16 * K, 32 * K)
same("a write across the border", across, "EIO")
at_rest("failing IO on dm")
log = iolog_now()
me = "pid-%d" % os.getpid()
same("entries on dm", sorted((e.op, e.sector, e.bytes, e.err, e.who) for e in log),
     sorted([("W", 0, 8192, 0, me), ("W", 40 * 2048, 8192, -errno.EIO, me),
             ("R", 48 * 2048, 4096, -errno.EIO, me),
             ("W", 32 * 2048 - 32, 32 * K, -errno.EIO, me)]))
same("lost bytes on dm", (row(dm, "W")["lost"], row(dm, "R")["lost"]), (0, 0))
same("losses", status()["lost"], {})
disable()
put("devs", "", os.O_TRUNC)
# ioblame does not hold the device
same("dmsetup remove", output("dmsetup", "remove", "--noudevsync", "ioberr"), (0, ""))
print("dm error: 4 IOs, 3 failed")

# --- SCSI: medium errors, short transfers, transport errors, timeouts


# Every @nth command fails in the ways that the bits of @opts name
def scsi_opts(opts, nth):
    put(SCSI_DEBUG + "every_nth", "0")
    put(SCSI_DEBUG + "opts", hex(opts))
    put(SCSI_DEBUG + "every_nth", str(nth))


# A command takes so long.  EBUSY: one is not quite over
def scsi_delay(jiffies):
    eventually("scsi_debug takes a delay",
               lambda: not write_error(SCSI_DEBUG + "delay", str(jiffies)))


# How many commands have ended with an error, or with sense
def scsi_errors():
    return int(value(sd.sys("device/ioerr_cnt")), 16)


# A random load that goes on until its disk is gone
def endless_fio(name, disk):
    return subprocess.Popen(["fio", "--name=" + name, "--filename=" + disk.node, "--direct=1",
                             "--rw=randrw", "--bs=4k", "--iodepth=16", "--ioengine=libaio",
                             "--size=32M", "--time_based", "--runtime=60"],
                            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=SCRATCH)


# The log has all that status counts, also of a disk that is gone
def logged(disk, what):
    log = iolog_now()
    for op in "RW":
        same("bytes of %s in iolog, %s" % (op, what), sum(e.bytes for e in log if e.op == op),
             row(disk, op)["bytes"])
        same("lost bytes of %s, %s" % (op, what), row(disk, op)["lost"], 0)
    return log


def sums_close(disk, before, what):
    at_rest(what)
    after = disk.stat()
    same("bytes read, %s" % what, row(disk, "R")["bytes"] + row(disk, "A")["bytes"],
         after["Rb"] - before["Rb"])
    same("bytes written, %s" % what, row(disk, "W")["bytes"], after["Wb"] - before["Wb"])
    return logged(disk, what)


# What fio, whose disk went under it, was told of in the log
def errors_of_fio(log, what):
    bad = [e for e in log if e.err]
    check(all(e.err in (-errno.EIO, -errno.ENODEV) and e.comm == "fio" and e.how == "exact"
              for e in bad), "%s: errors in iolog: %r" % (what, [e.line for e in bad]))
    return bad


sd = scsi_disk()
put(sd.sys("device/timeout"), str(TIMEOUT))

before = sd.stat()
watch(sd)
scsi_opts(2, 0)  # sectors 0x1234 .. 0x123d cannot be read
same("a read before the bad sectors", read_at(sd, 0x1200 * 512, 16 * K), 16 * K)
said = error_of(lambda: same("a read with bad sectors", read_at(sd, 0x1220 * 512, 32 * K), 0))
check(said in ("EIO", "ENODATA"), "a read of bad sectors gives %r" % said)
said = error_of(read_at, sd, 0x1230 * 512, 4 * K)
check(said in ("EIO", "ENODATA"), "a read of bad sectors only gives %r" % said)
log = sums_close(sd, before, "medium errors")
bad = [e for e in log if e.err]
check(bad and all(e.err in (-errno.ENODATA, -errno.EIO) for e in bad),
      "errors in iolog: %r" % bad)
print("medium errors:", [(e.sector, e.bytes, e.err) for e in log])
disable()


# What IOs give of which some fail: what a program is told, with ioblame or without it; how many
# commands failed, and how long the longest IO took
def results(opts, nth):
    scsi_opts(opts, nth)
    failed, said, longest = scsi_errors(), [], 0
    for n in range(IOS):
        began = time.monotonic()
        said.append(error_of(write if n & 1 else read_at, sd, 8 * M + n * 128 * K, 64 * K))
        longest = max(longest, time.monotonic() - began)
    scsi_opts(0, 0)
    return said, scsi_errors() - failed, longest


# A short transfer makes an IO end in parts, a command that times out never ends
def came(what, errors, longest, parts):
    return {"short transfers": parts, "timeouts": longest > TIMEOUT - 0.1}.get(what, errors > 0)


# (a command that is answered at once has no transport errors)
for what, opts, nth, delay in (("recovered errors", 8, 3, 0), ("transport errors", 16, 4, 1),
                               ("short transfers", 256, 3, 0), ("timeouts", 4, 12, 0)):
    scsi_delay(delay)
    alone, errors, longest = results(opts, nth)
    check(came(what, errors, longest, True), "without ioblame there are no " + what)
    before = sd.stat()
    watch(sd)
    told, errors, longest = results(opts, nth)
    same("what programs are told of " + what, told, alone)
    failed = sum(map(bool, told))
    log = sums_close(sd, before, what)
    check(sum(e.bytes for e in log) >= IOS * 64 * K, "%s: too few bytes in iolog" % what)
    check(came(what, errors, longest, len(log) > IOS), "there were no " + what)
    same("losses with " + what, status()["lost"], {})
    same("entries with an error, " + what, bool([e for e in log if e.err]), failed > 0)
    print("%s: %d entries for %d IOs, %d IOs failed; %d commands failed, the longest IO took %.1f s"
          % (what, len(log), IOS, failed, errors, longest))
    disable()

# --- the disk disappears while fio writes.  It takes fewer IOs than fio has under way: the others
# wait for it, and it is gone when they have their turn
scsi_delay(SLOW)
put(sd.sys("device/queue_depth"), str(DEPTH))
watch(sd)
fio = endless_fio("pulled", sd)
eventually("fio writes", lambda: row(sd, "W")["ios"] > 50, 60)
put(sd.sys("device/delete"), "1")
fio.wait(timeout=60)
at_rest("pulling the disk")
check(fio.returncode > 0, "fio does not see that its disk is gone: %d" % fio.returncode)
errors = errors_of_fio(logged(sd, "pulling the disk"), "pulling the disk")
check(errors, "no IO of the pulled disk has an error in iolog")
same("its name in devs", value("devs").split()[1], sd.name)
takes("devs", "!" + sd.name, "")
disable()
same("removing scsi_debug", output("modprobe", "-r", "scsi_debug"), (0, ""))
print("pulled a SCSI disk under fio, which ended with %d; %d IOs failed" % (
    fio.returncode, len(errors)))

# --- null_blk is switched off under load, with IO of 20 ms
print("requeues and timeouts by null_blk: not tested, "
      "Debian's kernels have no CONFIG_FAULT_INJECTION")
nb = NullBlk("iob0", 20000000)
watch(nb)
fio = endless_fio("off", nb)
eventually("fio writes", lambda: row(nb, "W")["ios"] > 50, 60)
eventually("an IO is in flight while fio runs", lambda: int(status()["inflight"]) > 0, 30)
nb.power("0")
fio.wait(timeout=60)
at_rest("switching null_blk off")
check(fio.returncode > 0, "fio does not see that its disk is off: %d" % fio.returncode)
# what is under way ends well, and what comes later may be refused before it is an IO
errors = errors_of_fio(logged(nb, "switching null_blk off"), "switching null_blk off")
disable()
same("in flight after disabling", status()["inflight"], "0")
put("devs", "", os.O_TRUNC)
nb.remove()
same("removing null_blk", output("modprobe", "-r", "null_blk"), (0, ""))
print("switched null_blk off under fio, which ended with %d; %d IOs failed" % (
    fio.returncode, len(errors)))
