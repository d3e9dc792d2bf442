# SPDX-License-Identifier: GPL-2.0
"""Addresses to names, as /proc/kallsyms has them"""
import bisect

KERNEL = 1 << 63


class Symbols:
    """The symbols of a kernel, of some types: tTwW is code"""

    def __init__(self, path, types="tTwW"):
        names = {}
        with open(path, encoding="ascii") as f:
            for line in f:
                words = line.split()
                if words[1] in types:
                    # of several names for a place, the first
                    names.setdefault(int(words[0], 16),
                                     (words[2], words[3].strip("[]") if len(words) > 3 else ""))
        self.starts = sorted(names)
        self.names = [names[start] for start in self.starts]

    def name(self, address):
        """(name, module)"""
        if address < KERNEL:
            return ("(programs)", "program")
        return self.find(address)[0] or ("(unknown)", "")

    def find(self, address):
        """((name, module) or None, how far into it)"""
        i = bisect.bisect_right(self.starts, address) - 1
        return (self.names[i], address - self.starts[i]) if i >= 0 else (None, 0)


def read_sections(path):
    """What ./counter.c has written: [{(address, instructions): times}]"""
    sections = []
    with open(path, encoding="ascii") as f:
        for line in f:
            words = line.split()
            if words[0] == "section":
                sections.append({})
            else:
                key = (int(words[0], 16), int(words[2]))
                sections[-1][key] = sections[-1].get(key, 0) + int(words[3])
    return sections
