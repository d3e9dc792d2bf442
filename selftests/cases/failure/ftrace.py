# SPDX-License-Identifier: GPL-2.0
"""The body of failure/ftrace."""
import os
import sys

from lib.blamed import Load, Place
from lib.case import (SCRATCH, Disk, check, disable, enable, output, put, refuses, same, status,
                      write_error)

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


def reasons():
    return output("dmesg")[1].count(
        "ioblame: functions cannot be watched while kernel.ftrace_enabled is 0")


def refused(when):
    before = reasons()
    refuses("EBUSY", "enable", "1")
    same("%s: how often the log says why" % when, reasons(), before + 1)
    check("attached" not in states(), "%s: hooks remain attached: %r" % (when, functions()))
    same("%s: what is loaded still works" % when, status()["enabled"], "0")


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
    refused("switched off while disabled")
    same("switching ftrace on", ftrace("1"), "")
load.settle()
enable()
same("the hooks in the end", attached(), hooked)
load.blamed("in the end")

# --- unloaded while enabled: nothing of ours holds ftrace any more
same("rmmod while enabled", output("rmmod", "ioblame")[0], 0)
same("switching ftrace off after unloading", ftrace("0"), "")
same("switching ftrace on after unloading", ftrace("1"), "")
