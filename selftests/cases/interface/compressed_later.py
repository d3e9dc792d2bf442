# SPDX-License-Identifier: GPL-2.0
"""The body of interface/compressed."""
import os
import sys

from lib import iolog
from lib.case import (MNT, PAGE, Disk, check, compressible, disable, enable, iolog_now, put, run,
                      same, sync)

disk = Disk(sys.argv[1])
name = MNT + "/later"
TOTAL = 512


def half(first):
    fd = os.open(name, os.O_RDWR | os.O_CREAT, 0o600)
    for n in range(first, first + TOTAL // 2):
        os.pwrite(fd, compressible(n), n * PAGE)
    os.close(fd)


put("devs", disk.name)
enable()
who = ["pid-%d" % run(half, first) for first in (0, TOTAL // 2)]
fd = os.open(name, os.O_RDONLY)
# The kernel begins to write it back, and no task waits
os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
sync(name)
entries = [e for e in iolog_now() if e.op == "W" and e.ino == os.fstat(fd).st_ino]
sums = iolog.bytes_by(entries, "who", "how")
print(sums)
same("the writers", sorted(sums), sorted((pid, "exact") for pid in who))
for (pid, _), n in sums.items():
    check(100 << 10 < n < 1 << 20, "%s is charged %d bytes" % (pid, n))
disable()
