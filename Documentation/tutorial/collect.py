#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""collect.py FILE PAUSE [BATCH]: append a measurement to FILE every PAUSE seconds

The busy program of the tutorial. It asks for its lines to be on the disk after
every BATCH lines (1).
"""
import itertools
import os
import sys
import time

path, pause = sys.argv[1], float(sys.argv[2])
batch = int(sys.argv[3]) if len(sys.argv) > 3 else 1

log = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
for n in itertools.count(1):
    os.write(log, f"{time.time():.3f} temperature=21.5\n".encode())
    if n % batch == 0:
        os.fsync(log)
    time.sleep(pause)
