# SPDX-License-Identifier: GPL-2.0
"""The body of scale/roles."""
import os
import sys

from lib import abi
from lib.case import IOB, MNT, SCRATCH, Disk, disable, enable, put, read, read_bytes, sync
from lib.crowd import Tally, crowd, percent, show_status, verdict, wanted, wanted_same

ROLES = 20000
disk = Disk(sys.argv[1])
BLOCK = os.statvfs(MNT).f_bsize
manifest, folder = SCRATCH + "/manifest", MNT + "/roles"
os.makedirs(folder)
put("devs", disk.name)
put("nr_counters", "1")
put("counters/0", "W size 0 1 1024 2048 4096 8192 16384 32768 0")
sync()
enable()
log = Tally("-i", "-l", str(1 << 20), "-m", manifest)
crowd("roles", folder, ROLES, 600, IOB + "/role_id", manifest=manifest)
sync()
disk.stat()
all_roles = {-n for n in range(1, ROLES + 1)}
listed = {int(line.split(" ", 1)[0]) for line in read("roles").splitlines()[1:]}
counted = {r.id for r in abi.PIPE.split(read_bytes("counters_pipe_bin")) if sum(r.cnts)}
disable()
sums = log.end()
sums.show("kind", "how", "intent", op="W")
show_status()
right, wrong, _, _ = sums.files[0]
print("%.2f %% of the files are charged to the role that wrote it" %
      percent(right, ROLES * BLOCK))
wanted_same("bytes charged to another role", wrong, 0)
wanted_same("bytes charged to the role that wrote them", right, ROLES * BLOCK)
wanted_same("bytes without a role", sums.bytes(op="W", kind="nobody"), 0)
wanted_same("user roles that `roles` does not list", len(all_roles - listed), 0)
wanted(not all_roles - counted,
       "counters_pipe_bin lacks %d user roles" % len(all_roles - counted))
verdict()
