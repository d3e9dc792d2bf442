# SPDX-License-Identifier: GPL-2.0
"""The body of scale/full: less is known step by step, (role, intent, file), (role, file),
(role), and nomem only where no role can be made."""
import os
import sys

from lib.case import (MNT, PAGE, Disk, buffer, child, disable, enable, eventually, iolog_now,
                      path, put, read, run, same, status, sync, value, wait_for)
from lib.crowd import Tally, show_status, verdict, wanted, wanted_same

disk, raw = Disk(sys.argv[1]), Disk(sys.argv[2])
LIMITS = {name: value(name) for name in ("max_roles", "max_intents", "max_causes", "max_acts")
          if os.path.exists(path(name))}
SMALLEST = 4
WRITERS = 24
put("nr_counters", "1")
put("counters/0", "W size 0 1 1024 2048 4096 8192 16384 32768 0")


def limits(**smallest):
    for name, text in LIMITS.items():
        put(name, str(smallest.get(name, text)))


def write(name):
    fd = os.open(MNT + "/" + name, os.O_WRONLY | os.O_CREAT, 0o600)
    for n in range(4):
        os.pwrite(fd, b"w" * PAGE, n * PAGE)
    os.close(fd)


def loads(label):
    """Writers to files and past the page cache; {pid: inode of its file}, and the log's sums."""
    log = Tally("-i")
    pids = {}
    for n in range(WRITERS):
        name = "%s-%d" % (label, n)
        pid = run(write, name)
        pids[pid] = os.stat(MNT + "/" + name).st_ino
    sync()
    disk.stat()
    sums = log.sums()
    log.process.kill()
    log.process.wait()
    return pids, sums


def data(pids, sums, **known):
    """Bytes of the files' data that are charged to their writers, and where more is @known."""
    return sum(sums.bytes(op="W", kind="thread", id=pid, place=ino, **known)
               for pid, ino in pids.items())


def role_only(pids, sums):
    return sum(sums.bytes(op="W", kind="thread", id=pid) for pid in pids)


def known():
    """{"role+intent+file": bytes, "role+file": bytes, "role": bytes, "nomem": ..., "lost": ...}"""
    return {k: int(v) for k, v in (word.split("=") for word in status()["known"].split())}


def agrees(label, sums):
    """The steps of `status` are the sum of all, and nomem's bytes are those of the log."""
    steps = known()
    print("status: known", steps)
    wanted_same(label + ": the sum of the steps in status", sum(steps.values()), sum(
        v["bytes"] for k, v in status().items() if k.startswith("total ")))
    wanted_same(label + ": bytes without a role in status", steps["nomem"],
                sums.bytes(kind="nobody", comm="nomem"))
    return steps


# Each table alone. With one of them full the role is always known, the file nearly always
BYTES = WRITERS * 4 * PAGE
for name in LIMITS:
    put("devs", disk.name)
    limits(**{name: SMALLEST})
    enable()
    pids, sums = loads(name)
    full = {"role": role_only(pids, sums), "file": data(pids, sums),
            "intent": data(pids, sums, intent="known"),
            "nobody": sums.bytes(op="W", kind="nobody")}
    print("%s=%d: %d bytes of data; bytes with" % (name, SMALLEST, BYTES), full)
    sums.show("kind", "comm", "how", "intent", op="W")
    show_status()
    if name == "max_roles":
        wanted(full["nobody"] > 0, "max_roles: nothing is nomem's")
    else:
        wanted_same(name + ": bytes without a role", full["nobody"], 0)
        wanted(full["role"] >= BYTES, "%s: %d bytes of %d with a role" %
               (name, full["role"], BYTES))
        wanted_same(name + ": bytes of data with their file", full["file"], BYTES)
    wanted_same(name + ": bytes of nomem that are not `lost`",
                sum(r["bytes"] for r in sums.of(kind="nobody") if r["how"] != "lost"), 0)
    steps = agrees(name, sums)
    if name == "max_intents":
        wanted(steps["role+file"] >= BYTES, "max_intents: %d bytes at the step role+file" %
               steps["role+file"])
    by_how = status()["disk %s W" % disk.name]
    wanted_same(name + ": bytes `lost` in status", by_how["lost"],
                sums.bytes(op="W", how="lost"))
    disable()
    # and all comes back
    limits()
    enable()
    pids, sums = loads(name + "-after")
    wanted_same("after %s: bytes with all that is known" % name,
                data(pids, sums, intent="known"), BYTES)
    steps = agrees("after " + name, sums)
    wanted_same("after %s: bytes of which less is known" % name,
                sum(steps.values()) - steps["role+intent+file"], 0)
    disable()

# --- all at once
limits(**{name: SMALLEST for name in LIMITS})
enable()
pids, sums = loads("all")
print("all at %d" % SMALLEST)
sums.show("kind", "comm", "how", "intent", op="W")
show_status()
wanted_same("all: bytes of nomem that are not `lost`",
            sum(r["bytes"] for r in sums.of(kind="nobody") if r["how"] != "lost"), 0)
agrees("all", sums)
same("all: bytes in the log", sums.written, sum(
    v["bytes"] for k, v in status().items() if k == "disk %s W" % disk.name))
disable()


def pids():
    return {int(line.split()[0]) for line in read("roles").splitlines()[1:]}


# --- in one session: a task whose role could not be made has one as soon as there is room
def patient(ask, tell):
    fd, page = raw.open(), buffer(PAGE)
    for n in range(2):
        os.read(ask, 1)
        os.pwritev(fd, [page], (8 + n) * PAGE)
        os.write(tell, b"x")


limits(max_roles=8)
put("ttl_secs", "1")
put("devs", raw.name)
enable()
ask, tell = os.pipe(), os.pipe()
waiting = child(patient, ask[0], tell[1])
alive, stop = [], os.pipe()


def occupies(n):
    raw.direct_write(n * PAGE, PAGE)
    os.write(tell[1], b"x")
    os.read(stop[0], 1)


for nr in range(8):
    alive.append(child(occupies, nr))
    os.read(tell[0], 1)


# While there is no room, a task asks for a role once a tick of the kernel's, not for each page
def dirties():
    with open("/dev/" + raw.name, "r+b", buffering=0) as f:
        for n in range(DIRTIED):
            f.seek((32 + n) * PAGE)
            f.write(b"d" * PAGE)


DIRTIED = 4000
before = status()["lost"]
run(dirties)
more = {name: count - before.get(name, 0) for name, count in status()["lost"].items()}
print("%d pages without a role: more losses" % DIRTIED, more)
wanted(more.get("role_nomem", 0) >= DIRTIED / 2,
       "%s of %d pages have no role" % (more.get("role_nomem"), DIRTIED))
wanted(more.get("idx_nospc", 0) < DIRTIED / 5,
       "a role was asked for %s times for %d pages" % (more.get("idx_nospc"), DIRTIED))
os.write(ask[1], b"x")
os.read(tell[0], 1)
for pid in alive:
    os.write(stop[1], b"x")
for pid in alive:
    wait_for(pid)
# a worker frees them, without any reader
eventually("roles of tasks that are gone are freed", lambda: not set(alive) & pids())
os.write(ask[1], b"x")
os.read(tell[0], 1)
wait_for(waiting)
log = {e.sector: e for e in iolog_now()}
wanted_same("the task without a role", (log[64].comm, log[64].how), ("nomem", "lost"))
wanted_same("the same task when there is room", (log[72].who, log[72].how),
            ("pid-%d" % waiting, "exact"))
disable()
limits()
put("ttl_secs", "120")
verdict()
