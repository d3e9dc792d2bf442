# SPDX-License-Identifier: GPL-2.0
"""Who pays when a worker ends an asynchronous direct write, for interface/direct and direct_longer.

A worker changes what is written in blocks that were allocated, or beyond the file's end.
Usage: direct_ends.py writer|reader KIND=DISK...	reader: without the hooks that tell for whom
"""
import collections
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
BLOCK, BLOCKS = 4096, 64
NAME = MNT + "/file"
# How many blocks are allocated and how many written before; which are written asynchronously, in
# one write each; and one that none of these writes, by reading which its inode changes
Way = collections.namedtuple("Way", "options allocated written places blocks other")
# each by itself, so that each has an extent
INSIDE = Way("", BLOCKS, 0, range(0, 16, 2), 1, BLOCKS - 1)
BEYOND = Way("", 0, 2, [2], 8, 0)
WAYS = {
    "ext4": INSIDE._replace(options="commit=%d" % (600 * SLOWNESS)),
    "xfs": INSIDE._replace(options="relatime"),
    "exfat": BEYOND._replace(options="relatime"),
}
libc = ctypes.CDLL(None, use_errno=True)


def call(*args):
    done = libc.syscall(*args)
    check(done >= 0, "system call %d: %s" % (args[0], os.strerror(ctypes.get_errno())))
    return done


# All are submitted, then waited for
def write_async(way, told):
    size, writes = way.blocks * BLOCK, len(way.places)
    fd, m = os.open(NAME, os.O_WRONLY | os.O_DIRECT), buffer(size)
    at = ctypes.addressof(ctypes.c_char.from_buffer(m))
    ctx, events = ctypes.c_ulong(0), ctypes.create_string_buffer(32 * writes)
    call(IO_SETUP, writes, ctypes.byref(ctx))
    for place in way.places:
        iocb = ctypes.create_string_buffer(struct.pack(
            IOCB, 0, 0, 0, IOCB_CMD_PWRITE, 0, fd, at, size, place * BLOCK, 0, 0, 0))
        same("submitted", call(IO_SUBMIT, ctx, 1, ctypes.byref(ctypes.pointer(iocb))), 1)
    os.write(told, b".")
    same("ended", call(IO_GETEVENTS, ctx, writes, writes, events, None), writes)
    same("written", [struct.unpack_from("=QQqq", events, 32 * nr)[2] for nr in range(writes)],
         [size] * writes)


# What changes no more of the file than the time of access
def read_other(way):
    fd = os.open(NAME, os.O_RDONLY)
    same("bytes read", os.pread(fd, BLOCK, way.other * BLOCK), b"\0" * BLOCK)


def command(*words):
    same(" ".join(words), output(*words), (0, ""))


def make_file(way):
    with open(NAME, "wb") as f:
        if way.allocated:
            os.posix_fallocate(f.fileno(), 0, way.allocated * BLOCK)
        f.write(b"\0" * way.written * BLOCK)
    command("sync")
    return os.stat(NAME).st_ino


def trial(payer, kind, node):
    way = WAYS[kind]
    slow = Delayed("iobdirect", Disk(node), 0)
    put("devs", slow.name, os.O_TRUNC)
    command("mount", "-t", kind, "-o", way.options, slow.node, MNT)
    ino = make_file(way)
    slow.delay(600 * SLOWNESS)
    enable()
    iolog_now()
    # the time of access changes before, and once more while the writes are under way
    readers = ["pid-%d" % run(read_other, way)]
    end, told = os.pipe()
    writer = child(write_async, way, told)
    same("all are submitted", os.read(end, 1), b".")
    os.close(end)
    os.close(told)
    readers.append("pid-%d" % run(read_other, way))
    # what was changed until now is in a transaction that ends
    syncer = child(fsync, NAME)
    eventually("the log is written", lambda: slow.waiting() > len(way.places), 60)
    slow.delay(0)
    wait_for(syncer)
    wait_for(writer)
    me = "pid-%d" % writer
    log = [e for e in iolog_now() if e.op == "W"]
    print(kind, "until then:", [(e.who, e.how, e.bytes, e.ino, e.why) for e in log])
    same("who writes data", [(e.who, e.how, e.bytes) for e in log if e.ino == ino],
         [(me, "exact", way.blocks * BLOCK)] * len(way.places))
    # what the worker has changed
    command("sync")
    command("umount", MNT)
    log = [e for e in iolog_now() if e.op == "W"]
    print(kind, "writer %s, readers %s, later:" % (me, readers),
          [(e.who, e.how, e.bytes, e.ino, e.why, e.sub_comm) for e in log])
    payers = {e.who for e in log}
    if payer == "writer":
        check(me in payers, "the writer pays for no metadata")
        same("readers that pay", payers.intersection(readers), set())
    else:
        check(payers.intersection(readers), "no reader pays")
        check(" lost: who wrote directly" in read("status"), "status does not tell")
    same("losses", status()["lost"], {})
    disable()
    put("devs", "", os.O_TRUNC)
    slow.remove()


for word in sys.argv[2:]:
    trial(sys.argv[1], *word.split("="))
