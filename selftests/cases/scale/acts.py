# SPDX-License-Identifier: GPL-2.0
"""The body of scale/acts."""
import os
import sys
import time

from lib.case import Disk, buffer, disable, enable, eventually, put, value
from lib.crowd import one_each, show_status, verdict, wanted, wanted_same
from lib.sums import Sums

raw = Disk(sys.argv[1])
put("devs", raw.name)
fd, page = raw.open(), buffer(4096)

# --- a reader with long intervals misses none of the sums that could go with acts
EACH, ROUNDS = 64, 5
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
os.close(fd)
put("max_acts", "65536")
verdict()
