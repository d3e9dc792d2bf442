# SPDX-License-Identifier: GPL-2.0
"""The body of interface/kprobes: the same load, with each way to attach to functions.

attach=kprobe leaves it to kprobes whether they use ftrace, as they do on x86.  With
attach=breakpoint they do not.  Then x86 soon puts jumps where breakpoints are, unless it may not.
"""
import os
import re
import sys
import time

from lib import iolog
from lib.blamed import Load, Place
from lib.case import (K, M, PAGE, SCRATCH, Disk, check, disable, enable, eventually, fsync,
                      iolog_now, output, put, read, run, same, status, value, write_pages)

loop, ext4, xfs, mapped = (Disk(node) for node in sys.argv[1:5])
array = [Disk(node) for node in sys.argv[5:]]
crypt, origin = Disk("/dev/mapper/kprcrypt"), Disk("/dev/mapper/kprorigin")


class StackLoad(Load):
    """A load of which each round notes the stacks by which its files were written."""
    stacks = set()

    def blamed(self, when):
        self.stacks = set()
        super().blamed(when)

    def judge(self, when, r, log):
        super().judge(when, r, log)
        self.stacks |= {stack_of(e) for e in log if e.ino in r.files}


def stack_of(entry):
    """(disk, function...)"""
    return entry.disk, *re.findall(r"(\S+)\+0x[0-9a-f]+/", " ".join(entry.stack))


load = StackLoad([Place(ext4, SCRATCH + "/ext4", loop.node, os.stat(SCRATCH + "/ext4/loop").st_ino),
                  Place(xfs, SCRATCH + "/xfs", own=4096)])
JUMPS = "/proc/sys/debug/kprobes-optimization"
BY_KPROBE = re.compile(r"attached by kprobe missed=(\d+)$")
# What the load does not need
REFUSED = "blk_rq_unprep_clone", "security_sb_free"
rounds = 0


def functions():
    """{function: state}"""
    return {name: state for kind, name, state in (h.split(" ", 2) for h in status()["hooks"])
            if kind == "function"}


def start(*parameters):
    same("insmod", output("insmod", os.environ["IOB_KO"], "check_stacks=1", *parameters)[0], 0)
    put("devs", " ".join(d.name for d in [ext4, xfs, mapped] + array))
    load.settle()
    began = time.monotonic()
    enable()
    return time.monotonic() - began


def end():
    began = time.monotonic()
    disable()
    took = time.monotonic() - began
    same("rmmod", output("rmmod", "ioblame")[0], 0)
    return took


def charged(what, disks, who):
    """How sure it is that all IO of these disks is one task's: of what is written, as who reads
    what an array's parity needs is a matter of time."""
    os.sync()
    # (5.10's arrays let workers flush their disks, for nobody that is known)
    log = [e for e in iolog_now() if e.disk in [d.name for d in disks] and e.op != "F"]
    got = iolog.bytes_by(log, "op", "who", "how")
    check(got, "no IO of", what)
    others = {key: n for key, n in got.items() if key[1] != "pid-%d" % who}
    same("%s: what is charged to others than pid-%d" % (what, who), others, {})
    print("%s: %r" % (what, {key[::2]: n for key, n in got.items()}))
    check({key[2] for key in got} <= {"exact", "inherited"}, what, got)
    return {key[2] for key in got if key[0] == "W"}


def make_files(folder):
    os.mkdir(folder)
    for n in range(8):
        with open("%s/%d" % (folder, n), "wb") as f:
            f.write(os.urandom(128 * K))
    fsync(folder, os.O_RDONLY)


def of_one_folio(way):
    """Two tasks dirty pages of one large folio: only a function tells of the second one.  The
    stacks of both."""
    name = "%s/xfs/folio%d" % (SCRATCH, rounds)
    with open(name, "wb") as f:
        f.write(b"f" * 16 * PAGE)
    fsync(name)
    iolog_now()
    who = [run(write_pages, name, [page], b"g") for page in (2, 9)]
    os.sync()
    ino = os.stat(name).st_ino
    log = [e for e in iolog_now() if e.op == "W" and e.ino == ino]
    same(way + ": who writes pages of one folio", iolog.bytes_by(log, "who"),
         {"pid-%d" % pid: PAGE for pid in who})
    return {stack_of(e) for e in log}


def stacked(way):
    """Devices whose workers, and not the tasks, give the disks their IO."""
    global rounds
    iolog_now()
    got = {}
    got["crypt"] = charged(way + ": crypt", [mapped], run(crypt.direct_write, 0, 64 * K, 4))
    # each round copies other chunks
    who = run(origin.direct_write, rounds * M, 4 * K, 3)
    got["copied"] = charged(way + ": copied", [mapped], who)
    # (clang puts add_stripe_bio() into its caller)
    if not os.uname().release.endswith("-hardened"):
        got["md"] = charged(way + ": md", array,
                            run(make_files, "%s/md/%d" % (SCRATCH, rounds)))
    rounds += 1
    return got


def has_jumps():
    return "[OPTIMIZED]" in read("/sys/kernel/debug/kprobes/list")


def attached(way, states, want):
    """What ftrace attached to is attached now, by kprobes."""
    same("%s: the functions" % way, set(states), set(want))
    for name, state in states.items():
        if want[name] != "attached":
            same("%s: the hook %s" % (way, name), state, want[name])
            continue
        by = BY_KPROBE.match(state)
        check(by, "%s: the hook %s is %r" % (way, name, state))
        same("%s: calls that %s missed" % (way, name), by.group(1), "0")


took = [start(), 0]
same("attach", value("/sys/module/ioblame/parameters/attach"), "ftrace")
load.blamed("ftrace")
stacks = load.stacks | of_one_folio("ftrace")
print("\n".join(" ".join(s) for s in sorted(stacks)))
check(min(len(s) for s in stacks) > 5, "stacks are short: %r" % stacks)
blame = stacked("ftrace")
hooks = functions()
check(sum(s == "attached" for s in hooks.values()) > 20, "hooked are %r" % hooks)
check(not [s for s in hooks.values() if BY_KPROBE.match(s)], "kprobes serve: %r" % hooks)
took[1] = end()
print("ftrace: enabled in %.2f s, disabled in %.2f s" % tuple(took))

# (arm64 has no such jumps)
for way in ["kprobe", "breakpoint"] + ["jump"] * os.path.exists(JUMPS):
    if os.path.exists(JUMPS):
        put(JUMPS, "1" if way == "jump" else "0")
    attach = "breakpoint" if way == "jump" else way
    took = [start("attach=" + attach), 0]
    same("attach", value("/sys/module/ioblame/parameters/attach"), attach)
    attached(way, functions(), hooks)
    if way == "jump":
        eventually("jumps are where breakpoints were", has_jumps)
    else:
        check(not has_jumps(), "there are jumps in place of breakpoints")
    load.blamed(way)
    same(way + ": the stacks of what is written", load.stacks | of_one_folio(way), stacks)
    same(way + ": how the IO of stacked devices is charged", stacked(way), blame)
    disable()
    load.settle()
    enable()
    load.blamed(way + ", enabled again")
    attached(way, functions(), hooks)
    took[1] = end()
    print("%s: enabled in %.2f s, disabled in %.2f s" % (way, *took))

# --- functions that kprobes cannot have: status says what that costs, and the others serve
start("attach=kprobe", "unprobed=" + "|".join(REFUSED))
states = functions()
for name in REFUSED:
    want = hooks.get(name)
    if want == "attached":
        got = states.pop(name)
        print(name, got)
        check(re.match(r"missing error=-22 lost: \w+", got), "the hook %s is %r" % (name, got))
attached("refused", states, {n: s for n, s in hooks.items() if n in states})
check(len(states) < len(hooks), "nothing is refused:", states)
load.blamed("without what is refused")
end()

same("insmod with a way that there is not",
     output("insmod", os.environ["IOB_KO"], "attach=magic")[0] != 0, True)
