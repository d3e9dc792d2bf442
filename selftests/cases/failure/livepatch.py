# SPDX-License-Identifier: GPL-2.0
"""The body of failure/livepatch."""
import os
import sys

from lib.blamed import Load, Place, hooks
from lib.case import (SCRATCH, Disk, check, disable, enable, eventually, output, put, same,
                      value)

disk = Disk(sys.argv[1])
load = Load([Place(disk, SCRATCH + "/ext4", sys.argv[2], os.stat(SCRATCH + "/ext4/loop").st_ino)])
PATCH = "/sys/kernel/livepatch/ioblame_patch"
CALLS = "/sys/module/ioblame_patch/parameters/calls"


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


load.start()
attached = hooks()
load.blamed("alone")
patch()
patched("patched later")
disable()
load.settle()
enable()
patched("patched before")
load.end()
load.start()
patched("patched before the module came")
unpatch()
load.blamed("after the patch went")
same("the hooks then", hooks(), attached)
patch()
load.end()
unpatch()
load.start()
load.blamed("after the patch went, disabled")
load.end()
