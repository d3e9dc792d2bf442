# SPDX-License-Identifier: GPL-2.0
"""The body of interface/layouts: one way of knowing private structs, all stacks once."""
import os
import sys

from lib import iolog
from lib.case import (Disk, check, disable, enable, iolog_now, put, run, same, status,
                      M, K, SCRATCH)

mode, loop = sys.argv[1], Disk(sys.argv[2])
array, below, xfs, btrfs = ([Disk(d) for d in arg.split()] for arg in sys.argv[3:7])
PROVED = mode != "wrong"
# used by what is done below, and proved by it where there is no BTF
USED = {"loop_device", "r5dev", "dm_crypt_io", "dm_snap_pending_exception", "xfs_cil_ctx",
        "xfs_cil", "btrfs_trans_handle", "btrfs_ref", "btrfs_inode"}
# If they are 8 bytes off, this is seen.  In others what is read is harmless: of an r5dev all
# members are found from one of them, of a snapshot the last bio that waits in place of the
# first one; a loop device's next pointer is taken for its file, and no request is found by that.
SEEN = {"dm_crypt_io", "xfs_cil_ctx", "xfs_cil", "btrfs_trans_handle", "wb_writeback_work"}


# What part by part is charged to: {(who, how): bytes} of these disks
def charged(disks, who, wait=True):
    if wait:
        os.sync()
    names = {d.name for d in disks}
    got = iolog.bytes_by([e for e in iolog_now() if e.disk in names], "who", "how")
    print("%s: %r: %r" % (mode, "pid-%d" % who, got))
    check(got, "no IO")
    return got


# All is one task's; if the struct is wrong, nothing is believed to be another's
def only(got, who, sure):
    others = {k: n for k, n in got.items() if k[0] != "pid-%d" % who}
    if sure:
        same("what is charged to others", others, {})
    known = [k for k in others if k[1] in ("exact", "inherited")]
    same("what is charged to others, as if it was known", known, [])


def delete(name):
    fd = os.open(name, os.O_CREAT | os.O_RDWR)
    os.write(fd, os.urandom(2 * M))
    os.fsync(fd)
    os.close(fd)
    os.unlink(name)
    fd = os.open(os.path.dirname(name), os.O_RDONLY)
    os.fsync(fd)
    os.close(fd)


put("devs", " ".join(d.name for d in array + below + xfs + btrfs))
enable()
crypt, md, origin = (Disk(d) for d in ("/dev/mapper/laycrypt", "/dev/md77",
                                       "/dev/mapper/layorigin"))
iolog_now()
who = run(crypt.direct_write, 0, 64 * K, 4)
only(charged(below, who), who, PROVED)
# each mode copies other chunks
at = M * (1 + ("proved", "displaced", "used", "wrong").index(mode))
who = run(origin.direct_write, at, 4 * K, 3)
only(charged(below, who), who, False)
who = run(md.direct_write, 0, 64 * K, 4)
only(charged(array, who), who, False)
who = run(loop.direct_write, 0, 64 * K, 4)
charged(xfs, who)
for disk, place in (xfs, "xfs"), (btrfs, "btrfs"):
    who = run(delete, "%s/%s/deleted" % (SCRATCH, place))
    os.sync()
    discards = iolog.bytes_by([e for e in iolog_now() if e.op == "D" and e.disk == disk[0].name],
                              "who", "how")
    print("%s: discards of %s by pid-%d: %r" % (mode, place, who, discards))
    only(discards, who, False)
    if PROVED and discards:
        check([k for k in discards if k[0] == "pid-%d" % who], "nobody deleted on", place)
got = status()
disable()
layouts = got["layouts"]
for name, state in sorted(layouts.items()):
    print("%s: %s: %s" % (mode, name, state))
kept = os.environ["OUT"] + "/layouts"
if mode == "proved":
    same("what is not proved", {n: s for n, s in layouts.items()
                                if not s.startswith("proved by=btf ")}, {})
    check(USED <= set(layouts), "status lists %r" % sorted(layouts))
    with open(kept, "w") as f:
        f.write(repr(sorted(layouts.items())))
elif mode == "displaced":
    with open(kept) as f:
        same("offsets that were compiled wrongly, from BTF", repr(sorted(layouts.items())),
             f.read())
else:
    want = "proved by=use " if mode == "used" else "wrong by=use lost: "
    for name in USED if mode == "used" else SEEN:
        check(layouts[name].startswith(want), "%s is %s" % (name, layouts[name]))
    check(not [s for s in layouts.values() if "by=btf" in s], "there is BTF")
same("layout_wrong is counted", "layout_wrong" in got["lost"], mode == "wrong")
