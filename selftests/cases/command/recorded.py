# SPDX-License-Identifier: GPL-2.0
"""Views of a recording that lib/recording.py made: COMMAND FOLDER"""
import fcntl
import json
import os
import pty
import re
import select
import sqlite3
import subprocess
import struct
import sys
import termios
import time
import unicodedata
from collections import Counter

from lib import abi, recording

COMMAND, FOLDER = sys.argv[1:]
FILE = os.path.join(FOLDER, "sample")
WRONG = []


def expect(good, what):
    if not good:
        WRONG.append(what)


# Without KVM, starting a process takes a tenth of a second: no view is shown twice, and by no shell
def run(*words, stdout=subprocess.PIPE, first=None, replay=True, **environment):
    """@first: to be called in the process before the command is there."""
    command = [COMMAND, "replay", FILE, *words] if replay else [COMMAND, *words]
    return subprocess.run(command, stdout=stdout, stderr=subprocess.PIPE, text=True,
                          env={"LC_ALL": "C.UTF-8", "PATH": os.environ["PATH"], **environment},
                          timeout=20, check=False, preexec_fn=first)


def run_until_line(*words):
    """What it says on stderr if nobody reads more than its first line."""
    reader, writer = os.pipe()
    with subprocess.Popen([COMMAND, "replay", FILE, *words], stdout=writer, text=True,
                          stderr=subprocess.PIPE, env={"LC_ALL": "C.UTF-8"}) as process:
        os.close(writer)
        line = b""
        while not line.endswith(b"\n") and select.select([reader], [], [], 20)[0]:
            more = os.read(reader, 1)
            if not more:
                break
            line += more
        expect(line.endswith(b"\n"), (words, "it says no line", line))
        os.close(reader)
        return process.stderr.read()


def cells(text):
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else
               0 if unicodedata.combining(c) else 1 for c in text)


def json_of(*words):
    return [json.loads(line) for line in run(*words, "--json").stdout.splitlines()]


def closed_and_full():
    full = os.open("/dev/full", os.O_WRONLY)
    for words in (["--json"], ["snoop"], ["snoop", "--json"], ["report"], ["stacks"], ["--csv"]):
        for got, wants in ((run(*words, stdout=None, first=lambda: os.close(1)),
                            "Bad file descriptor"),
                           (run(*words, stdout=full), "No space left")):
            expect(got.returncode == 1 and wants in got.stderr, (words, wants, got))
        said = run_until_line(*words)
        expect("cannot write" not in said, (words, said))
    for words in ("help", "--help", "top --help", "--version"):
        got = run(*words.split(), stdout=full, replay=False)
        expect(got.returncode == 1 and "No space left" in got.stderr, (words, got))
    os.close(full)


def parts():
    """-r, -d and COUNT end early: neither a warning nor the sums of what is not shown."""
    for words in (["snoop", "-r", "3"], ["report", "-d", "50ms"], ["top", "0.05", "1"]):
        got = run(*words)
        expect(got.returncode == 0 and not got.stderr, (words, got.stderr))
        expect("Lost, of all IO: nothing" in got.stdout, (words, got.stdout))
    for rows in (1, 2, 150, 151, 1000):
        lines = json_of("snoop", "-r", str(rows))
        shown = min(rows, len(SAMPLE.ios))
        expect(len(lines) == shown + 2, (rows, len(lines)))
        end = lines[-1]
        expect(end["shown_ios"] == shown and end["shown_records"] == shown, (rows, end))
        expect(end["complete"] and end["ios"] == len(SAMPLE.ios), (rows, end))
        expect(end["shown_exact_bytes"] == sum(io["bytes"] for io in SAMPLE.ios[:shown]),
               (rows, end))


def nothing_matches():
    there = {"-g": "postgresql@15-main.service", "-D": "vda, sdb", "-c": "digikam",
             "-p": "4711 (postgres)", "--file": "/srv/short"}
    for option, what in there.items():
        word = "999999" if option == "-p" else "nosuch"
        got = run(option, word)
        expect(got.returncode == 0, got)
        expect(f"{option} {word} matches nothing; there is IO of: " in got.stderr and
               what in got.stderr, (option, got.stderr))
        expect("exact" not in got.stdout, (option, got.stdout))
    expect(not run("-g", "system.slice", "-D", "8:16", "-p", "600").stderr, "what matches is named")
    got = run("-c", "cat", "--rw", "D")
    expect(f"none of {len(SAMPLE.ios)} IOs passes" in got.stderr, got.stderr)


def sums():
    """What is in a row is what was recorded, failed and discarded included."""
    rows = {row["comm"]: row for row in json_of("--by", "process") if row["type"] == "process"}
    for comm in {io["comm"] for io in SAMPLE.ios}:
        ios = [io for io in SAMPLE.ios if io["comm"] == comm]
        row = rows[comm.decode()]
        for letter, count, size in (("D", "discards", "discard_bytes"), ("F", "flushes", None),
                                    ("W", "writes", "write_bytes"), ("RA", "reads", "read_bytes")):
            of_op = [io for io in ios if chr(io["op"]) in letter]
            expect(row[count] == len(of_op), (comm, letter, row))
            expect(not size or row[size] == sum(io["bytes"] for io in of_op), (comm, letter, row))
        expect(row["ios"] == len(ios), (comm, row))
        expect(row["errors"] == sum(1 for io in ios if io.get("error")), (comm, row))
        expect(row["time_ns"] == str(recording.WALL_NS + SAMPLE.now - recording.START_NS), row)


def reasons():
    """A row of --by why is one reason in each view, also where operation and modifier are one."""
    rec = recording.Recording()
    sizes, counts, of_op, of_file = Counter(), Counter(), Counter(), Counter()
    nobody, task, direct = (rec.intent(stack=stack) for stack in
                            ([], recording.STACK, ["iomap_dio_rw+0x1/0x2"]))
    expect(nobody == 0, "intent 0 is none")
    for why, op, times, size, ino, intent_nr in (
            ("metadata", "W", 2, 2048, 0, task), ("direct", "W", 5, 65536, 12, direct),
            ("task", "W", 3, 4096, 13, task), ("read", "R", 4, 512, 13, task),
            ("metadata", "R", 7, 1024, 2, task), ("direct", "R", 6, 8192, 12, direct),
            ("task", "W", 1, 4096, 14, task)):
        for _ in range(times):
            rec.io(op, disk=recording.VDA, bytes=size, comm="dd", pid=7, role_kind=1,
                   dev=recording.FS, ino=ino, intent_nr=intent_nr, error=-5, opf=1 << 17)
        sizes[why] += times * size
        counts[why] += times
        of_op[why, op] += times
        of_file[why, ino] += times
    rec.save(FILE)

    def rows(view, kind):
        return [row for row in json_of(view, "--by", "why") if row["type"] == kind]

    def equal(view, got, want):
        expect(sorted(got) == sorted(want), (view, got, want))
    stat = rows("stat", "stat")[0]["disk"][0]["originators"]
    for view, got in (("report", rows("report", "why")), ("stat", stat)):
        equal(view, [(row.get("why", row.get("name")), row["read_bytes"] + row["write_bytes"])
                     for row in got], sizes.items())
    equal("pattern", [(row["name"], row["bytes"]) for row in rows("pattern", "pattern")],
          sizes.items())
    equal("flush", [(row["why"], row["fua_writes"]) for row in rows("flush", "flush")],
          counts.items())
    # (these two do not name it)
    equal("errors", [row["ios"] for row in rows("errors", "error")], of_op.values())
    equal("files", [row["reads"] + row["writes"] for row in rows("files", "file_use")],
          of_file.values())
    SAMPLE.save(FILE)


def columns():
    """ERR, D, F and IOS are there if they say something."""
    def head(*words):
        return run("--by", "process", *words).stdout.splitlines()[1].split()
    extra = {"IOS", "D", "DB", "F", "ERR"}
    for words, wants in (([], extra), (["-c", "postgres"], set()), (["-c", "smartd"], {"ERR"}),
                         (["-c", "sqlite3"], {"IOS", "F"}), (["-c", "fstrim"], {"IOS", "D", "DB"})):
        got = head(*words)
        expect(extra & set(got) == wants, (words, got))
    got = head("-o", "file,Pid,errors")
    expect(got == ["FILE", "PID", "ERR"], got)
    got = run("-o", "pid,nosuch")
    expect(got.returncode == 2 and "no column 'nosuch'; choose of TIME" in got.stderr, got)


def widths():
    """No line of a table is wider than the terminal, and nothing is cut without one."""
    for width in (10, 12, 33, 40, 70, 80, 139):
        for words in (["--by", "process"], ["--by", "file"], ["--by", "stack"],
                      ["snoop", "-T", "-r", "90"]):
            lines = run(*words, COLUMNS=str(width)).stdout.splitlines()
            for line in lines:
                # (sentences wrap as the terminal wraps them)
                if " IOs" in line or line.startswith(("Of ", "Lost", "... ")):
                    continue
                expect(cells(line) <= width, f"{words} in {width}: {cells(line)}: {line}")
    for width in (80, 88, 89, 149):
        lines = run("stat", COLUMNS=str(width)).stdout.splitlines()
        expect(max(map(cells, lines)) <= width, ("stat", width, lines))
        expect(any("dkB/s" in line for line in lines) == (width >= 89), ("stat", width, lines))
    for words in (["--by", "process"], ["snoop"]):
        lines = run(*words, COLUMNS="80").stdout
        head = next(line for line in lines.splitlines() if "COMM" in line)
        expect({"COMM", "WHY", "FILE"} <= set(head.split()), head)
        expect("…" in lines and "name-end" in lines, words)
        expect("…" not in run(*words).stdout, words)
    expect("P99" in run("--by", "process", COLUMNS="80").stdout, "80 columns have no P99")
    # what a locale cannot show is no reason to run into the next line
    for line in run("--by", "file", COLUMNS="80", LC_ALL="C").stdout.splitlines()[1:-3]:
        expect(len(line.encode()) <= 80 and line.isascii(), line)


def colours():
    plain, coloured = run("--by", "process").stdout, run("--color", "always").stdout
    expect("\033" not in plain, "colours in a pipe")
    expect("\033[1;31m19\033[0m" in coloured, "what failed has no colour")
    expect("\033[33m721ms\033[0m" in coloured, "what is slow has no colour")
    expect("\033" not in run("--color", "never").stdout, "--color never")
    expect(run("--color", "maybe").returncode == 2, "--color maybe")


def disks():
    """More disks than can be watched at once: each has its line, and its own time."""
    many = recording.Recording()
    for i in range(1500):
        for _ in range(2 if i else 1):
            many.io("W", disk=recording.dev_of(65 + i // 256, i % 256), bytes=4096, comm="dd",
                    pid=7, sub_comm="dd")
    many.save(FILE)
    lines = json_of("stat")
    SAMPLE.save(FILE)
    rows = [disk for line in lines if line["type"] == "stat" for disk in line["disk"]]
    expect([disk["write_ios"] for disk in rows] == [1] + [2] * 1499,
           (len(rows), rows[:1], rows[-1:]))
    # (each IO takes 3 ms, and they follow each other after 1 ms)
    expect(rows[0]["util"] < rows[1]["util"], (rows[0], rows[1]))


def places():
    """A filter or an interval chooses what is counted, not what an IO is held against."""
    mixed, alone = recording.Recording(), recording.Recording()
    for i in range(20):
        for rec in (mixed, alone):
            rec.io("W", disk=recording.VDA, sector=1000 + 8 * i, bytes=4096, comm="near", pid=7,
                   after=250 * recording.MS)
        mixed.io("W", disk=recording.VDA, sector=900000 - 8000 * i, bytes=4096, comm="far", pid=8,
                 after=250 * recording.MS)
    # more originators than ends are kept of
    many = recording.Recording()
    for i in range(17000):
        many.io("W", disk=recording.VDA, sector=5000 + 16 * i, bytes=4096, comm="many", pid=100 + i)
        if not i % 100:
            many.io("W", disk=recording.VDA, sector=1000000 + 8 * (i // 100), bytes=4096,
                    comm="near", pid=7)

    def patterns(rec, *words):
        rec.save(FILE)
        return [[row["count"], row["sequential"], row["own_sequential_percent"]]
                for row in json_of("pattern", *words)
                if row["type"] == "pattern" and row["name"] == "7 near"]
    got = patterns(mixed)
    expect(got == [[19, 0, 100]], got)
    for words in (["-c", "near"], ["-p", "7"], ["-c", "n*", "--rw", "W"]):
        chosen = patterns(mixed, *words)
        expect(chosen == got, (words, chosen))
    got = patterns(alone)
    expect(got == [[19, 19, 100]], got)
    for step in ("1", "0.5"):
        rows = [row for row in patterns(alone, step) if row[0]]
        expect(len(rows) > 4 and sum(row[0] for row in rows) == 19, (step, rows))
        expect(all(row[1] == row[0] and row[2] == 100 for row in rows), (step, rows))
    got = patterns(many, "-c", "near")
    expect(len(got) == 1 and got[0][:2] == [170, 0] and got[0][2] > 99, got)

    def seeks(*words):
        mixed.save(FILE)
        return [(row["low_sectors"], row["count"]) for row in json_of("hist", "seek_dist", *words)
                if row["type"] == "hist" and row["name"] in (None, "7 near")]
    for words in (["-c", "near"], ["--by", "process"]):
        got = seeks(*words)
        expect(got == [(1 << 19, 19)], (words, got))
    SAMPLE.save(FILE)
    for words in (["pattern"], ["hist", "seek_dist"]):
        got = run(*words, "-c", "cat", "--rw", "D")
        expect(f"none of {len(SAMPLE.ios)} IOs passes" in got.stderr, got.stderr)


def advice():
    """Who is chosen is told of his share in all that was written, not in what he wrote."""
    def beside(other):
        rec = recording.Recording()
        rec.cgroup(77, "/app.service")
        rec.cgroup(78, "/bulk.service")
        for i in range(128):
            rec.io("W", disk=recording.VDA, sector=1000 + 128 * i, bytes=1 << 16, comm="app", pid=7,
                   cgroup=77, modifier=abi.CONSTANTS["IOB_MODIFIER_JOURNAL"])
        for i in range(other):
            rec.io("W", disk=recording.VDA, sector=(1 << 20) + 2048 * i, bytes=1 << 20, comm="bulk",
                   pid=8, cgroup=78)
        rec.save(FILE)

    def advised(*words):
        return [[row["rule"], row["cgroup"], round(row["percent"])]
                for row in json_of("advise", *words) if row["type"] == "advice"]
    journals = [], ["-c", "app"], ["-p", "7"], ["-g", "app.service"], ["--rw", "W"]
    others = ["-c", "bulk"], ["--rw", "R"], ["-D", "1:1"]
    for other, which, wants in ((8, journals, [["journal", "/app.service", 50]]),
                                (8, others, []), (64, journals, [])):
        beside(other)
        for words in which:
            got = advised(*words)
            expect(got == wants, (other, words, got))
    SAMPLE.save(FILE)


def gaps():
    """An interval, and -d, last as long as asked, also where no IO completes for a while."""
    gap = recording.Recording()
    for after in [10 * recording.MS] * 100 + [99_500 * recording.MS, 250 * recording.MS]:
        gap.io("W", disk=recording.VDA, bytes=1 << 20, comm="dd", pid=7, took=5 * recording.MS,
               after=after)
    gap.save(FILE)

    def intervals(*words):
        return [(line["interval_s"], disk["write_ios"], disk["w/s"],
                 int(line["time_ns"]) - recording.WALL_NS)
                for line in json_of(*words) if line["type"] == "stat" for disk in line["disk"]]
    second = 1000 * recording.MS
    whole = (1.0, 100, 100.0, second)
    # the 100th completes just when the first second is over
    for words, wants in ((["1"], [whole, (0.75, 2, 2.67, 100_750 * recording.MS)]),
                         (["1", "1"], [whole]), (["1", "-d", "1"], [whole]),
                         (["1", "-d", "50"], [whole]),
                         (["-d", "2"], [(2.0, 100, 50.0, 2 * second)]),
                         (["0.5", "-d", "2"], [(0.5, 50, 100.0, second // 2),
                                               (0.5, 50, 100.0, second)]),
                         ([], [(100.75, 102, 1.01, 100_750 * recording.MS)])):
        got = intervals("stat", *words)
        expect(got == wants, (words, got))
    got = run("report", "-d", "2")
    expect(got.stdout.startswith("100 IOs in 2.0 s"), got)
    # what a disk was busy before an interval is not of it, nor is the time before the first IO
    late = recording.Recording()
    for after, took in ((9_505, 10), (5, 5), (5_740, 500), (60_000, 1500)):
        late.io("W", disk=recording.VDA, bytes=4096, comm="dd", pid=7, wait=0,
                took=took * recording.MS, after=after * recording.MS)
    late.save(FILE)
    got = [(line["interval_s"], disk["util"]) for line in json_of("stat", "1")
           if line["type"] == "stat" for disk in line["disk"]]
    expect(got == [(1.0, 1.5), (1.0, 25.0), (0.25, 100.0)], got)
    # of two CPUs, the earlier comes last
    for after in (801, -1):
        late.io("W", disk=recording.VDA, bytes=4096, comm="dd", pid=7, after=after * recording.MS)
    late.save(FILE)
    got = intervals("stat", "1")
    expect(got[-1] == (0.051, 2, 39.22, 76_051 * recording.MS), got)
    SAMPLE.save(FILE)


def not_timed():
    """IO that was under way at the start has no times: the others' are shown, or none."""
    early = recording.Recording()
    for i in range(62):
        for op in "WF":
            early.io(op, disk=recording.VDA, bytes=4096 if op == "W" else 0, comm="dd", pid=7,
                     took=19 * recording.MS, after=1)
            if i < 32:
                early.ios[-1].update(queue_ns=0, issue_ns=0)
    for nr, ios in ((0, early.ios), (1, early.ios[:64])):
        early.ios = ios
        early.save(FILE)
        for words, kind in ((["--by", "process"], "process"), (["files"], "file_use"),
                            (["flush"], "flush"), (["hist", "total_time", "--percentiles"],
                                                   "percentiles")):
            for row in json_of(*words):
                times = [value for key, value in row.items()
                         if key in ("p50_ns", "p99_ns", "mean_ns", "max_ns")]
                expect(row["type"] != kind or times and
                       all(value is None if nr else 18e6 < value < 21e6 for value in times),
                       (nr, words, row))
        disk = json_of("stat")[1]["disk"][0]
        for line in (disk, *disk["originators"]):
            expect(line["w_await"] is None if nr else 18 < line["w_await"] < 21, (nr, line))
            expect(line["r_await"] == 0, line)
    SAMPLE.save(FILE)


def in_rows():
    """A histogram counts a time in the row whose bounds it lies in; percentiles are its own."""
    timed = recording.Recording()
    for took in (64_000, 65_000, 127_999, 128_000, 1_060_000_000):
        timed.ios.clear()
        for _ in range(3):
            timed.io("W", disk=recording.VDA, bytes=4096, comm="dd", pid=7, took=took, wait=0,
                     after=2 * took)
        timed.save(FILE)
        for field in ("total_time", "io_time"):
            rows = [row for row in json_of("hist", field) if row["type"] == "hist"]
            expect(len(rows) == 1 and rows[0]["count"] == 3 and
                   rows[0]["low_us"] <= took // 1000 <= rows[0]["high_us"], (took, rows))
        shown = {row["p50_ns"] for words in (["--by", "process"], ["files"],
                                             ["hist", "total_time", "--percentiles"])
                 for row in json_of(*words) if "p50_ns" in row}
        expect(all(abs(ns - took) <= took / 8 for ns in shown) and
               len(shown - {took}) <= 1, (took, shown))
    SAMPLE.save(FILE)


def live_view(until, *words, width=80):
    """What the live view of the recording shows on a terminal, up to @until."""
    pid, fd = pty.fork()
    if not pid:
        os.environ.update(TERM="xterm", LC_ALL="C.UTF-8")
        os.execv(COMMAND, [COMMAND, "replay", FILE, "top", *words])
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("4H", 24, width, 0, 0))
    text, end = b"", time.monotonic() + 15
    while not re.search(until, text, re.S) and time.monotonic() < end:
        try:
            if select.select([fd], [], [], end - time.monotonic())[0]:
                text += os.read(fd, 4096)
        except OSError:
            break
    try:
        os.write(fd, b"q")
        while os.read(fd, 4096):
            pass
    except OSError:
        pass
    os.waitpid(pid, 0)
    os.close(fd)
    return re.sub(r"\033\[[0-9;?]*[A-Za-z]", " ", text.decode())


def live_head(*words):
    """The columns of the live view of the recording, on a terminal of 80 columns."""
    text = live_view(rb"PID.*FILE", *words)
    found = re.search(r"PID.*?FILE", text, re.S)
    return found.group().split() if found else text


def accumulates():
    """top -a shows sums, each of all intervals up to then; without it, rates."""
    long = recording.Recording()
    for _ in range(41):
        long.io("W", disk=recording.VDA, bytes=4096, comm="dd", pid=7,
                after=100 * recording.MS)
    long.save(FILE)
    for words, column, wants in ((["-a"], "WRITTEN", ["80K", "160K", "164K"]),
                                 ([], "WB/s", ["40K", "40K", "40K"])):
        lines = run("top", *words, "2", COLUMNS="80").stdout.splitlines()
        heads = [nr for nr, line in enumerate(lines) if line.startswith("PID")]
        got = [dict(zip(lines[nr].split(), lines[nr + 1].split())) for nr in heads]
        expect([row.get(column) for row in got] == wants, (words, lines))
        expect(all(("WB/s" in row) != ("WRITTEN" in row) for row in got), (words, lines))
        head = live_head(*words)
        expect(column in head and ("WB/s" in head) != ("WRITTEN" in head), (words, head))
    # in JSON, all columns are there in any case
    rows = [row for row in json_of("top", "-a", "2") if "write_bytes" in row]
    expect([(row["write_bytes"], row["interval_s"]) for row in rows][:2] ==
           [(81920, 2), (163840, 4)], rows)
    SAMPLE.save(FILE)


def counted_once():
    """An IO of 20 parts, in 10 files of tar, is one IO of 3 ms in each view; it failed once."""
    for by, nr in (("process", 1), ("file", 10), ("device", 1), ("stack", 1), ("why", 1),
                   ("op", 1), ("command", 1), ("thread", 1)):
        rows = sorted((row for row in json_of("report", "--by", by) if row["type"] == by),
                      key=lambda row: -row["ios"])
        got = [(row["ios"], row["writes"], row["write_bytes"], row["errors"]) for row in rows]
        expect(got == [(nr == 1 or not i, nr == 1 or not i, 20 * 4096 // nr, 1)
                       for i in range(nr)], ("shares by", by, got))
        for i, row in enumerate(rows):
            expect(row["mean_ns"] == (None if i else 3_000_000) and
                   (row["p99_ns"] is None) == bool(i), ("times by", by, row))
    expect("1 IOs in" in run("report").stdout, "the head of a report counts IOs")
    for field, nr in (("total_time", 1), ("io_time", 1), ("wait_time", 1), ("size", 20)):
        rows = [row["count"] for row in json_of("hist", field) if row["type"] == "hist"]
        expect(sum(rows) == nr, ("shares in hist", field, rows))
    rows = [(row["ios"], row["total_us"]) for row in json_of("stacks") if row["type"] == "stack"]
    expect(rows == [(1, 3000)], ("shares in stacks", rows))


def shares():
    """An IO of two originators that failed is one of each of them, also if it has more parts."""
    shared = recording.Recording()
    for part, comm in enumerate(("first", "second")):
        shared.io("W", disk=recording.SDB, bytes=4096, sector=8 * part, comm=comm, pid=7 + part,
                  dev=recording.FS, ino=12 + part, gen=1, sub_comm="dd", error=-5, part=part,
                  after=0 if part else 1000 * recording.MS)
    shared.save(FILE)
    text = live_view(rb"(?s)FAILED.*second", "-a", width=160)
    expect(re.findall(r"([\d.]+) +IO/s", text)[-1:] == ["1.0"] and
           re.findall(r"(\d+) +FAILED", text) == ["1"], ("the head of the live view", text))
    for view in ("report", "top"):
        rows = {row["comm"]: [row[key] for key in ("ios", "write_bytes", "mean_ns")]
                for row in json_of(view) if row["type"] == "process"}
        expect(rows == {"first": [1, 4096, 3_000_000], "second": [0, 4096, None]}, (view, rows))
    rows = [row["errors"] for row in json_of("--by", "device") if row["type"] == "device"]
    expect(rows == [1], ("errors of the disk of an IO of two originators", rows))
    for view, key in (("errors", "ios"), ("files", "errors"), ("report", "errors")):
        rows = {row["comm"]: row[key] for row in json_of(view) if "comm" in row and
                row["type"] in ("error", "file_use", "process")}
        expect(rows == {"first": 1, "second": 1}, (view, rows))
    many = recording.Recording()
    for part in range(20):
        many.io("W", disk=recording.SDB, bytes=4096, sector=8 * part, comm="tar", pid=7,
                dev=recording.FS, ino=12 + part // 2, gen=1, sub_comm="dd", error=-5, part=part,
                after=0 if part else 1000)
    many.save(FILE)
    rows = [row["ios"] for row in json_of("errors") if row["type"] == "error"]
    expect(rows == [1], ("errors of an IO of 20 parts", rows))
    rows = [row["errors"] for row in json_of("files") if row["type"] == "file_use"]
    expect(rows == [1] * 10, ("files of an IO of 20 parts", rows))
    counted_once()
    SAMPLE.save(FILE)


def percentiles():
    """Where all took the same time, that is each percentile, whatever the slot."""
    for took in (8_200_000, 9_000_000, 10_200_000):
        same = recording.Recording()
        for _ in range(5):
            same.io("F", disk=recording.SDB, bytes=0, sector=0, comm="db", pid=7, wait=0,
                    dev=recording.FS, ino=12, gen=1, sub_comm="db", took=took)
        same.save(FILE)
        for view in ("flush", "files"):
            row = [row for row in json_of(view) if "p99_ns" in row][0]
            times = {row[key] for key in ("p50_ns", "p99_ns", "max_ns", "mean_ns") if key in row}
            expect(times == {took}, (view, took, row))
    SAMPLE.save(FILE)


def not_understood():
    """Of another version, or of an impossible length: it is said that something is missing."""
    with open(FILE, "rb") as file:
        good = file.read()
    first = good.index(abi.IOLOG.pack(**SAMPLE.ios[0]))
    last = first + (len(SAMPLE.ios) - 1) * abi.IOLOG.size
    for at, begins, wrong in ((first, (abi.IOLOG.size, 2), 1), (last, (0xffff, 1), 1),
                              (first, (0xffff, 1), len(SAMPLE.ios))):
        bad = bytearray(good)
        struct.pack_into("=HH", bad, at, *begins)
        with open(FILE, "wb") as file:
            file.write(bad)
        end = json_of("snoop")[-1]
        expect(end["unknown_records"] == wrong and
               end["shown_records"] == len(SAMPLE.ios) - wrong, (at, begins, end))
        for words in (["report"], ["snoop"], ["top"]):
            got = run(*words).stdout
            expect(re.search(f"^Lost.*: {wrong} records not understood$", got, re.M),
                   (at, begins, got))
    SAMPLE.save(FILE)


PAST = """
CREATE TABLE name (id INTEGER PRIMARY KEY, text);
CREATE TABLE originator (id INTEGER PRIMARY KEY, unit, program, user, file, disk, why, stack, uid,
                         op, how);
CREATE TABLE stack (hash INTEGER PRIMARY KEY, text);
CREATE TABLE span (id INTEGER PRIMARY KEY, level, parent, from_ns, until_ns, lost_ios);
CREATE TABLE usage (id INTEGER PRIMARY KEY, originator, ios, bytes, ns, errors, lat);
CREATE TABLE busy (id INTEGER PRIMARY KEY, disk, ms);
INSERT INTO name VALUES (1, ''), (2, 'cat'), (3, 'sda');
INSERT INTO originator VALUES (1, 1, 2, 1, 1, 3, 1, 0, NULL, 2, 0);
INSERT INTO span VALUES (7, 1, 0, 1764000000200000000, 1764000000900000000, 0);
INSERT INTO usage VALUES (28672, 1, 5, 4096, 5000, 1, '[2,5]');
PRAGMA user_version = 2;
"""


def short_moment():
    """A moment that is within a second: the command that shows more of it has both ends."""
    past = os.path.join(FOLDER, "past.db")
    with sqlite3.connect(past) as db:
        db.executescript(PAST)
    db.close()
    environment = {"LC_ALL": "C.UTF-8", "PATH": os.environ["PATH"], "TZ": "UTC"}
    words = ["when", "--since", "@1763999000", "--until", "@1764001000", "--past", past]
    for _ in range(2):
        got = subprocess.run([COMMAND, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                             text=True, env=environment, timeout=20, check=False)
        expect(got.returncode == 0 and "cat" in got.stdout, (words, got))
        more = re.search("Show more: ioblame (.*)", got.stdout)
        words = more.group(1).split() if more else words
    expect(words[0] == "report", words)
    os.unlink(past)


SAMPLE = recording.sample()
SAMPLE.save(FILE)
for each in (closed_and_full, parts, nothing_matches, sums, reasons, columns, widths, colours,
             disks, places, advice, gaps, not_timed, in_rows, accumulates, shares, percentiles,
             not_understood, short_moment):
    before, began = len(WRONG), time.monotonic()
    each()
    print("ok" if len(WRONG) == before else "FAIL", each.__name__,
          "%.1f s" % (time.monotonic() - began), flush=True)
for problem in WRONG[:20]:
    print(problem)
sys.exit(1 if WRONG else 0)
