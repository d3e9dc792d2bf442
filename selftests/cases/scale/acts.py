# SPDX-License-Identifier: GPL-2.0
"""The body of scale/acts."""
import os
import sys
import time

from lib.case import (Disk, buffer, disable, enable, eventually, looks, pipe, put, replace, run,
                      value)
from lib.crowd import one_each, show_status, verdict, wanted, wanted_same
from lib.sums import Sums

raw = Disk(sys.argv[1])
put("devs", raw.name)
fd, page = raw.open(), buffer(4096)

# --- a reader with long intervals misses none of the sums that could go with acts
EACH, ROUNDS = 64, 5
# (for want of room only, however long this takes)
usual = replace("ttl_secs", "3600")
put("sums", "1")
put("max_acts", str(2 * EACH))
put("max_sums", str(2 * EACH))
enable(log=False)
reader = Sums()
reader.next()
for _ in range(ROUNDS):
    one_each(fd, page, EACH)
    # (longer than an act must have been idle to go)
    time.sleep(3)
show_status()
reader.next()
wanted(reader.gone, "no sum went")
wanted_same("writes that a reader of sums_bin has seen", reader.all().get("W", [0])[0],
            ROUNDS * EACH)
wanted_same("sums that it has missed", value("stats/sum_unseen"), "0")
eventually("acts go once it has seen what went before",
           lambda: int(value("nr_sums")) < 2 * EACH // 4 * 3)
reader.close()
disable()
put("sums", "0")
put("max_sums", "65536")
put("ttl_secs", usual)

# --- counters that nobody reads: acts that go lose their file, but take no room from new ones
ACTS, EACH, ROUNDS = 64, 12, 12
put("nr_counters", "1")
put("counters/0", "RW size 0 1 1024 2048 4096 8192 16384 32768 0")
put("max_acts", str(ACTS))


def with_file(pids):
    """How many acts have a file: each writer made one, and is merged once."""
    return len(pids) - int(value("stats/acts_merged"))


def by_role(seen):
    sums = {}
    for (who, *_), ios in seen.items():
        if ios:
            sums[who] = sums.get(who, 0) + ios
    return sums


def last_has_file(before):
    """A new act has its file, and each role its IOs; @before by role."""
    last = "pid-%d" % one_each(fd, page, 1)[0]
    want = dict(before, **{last: 1})
    acts = pipe()
    wanted_same("files of the last one's acts", [a["dev"] for a in acts if a["who"] == last],
                [raw.dev])
    # (what is about to be merged shows later, and only what no reading has shown is merged)
    seen = {}
    for _ in looks(20, 0.5):
        for a in acts:
            seen[a["who"], a["comm"], a["int"], a["dev"], a["ino"], a["gen"]] = sum(a["hist"][0])
        if by_role(seen) == want:
            break
        acts = pipe()
    wanted_same("IOs by role", by_role(seen), want)


enable(log=False)
pids = []
for _ in range(ROUNDS):
    eventually("acts with files go, so that there is room for the next",
               lambda: with_file(pids) <= ACTS - 3 - EACH)
    pids += one_each(fd, page, EACH)
    wanted_same("IOs of %d without a file" % len(pids), value("stats/idx_nospc"), "0")
show_status()
wanted(int(value("nr_acts")) > ACTS, "all acts have found room beside each other")
last_has_file({"pid-%d" % pid: 1 for pid in pids})
disable()

# --- when roles have many intents, and no act without a file is left for them, they lose these
ROLES, WAYS = 32, 5
put("max_roles", str(ROLES))
enable(log=False)


def in_many_ways(n):
    os.pwritev(fd, [page], n * 4096)
    os.pwrite(fd, page, n * 4096)
    os.preadv(fd, [page], n * 4096)
    os.lseek(fd, n * 4096, os.SEEK_SET)
    os.writev(fd, [page])
    os.readv(fd, [page])


# (less than three quarters of max_roles)
pids = []
for n in range(20):
    pids.append(run(in_many_ways, n))
    eventually("acts without a file make room for others",
               lambda: int(value("nr_acts")) <= 2 + ROLES + ACTS // 4 * 3)
wanted_same("intents", int(value("nr_intents")), 2 + WAYS)
show_status()
last_has_file({"pid-%d" % pid: WAYS for pid in pids})
disable()
os.close(fd)
put("max_acts", "65536")
put("max_roles", "65536")
verdict()
