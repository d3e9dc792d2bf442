# SPDX-License-Identifier: GPL-2.0
"""The body of interface/late."""
import os
import sys

from lib.case import (MNT, M, Disk, check, disable, enable, eventually, iolog_now, put, read,
                      run, same, status, sync, takes, value, write_pages)

disk = Disk(sys.argv[1])
PAGES = 256


def roles():
    return {line.split()[1] for line in read("roles").splitlines()[1:]}


def discarded():
    return status().get("disk %s D" % disk.name, {}).get("bytes", 0)


def gone():
    return int(dict(w.split("=") for w in status()["reclaimed"].split())["causes"])


def wait_for_age():
    """Until a cause that was used later than all others so far is reclaimed."""
    other = run(disk.direct_write, 100 * M, 4096)
    eventually("the role of a later task is reclaimed", lambda: str(other) not in roles(), 60)


def commit(least):
    """The journal's commit, and what is discarded by it."""
    iolog_now()
    before = discarded()
    sync()
    eventually("%d bytes are discarded" % least, lambda: discarded() - before >= least, 60)
    return iolog_now()


def shares(log, op):
    """Who pays for how much, and how sure that is."""
    sums = {}
    for e in log:
        if e.op == op:
            sums[e.who, e.how] = sums.get((e.who, e.how), 0) + e.bytes
    return sums


# --- ten files, with others in between so that no two are discarded as one
names = ["%s/%s%d" % (MNT, kind, n) for n in range(10) for kind in ("file", "keeps")]
for name in names:
    write_pages(name, range(PAGES))
    sync()
put("devs", disk.name)
takes("ttl_secs", "1", "1")

# --- freed before ioblame was enabled: nothing is known, which is counted once something is
os.unlink(names[0])
enable()
pid = run(os.unlink, names[2])
log = commit(2 * PAGES * 4096)
got = shares(log, "D")
check(got.pop(("pid-%d" % pid, "inherited"), 0) == PAGES * 4096, "who freed it pays: %r" % got)
check(sum(got.values()) >= PAGES * 4096, "the rest is not in the log: %r" % got)
same("counted is", int(value("stats/freed_unknown")), 1)

# --- the cause of who freed it is far older than ttl_secs, and stays until the commit
pid = run(os.unlink, names[4])
wait_for_age()
log = commit(PAGES * 4096)
got = shares(log, "D")
same("who pays for the discard of a file whose deletion is old", set(got),
     {("pid-%d" % pid, "inherited")})
same("the journal has no share of somebody who is gone",
     {w for w, how in shares(log, "W") if how == "lost"}, set())
same("losses", status()["lost"], {})

# --- where room is short its cause goes: nobody pays, and it is counted

disable()
causes = value("max_causes")
put("max_causes", "32")
enable()
# (causes are kept where something was discarded)
run(os.unlink, names[8])
commit(PAGES * 4096)
pid = run(os.unlink, names[6])
before = gone()


# a pass frees 32 at most, and 16 or less while half of the room is free
def fill():
    run(disk.direct_write_in_threads, 100 * M, 4096, 40)
    return gone() - before >= 100


eventually("causes go, as there is no room", fill, 60)
lost = int(value("stats/act_lost"))
log = commit(PAGES * 4096)
same("who pays for the discard of a file whose deletion is forgotten", set(shares(log, "D")),
     {("pid-0", "lost")})
check(int(value("stats/act_lost")) > lost, "it is not counted")
same("discards of which nothing is noted", int(value("stats/freed_unknown")), 0)
disable()
put("max_causes", causes)
put("ttl_secs", "120")
