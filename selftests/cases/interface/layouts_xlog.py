# SPDX-License-Identifier: GPL-2.0
"""The body of interface/layouts_xlog: one way of knowing a checkpoint of xfs."""
import os
import sys

from lib.case import MNT, K, Disk, check, disable, enable, iolog_now, put, run, status, sync
from lib.layouts import RIGHT, judge, verdict

disk = Disk(sys.argv[2])
NAMES = {"xfs_cil_ctx", "xfs_cil", "xlog_write()"}


def touch():
    for n in range(8):
        os.close(os.open("%s/%d" % (MNT, n), os.O_RDWR | os.O_CREAT, 0o600))
        os.unlink("%s/%d" % (MNT, n))


put("devs", disk.name)
sync()
enable()
# what knows the last part of a checkpoint has one of two names
released, = [h for h in status()["hooks"] if h.startswith("function xfs_log_release_iclog ")]
check(" missing " not in released, "nothing serves instead: %r" % released)
iolog_now()
who = run(touch)
syncer = run(os.sync)
# (where the checkpoint is unknown, nothing says that it is the log)
log = [e for e in iolog_now() if e.op == "W" and (e.why == "journal" or not RIGHT)]
judge("the log", log, [who], 1 * K, submitter=syncer)
verdict(NAMES, NAMES, by_use={"xlog_write()"})
disable()
