# SPDX-License-Identifier: GPL-2.0
"""The soak in the guest: guest.py NULL_BLK EXT4 XFS BTRFS

OUT/rounds gets a line of JSON after each round; the first, round 0, is of the idle module.
"""
import json
import os
import re
import statistics
import subprocess
import sys
import time

from lib.case import SCRATCH, Disk, disable, enable, fail, put, read, same, status, sync
from lib.crowd import BIN, Tally, crowd_begin

FAST, *FILE_SYSTEMS = [Disk(node) for node in sys.argv[1:]]
NAMES = ["ext4", "xfs", "btrfs"]
# each crowd has a manifest of its own
CROWDS = [("ext4", "files"), ("xfs", "files"), ("btrfs", "files"), ("ext4", "processes"),
          ("xfs", "cgroups")]
HOME = "/sys/fs/cgroup/soak"
# what a file takes of the disk; btrfs keeps smaller ones in its tree
FILE, BLOCK = 3000, 4096
# whoever else is charged did not cause the IO
OURS = {"crowd", "rm", "benchwork", "python3", "mkdir"}


def setting(name, text):
    return int(os.environ.get("SOAK_" + name, text))


ROUNDS = setting("ROUNDS", "60")
# rounded up: as many as was asked for, at least
FILES = -(-setting("FILES", "1000000") // ROUNDS)
PROCESSES = -(-setting("PROCESSES", "100000") // ROUNDS)
CGROUPS = -(-setting("CGROUPS", "10000") // ROUNDS)
SECONDS = setting("MINUTES", "75") * 60 / ROUNDS


def mnt(name):
    return SCRATCH + "/mnt/" + name


def manifest(name, what):
    return "%s/%s-%s" % (SCRATCH, name, what)


def settle():
    """All is written, also what xfs has in its log; bytes written to each disk."""
    sync()
    for action in "-f", "-u":
        subprocess.run(["fsfreeze", action, mnt("xfs")], check=True)
    sync()
    return [disk.stat()["Wb"] for disk in FILE_SYSTEMS]


def instructions(*words):
    """{part: instructions for each unit}: the guest's clock counts them; idling costs none."""
    text = subprocess.run([BIN + "/benchwork", *words], check=True,
                          stdout=subprocess.PIPE).stdout.decode()
    passes = {}
    for line in text.splitlines():
        part, units, ticks, idle = line.split()
        passes.setdefault(part, []).append((int(ticks) - int(idle)) / int(units))
    # the kernel's own work falls into one pass or another
    return {part: round(statistics.median(of)) for part, of in passes.items()}


def costs():
    got = instructions("read", FAST.node, "psync", "1", "10000", "3")
    got.update(instructions("write", mnt("ext4") + "/bench", "1024", "3"))
    return got


def slabs():
    """KiB of slab pages that hold ioblame's objects, and how many objects are used."""
    pages, used = 0, {}
    for line in read("/proc/slabinfo").splitlines():
        words = line.split()
        if words[0].startswith("iob_"):
            pages += int(words[-2]) * int(words[5])
            used[words[0]] = int(words[1])
    return pages * 4, used


def write_round(nr):
    """What a round does, as processes at once; then what the one before it left goes."""
    for name, what in CROWDS:
        open(manifest(name, what), "w", encoding="ascii").close()
        os.makedirs("%s/%d/%s" % (mnt(name), nr, what))
    groups = ["%s/%d" % (HOME, n) for n in range(CGROUPS)]
    for group in groups:
        os.mkdir(group)
    words = {"files": (FILES // 3, FILE), "processes": (PROCESSES, FILE),
             "cgroups": (FILE, *groups)}
    workers = [crowd_begin(what, "%s/%d/%s" % (mnt(name), nr, what), *words[what],
                           manifest=manifest(name, what))
               for name, what in CROWDS if what != "cgroups" or groups]
    old = ["%s/%d" % (mnt(name), nr - 1) for name in NAMES]
    workers.append(subprocess.Popen(["rm", "-rf"] + old))
    for worker in workers:
        same("the end of %r" % worker.args[:3], worker.wait(), 0)
    for group in groups:
        os.rmdir(group)


def charged(row, nr, sums, written):
    """How much of what each disk wrote is charged to who caused it."""
    for name, disk, size in zip(NAMES, FILE_SYSTEMS, written):
        files = [sum(column) for column in
                 zip(*(f for f, (of, _) in zip(sums.files, CROWDS) if of == name))]
        number = "%x" % disk.dev
        in_log = sums.bytes(op="W", disk=number)
        if in_log != size:
            print("round %d: %s wrote %d bytes, %d are in the log" % (nr, name, size, in_log))
        ours = sum(r["bytes"] for r in sums.of(op="W", disk=number) if r["comm"] in OURS)
        row[name] = {"written": size, "charged": ours, "data": files[0], "data_wrong": files[1],
                     "data_all": files[3] // FILE * BLOCK,
                     "nomem": sums.bytes(op="W", disk=number, kind="nobody")}
        print("round %d, %s:" % (nr, name))
        sums.show("kind", "comm", "how", "intent", op="W", disk=number)


def state(row):
    now = status()
    for name in "roles", "intents", "causes", "acts":
        if name in now:
            row[name] = int(now[name].split()[0])
    row["memory"] = {k[7:]: int(v) for k, v in now.items() if k.startswith("memory.")}
    row["lost"] = now["lost"]
    row["slab_kib"], row["objects"] = slabs()
    row["free_kib"] = int(re.search(r"MemAvailable: +(\d+)", read("/proc/meminfo"))[1])
    row["cost"] = costs()
    row["seconds"] = round(time.monotonic() - BEGAN)
    with open(os.environ["OUT"] + "/rounds", "a", encoding="ascii") as out:
        out.write(json.dumps(row) + "\n")
    print(json.dumps(row), flush=True)


def a_round(nr):
    end = time.monotonic() + SECONDS
    disks = dict(zip(NAMES, FILE_SYSTEMS))
    options = [word for name, what in CROWDS
               for word in ("-m", "%x=%s" % (disks[name].dev, manifest(name, what)))]
    before = settle()
    log = Tally("-i", "-l", str(1 << 20), *options)
    write_round(nr)
    after = settle()
    sums = log.sums()
    log.process.kill()
    log.process.wait()
    row = {"round": nr, "files": FILES // 3 * 3, "processes": PROCESSES, "cgroups": CGROUPS}
    charged(row, nr, sums, [b - a for a, b in zip(before, after)])
    state(row)
    time.sleep(max(0, end - time.monotonic()))


if not os.path.exists("/sys/fs/cgroup/cgroup.procs"):
    fail("no cgroup2")
os.mkdir(HOME)
BEGAN = time.monotonic()
put("devs", " ".join(disk.name for disk in [FAST] + FILE_SYSTEMS))
settle()
# twice: the first one also makes the file
costs()
state({"round": 0})
enable(log=False)
for number in range(1, ROUNDS + 1):
    a_round(number)
disable()
os.rmdir(HOME)
