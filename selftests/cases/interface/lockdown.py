# SPDX-License-Identifier: GPL-2.0
"""The body of interface/lockdown: the file system ioblame itself.

What its files do is what they do in debugfs, and the bodies of other cases run for that.
"""
import errno
import os
import select
import subprocess
import sys

from lib.case import (IOB, M, Disk, check, child, disable, enable, error_of, iolog_now, output,
                      path, put, run, same, value, wait_for)

stage = sys.argv[1]


def mount(at=IOB):
    return output("mount", "-t", "ioblame", "ioblame", at)


def umount():
    return output("umount", IOB)


def open_error(name, flags):
    return error_of(lambda: os.close(os.open(path(name), flags)))


def before():
    """Nothing is locked down yet"""
    check(os.path.isdir(IOB), "no place to mount it")
    same("files without a mount", os.listdir(IOB), [])
    same("mount", mount(), (0, ""))
    os.makedirs("/tmp/second", exist_ok=True)
    same("a second mount", mount("/tmp/second"), (0, ""))
    same("it has the same files", os.stat("/tmp/second/enable"), os.stat(path("enable")))
    same("umount of the second", output("umount", "/tmp/second"), (0, ""))
    same("mode", oct(os.stat(IOB).st_mode & 0o7777), "0o700")
    same("a file's mode", oct(os.stat(path("enable")).st_mode), "0o100600")
    for name in ("new", "counters/9"):
        check(open_error(name, os.O_CREAT | os.O_WRONLY) in ("EACCES", "EPERM"),
              "a file is made:", name)
    check(error_of(lambda: os.unlink(path("enable"))) in ("EACCES", "EPERM"), "a file is removed")
    check(error_of(lambda: os.mkdir(path("dir"))) in ("EACCES", "EPERM"), "a directory is made")
    lower = "lowerdir=%s" % IOB
    os.makedirs("/tmp/over", exist_ok=True)
    status, _ = output("mount", "-t", "overlay", "-o", lower + ":/tmp", "overlay", "/tmp/over")
    check(status, "something is stacked on it")
    # a user, also one who is root in a namespace, can neither mount nor see it
    for words in (["mount", "-t", "ioblame", "ioblame", "/mnt"], ["ls", IOB],
                  ["cat", path("status")]):
        for how in (["setpriv", "--reuid", "65534", "--clear-groups"],
                    ["setpriv", "--reuid", "65534", "--clear-groups", "unshare", "-Urm"]):
            status, said = output(*how, *words)
            check(status, how, words, "works for a user:", said)
    fd = os.open(path("status"), os.O_RDONLY)
    check(umount()[0], "umount with a file open")
    os.close(fd)
    same("umount", umount(), (0, ""))
    same("files after it", os.listdir(IOB), [])


def disappear(fd):
    """Read a file until it is gone"""
    while not error_of(lambda: os.pread(fd, 100, 0)):
        pass
    os._exit(0)


def integrity():
    disk = Disk(sys.argv[2])
    put("nr_counters", "2")
    same("files of counters", sorted(os.listdir(path("counters"))),
         ["0", "0_filter", "1", "1_filter"])
    fd = os.open(path("counters/1"), os.O_RDWR)
    pid = child(disappear, fd)
    put("nr_counters", "1")
    wait_for(pid)
    same("files of one counter", sorted(os.listdir(path("counters"))), ["0", "0_filter"])
    same("an open file that is gone", [error_of(lambda: os.pread(fd, 100, 0)),
                                       error_of(lambda: os.write(fd, b"\n"))], ["EIO", "EIO"])
    put("nr_counters", "2")
    same("it stays gone when another has its name",
         [error_of(lambda: os.pread(fd, 100, 0)), open_error("counters/1", os.O_RDONLY)],
         ["EIO", ""])
    os.close(fd)

    put("devs", disk.name)
    enable()
    logs = sorted(n for n in os.listdir(IOB) if n.startswith("iolog_bin"))
    same("binary logs", len(logs), os.cpu_count())
    fd = os.open(path(logs[0]), os.O_RDONLY)
    pid = run(disk.direct_write, 1 * M, 4096)
    same("iolog", [(e.who, e.how, e.bytes) for e in iolog_now() if e.op == "W"],
         [("pid-%d" % pid, "exact", 4096)])
    poll = select.poll()
    poll.register(fd, select.POLLIN)
    disable()
    same("poll when the session ends", [bool(mask & select.POLLIN or mask & select.POLLHUP)
                                        for _, mask in poll.poll(10000)], [True])
    while os.read(fd, 1 << 16):
        pass
    enable()
    same("a log of the session before", error_of(lambda: os.read(fd, 4096)), "EIO")
    same("the log of this one", open_error(logs[0], os.O_RDONLY), "")
    disable()
    os.close(fd)
    # names come and go while it is mounted and is not
    same("umount", umount(), (0, ""))
    same("the settings are kept", mount(), (0, ""))
    same("nr_counters", value("nr_counters"), "2")
    put("nr_counters", "0")
    same("no counters", os.listdir(path("counters")), [])


def confidentiality():
    same("opening", [open_error(n, os.O_RDONLY) for n in ("status", "iolog", "enable")],
         [errno.errorcode[errno.EPERM]] * 3)
    said = subprocess.run(["dmesg"], check=True, stdout=subprocess.PIPE).stdout.decode()
    check("Lockdown:" in said, "the kernel does not say who asked")


{"before": before, "integrity": integrity, "confidentiality": confidentiality}[stage]()
