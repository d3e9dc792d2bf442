# SPDX-License-Identifier: GPL-2.0
"""Replay damaged copies of a recording: RECORDING COPY COMMAND

Whatever bytes are changed, the command must end by itself, with a status of its own
and clean output.
"""
import random
import subprocess
import sys

recording, copy, command = sys.argv[1:]
with open(recording, "rb") as f:
    data = f.read()
for seed in range(12):
    dice, bad = random.Random(seed), bytearray(data)
    for _ in range(dice.choice((1, 10, 200))):
        bad[dice.randrange(16, len(bad))] = dice.randrange(256)
    with open(copy, "wb") as f:
        f.write(bad)
    view = dice.choice((["snoop", "--json", "--stacks"], ["report"], ["stacks"]))
    got = subprocess.run([command, "replay", copy] + view, stdout=subprocess.PIPE,
                         stderr=subprocess.PIPE, timeout=20)
    assert got.returncode in (0, 1), (seed, got)
    got.stdout.decode("utf-8")
    assert all(c >= 32 or c == 10 for c in got.stdout), seed
