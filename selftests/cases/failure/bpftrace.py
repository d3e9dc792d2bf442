# SPDX-License-Identifier: GPL-2.0
"""The body of failure/bpftrace."""
import os
import sys

from lib.blamed import Load, Place, hooks
from lib.case import SCRATCH, Disk, check, disable, enable, eventually, same
from lib.tracing import Program

disk = Disk(sys.argv[1])
load = Load([Place(disk, SCRATCH + "/ext4", sys.argv[2], os.stat(SCRATCH + "/ext4/loop").st_ino)])
TOOLS = "/usr/sbin/"
HOOKED = ("do_writepages", "vfs_iter_write")
PROBES = ["%s:%s" % (kind, name) for name in HOOKED for kind in ("kprobe", "kretprobe", "kfunc")]
PROBES += ["kretfunc:do_writepages", "tracepoint:block:block_rq_issue"]
# the last probe is attached last, and says so
OURS = " ".join("%s { @hits[probe] = count(); }" % probe for probe in PROBES) + """
tracepoint:block:block_rq_issue { @stacks[kstack] = count(); }
interval:s:1 { printf("attached\\n"); }"""


def blamed(when):
    load.blamed(when)
    same("the hooks " + when, hooks(), attached)


ours = Program(["stdbuf", "-oL", "bpftrace", "-e", OURS], "attached")
# what these say is of no interest: on some kernels they cannot attach to what they look for
tools = [Program(["stdbuf", "-oL", "bpftrace", TOOLS + name], "Attaching", needed=False)
         for name in ("biosnoop.bt", "biolatency.bt") if os.path.exists(TOOLS + name)]
blktrace = Program(["sh", "-c", "echo begin; exec blktrace -d %s -D %s" % (disk.node, SCRATCH)],
                   "begin")


def others_on():
    for tool in tools + [blktrace, ours]:
        tool.on()
    for tool in tools:
        print(tool.words[-1], tool.process.poll(), tool.said)
    eventually("blktrace runs", lambda: os.path.exists(
        "/sys/kernel/debug/block/%s/trace0" % disk.name))


def others_off():
    said = " ".join(ours.off())
    for tool in tools + [blktrace]:
        print(tool.words, tool.process.poll(), tool.off()[-2:])
    for probe in PROBES:
        # (a function that is probed as kfunc is named fentry by newer ones)
        check(any(name in said for name in (probe, probe.replace("kfunc:", "fentry:vmlinux:"),
                                            probe.replace("kretfunc:", "fexit:vmlinux:"))),
              "bpftrace has not seen %s: %r" % (probe, said))


load.start()
attached = hooks()
blamed("alone")
others_on()
blamed("beside bpftrace, begun later")
disable()
load.settle()
enable()
blamed("beside bpftrace, begun before")
load.end()
load.start()
blamed("loaded beside bpftrace")
others_off()
blamed("after bpftrace")
load.end()
