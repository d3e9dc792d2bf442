#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Print which cache lines go from CPU to CPU: sharing.py JOB [LINES]

JOB/out is what guest-sharing leaves, and `lines` of ./sharing.c: for each state and depth the
accesses for each IO that had to fetch a line from another CPU, or to take it away from one.
An access is ours if a function of ioblame, or what it calls, does it, or if the data is
ioblame's.
"""
import bisect
import collections
import os
import re
import sys

sys.dont_write_bytecode = True  # the tree stays as it is
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from symbols import Symbols  # noqa: E402

OURS = ("ioblame", "iob_shared")
# What each tick writes: in the guest, where time is long, a tick comes every few IOs
TICK = ("jiffies", "tk_core", "percpu cpu_clock_data")
# Fewer for each IO are ticks, workers and the like: they do not come with the IO
NONE = 0.01


class Data:
    """What lies at an address: a variable, one of a CPU's, or an object of a slab"""

    def __init__(self, out, state):
        self.static = Symbols(os.path.join(out, "kallsyms." + state), "bBdDrRvV")
        self.percpu = Symbols(os.path.join(out, "kallsyms." + state), "aAdDbBvV")
        self.offsets = []
        with open(os.path.join(out, "percpu"), encoding="ascii") as f:
            self.offsets = sorted(int(line.split()[1], 16) for line in f)

    def of_cpu(self, address):
        i = bisect.bisect_right(self.offsets, address) - 1
        if i < 0:
            return None
        inside = address - self.offsets[i]
        # symbols of CPUs' variables are small numbers in all but new kernels
        found, far = self.percpu.find(inside)
        return found if found and inside < 1 << 22 and far < 1 << 16 else None

    def name(self, address, where):
        """(name, module)"""
        found = self.of_cpu(address)
        if found:
            return ("percpu " + found[0], found[1])
        if address >= 0xffffffff80000000:
            found, far = self.static.find(address)
            if found and far < 1 << 20:
                return (found[0] + (f"+{far:#x}" if far else ""), found[1])
        said = where.get(address & ~63, "")
        slab = re.search(r"slab(?: \S+)* ?(\S+) start", said)
        if slab:
            return (f"slab {slab[1]}", "ioblame" if slab[1].startswith("iob_") else "")
        area = re.search(r"vmalloc.*allocated at (\S+)(?: \[(\w+)\])?", said)
        if area:
            return (f"vmalloc of {area[1].split('+')[0]}", area[2] or "")
        return ("memory", "")


def read_where(path):
    """What the kernel's log says of lines: {address: text}"""
    where, address = {}, None
    if os.path.exists(path):
        with open(path, encoding="utf-8", errors="replace") as f:
            for line in f:
                match = re.search(r"iob_shared: ([0-9a-f]{16})(.*)", line)
                if match:
                    address = int(match[1], 16)
                    where[address] = match[2]
                elif address:
                    where[address] += " " + line.strip()
    return where


def read_lines(path):
    """[[(address, reads, writes, [code addresses, the innermost first])]]"""
    sections = []
    with open(path, encoding="ascii") as f:
        for line in f:
            words = line.split()
            if words[0] == "section":
                sections.append([])
            else:
                sections[-1].append((int(words[0], 16) + int(words[1]), int(words[3]),
                                     int(words[4]), [int(word, 16) for word in words[6:]]))
    return sections


def account(section, code, data, where, reads):
    """{(function, its module, caller, data, ours): accesses for each IO}"""
    sums = collections.Counter()
    for address, fetched, taken, places in section:
        names = [code.name(place) for place in places]
        what, whose = data.name(address, where)
        inside = [name for name, module in names if module in OURS]
        ours = (bool(inside) or whose in OURS) and not what.startswith(TICK)
        function, module = names[0]
        # what a function of ours calls is told with it
        caller = inside[0] if inside and module not in OURS else \
            names[1][0] if len(names) > 1 else ""
        sums[function, module, caller, what, ours] += (fetched + taken) / reads
    return sums


def read_sharing(out):
    """{(state, depth): account}, in the order in which they were measured"""
    with open(os.path.join(out, "figures"), encoding="utf-8") as f:
        figures = [line.split() for line in f]
    found, symbols = {}, {}
    sections = read_lines(os.path.join(out, "lines"))
    for (state, _, depth, reads, *_), section in zip(figures, sections):
        if state not in symbols:
            symbols[state] = (Symbols(os.path.join(out, "kallsyms." + state)), Data(out, state))
        where = read_where(os.path.join(out, f"where.{state}.{depth}"))
        found[state, depth] = account(section, *symbols[state], where, int(reads))
    return found


def ours(sums):
    return sum(n for key, n in sums.items() if key[4])


def summary(found):
    """Rows: state, depth, all, ours, verdict"""
    rows = []
    for (state, depth), sums in found.items():
        mine = ours(sums)
        if state == "planted":
            # completions come in bunches, so not each is a transfer
            verdict = "found" if sum(n for key, n in sums.items()
                                     if key[3].startswith("planted")) > 10 * NONE else "NOT FOUND"
        elif state in ("off", "blktrace"):
            verdict = ""
        else:
            verdict = "met" if mine < NONE else "MISSED"
        rows.append([state, depth, f"{sum(sums.values()):.2f}", f"{mine:.2f}", verdict])
    return rows


def detail(sums, limit):
    lines = []
    for key, n in sorted(sums.items(), key=lambda item: (not item[0][4], -item[1])):
        if n < NONE:
            continue
        function, module, caller, what, mine = key
        where = f" [{module}]" if module else ""
        where += f" of {caller}" if caller else ""
        lines.append(f"{n:9.3f} {'ours' if mine else '':5}{function}{where}: {what}")
    return lines[:limit]


def main():
    found = read_sharing(os.path.join(sys.argv[1], "out"))
    for (state, depth), sums in found.items():
        print(f"\n{state}, {depth}: {sum(sums.values()):.2f} for each IO, "
              f"{ours(sums):.2f} of them ours")
        print("\n".join(detail(sums, int(sys.argv[2]) if len(sys.argv) > 2 else 25)))
    print()
    for row in summary(found):
        print("  ".join(f"{cell:>10}" for cell in row))


if __name__ == "__main__":
    main()
