# SPDX-License-Identifier: GPL-2.0
"""The body of interface/superblock."""
import subprocess
import sys

from lib.case import MNT, Disk, check, disable, enable, iolog_now, put, run, same, sync

disk = Disk(sys.argv[1])


def first_open():
    with open(MNT + "/file", "w", encoding="ascii") as file:
        file.write("x")


def super_blocks():
    return [e for e in iolog_now() if e.op == "W" and e.sector == 0 and not e.ino]


put("devs", disk.name)
enable()
subprocess.run(["mount", "-t", "ext4", disk.node, MNT], check=True)
opener = run(first_open)
sync()
# (the journal writes it in its place when it must; sync writes what it has left dirty)
subprocess.run(["sync"], check=True)
before = super_blocks()
print("before:", [(e.who, e.how, e.sub_comm) for e in before])
subprocess.run(["umount", MNT], check=True)
written = [e for e in super_blocks() if e.sub_comm == "umount"]
print("umount:", [(e.who, e.how, e.sub_comm) for e in written])
check(written, "umount writes no super block")
# what the journal has left is its changer's; the last one is the umount's own
same("who writes the super block last", written[-1].who, "pid-%d" % written[-1].sub)
check(written[-1].who != "pid-%d" % opener, "the opener unmounts")
disable()
