# SPDX-License-Identifier: GPL-2.0
"""The body of failure/perf.

perf samples the call stacks of all CPUs from its timer's interrupt, which may come within a probe
of ioblame's, has kprobes and kretprobes on functions that ioblame hooks, and traces each system
call: begun after ioblame and before it.
"""
import os
import re
import select
import signal
import subprocess
import sys

from lib.blamed import Load, Place, hooks
from lib.case import (SCRATCH, SLOWNESS, Disk, check, disable, enable, eventually, output, put,
                      same)

disk = Disk(sys.argv[1])
load = Load([Place(disk, SCRATCH + "/ext4", sys.argv[2], os.stat(SCRATCH + "/ext4/loop").st_ino)])
PERIOD = 5000000  # ns from one sample of a CPU to the next
PROBED = ("do_writepages", "submit_bio_noacct")


def perf(*words):
    code, said = output("perf", *words, cwd=SCRATCH)
    check(code == 0, "perf %s ends with %d: %s" % (" ".join(words), code, said[-800:]))
    return said


class Recorder:
    """perf, which runs until SIGINT and leaves what it has seen in a file."""

    def __init__(self, name, *words):
        self.file = SCRATCH + "/" + name
        self.words = ("perf",) + words + ("-o", self.file)
        self.process = None
        self.pipes = ()

    def start(self, *more, fds=()):
        self.process = subprocess.Popen(self.words + more, cwd=SCRATCH, stdout=subprocess.PIPE,
                                        stderr=subprocess.STDOUT, pass_fds=fds)

    def writes(self):
        with open("/dev/null", "wb", buffering=0) as null:
            for _ in range(100):
                null.write(b"x")
        return os.path.exists(self.file) and os.path.getsize(self.file) > 0

    # perf looks at all processes first, for many seconds.  perf record can be told to begin, and
    # says when it has; perf trace has begun when it writes, of calls that there must be.
    def on(self):
        if self.words[1] == "record":
            theirs, control = os.pipe()
            ack, said = os.pipe()
            self.start("-D", "-1", "--control", "fd:%d,%d" % (theirs, said), fds=(theirs, said))
            os.close(theirs)
            os.close(said)
            os.write(control, b"enable\n")
            ready, _, _ = select.select([ack], [], [], 150 * SLOWNESS)
            check(ready and os.read(ack, 9).startswith(b"ack"), "%r does not begin" % (self.words,))
            self.pipes = control, ack
        else:
            self.start()
            eventually("%s writes" % self.words[1], lambda: self.writes() or
                       self.process.poll() is not None, 150)
        check(self.process.poll() is None, "%r ends" % (self.words,))

    def off(self):
        check(self.process.poll() is None, "%r has ended" % (self.words,))
        self.process.send_signal(signal.SIGINT)
        said = self.process.communicate()[0].decode("utf-8", "replace")
        check(self.process.returncode in (0, -2, 130), "%r ended with %d: %s" % (
            self.words, self.process.returncode, said[-800:]))
        print("%s: %d bytes; %s" % (self.words[1], os.path.getsize(self.file), said[-300:]))


def blamed(when):
    load.blamed(when)
    same("the hooks " + when, hooks(), attached)


# an emulated CPU takes long for a sample: no reason to take fewer
put("/proc/sys/kernel/perf_cpu_time_max_percent", "0")
load.start()
attached = hooks()
blamed("alone")
for name in PROBED:
    perf("probe", "-q", "--add", name)
    perf("probe", "-q", "--add", name + "%return")
events = [word for name in PROBED for word in ("-e", "probe:%s*" % name)]
samples = Recorder("samples", "record", "-a", "-g", "-e", "cpu-clock/period=%d/" % PERIOD, *events,
                   "-e", "block:block_rq_issue")
calls = Recorder("calls", "trace", "-a", "-e", "read,write")
recorders = samples, calls
for recorder in recorders:
    recorder.on()
blamed("beside perf, begun later")
disable()
load.settle()
enable()
blamed("beside perf, begun before")
load.end()
load.start()
blamed("loaded beside perf")
for recorder in recorders:
    recorder.off()
blamed("after perf")
for name in PROBED:
    perf("probe", "-q", "--del", name + "*")

# --- perf has seen all of this
with open("/proc/modules") as f:
    at = {words[0]: (int(words[5], 16), int(words[1])) for words in map(str.split, f)}
base, size = at["ioblame"]
stacks = [s for s in perf("script", "-i", samples.file, "-F", "event,ip").split("\n\n")
          if s.lstrip().startswith("cpu-clock")]
within = [s for s in stacks if any(0 <= int(word, 16) - base < size
                                   for word in re.findall(r"(?m)^\s+([0-9a-f]{16})\b", s))]
print("%d samples, %d of them within ioblame" % (len(stacks), len(within)))
check(len(stacks) > 1000, "perf took only %d samples" % len(stacks))
check(within, "no sample is within ioblame")
said = perf("script", "-i", samples.file, "-F", "event")
for name in PROBED:
    for event in "probe:%s:" % name, "probe:%s__return:" % name:
        check(event in said, "perf has not seen %s: %r" % (event, sorted(set(said.split()))))
check("block:block_rq_issue:" in said, "perf has not seen block_rq_issue")
check(" write(" in open(calls.file).read(), "perf trace has not seen write()")
load.end()
