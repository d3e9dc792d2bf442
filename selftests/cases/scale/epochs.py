# SPDX-License-Identifier: GPL-2.0
"""The body of scale/epochs."""
import os
import sys
import time

from lib.case import (MNT, PAGE, SCRATCH, Delayed, Disk, disable, enable, iolog_now, output, put,
                      replace, run, same, sync)
from lib.crowd import verdict, wanted

disk, other = Disk(sys.argv[1]), Disk(sys.argv[2])
INTERVAL = "/proc/sys/vm/dirty_writeback_centisecs"
AGE = "W age 0 1000 10000 100000 1000000 10000000 100000000 1000000000 0"
SIZE = "W size 0 1 1024 2048 4096 8192 16384 32768 0"
periodic = replace(INTERVAL, "60000")
PAGES = 16


def write(name, folder=MNT):
    fd = os.open(folder + "/" + name, os.O_WRONLY | os.O_CREAT, 0o600)
    for page in range(PAGES):
        os.pwrite(fd, b"w" * PAGE, page * PAGE)
    os.close(fd)


def data_of(name, folder=MNT):
    """The entries of a file's data since the last call."""
    ino = os.stat(folder + "/" + name).st_ino
    return [e for e in iolog_now() if e.op == "W" and e.ino == ino]


# --- devs is changed, another task writes, devs is changed back
put("devs", disk.name)
enable()
for synced in False, True:
    name = "devs%d" % synced
    first = run(write, name)
    if synced:
        sync()
    put("devs", other.name, os.O_TRUNC)
    run(write, name)
    put("devs", disk.name, os.O_TRUNC)
    iolog_now()
    sync()
    entries = data_of(name)
    wanted(entries, "devs changed and changed back: nothing of %s is written" % name)
    wrong = [e for e in entries if e.who == "pid-%d" % first and e.how == "exact"]
    wanted(not wrong, "devs changed and changed back%s: the first writer pays as exact for %d "
           "bytes of the second" % (" after a sync" if synced else "", sum(e.bytes for e in wrong)))
disable()

# --- a disk that stacks on one that stays in devs is added and taken away: it was always noted
upper = Delayed("ifupper", other, 0)
folder = SCRATCH + "/upper"
for words in (["mkfs.ext4", "-qF", "-b", "4096", "-E", "lazy_itable_init=0,lazy_journal_init=0",
               upper.node], ["mount", "-o", "noatime", "--mkdir", upper.node, folder]):
    same(words[0], output(*words)[0], 0)
sync()
put("devs", other.name, os.O_TRUNC)
enable()
for change in upper.name, "!" + upper.name:
    me = run(write, "file", folder)
    put("devs", change)
    iolog_now()
    sync()
    entries = data_of("file", folder)
    for name in {other.name, upper.name} if change == upper.name else {other.name}:
        got = sum(e.bytes for e in entries
                  if e.disk == name and e.who == "pid-%d" % me and e.how == "exact")
        wanted(got == PAGES * PAGE, "after %s in devs the writer pays for %d bytes on %s, not %d"
               % (change, got, name, PAGES * PAGE))
disable()
same("umount", output("umount", folder)[0], 0)
upper.remove()
put("devs", disk.name, os.O_TRUNC)

# --- no counter asks for ages for a while
put("nr_counters", "1")
put("counters/0", AGE)
enable()
run(write, "ages")
sync()
put("counters/0", SIZE)
time.sleep(2)
began = time.monotonic()
run(write, "ages")
put("counters/0", AGE)
iolog_now()
sync()
entries = data_of("ages")
wanted(entries, "nothing is written")
# (the second write was after that)
ages = [e.micros("age") for e in entries if e.micros("age") is not None]
limit = (time.monotonic() - began + 1) * 1e6
wanted(not ages or max(ages) < limit, "ages were off for two seconds: a page that became dirty "
       "then is %r us old, not less than %d" % (max(ages, default=0), limit))
# then they are known again
run(write, "ages")
sync()
wanted([e for e in data_of("ages") if e.micros("age") is not None], "no age after that")
disable()
put(INTERVAL, periodic)
verdict()
