# SPDX-License-Identifier: GPL-2.0
"""What the cases of scale/ and the soak share: cases/scale/prog/crowd.c, which does much, and
iotally.c there, which adds up the binary log.

    with_log = Tally("-i")
    crowd("files", MNT, 60000, 600)
    sync()
    sums = with_log.sums()
    sums.bytes(op="W", kind="thread", id=pid)
"""
import os
import re
import signal
import subprocess
import time

from lib.case import IOB, SCRATCH, check, child, eventually, same, status, value, wait_for

BIN = os.environ["IOB_BIN"]
LINE = re.compile(r"(?P<op>\S) (?P<how>\w+) (?P<kind>\w+) (?P<id>-?\d+) cgroup=(?P<cgroup>\d+) "
                  r"disk=(?P<disk>[0-9a-f]+) intent=(?P<intent>\w+) why=(?P<why>\S+) "
                  r"place=(?P<place>\d+) ios=(?P<ios>\d+) bytes=(?P<bytes>\d+) (?P<comm>.*)")
NUMBERS = ("id", "cgroup", "place", "ios", "bytes")


class Sums:
    """What iotally has added up, as rows of {op, how, kind, id, ..., bytes, comm}."""

    def __init__(self, text):
        self.rows, self.files = [], []
        first, *lines = text.splitlines()
        self.records, self.written = [int(x) for x in first.split()[1:]]
        for line in lines:
            if line.startswith("files "):
                self.files.append([int(x) for x in line.split()[1:]])
                continue
            row = LINE.fullmatch(line).groupdict()
            row.update((name, int(row[name])) for name in NUMBERS)
            self.rows.append(row)

    def of(self, **wanted):
        return [r for r in self.rows if all(r[k] == v for k, v in wanted.items())]

    def bytes(self, **wanted):
        return sum(r["bytes"] for r in self.of(**wanted))

    def by(self, *names, **wanted):
        """{value of @names: bytes}, the largest first."""
        sums = {}
        for r in self.of(**wanted):
            key = tuple(r[name] for name in names)
            sums[key] = sums.get(key, 0) + r["bytes"]
        return dict(sorted(sums.items(), key=lambda item: -item[1]))

    def show(self, *names, **wanted):
        """Print the ten largest."""
        sums = self.by(*names, **wanted)
        for key, size in list(sums.items())[:10]:
            print("%14d %5.1f %%  %s" % (size, 100 * size / max(1, sum(sums.values())),
                                         " ".join(str(x) for x in key)))


class Tally:
    """iotally, which reads the binary log from now on."""

    def __init__(self, *options):
        self.out = SCRATCH + "/sums"
        self.process = subprocess.Popen([BIN + "/iotally", *options, IOB, self.out],
                                        stdout=subprocess.PIPE)
        same("iotally", self.process.stdout.readline(), b"ready\n")

    def read(self):
        """The file, once it is there; it goes."""
        eventually("iotally writes its sums", lambda: os.path.exists(self.out) or
                   check(self.process.poll() in (None, 0), "iotally failed"))
        with open(self.out, encoding="utf-8", errors="replace") as f:
            text = f.read()
        os.unlink(self.out)
        same("records that the reader lost", value("stats/iolog_bin_overflow"), "0")
        return Sums(text)

    def sums(self):
        """All until now. The disk is at rest."""
        time.sleep(0.1)
        self.process.send_signal(signal.SIGUSR1)
        return self.read()

    def end(self):
        """All there is; ioblame is disabled."""
        same("iotally's end", self.process.wait(60), 0)
        return self.read()


def crowd_begin(*words, manifest="/dev/null"):
    with open(manifest, "a", encoding="ascii") as out:
        return subprocess.Popen([BIN + "/crowd", *[str(w) for w in words]], stdout=out)


def crowd(*words, manifest="/dev/null"):
    """Run crowd; its pid."""
    began = time.monotonic()
    process = crowd_begin(*words, manifest=manifest)
    same("crowd's end", process.wait(), 0)
    print("crowd %s: %.1f s" % (" ".join(str(w) for w in words[:5]), time.monotonic() - began))
    return process.pid


PROBLEMS = []


def wanted(true, *words):
    """Like check(), but the case goes on until verdict()."""
    if not true:
        PROBLEMS.append(" ".join(str(w) for w in words))
        print("not so:", PROBLEMS[-1])


def wanted_same(what, got, want):
    wanted(got == want, "%s: %r, not %r" % (what, got, want))


def verdict():
    check(not PROBLEMS, "; ".join(PROBLEMS))


def writes(fd, page, n):
    os.pwritev(fd, [page], n * len(page))
    os._exit(0)


def one_each(fd, page, nr):
    """So many processes, one after the other, write a page by direct IO; their pids. (As few
    instructions in each as can be.)"""
    pids = []
    for n in range(nr):
        pids.append(child(writes, fd, page, n))
        wait_for(pids[-1])
    return pids


def percent(part, whole):
    return 100 * part / max(1, whole)


def show_status():
    """The lines that tell how full ioblame is, and what it has lost."""
    for key, text in status().items():
        if re.match("roles|intents|acts|causes|memory|losses|reclaimed|known", key):
            print(key, text)
    for name, count in status()["lost"].items():
        print("loss", name, count)
