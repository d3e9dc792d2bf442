# SPDX-License-Identifier: GPL-2.0
"""The body of interface/gonepoller."""
import os
import sys

from lib import iolog
from lib.case import K, MNT, Disk, check, disable, enable, iolog_now, output, put, same, sync, takes

disk = Disk(sys.argv[1])
SIZE = 64 * K
takes("role", "thread", "thread")
put("devs", disk.name)
enable()
# (the second time its stack is known, and the shortcut of each page is ready)
for name in "one", "two":
    path = MNT + "/" + name
    code, said = output(os.environ["IOB_BIN"] + "/gonepoller", path, str(SIZE // K))
    check(code == 0, "gonepoller: " + said)
    pid = int(said.split()[0])
    sync()
    ino = os.stat(path).st_ino
    log = [e for e in iolog_now() if e.op == "W" and e.ino == ino]
    print(iolog.bytes_by(log, "who", "how"))
    same("bytes of it", sum(e.bytes for e in log), SIZE)
    # the next best is the leader of its process
    same("whose they are, and how sure", {(e.who, e.how) for e in log},
         {("pid-%d" % pid, "inherited")})
disable()
