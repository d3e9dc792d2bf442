# SPDX-License-Identifier: GPL-2.0
"""The body of interface/gonepoller."""
import os
import subprocess
import sys

from lib import iolog
from lib.case import (K, MNT, Disk, check, disable, enable, iolog_now, next_pid_is, output, put,
                      same, sync, takes)

disk = Disk(sys.argv[1])
SIZE = 64 * K
POLLER = os.environ["IOB_BIN"] + "/gonepoller"
takes("role", "thread", "thread")
put("devs", disk.name)
enable()


def inherited(path, pid):
    """The next best is the leader of its process."""
    sync()
    ino = os.stat(path).st_ino
    log = [e for e in iolog_now() if e.op == "W" and e.ino == ino]
    print(iolog.bytes_by(log, "who", "how"))
    same("bytes of it", sum(e.bytes for e in log), SIZE)
    same("whose they are, and how sure", {(e.who, e.how) for e in log},
         {("pid-%d" % pid, "inherited")})


# (the second time its stack is known, and the shortcut of each page is ready)
for name in "one", "two":
    code, said = output(POLLER, MNT + "/" + name, str(SIZE // K))
    check(code == 0, "gonepoller: " + said)
    inherited(MNT + "/" + name, int(said.split()[0]))


def written_with_its_id(path):
    """Another thread has the id of the maker by now. Return: the process, or 0: it has not."""
    with subprocess.Popen([POLLER, path, str(SIZE // K), "again"], stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE) as poller:
        pid, maker = (int(w) for w in poller.stdout.readline().split())
        next_pid_is(maker)
        poller.communicate(b"\n")
    check(poller.returncode in (0, 3), "gonepoller exits with %d" % poller.returncode)
    return 0 if poller.returncode else pid


for attempt in range(20):
    path = MNT + "/again%d" % attempt
    its = written_with_its_id(path)
    if its:
        inherited(path, its)
        break
else:
    check(False, "no thread gets the id of the maker")
disable()
