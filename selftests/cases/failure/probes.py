# SPDX-License-Identifier: GPL-2.0
"""The body of failure/probes."""
import os
import sys
import time

from lib import tracing
from lib.blamed import Load, Place
from lib.case import (SCRATCH, SLOWNESS, Disk, check, disable, enable, eventually, output, put,
                      same, status)
from lib.tracing import KprobeEvents, Program

ext4, xfs = (Disk(node) for node in sys.argv[1:3])
load = Load([Place(ext4, SCRATCH + "/ext4", sys.argv[3], os.stat(SCRATCH + "/ext4/loop").st_ino),
             Place(xfs, SCRATCH + "/xfs", own=4096)])

# What the block layer's tools look at, by the names of several releases
BLOCK = ("blk_mq_start_request", "blk_mq_end_request", "blk_account_io_start",
         "blk_account_io_done", "blk_account_io_merge_bio", "submit_bio")
POINTS = ("block_bio_queue", "block_rq_issue", "block_rq_complete", "block_io_start",
          "block_io_done", "writeback_dirty_folio", "writeback_dirty_page", "sched_process_exit")
HOOKED = ("do_writepages", "vfs_iter_write", "__blockdev_direct_IO")


def start():
    same("insmod", output("insmod", os.environ["IOB_KO"], "check_stacks=1")[0], 0)
    put("devs", "%s %s" % (ext4.name, xfs.name))
    # beside tracers of all functions a slow machine writes metadata minutes late
    put("ttl_secs", str(120 * SLOWNESS))
    load.settle()
    enable()


def end():
    disable()
    same("rmmod", output("rmmod", "ioblame")[0], 0)


def again():
    disable()
    load.settle()
    enable()


# Each hook serves, and the kernel does not say otherwise of any
def hooks(when):
    now = [h for h in status()["hooks"] if h.startswith("function ")]
    same("the hooks " + when, now, attached)


def blamed(when):
    load.blamed(when)
    hooks(when)
    print("%s: %.1f s" % (when, time.monotonic() - started))


started = time.monotonic()
start()
attached = [h for h in status()["hooks"] if h.startswith("function ")]
blamed("alone")
names = tracing.functions()
check(len(names) > 20, "hooked are %r" % names)

# --- probes of others on the same functions, attached after ioblame's hooks and before them
returns = not os.environ["IOB_KERNEL"] == "5.10"
events = KprobeEvents(names, returns)
bpf = Program([os.environ["IOB_BIN"] + "/bpfprobe"] +
              ["kprobe:" + n for n in BLOCK + HOOKED] +
              (["kretprobe:" + n for n in BLOCK + HOOKED] if returns else []) +
              ["fentry:" + n for n in BLOCK + HOOKED] +
              ["fexit:" + n for n in BLOCK + HOOKED] +
              ["raw_tp:" + n for n in POINTS] +
              ["multi:" + ",".join(HOOKED), "retmulti:" + ",".join(HOOKED)], "ready")
others = [events, bpf]


def others_on():
    for o in others:
        o.on()
    eventually("a kprobe is optimised", events.optimized)


def others_off():
    events.off()
    said = bpf.off()
    hits = dict(line.rsplit(" ", 1) for line in said)
    print("BPF programs: %d attached; not there: %r" % (len(hits), [
        line for line in bpf.said if line != "ready"]))
    # fentry and fexit need the kernel's BTF
    btf = os.path.exists("/sys/kernel/btf/vmlinux")
    for kind in ("kprobe", "raw_tp") + (("fentry", "fexit") if btf else ()):
        n = sum(int(v) for k, v in hits.items() if k.startswith(kind + ":"))
        check(n, "no BPF program has run by %s: %r" % (kind, said))


others_on()
blamed("beside probes attached later")
again()
blamed("beside probes attached before")
end()
start()
blamed("loaded while they are there")
others_off()
blamed("after they went")

# --- tracers of all functions, and of many
tracing.put("current_tracer", "function_graph")
blamed("beside a later function_graph")
again()
blamed("beside an earlier function_graph")
tracing.put("current_tracer", "nop")
tracing.put("set_ftrace_filter", "\n".join(names + ["blk_*", "bio_*", "ext4_*", "xfs_*", "jbd2_*",
                                                    "*folio*", "*page*"]))
tracing.put("current_tracer", "function")
blamed("beside the function tracer")
end()
tracing.put("current_tracer", "nop")
tracing.put("set_ftrace_filter", "")
