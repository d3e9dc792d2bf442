# SPDX-License-Identifier: GPL-2.0
"""Read five pages of a file past the page cache, and end: FILE"""
import mmap
import os
import sys

fd = os.open(sys.argv[1], os.O_RDONLY | os.O_DIRECT)
page = mmap.mmap(-1, 4096)
for n in range(5):
    os.preadv(fd, [page], n * 4096)
