# SPDX-License-Identifier: GPL-2.0
"""The other body of interface/direct: who pays when a worker ends an asynchronous write.

Usage: direct_ends.py EXT4 XFS writer|reader	reader: without the hooks that tell for whom
"""
import ctypes
import os
import platform
import struct
import sys

from lib.case import (MNT, SLOWNESS, Delayed, Disk, buffer, check, child, disable, enable,
                      eventually, fsync, iolog_now, output, put, read, run, same, status, wait_for)

IO_SETUP, IO_GETEVENTS, IO_SUBMIT = {"x86_64": (206, 208, 209),
                                     "aarch64": (0, 4, 2)}[platform.machine()]
IOCB_CMD_PWRITE, IOCB = 1, "=QIIHHIQQqQII"
BLOCK, WRITES, SIZE = 4096, 8, 64 * 4096
NAME = MNT + "/file"
libc = ctypes.CDLL(None, use_errno=True)


def call(*args):
    done = libc.syscall(*args)
    check(done >= 0, "system call %d: %s" % (args[0], os.strerror(ctypes.get_errno())))
    return done


# Every second block, each by itself, so that each has an extent; then wait for all
def write_async(told):
    fd, m = os.open(NAME, os.O_WRONLY | os.O_DIRECT), buffer(BLOCK)
    at = ctypes.addressof(ctypes.c_char.from_buffer(m))
    ctx, events = ctypes.c_ulong(0), ctypes.create_string_buffer(32 * WRITES)
    call(IO_SETUP, WRITES, ctypes.byref(ctx))
    for nr in range(WRITES):
        iocb = ctypes.create_string_buffer(struct.pack(
            IOCB, 0, 0, 0, IOCB_CMD_PWRITE, 0, fd, at, BLOCK, 2 * nr * BLOCK, 0, 0, 0))
        same("submitted", call(IO_SUBMIT, ctx, 1, ctypes.byref(ctypes.pointer(iocb))), 1)
    os.write(told, b".")
    same("ended", call(IO_GETEVENTS, ctx, WRITES, WRITES, events, None), WRITES)
    same("written", [struct.unpack_from("=QQqq", events, 32 * nr)[2] for nr in range(WRITES)],
         [BLOCK] * WRITES)


# What changes no more of the file than the time of access
def read_last():
    fd = os.open(NAME, os.O_RDONLY)
    same("bytes read", os.pread(fd, BLOCK, SIZE - BLOCK), b"\0" * BLOCK)


def command(*words):
    same(" ".join(words), output(*words), (0, ""))


def make_file():
    with open(NAME, "wb") as f:
        os.posix_fallocate(f.fileno(), 0, SIZE)
    command("sync")
    return os.stat(NAME).st_ino


def trial(kind, node, options):
    slow = Delayed("iobdirect", Disk(node), 0)
    put("devs", slow.name, os.O_TRUNC)
    command("mount", "-t", kind, "-o", options, slow.node, MNT)
    ino = make_file()
    slow.delay(600 * SLOWNESS)
    enable()
    iolog_now()
    # the time of access changes before, and once more while the writes are under way
    readers = ["pid-%d" % run(read_last)]
    end, told = os.pipe()
    writer = child(write_async, told)
    same("all are submitted", os.read(end, 1), b".")
    os.close(end)
    os.close(told)
    readers.append("pid-%d" % run(read_last))
    # what was changed until now is in a transaction that ends
    syncer = child(fsync, NAME)
    eventually("the log is written", lambda: slow.waiting() > WRITES, 60)
    slow.delay(0)
    wait_for(syncer)
    wait_for(writer)
    me = "pid-%d" % writer
    log = [e for e in iolog_now() if e.op == "W"]
    print(kind, "until then:", [(e.who, e.how, e.bytes, e.ino, e.why) for e in log])
    same("who writes data", [(e.who, e.how, e.bytes) for e in log if e.ino == ino],
         [(me, "exact", BLOCK)] * WRITES)
    # what the worker has changed
    command("sync")
    command("umount", MNT)
    log = [e for e in iolog_now() if e.op == "W"]
    print(kind, "writer %s, readers %s, later:" % (me, readers),
          [(e.who, e.how, e.bytes, e.ino, e.why, e.sub_comm) for e in log])
    payers = {e.who for e in log}
    if sys.argv[3] == "writer":
        check(me in payers, "the writer pays for no metadata")
        same("readers that pay", payers.intersection(readers), set())
    else:
        check(payers.intersection(readers), "no reader pays")
        check(" lost: who wrote directly" in read("status"), "status does not tell")
    same("losses", status()["lost"], {})
    disable()
    put("devs", "", os.O_TRUNC)
    slow.remove()


trial("ext4", sys.argv[1], "commit=%d" % (600 * SLOWNESS))
trial("xfs", sys.argv[2], "relatime")
