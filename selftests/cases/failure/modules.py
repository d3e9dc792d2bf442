# SPDX-License-Identifier: GPL-2.0
"""The body of failure/modules."""
import os
import sys

from lib import iolog
from lib.case import (K, M, MNT, Disk, check, disable, enable, iolog_now, output, put, run,
                      same, status, sync)

below = Disk(sys.argv[1])
DISKS = {name: Disk(node) for name, node in (word.split("=") for word in sys.argv[2:])}
SIZE = 1 * M
PART = SIZE // 512

# Every module in which there are hooks, as the source names them
NAMED = {"btrfs", "dm_crypt", "dm_mirror", "dm_mod", "dm_snapshot", "dm_thin_pool", "ext4", "f2fs",
         "jbd2", "loop", "raid456", "xfs"}
# and of newer kernels, where a kernel has them: there these functions are hooked
NEWER = {"exfat": "exfat_file_write_dio_end_io", "ntfs": "ntfs_file_write_dio_end_io"}


def sh(*words):
    code, said = output(*words)
    check(code == 0, "%s: %s" % (" ".join(words), said))
    return said


def loaded(module):
    return os.path.exists("/sys/module/" + module)


# Take a module away, and those that use it; say which
def take(module):
    gone = []
    for user in os.listdir("/sys/module/%s/holders" % module):
        gone += take(user) if loaded(user) else []
    sh("rmmod", module)
    return gone + [module]


# {"function dm_io": "attached", ...}: "waiting for MODULE ..." of hooks whose module is away
def hooks():
    found = {}
    for line in status()["hooks"]:
        kind, name, rest = line.split(" ", 2)
        found.setdefault((kind, name), []).append(rest)
    return found


def waiting(now):
    """{module: its hooks}"""
    found = {}
    for hook, states in now.items():
        for state in states:
            if state.startswith("waiting for "):
                found.setdefault(state.split(" ")[2], set()).add(hook)
    return found


# --- what a program causes is charged to it
def writes():
    for n in range(10):
        with open("%s/f%d" % (MNT, n), "w") as f:
            f.write("x" * 16384)
    os.rename(MNT + "/f0", MNT + "/g0")
    os.unlink(MNT + "/g0")


def on_files(fs):
    disk = DISKS[fs]
    sh("mount", "-t", fs, disk.node, MNT)
    sync()
    iolog_now()
    pid = run(writes)
    sync()
    log = [e for e in iolog_now() if e.op == "W" and e.disk == disk.name]
    sh("umount", MNT)
    mine = [e for e in log if e.who == "pid-%d" % pid]
    same("data on " + fs, sum(e.bytes for e in mine if e.ino) >= 9 * 16384, True)
    part = sum(e.bytes for e in mine) / sum(e.bytes for e in log)
    check(part >= 0.9, "on %s %.3f of all bytes are its own: %r" % (
        fs, part, iolog.bytes_by(log, "who", "comm")))


JOURNALED = 512 * K


def journaled():
    with open(MNT + "/journaled", "wb") as f:
        f.write(b"j" * JOURNALED)
        os.fsync(f.fileno())


# It needs so much of the log that what the other one has there must go to its place
def fills():
    with open(MNT + "/fills", "wb") as f:
        for _ in range(24):
            os.pwrite(f.fileno(), b"f" * (JOURNALED // 2), 0)
            os.fsync(f.fileno())


# With data=journal a checkpoint writes buffers of the file's pages.  jbd2 ends some such bios, the
# kernel others: one kind by functions of two owners, of which one has gone and come.
def on_journal():
    disk = DISKS["ext4"]
    sh("mount", "-t", "ext4", "-o", "data=journal", disk.node, MNT)
    sync()
    iolog_now()
    pid = run(journaled)
    log = iolog_now()
    other = run(fills)
    ino, others = (os.stat(MNT + "/" + name).st_ino for name in ("journaled", "fills"))
    log = [e for e in log + iolog_now() if e.op == "W" and e.disk == disk.name]
    sh("umount", MNT)
    said = iolog.bytes_by(log, "who", "comm", "ino", "how")
    print("data=journal, file %#x of %d, file %#x of %d: %r" % (ino, pid, others, other, said))
    # in the journal and in its place
    check(sum(e.bytes for e in log if e.ino == ino) >= 2 * JOURNALED,
          "it is not in its place: %r" % said)
    same("who pays for it", {e.who for e in log if e.ino == ino}, {"pid-%d" % pid})
    more = sum(e.bytes for e in log if e.ino not in (ino, others) and e.how == "exact"
               and e.who == "pid-%d" % other)
    check(more < JOURNALED / 8, "%d bytes more are exactly the other's: %r" % (more, said))


made = []


def make(name, *table):
    sh("dmsetup", "create", "--noudevsync", name, "--table", " ".join(str(w) for w in table))
    sh("dmsetup", "mknodes", name)
    made.append(name)
    return "/dev/mapper/" + name


def remove_all():
    while made:
        sh("dmsetup", "remove", "--noudevsync", "--retry", made.pop())


def part(nr, size=PART):
    return make("part%d" % nr, 0, size, "linear", below.node, 2048 + nr * PART)


# Metadata of a target begins as zeroes
def clear(node):
    sh("dd", "if=/dev/zero", "of=" + node, "bs=64k", "count=1", "oflag=direct")


# A device of a target, on the disk below: [type, node, {operation: bytes below for each written}]
def mirror():
    return make("fmtop", 0, PART, "mirror core 2 64 nosync 2", part(0), 0, part(1), 0), {"W": 2}


def snapshot():
    base, cow = part(0), part(1, 2 * PART)
    clear(cow)
    make("fmsnap", 0, PART, "snapshot", base, cow, "P 16")
    return make("fmtop", 0, PART, "snapshot-origin", base), {"W": 2, "R": 1}


def thin():
    meta, data = part(0, 2 * PART), part(2, 2 * PART)
    clear(meta)
    pool = make("fmpool", 0, 2 * PART, "thin-pool", meta, data, 128, 0)
    sh("dmsetup", "message", "fmpool", "0", "create_thin 0")
    return make("fmtop", 0, PART, "thin", pool, 0), {"W": 1}


def crypt():
    return make("fmtop", 0, PART, "crypt aes-xts-plain64", "0" * 64, 0, part(0), 0), {"W": 1}


def on_target(do):
    node, want = do()
    top = Disk(node)
    iolog_now()
    pid = run(top.direct_write, 0, 16 * K, SIZE // (16 * K))
    sync()
    log = iolog_now()
    for op, times in want.items():
        mine = sum(e.bytes for e in log
                   if e.op == op and e.who == "pid-%d" % pid and e.disk == below.name)
        check(mine >= times * SIZE, "%s: %d bytes of %s below, not %d: %r" % (
            do.__name__, mine, op, times * SIZE, iolog.bytes_by(log, "op", "who", "comm")))
    remove_all()


# Modules to take away, in this order, and what shows that blame works
TURNS = [
    ("dm_mirror", lambda: on_target(mirror)),
    ("dm_snapshot", lambda: on_target(snapshot)),
    ("dm_thin_pool", lambda: on_target(thin)),
    ("dm_crypt", lambda: on_target(crypt)),
    ("dm_mod", lambda: on_target(mirror)),
    ("raid456", None),
    ("loop", None),
    ("exfat", None),
    ("ntfs", None),
    ("f2fs", lambda: on_files("f2fs")),
    ("xfs", lambda: on_files("xfs")),
    ("btrfs", lambda: on_files("btrfs")),
    ("ext4", lambda: on_files("ext4")),
    ("jbd2", lambda: (on_files("ext4"), on_journal())),
]


# All that users of a module were, they are again
def bring(gone):
    for module in reversed(gone):
        sh("modprobe", module)


named = {name for kind, name in hooks()}
hooked = {module for module, function in NEWER.items() if function in named}
# (a kernel may be compiled without one: it is away for good)
lacking = {module for module in hooked if output("modprobe", "-n", "-q", module)[0] != 0}
NAMED |= hooked - lacking
for module in sorted(NAMED):
    sh("modprobe", module)
put("devs", " ".join(d.name for d in [below] + list(DISKS.values())))
enable()
whole = hooks()
same("modules that are away", set(waiting(whole)), lacking)
for module in sorted(NAMED & set(NEWER)):
    same("hooks in " + module, [whole[kind, NEWER[module]] for kind in ("function", "symbol")],
         [["attached"], ["attached"]])
seen, built_in = set(), set()
for module, works in TURNS:
    if module not in NAMED:
        continue
    if not os.path.isdir("/sys/module/%s/holders" % module) or not os.path.exists(
            "/sys/module/%s/initstate" % module):
        built_in.add(module)
        if works:
            works()
        continue
    gone = take(module)
    now = hooks()
    away = waiting(now)
    check(module in away, "without %s no hook waits: %r" % (module, away))
    same("modules that hooks wait for without " + module, set(away), NAMED & set(gone) | lacking)
    # (a hook that is in the kernel stays)
    for hook, states in now.items():
        check(len(states) == len(whole[hook]), "%r: %r, then %r" % (hook, whole[hook], states))
        if not any(hook in waits for waits in away.values()):
            same("%s %s without %s" % (hook + (module,)), states, whole[hook])
    seen |= set(away) - lacking
    bring(gone)
    same("hooks when %s is back" % module, hooks(), whole)
    if works:
        works()
    print("%s: %d hooks" % (module, len(away[module])))
same("modules that went", seen, NAMED - built_in)
print("built in:", built_in)
same("stacks taken for others", status()["lost"].get("stack_wrong", 0), 0)
# they go while disabled, and come then
disable()
for module in "dm_mod", "ext4":
    if loaded(module) and module not in built_in:
        bring(take(module))
enable()
same("hooks when they went while disabled", hooks(), whole)
on_target(mirror)
on_files("ext4")
disable()
