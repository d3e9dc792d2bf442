# SPDX-License-Identifier: GPL-2.0
"""Calls of ioblame.ko that fail without memory, let fail one by one by iob_fail.ko

    sites = Sites()                 # loads iob_fail, learns where ioblame's code is
    site = sites.all[0]
    sites.watch([site])             # count it, also while ioblame loads
    sites.fail(site, 0, -1)         # from the first hit on, each time
    sites.counts()[site]            # (hits, failed)
"""
import os
import re
import subprocess

from lib.case import read, same

CONTROL = "/sys/kernel/debug/iob_fail"
VALUES = {"null": 0, "error": -12}
ALWAYS = -1


class Site:
    """A line of the list that selftests/failure/sites makes."""

    def __init__(self, line):
        offset, kind, self.called, function, self.line = line.split()
        self.offset, self.value = int(offset, 16), VALUES[kind]
        # gcc's copies have another name
        self.function = re.sub(r"\.(isra|constprop|part|cold)\b.*", "", function)

    def __str__(self):
        return "%s of %s() at %s" % (self.called, self.function, self.line)

    __repr__ = __str__


class Sites:
    def __init__(self):
        binaries = os.environ["IOB_BIN"]
        with open(binaries + "/ioblame.sites") as f:
            self.all = [Site(line) for line in f]
        self.watched = []
        subprocess.run(["insmod", binaries + "/iob_fail.ko"], check=True)
        # where .text lies in the code is the same for each load of a module
        subprocess.run(["insmod", os.environ["IOB_KO"]], check=True)
        self.shift = int(read("/sys/module/ioblame/sections/.text"), 16) - self._lines()[0][0]
        subprocess.run(["rmmod", "ioblame"], check=True)

    def _say(self, text):
        fd = os.open(CONTROL, os.O_WRONLY)
        os.write(fd, text.encode())
        os.close(fd)

    def _lines(self):
        lines = read(CONTROL).splitlines()
        return [[int(lines[0], 16)]] + [[int(word) for word in line.split()] for line in lines[1:]]

    def watch(self, sites):
        """Watch these and no others; none fails."""
        self._say("clear")
        self.watched = list(sites)
        for site in self.watched:
            self._say("site %x %d" % (site.offset + self.shift, site.value))

    def fail(self, site, skip, times):
        self._say("fail %d %d %d" % (self.watched.index(site), skip, times))

    def zero(self):
        """No site fails, and all counts are 0."""
        self._say("zero")

    def counts(self):
        """{site: (hits, failed)}"""
        counts = {}
        for site, (_, hits, failed, error) in zip(self.watched, self._lines()[1:]):
            same("the error of watching the %s" % site, error, 0)
            counts[site] = hits, failed
        return counts

    def hits(self):
        """{site: hits}, of those that were hit"""
        return {site: hits for site, (hits, _) in self.counts().items() if hits}

    def end(self):
        subprocess.run(["rmmod", "iob_fail"], check=True)
