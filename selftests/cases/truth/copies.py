# SPDX-License-Identifier: GPL-2.0
"""Discard 2 MiB at 14 MiB of each disk named, and flush it."""
import sys

from lib.case import BLKDISCARD, M, Disk, fsync

for node in sys.argv[1:]:
    Disk(node).ioctl_range(BLKDISCARD, 14 * M, 2 * M)
    fsync(node)
