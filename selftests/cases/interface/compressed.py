# SPDX-License-Identifier: GPL-2.0
"""The body of interface/compressed."""
import os
import sys
import threading

from lib import iolog
from lib.case import (K, MNT, PAGE, Disk, check, compressible, disable, drop_caches, enable,
                      iolog_now, put, run, same, sync)

disk = Disk(sys.argv[1])
TOTAL = 512  # pages of a file
GROUPS = "/sys/fs/cgroup"
GROUP = GROUPS + "/iobcompressed"


# Write a page that compresses to about a third
def page(fd, n, seed):
    os.pwrite(fd, compressible(n, seed), n * PAGE)


def pages(path, numbers, seed):
    fd = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    for n in numbers:
        page(fd, n, seed)
    os.close(fd)


# What a cgroup with the io controller writes is submitted by a worker of its own
def pages_in_group(path, numbers, seed):
    put(GROUP + "/cgroup.procs", "0")
    pages(path, numbers, seed)


# Three threads take turns of 5 pages: an extent of 32 pages has data of all three
def turns(path, tell):
    turn = [threading.Semaphore(n == 0) for n in range(3)]
    fd = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)

    def run(me):
        os.write(tell, b"%d " % threading.get_native_id())
        for n in range(0, TOTAL, 5):
            if n // 5 % 3 == me:
                turn[me].acquire()
                for i in range(n, min(n + 5, TOTAL)):
                    page(fd, i, me)
                turn[(me + 1) % 3].release()

    threads = [threading.Thread(target=run, args=(n,)) for n in range(3)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()


def written(log, ino):
    return [e for e in log if e.op == "W" and e.ino == ino]


os.mkdir(GROUP)
put(GROUPS + "/cgroup.subtree_control", "+io +memory")
sync()
put("devs", disk.name)
# Dirtied before ioblame was enabled: unknown, and not charged to the task that then
# changes the inode
run(pages, MNT + "/before", range(64), 7)
before = os.stat(MNT + "/before").st_ino
enable()
toucher = run(os.chmod, MNT + "/before", 0o640)
inos = {}
who = {}
# The writers of a file run one after the other
for name, shares in (("alone", [range(TOTAL)]), ("grouped", [range(TOTAL)]),
                     ("halves", [range(TOTAL // 2), range(TOTAL // 2, TOTAL)]),
                     # single pages, which btrfs does not compress
                     ("holes", [range(0, TOTAL, 2), range(1, TOTAL, 2)])):
    who[name] = []
    for n, share in enumerate(shares):
        do = pages_in_group if name == "grouped" else pages
        who[name].append("pid-%d" % run(do, MNT + "/" + name, share, n))
r, w = os.pipe()
run(turns, MNT + "/mixed", w)
who["mixed"] = ["pid-" + tid for tid in os.read(r, 100).decode().split()]
for name in who:
    inos[name] = os.stat(MNT + "/" + name).st_ino
sync(MNT + "/before", *(MNT + "/" + name for name in who))
log = iolog_now()
for name, ino in inos.items():
    entries = written(log, ino)
    sums = iolog.bytes_by(entries, "who")
    total = sum(sums.values())
    print(name, total, sums, sorted({e.how for e in entries}))
    if name != "holes":
        check(50 * K < total < 1536 * K,
              "%s: %d bytes were written: not compressed" % (name, total))
    same("the writers of " + name, sorted(sums), sorted(who[name]))
    for pid, n in sums.items():
        check(abs(n * len(sums) - total) < total // 5,
              "%s of %s is charged %d of %d bytes" % (pid, name, n, total))
    same("entries that a worker has submitted for itself",
         [e for e in entries if "pid-%d" % e.sub in sums], [])
# Each of them has pages of each extent, so each pays a part of it
extents = []
for e in written(log, inos["mixed"]):
    if not e.part:
        extents.append([])
    extents[-1].append(e.who)
print("extents of mixed", len(extents), [len(names) for names in extents])
check(len(extents) >= TOTAL // 32, "mixed has %d extents" % len(extents))
same("who pays for each extent of mixed", {tuple(sorted(set(names))) for names in extents},
     {tuple(sorted(who["mixed"]))})
hows = {name: {e.how for e in written(log, ino)} for name, ino in inos.items()}
same("how alone is known", hows["alone"], {"exact"})
same("how grouped is known", hows["grouped"], {"exact"})
same("how halves is known", hows["halves"], {"exact"})
same("how holes is known", hows["holes"], {"exact"})
same("how mixed is known", hows["mixed"], {"inherited"})
same("data without an originator",
     sum(e.bytes for e in log
         if e.op == "W" and e.how in ("submitter", "lost") and e.ino == 0), 0)

sums = iolog.bytes_by(written(log, before), "who")
print("before", sums)
check(sums and "pid-%d" % toucher not in sums, "what was dirty before is charged to %r" % sums)
same("how before is known", {e.how for e in written(log, before)}, {"submitter"})

# --- readers
drop_caches()
for name, ino in inos.items():
    def all_of():
        with open(MNT + "/" + name, "rb") as f:
            same("bytes read", len(f.read()), TOTAL * PAGE)
    pid = run(all_of)
    sums = iolog.bytes_by([e for e in iolog_now() if e.op in "RA" and e.ino == ino], "who")
    print("read:", name, sums)
    same("readers of " + name, list(sums), ["pid-%d" % pid])
    same("bytes read of " + name, sums["pid-%d" % pid], sum(e.bytes for e in written(log, ino)))
disable()
put(GROUPS + "/cgroup.subtree_control", "-io -memory")
os.rmdir(GROUP)
