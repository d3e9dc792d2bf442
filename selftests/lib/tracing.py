# SPDX-License-Identifier: GPL-2.0
"""The kernel's own tracers, and what others attach to the functions that ioblame hooks"""
import os
import subprocess

from lib.case import check, error_of, read, same, status

TRACING = "/sys/kernel/tracing/"
OPTIMIZED = 3		# most places after an entry that are tried for each function


def write(name, text, append=False):
    """By one write(2): Python's files repeat what is left over, to the end."""
    def do():
        fd = os.open(TRACING + name, os.O_WRONLY | (os.O_APPEND if append else os.O_TRUNC))
        try:
            os.write(fd, text.encode())
        finally:
            os.close(fd)
    return error_of(do)


def put(name, text, append=False):
    same("the error of writing %r to %s" % (text[:60], name), write(name, text, append), "")


def functions():
    """The functions that ioblame has hooked by now."""
    known = {line.split()[0] for line in read(TRACING + "available_filter_functions").splitlines()}
    got = []
    for hook in status()["hooks"]:
        if hook.startswith("function ") and hook.endswith(" attached"):
            got += [n for n in hook.split()[1].split("|") if n in known][:1]
    return got


class KprobeEvents:
    """A kprobe and a kretprobe on each function, and optimised kprobes behind some entries."""

    def __init__(self, names, returns=True):
        self.names = names
        self.returns = returns

    def on(self):
        lines = []
        for i, name in enumerate(self.names):
            lines.append("p:iobtest/p%d %s" % (i, name))
            if self.returns:
                lines.append("r:iobtest/r%d %s" % (i, name))
        put("kprobe_events", "\n".join(lines) + "\n", append=True)
        for i, name in enumerate(self.names[:6]):
            places = 0
            for at in range(6, 40):
                # only where an instruction begins
                line = "p:iobtest/o%d_%d %s+%d\n" % (i, at, name, at)
                places += not write("kprobe_events", line, append=True)
                if places == OPTIMIZED:
                    break
        put("events/iobtest/enable", "1")

    def optimized(self):
        return read("/sys/kernel/debug/kprobes/list").count("[OPTIMIZED]")

    def off(self):
        put("events/iobtest/enable", "0")
        put("kprobe_events", "")


class Program:
    """A program that attaches something, says `ready`, and runs until SIGTERM.

    @needed: false if it may end at once, as it finds nothing that it could attach to
    """

    def __init__(self, words, ready, needed=True):
        self.words, self.ready, self.needed = words, ready, needed
        self.process = None
        self.said = []

    def on(self):
        self.process = subprocess.Popen(self.words, stdout=subprocess.PIPE,
                                        stderr=subprocess.STDOUT, universal_newlines=True)
        self.said = []
        for line in self.process.stdout:
            self.said.append(line.rstrip("\n"))
            if self.ready in line:
                return
        check(not self.needed, "%s ends: %r" % (self.words[0], self.said))

    def off(self):
        """What it says at its end."""
        ended = self.process.poll()
        if ended is None:
            self.process.terminate()
        said = self.process.stdout.read().splitlines()
        how = self.process.wait()
        check(not self.needed or ended is None and how in (0, -15), "%s ended with %d: %r" % (
            self.words[0], how, said[-3:]))
        return said
