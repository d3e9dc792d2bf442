# SPDX-License-Identifier: GPL-2.0
"""The body of failure/ftrace."""
import os
import sys

from lib.blamed import Load, Place
from lib.case import (SCRATCH, Disk, check, disable, enable, output, pipe, put, read, refuses,
                      same, status, write_error)

disk = Disk(sys.argv[1])
load = Load([Place(disk, SCRATCH + "/ext4")])
FTRACE = "/proc/sys/kernel/ftrace_enabled"
PROBES = "/sys/kernel/debug/kprobes/enabled"


def ftrace(text):
    """The error of the sysctl."""
    return write_error(FTRACE, text)


def functions():
    """{function: state}, of those in the kernel proper and in modules that are there."""
    words = [h.split(" ", 2) for h in status()["hooks"] if h.startswith("function ")]
    return {w[1]: w[2] for w in words if not w[2].startswith("waiting")}


def states():
    return sorted({state.split(" for ")[0].split(" error")[0] for state in functions().values()})


def start():
    same("insmod", output("insmod", os.environ["IOB_KO"], "check_stacks=1")[0], 0)
    put("devs", disk.name)
    put("nr_counters", "1")
    put("counters/0", "W size 0 8191 8192 65535 65536 65536 65536 65536 0")


def reasons():
    return output("dmesg")[1].count(
        "ioblame: functions cannot be watched while kernel.ftrace_enabled is 0")


def gathered():
    """What the session before left to be read."""
    words = ("session", "disk", "total", "roles", "intents", "acts", "known")
    # whether a role's task is still alive is another matter
    return ({k: v for k, v in status().items() if k.split(" ")[0] in words},
            [line.rsplit(" ", 1)[0] for line in read("roles").splitlines()],
            read("intents"))


def refused(when):
    before = reasons()
    kept = gathered()
    refuses("EBUSY", "enable", "1")
    same("%s: how often the log says why" % when, reasons(), before + 1)
    check("attached" not in states(), "%s: hooks remain attached: %r" % (when, functions()))
    same("%s: what is loaded still works" % when, status()["enabled"], "0")
    same("%s: what was gathered" % when, gathered(), kept)


def attached():
    return {f for f, state in functions().items() if state == "attached"}


# --- off before the module comes: it loads, and waits for ftrace
same("switching ftrace off", ftrace("0"), "")
start()
refused("loaded without ftrace")
refused("tried again")
same("switching ftrace on", ftrace("1"), "")
load.settle()
enable()
hooked = attached()
check(len(hooked) > 5, "hooked are %r" % functions())
load.blamed("with ftrace back")

# --- while enabled it cannot be switched off, by no means
for text in "0", "-1", "2":
    got = ftrace(text)
    print("ftrace_enabled = %s: %r" % (text, got))
    check(got in ("EBUSY", "EINVAL") or int(open(FTRACE).read()) != 0, "%r is taken" % text)
same("ftrace is", open(FTRACE).read().strip() != "0", True)
same("the refused 0", ftrace("0"), "EBUSY")
same("the hooks after that", attached(), hooked)
load.blamed("after the refusals")

# --- kprobes may be: no hook is one here, and the look-up of functions arms none
same("switching kprobes off", write_error(PROBES, "0"), "")
load.blamed("without kprobes")
disable()
same("rmmod", output("rmmod", "ioblame")[0], 0)
start()
load.settle()
enable()
same("the hooks without kprobes", attached(), hooked)
load.blamed("loaded without kprobes")
same("switching kprobes on", write_error(PROBES, "1"), "")

# --- disabled: either it can be switched off, and enabling is refused, or it says EBUSY
disable()
said = ftrace("0")
print("switching ftrace off while disabled: %r" % said)
if said:
    same("switching ftrace off while disabled", said, "EBUSY")
else:
    check(gathered()[1][3:], "the session left no roles: %r" % read("roles"))
    refused("switched off while disabled")
    # an act is offered once: this is the first look
    acts = pipe()
    check(sum(sum(a["hist"][0]) for a in acts) > 2, "the counters are gone: %r" % acts)
    same("switching ftrace on", ftrace("1"), "")
load.settle()
enable()
same("the hooks in the end", attached(), hooked)
load.blamed("in the end")

# --- unloaded while enabled: nothing of ours holds ftrace any more
same("rmmod while enabled", output("rmmod", "ioblame")[0], 0)
same("switching ftrace off after unloading", ftrace("0"), "")
same("switching ftrace on after unloading", ftrace("1"), "")
