# SPDX-License-Identifier: GPL-2.0
"""Check all views of a recording with hostile names, and a live one's output: COMMAND RECORDING
FOLDER LIVE"""
import csv
import io
import json
import os
import re
import subprocess
import sys

from hostile_names import CGROUP_SHOWN, SHOWN

command, recording, folder, live = sys.argv[1:]
VIEWS = (("snoop", "--stacks"), ("report",), ("top",), ("hist", "size", "--by", "process"),
         ("hist", "size", "--by", "file"), ("hist", "size", "--by", "cgroup"),
         ("stacks", "--svg"))


def run(*words):
    return subprocess.run([command, "replay", recording, *words], check=True,
                          stdout=subprocess.PIPE).stdout.decode("utf-8")


def csv_rows(*words):
    return list(csv.DictReader(io.StringIO(run(*words))))


def file_names(rows):
    return {r["file"][len(folder) + 1:] for r in rows if r["file"].startswith(folder + "/")}


def fold(text):
    """{stack: weight} of folded stacks.

    No Debian release packages flamegraph.pl, inferno or speedscope: so this takes apart what
    they do, a number behind the last blank and frames between semicolons.
    """
    stacks = {}
    assert text.endswith("\n") and "\r" not in text and "\t" not in text
    for line in text[:-1].split("\n"):
        m = re.fullmatch(r"(.*) (\d+)", line)
        assert m and int(m[2]) > 0, line
        frames = m[1].split(";")
        assert all(f and f == f.strip() for f in frames), line
        # a program, functions, the reason
        assert len(frames) >= 2 and re.fullmatch(r"\[[a-z_-]+\]", frames[-1]), line
        assert all(re.fullmatch(r"[A-Za-z_.$][\w.$]*|0x[0-9a-f]+", f) for f in frames[1:-1]), line
        assert m[1] not in stacks, line
        stacks[m[1]] = int(m[2])
    return stacks


def shown(view):
    """What a view prints; of a picture, without its script, which has no names in it"""
    text = run(*view)
    if "--svg" in view:
        text, scripts = re.subn(r"<script><!\[CDATA\[\n.*?\]\]></script>\n(?=</svg>\n$)", "", text,
                                flags=re.DOTALL)
        assert scripts == 1 and "<script" not in text
    return text


def check_clean(view, text):
    bad = [c for c in text if (ord(c) < 32 and c != "\n") or 0x7F <= ord(c) < 0xA0 or
           c in "\u202e\u200b"]
    assert not bad, (view, bad)


for each in VIEWS:
    check_clean(each, shown(each))
with open(live, "rb") as f:
    seen = f.read().decode("utf-8")
check_clean("live", seen)
assert set(SHOWN.values()) <= file_names(
    [{"file": "", **r} for r in map(json.loads, seen.splitlines())])

want = set(SHOWN.values())
ios = [r for r in map(json.loads, run("snoop", "--json").splitlines()) if r["type"] == "io"]
assert want <= file_names(ios), want - file_names(ios)
comms = {r["comm"] for r in ios}
assert {"\\033[2J\\033[31m", "a\\012b\\011c", "\\377\\376\\200", "gr\u00fc\u00df"} <= comms, comms
groups = {r["cgroup"] for r in ios}
if os.path.exists("/sys/fs/cgroup/cgroup.procs"):
    assert CGROUP_SHOWN in groups, groups
    assert json.dumps(CGROUP_SHOWN)[1:-1] in seen, "no cgroup in the live view"

table = csv_rows("report", "--csv")
assert want <= {r["file"][len(folder) + 1:] for r in table if r["type"] == "file"}
assert all(None not in r and None not in r.values() for r in table)

folded = fold(run("stacks"))
assert sum(folded.values()) == sum(r["bytes"] for r in ios if r["op"] != "flush")
programs = {f.split(";")[0] for f in folded}
assert {"::x:", "a\\012b\\011c", "pid-1 (x) dev=0", "gr\u00fc\u00df"} <= programs, programs
# (an IO of several parts is one)
whole = sum(not r["part"] for r in ios)
assert sum(fold(run("stacks", "--weight", "ios")).values()) == whole
rows = csv_rows("stacks", "--csv")
assert sum(int(r["ios"]) for r in rows) == whole and all(r["type"] == "stack" for r in rows)
