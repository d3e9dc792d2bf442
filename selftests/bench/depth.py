#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Print what an IO costs by how many are under way: depth.py JOB

JOB/out is what guest-depth leaves, with `counts` of ./counter.c. Counted are the instructions
that all CPUs execute in the kernel.
"""
import os
import sys

sys.dont_write_bytecode = True  # the tree stays as it is
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from symbols import KERNEL, read_sections  # noqa: E402


def read_depth(out):
    """{(CPUs, under way): {state: instructions for each IO}}"""
    found = {}
    with open(os.path.join(out, "figures"), encoding="utf-8") as f:
        figures = [line.split() for line in f]
    for (state, _, shape, reads, *_), section in zip(figures,
                                                     read_sections(os.path.join(out, "counts"))):
        cpus, depth = shape.split("x")
        total = sum(insns * times for (address, insns), times in section.items()
                    if address >= KERNEL)
        found.setdefault((int(cpus), int(depth)), {})[state] = total / int(reads)
    return found


def rows(found):
    """Added by each state, and whether that is within 10 % of depth 1 of the same CPUs"""
    states = [s for s in ("enabled", "counters2", "blktrace")
              if any(s in costs for costs in found.values())]
    table = [["CPUs", "under way", "off"] + [word for s in states for word in (s, "")]]
    for (cpus, depth), costs in sorted(found.items()):
        if "off" not in costs:
            continue
        row = [str(cpus), str(depth), f"{costs['off']:.0f}"]
        base = found.get((cpus, cpus), {})
        for state in states:
            if state not in costs:
                row += ["-", ""]
                continue
            added = costs[state] - costs["off"]
            row.append(f"{added:+.0f}")
            if depth == cpus or state not in base:
                row.append("")
            else:
                first = base[state] - base["off"]
                row.append(f"{100 * (added / first - 1):+.0f}% "
                           f"{'met' if added <= 1.1 * first else 'MISSED'}")
        table.append(row)
    return table


def main():
    for row in rows(read_depth(os.path.join(sys.argv[1], "out"))):
        print("  ".join(f"{cell:>12}" for cell in row))


if __name__ == "__main__":
    main()
