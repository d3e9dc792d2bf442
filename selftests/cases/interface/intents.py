# SPDX-License-Identifier: GPL-2.0
"""The body of interface/intents."""
import errno
import os
import re
import sys
import time

from lib import abi, iolog
from lib.case import (MNT, Disk, check, disable, enable, eventually, fail, iolog_now, path, put,
                      read, read_bytes, read_fd, run, same, takes, value)

disk = Disk(sys.argv[1])


# A list of (number, modifier, addresses), one for each intent
def parse(text):
    found = []
    for line in text.splitlines():
        intent = iolog.parse_intent(line)
        if intent:
            nr, modifier, why = intent
            found.append((nr, modifier, []))
            same("the name of modifier %#x" % modifier, bool(why), modifier != 0)
            continue
        frame = iolog.FRAME.fullmatch(line)
        check(frame, "intents has a line %r" % line)
        check(re.fullmatch(r"\S+\+0x[0-9a-f]+/0x[0-9a-f]+", frame["symbol"]),
              "intents has a frame %r" % line)
        found[-1][2].append(int(frame["address"], 16))
    return found


def parse_bin(data):
    return [(r.nr, r.modifier, r.trace) for r in abi.INTENT.split(data)]


put("devs", disk.name + " " + Disk(sys.argv[2]).name)
enable()
run(disk.direct_write, 0, 4096)


def dirty(and_fsync):
    fd = disk.open(os.O_RDWR)
    os.pwrite(fd, b"x" * 4096, 1 << 20)
    if and_fsync:
        os.fsync(fd)
    os.close(fd)


# The flusher writes a file's pages, and gives its reason
with open(MNT + "/file", "w") as f:
    f.write("x" * 4096)
os.sync()
time.sleep(0.5)
text = read("intents")
found = parse(text)
count = int(value("nr_intents"))
same("numbers", [i[0] for i in found], list(range(count)))
same("the two special intents", found[:2], [(0, 0, []), (1, 0, [])])
check(all(i[2] for i in found[2:]), "an intent without a stack")
check(any(i[1] >> 28 == 1 for i in found), "no writeback reason after sync(2)")
same("intents_bin", parse_bin(read_bytes("intents_bin")), found)
check("wb=sync" in text, "sync(2) is no wb=sync")
put("devs", "!" + Disk(sys.argv[2]).name)

# --- buffers of any size
for name, whole in (("intents", text.encode()), ("intents_bin", read_bytes("intents_bin"))):
    for size in 1, 3, 7, 16, 64, 100, 1000, 4096, 65536:
        if size < 7 and len(whole) > 20000:
            continue
        same("%s in pieces of %d" % (name, size), read_bytes(name, size), whole)

# --- seeking counts intents


def from_nr(name, nr, whence=os.SEEK_SET):
    fd = os.open(path(name), os.O_RDONLY)
    at = os.lseek(fd, nr, whence)
    data = read_fd(fd)
    os.close(fd)
    return at, data


for nr in (0, 1, 2, count - 1, count, count + 5):
    at, data = from_nr("intents", nr)
    same("where we are", at, nr)
    same("intents from %d on" % nr, parse(data.decode()), found[nr:])
    at, data = from_nr("intents_bin", nr)
    same("intents_bin from %d on" % nr, parse_bin(data), found[nr:])
same("SEEK_END", from_nr("intents", 0, os.SEEK_END), (count, b""))
at, data = from_nr("intents", -2, os.SEEK_END)
same("the last two", parse(data.decode()), found[-2:])
fd = os.open(path("intents"), os.O_RDONLY)
for off, whence in ((-1, os.SEEK_SET), (-1, os.SEEK_CUR), (-count - 1, os.SEEK_END), (0, 99)):
    try:
        os.lseek(fd, off, whence)
        fail("lseek(%d, %d) works" % (off, whence))
    except OSError as e:
        same("the error of a bad seek", errno.errorcode[e.errno], "EINVAL")
# after a seek in the middle of a record the next read begins with a whole one
os.read(fd, 5)
os.lseek(fd, 2, os.SEEK_SET)
same("after a seek in the middle of a record", parse(read_fd(fd).decode()), found[2:])
same("at the end", os.read(fd, 10), b"")

# --- kptr_restrict hides addresses
KPTR = "/proc/sys/kernel/kptr_restrict"
restrict = value(KPTR)
put(KPTR, "2")
hidden = parse(read("intents"))[:count]
same("addresses with kptr_restrict", hidden, [(i[0], i[1], [0] * len(i[2])) for i in found])
same("and in binary", parse_bin(read_bytes("intents_bin"))[:count], hidden)


def addresses_of_log():
    iolog_now()
    disk.direct_write(0, 4096)
    return [iolog.FRAME.fullmatch(f)["address"] for e in iolog_now() for f in e.stack]


same("and in iolog", set(addresses_of_log()), {"0" * 16})
put(KPTR, restrict)
same("without it", parse(read("intents"))[:count], found)
check("0" * 16 not in addresses_of_log(), "iolog hides addresses without it")

# --- an open file at its end reads only what is new
run(dirty, True)
eventually("a new intent", lambda: int(value("nr_intents")) > count)
now = parse(read("intents"))
same("the old ones", now[:count], found)
same("only the new ones at the end", parse(read_fd(fd).decode()), now[count:])
os.close(fd)
same("only the new ones after a seek", parse(from_nr("intents", count)[1].decode()), now[count:])
same("and in binary", parse_bin(from_nr("intents_bin", count)[1]), now[count:])

# --- intents stay after disabling, and start over with the next session
disable()
same("after disabling", parse(read("intents")), now)
enable()
same("a new session", parse(read("intents"))[:2], [(0, 0, []), (1, 0, [])])

# --- one stack with several modifiers: each write has the modifier of its own reason
VM = "/proc/sys/vm/"


def periodic(soon):
    put(VM + "dirty_expire_centisecs", "1" if soon else "60000")
    put(VM + "dirty_writeback_centisecs", "10" if soon else "60000")


kept = [(n, value(VM + n)) for n in ("dirty_expire_centisecs", "dirty_writeback_centisecs")]
put("devs", Disk(sys.argv[2]).name)
fd = os.open(MNT + "/file", os.O_RDWR)
ino = os.fstat(fd).st_ino
intents = {}
for wanted in 0x10000002, 0x10000003, 0x10000002, 0x10000003, 0x10000002:
    periodic(False)
    os.sync()
    iolog_now()
    os.pwrite(fd, b"m" * 4096, 0)
    if wanted == 0x10000002:
        os.sync()
    else:
        periodic(True)
    seen = []

    def written():
        seen.extend(e for e in iolog_now() if e.op == "W" and e.ino == ino)
        return seen

    eventually("the page is written", written)
    same("the modifier", [e.modifier for e in seen], [wanted])
    same("the intent", seen[0].intent, intents.setdefault(wanted, seen[0].intent))
os.close(fd)
for name, was in kept:
    put(VM + name, was)
traces = {i[0]: (i[1], i[2]) for i in parse(read("intents"))}
same("their modifiers", {w: traces[n][0] for w, n in intents.items()}, {w: w for w in intents})
same("the stack of both", len({tuple(traces[n][1]) for n in intents.values()}), 1)
disable()

# --- max_intents is reached: #0 stands for the intents beyond it
put("max_intents", "4")
takes("nr_counters", "1", "1")
put("counters/0", "RW size 0 1 1 1 1 1 1 1 0")
enable()
run(disk.direct_write, 0, 4096)
run(disk.direct_read, 0, 4096)
run(dirty, True)
run(dirty, False)
os.sync()
check(int(value("nr_intents")) <= 4, "%s intents of 4" % value("nr_intents"))
check(int(value("stats/idx_nospc")) > 0, "idx_nospc is 0")
check([e for e in iolog_now() if e.intent == 0], "nothing was charged to intent 0")
disable()
