#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Print what an IO costs by how many are under way: depth.py JOB

JOB/out is what guest-depth leaves, with `counts` of ./counter.c and `kallsyms.STATE`. Counted are
the instructions that all CPUs execute in the kernel, and those of them in the module. The
kernel's own vary by hundreds from run to run, as the disk's timers meet more or fewer reads; what
is judged are the module's.
"""
import os
import sys

sys.dont_write_bytecode = True  # the tree stays as it is
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from symbols import KERNEL, Symbols, read_sections  # noqa: E402


def read_depth(out):
    """{(CPUs, under way): {state: (instructions for each IO, the module's)}}"""
    found, symbols = {}, {}
    with open(os.path.join(out, "figures"), encoding="utf-8") as f:
        figures = [line.split() for line in f]
    for (state, _, shape, reads, *_), section in zip(figures,
                                                     read_sections(os.path.join(out, "counts"))):
        cpus, depth = shape.split("x")
        if state not in symbols:
            symbols[state] = Symbols(os.path.join(out, "kallsyms." + state))
        total = ours = 0
        for (address, insns), times in section.items():
            if address < KERNEL:
                continue
            total += insns * times
            if symbols[state].name(address)[1] == "ioblame":
                ours += insns * times
        found.setdefault((int(cpus), int(depth)), {})[state] = (total / int(reads),
                                                                ours / int(reads))
    return found


def judge(ours, first):
    return f"{100 * (ours / first - 1):+.0f}% {'met' if ours <= 1.1 * first else 'MISSED'}"


def rows(found):
    """Added by each state, the module's part, and whether that is within 10 % of depth 1"""
    states = [s for s in ("enabled", "counters2", "blktrace")
              if any(s in costs for costs in found.values())]
    table = [["CPUs", "under way", "off"] + [word for s in states for word in (s, "ours", "")]]
    for (cpus, depth), costs in sorted(found.items()):
        if "off" not in costs:
            continue
        row = [str(cpus), str(depth), f"{costs['off'][0]:.0f}"]
        base = found.get((cpus, cpus), {})
        for state in states:
            if state not in costs:
                row += ["-", "", ""]
                continue
            total, ours = costs[state]
            row += [f"{total - costs['off'][0]:+.0f}", f"{ours:.0f}"]
            judged = depth != cpus and ours and state in base
            row.append(judge(ours, base[state][1]) if judged else "")
        table.append(row)
    return table


def main():
    for row in rows(read_depth(os.path.join(sys.argv[1], "out"))):
        print("  ".join(f"{cell:>10}" for cell in row))


if __name__ == "__main__":
    main()
