# SPDX-License-Identifier: GPL-2.0
"""Run tests of one suite in the guest, with ioblame or without: guest.py SUITE with|without

OUT/wanted has the names to run, or PEERS_TESTS patterns; those in OUT/later come last, in its
order. OUT/results gets a line of JSON after each test, OUT/ends one at the end, OUT/log/TEST what
the test printed. Tests that OUT/results has for this PEERS_ROUND are done. After a test that did
not end in time the guest ends: what hangs would disturb the next one. The host boots another one
for the rest.
"""
import fnmatch
import hashlib
import json
import os
import re
import signal
import subprocess
import sys
import time

from peers import suites
from peers.watched import Watched

OUT = os.environ["OUT"]
ROUND = int(os.environ.get("PEERS_ROUND", "0"))
LIMIT = int(os.environ.get("PEERS_LIMIT", "300"))
COMMIT = os.environ.get("PEERS_COMMIT", "-")
BUDGET = int(os.environ.get("PEERS_SECONDS", "0"))
CGROUP = "/sys/fs/cgroup/peers"
KEPT = 200000


def append(name, what):
    with open(OUT + "/" + name, "a", encoding="utf-8") as f:
        f.write(json.dumps(what) + "\n")
        f.flush()
        os.fsync(f.fileno())


def now(text, limit):
    """What the host watches, to see a guest that hangs."""
    with open("/job/now.new", "w", encoding="utf-8") as f:
        f.write("%d %s\n" % (limit, text))
    os.rename("/job/now.new", "/job/now")


class Task:
    """What a suite may do; commands of a test share its time limit."""

    def __init__(self, limit):
        self.limit, self.end, self.log = limit, 0, None

    def begin(self, log):
        self.end, self.log = time.monotonic() + self.limit, log

    def command(self, *words, cwd="/", env=()):
        """(exit status, output), both None if it did not end in time."""
        at = self.log.tell()
        process = subprocess.Popen(words, cwd=cwd, env={**os.environ, **dict(env)},
                                   stdin=subprocess.DEVNULL, stdout=self.log,
                                   stderr=subprocess.STDOUT, start_new_session=True,
                                   preexec_fn=enter_cgroup)
        try:
            code = process.wait(max(1, self.end - time.monotonic()))
        except subprocess.TimeoutExpired:
            return None, None
        self.log.seek(at)
        said = self.log.read(KEPT).decode("utf-8", "replace")
        self.log.seek(0, os.SEEK_END)
        return code, said

    def setup(self, *words):
        """What need not work."""
        subprocess.run(words, stdout=self.log or subprocess.DEVNULL, stderr=subprocess.STDOUT,
                       stdin=subprocess.DEVNULL, check=False)

    @staticmethod
    def mount(disk, where, fs):
        os.makedirs(where, exist_ok=True)
        subprocess.run(["mount", "-t", fs, suites.node(disk), where], check=True)


def enter_cgroup():
    with open(CGROUP + "/cgroup.procs", "w", encoding="ascii") as f:
        f.write("0")


def kill_rest():
    """What a test has left running."""
    for _ in range(50):
        with open(CGROUP + "/cgroup.procs", encoding="ascii") as f:
            pids = f.read().split()
        if not pids:
            return
        for pid in pids:
            try:
                os.kill(int(pid), signal.SIGKILL)
            except ProcessLookupError:
                pass
        time.sleep(0.1)


class KernelLog:
    """What the kernel says from now on."""

    def __init__(self):
        self.fd = os.open("/dev/kmsg", os.O_RDONLY | os.O_NONBLOCK)
        os.lseek(self.fd, 0, os.SEEK_END)

    def lines(self):
        lines = []
        while True:
            try:
                record = os.read(self.fd, 8192)
            except BlockingIOError:
                return lines
            except BrokenPipeError:
                # (dmesg-bad knows this line)
                lines.append("** some printk messages dropped **")
                continue
            text = record.decode("utf-8", "replace").partition(";")[2]
            lines.append(text.partition("\n")[0])

    def complaints(self, keep):
        """Its lines that report a fault, without what differs each time, each once."""
        text = "\n".join(self.lines()) + "\n"
        with open(keep, "w", encoding="utf-8") as f:
            f.write(text)
        bad = subprocess.run([os.environ["IOB_TREE"] + "/selftests/vm/dmesg-bad"],
                             input=text.encode(), stdout=subprocess.PIPE, check=False).stdout
        lines = bad.decode("utf-8", "replace").splitlines()
        return sorted({re.sub(r"0x[0-9a-f]+|\b[0-9a-f]{8,}\b|\d+", "N", line) for line in lines})


def wanted(suite):
    """All names, and those to run. Those without a result come first, in an order that mixes them:
    a part is a sample of all."""
    names = suite.tests()
    with open(OUT + "/tests", "w", encoding="utf-8") as f:
        f.writelines(name + "\n" for name in names)
    if os.path.exists(OUT + "/wanted"):
        some = set(suites.read_text(OUT + "/wanted").splitlines())
        names = [name for name in names if name in some]
    patterns = os.environ.get("PEERS_TESTS", "*").split()
    names = [n for n in names if any(fnmatch.fnmatchcase(n, p) for p in patterns)]
    done = {row["test"] for row in map(json.loads, suites.read_text(OUT + "/results").splitlines())
            if row["round"] == ROUND}
    later = {name: nr for nr, name in enumerate(suites.read_text(OUT + "/later").splitlines())}
    return sorted((n for n in names if n not in done),
                  key=lambda name: (later.get(name, -1), hashlib.md5(name.encode()).digest()))


def run_test(suite, task, kernel, watched, name):
    folder = OUT + "/log/" + name.replace("/", "-")
    now(name, task.limit)
    if watched:
        watched.before()
    began = time.monotonic()
    with open(folder, "w+b") as log:
        task.begin(log)
        try:
            result = suite.run(name, task)
        except (OSError, subprocess.SubprocessError) as error:
            result = suites.Result(suites.FAIL, "cannot be run: %r" % error)
        task.log = None
    kill_rest()
    row = {"test": name, "round": ROUND, "status": result.status, "reason": result.reason,
           "digest": result.digest, "seconds": round(time.monotonic() - began, 1),
           "commit": COMMIT}
    if watched:
        row.update(watched.after())
    row["log"] = kernel.complaints(folder + ".dmesg")
    append("results", row)
    if os.path.getsize(folder) > KEPT:
        os.truncate(folder, KEPT)
    return result.status


def main():
    suite = suites.SUITES[sys.argv[1]]()
    os.makedirs(CGROUP, exist_ok=True)
    os.makedirs(OUT + "/log", exist_ok=True)
    began, task = time.monotonic(), Task(LIMIT)
    suite.setup(task)
    names = wanted(suite)
    kernel = KernelLog()
    watched = Watched(OUT) if sys.argv[2] == "with" else None
    begun = kernel.complaints(OUT + "/log/begin.dmesg")
    for name in names:
        if BUDGET and time.monotonic() - began > BUDGET:
            break
        if run_test(suite, task, kernel, watched, name) == suites.SLOW:
            break
    else:
        append("complete", {"round": ROUND})
    now("the end", 300)
    if watched:
        said = watched.end()
        said["log"] = begun + kernel.complaints(OUT + "/log/end.dmesg")
        append("ends", said)


if __name__ == "__main__":
    main()
