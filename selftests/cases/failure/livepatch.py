# SPDX-License-Identifier: GPL-2.0
"""The body of failure/livepatch."""
import os
import sys

from lib.blamed import Load, Place
from lib.case import (SCRATCH, Disk, check, disable, enable, eventually, output, put, same, status,
                      value)

disk = Disk(sys.argv[1])
load = Load([Place(disk, SCRATCH + "/ext4", sys.argv[2], os.stat(SCRATCH + "/ext4/loop").st_ino)])
PATCH = "/sys/kernel/livepatch/ioblame_patch"
CALLS = "/sys/module/ioblame_patch/parameters/calls"


def hooks():
    return [h for h in status()["hooks"] if h.startswith("function ")]


def start():
    same("insmod", output("insmod", os.environ["IOB_KO"], "check_stacks=1")[0], 0)
    put("devs", disk.name)
    load.settle()
    enable()


def end():
    disable()
    same("rmmod", output("rmmod", "ioblame")[0], 0)


def patch():
    code, said = output("insmod", sys.argv[3])
    same("insmod of the patch: " + said, code, 0)
    eventually("all tasks are patched", lambda: value(PATCH + "/transition") == "0")


def unpatch():
    put(PATCH + "/enabled", "0")
    eventually("no task is patched", lambda: not os.path.exists(PATCH))
    eventually("the patch is unloaded", lambda: output("rmmod", "ioblame_patch")[0] == 0)


def patched(when):
    before = int(value(CALLS))
    load.blamed(when)
    check(int(value(CALLS)) > before, when + ": no replacement was called")
    same("the hooks " + when, hooks(), attached)


start()
attached = hooks()
load.blamed("alone")
patch()
patched("patched later")
disable()
load.settle()
enable()
patched("patched before")
end()
start()
patched("patched before the module came")
unpatch()
load.blamed("after the patch went")
same("the hooks then", hooks(), attached)
patch()
end()
unpatch()
start()
load.blamed("after the patch went, disabled")
end()
