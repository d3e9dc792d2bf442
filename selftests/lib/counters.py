# SPDX-License-Identifier: GPL-2.0
"""counters_pipe and counters_pipe_bin: a histogram for each counter of each act."""
import re

from lib import abi

SLOTS = abi.CONSTANTS["IOB_HIST_SLOTS"]
HEAD = re.compile(r"((?:pid|user|cgroup)-\d+)(?: \((.*)\))? "
                  r"int=(\d+) dev=0x([0-9a-f]+) ino=0x([0-9a-f]+) gen=0x([0-9a-f]+)")


def parse(text):
    """A list of {who, comm, int, dev, ino, gen, hist}, one for each act."""
    acts = []
    for line in text.splitlines():
        if line.startswith("  "):
            hist = [int(x) for x in line.split()]
            if len(hist) != SLOTS:
                raise ValueError(f"{len(hist)} slots in {line!r}")
            acts[-1]["hist"].append(hist)
            continue
        m = HEAD.fullmatch(line)
        if not m:
            raise ValueError(f"counters_pipe has a line {line!r}")
        acts.append({"who": m[1], "comm": m[2], "int": int(m[3]), "dev": int(m[4], 16),
                     "ino": int(m[5], 16), "gen": int(m[6], 16), "hist": []})
    return acts


def parse_bin(data):
    return [{"id": r.id, "int": r.intent_nr, "dev": r.dev, "ino": r.ino, "gen": r.gen,
             "hist": [r.cnts[i:i + SLOTS] for i in range(0, len(r.cnts), SLOTS)]}
            for r in abi.PIPE.split(data)]


def added(one, other):
    """The sum of two histograms."""
    return [x + y for x, y in zip(one, other)]
