# SPDX-License-Identifier: GPL-2.0
"""The body of interface/atomic."""
import ctypes
import os
import struct
import subprocess

from lib.case import (MNT, SLOWNESS, buffer, check, disable, enable, iolog_now, output, put, read,
                      run, same, scsi_disk, sync)

IO_SETUP, IO_GETEVENTS, IO_SUBMIT = 206, 208, 209     # of x86_64
IOCB_CMD_PWRITE, RWF_ATOMIC = 1, 0x40
BLOCK, WRITES = 4096, 100
IOCB = "=QIIHHIQQqQII"
libc = ctypes.CDLL(None, use_errno=True)


def call(*args):
    done = libc.syscall(*args)
    check(done >= 0, "system call %d: %s" % (args[0], os.strerror(ctypes.get_errno())))
    return done


def write_atomically(name):
    """Every second block, each by itself, so that each has an extent; a worker sees their ends."""
    fd, m = os.open(MNT + "/" + name, os.O_WRONLY | os.O_DIRECT), buffer(BLOCK)
    at = ctypes.addressof(ctypes.c_char.from_buffer(m))
    ctx, events = ctypes.c_ulong(0), ctypes.create_string_buffer(32)
    call(IO_SETUP, 1, ctypes.byref(ctx))
    for nr in range(WRITES):
        iocb = ctypes.create_string_buffer(
            struct.pack(IOCB, 0, 0, RWF_ATOMIC, IOCB_CMD_PWRITE, 0, fd, at, BLOCK,
                        2 * nr * BLOCK, 0, 0, 0))
        same("submitted", call(IO_SUBMIT, ctx, 1, ctypes.byref(ctypes.pointer(iocb))), 1)
        same("ended", call(IO_GETEVENTS, ctx, 1, 1, events, None), 1)
        same("written", struct.unpack_from("=QQqq", events)[2], BLOCK)


disk = scsi_disk()
check(read(disk.sys("queue/atomic_write_max_bytes")) != "0", "the disk has no atomic writes")
same("mkfs", output("mkfs.ext4", "-q", "-b", str(BLOCK), "-E",
                    "lazy_itable_init=0,lazy_journal_init=0,nodiscard", disk.node)[0], 0)
subprocess.run(["mount", "-o", "commit=%d" % (600 * SLOWNESS), disk.node, MNT], check=True)
# (a file that is synced by itself may be by a fast commit, on others' account)
with open(MNT + "/file", "wb") as file:
    os.posix_fallocate(file.fileno(), 0, 2 * WRITES * BLOCK)
    ino = os.fstat(file.fileno()).st_ino
sync()
put("devs", disk.name)
enable()
writer = "pid-%d" % run(write_atomically, "file")
sync()
written = [e for e in iolog_now() if e.op == "W"]
disable()
put("devs", "", os.O_TRUNC)
subprocess.run(["umount", MNT], check=True)

data = [e for e in written if e.ino == ino]
same("who writes data", [e.who for e in data], [writer] * WRITES)
others = [(e.who, e.how, e.bytes, e.sub_comm) for e in written if e.ino != ino]
print("of %s, beside its data:" % writer, others)
check(others, "no metadata was written")
same("who pays for metadata", {who for who, *_ in others}, {writer})
