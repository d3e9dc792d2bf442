# SPDX-License-Identifier: GPL-2.0
"""The text log `iolog`, parsed strictly

src/debugfs/log.c prints it, Documentation/reference/iolog.rst describes it.

An entry has a first line, a line for the intent and a line for each frame:

    W 4096 @ 3276800 pid-668 (cp) dev=0x800010 ino=0x73 gen=0x17b5119d disk=sdb how=exact
      sub=71 sub_comm=kworker/u4:2 wait=12 io=2031 age=-
      #25 modifier=0x10000003 wb=periodic
      [ffffffff811cc86c] __set_page_dirty+0x4c/0xd0

(the first two lines are one).  It becomes Entry(op="W", bytes=4096, sector=3276800,
who="pid-668", comm="cp", ..., sub=71, intent=25, modifier=0x10000003, why="periodic").
"""
import re
import sys
from dataclasses import dataclass, field
from typing import List, Optional

from lib import abi

SECTOR = 512

# A comm may hold anything, even text that looks like the rest of the line: so it ends
# at the last place that fits.  sub_comm has no spaces, they are escaped.
HEAD = re.compile(
    rf"(?P<op>[{''.join(abi.OPS)}]) (?P<bytes>\d+) @ (?P<sector>\d+)"
    r" (?P<who>(?:pid|user|cgroup)-\d+)(?: \((?P<comm>.*)\))?"
    r" dev=0x(?P<dev>[0-9a-f]+) ino=0x(?P<ino>[0-9a-f]+) gen=0x(?P<gen>[0-9a-f]+)"
    rf"(?P<words> disk=\S+ how=(?:{'|'.join(abi.HOWS)}) sub=\d+ sub_comm=\S+"
    r"(?: part=\d+)?(?: op=\S+)?(?: err=-\d+)? wait=(?:\d+|-) io=(?:\d+|-)(?: [a-z_]+=\S+)*)",
    re.ASCII)
INTENT = re.compile(r"#(?P<nr>\d+) modifier=0x(?P<modifier>[0-9a-f]+)"
                    r"(?: (?:wb=(?P<wb>\S+)|(?P<why>journal|reclaim|discard)))?", re.ASCII)
FRAME = re.compile(r"\[(?P<address>[0-9a-f]{16})\] (?P<symbol>\S+)(?: \[\w+\])?", re.ASCII)
INDENT = "  "


@dataclass
class Entry:
    """One entry.  `words` has every KEY=VALUE behind gen= as text."""
    op: str
    bytes: int
    sector: int
    who: str
    comm: Optional[str]
    dev: int
    ino: int
    gen: int
    words: dict
    intent: Optional[int] = None
    modifier: Optional[int] = None
    why: str = ""
    lines: List[str] = field(default_factory=list)

    @property
    def line(self):
        """The first line, as it was read."""
        return self.lines[0]

    @property
    def stack(self):
        return [text.strip() for text in self.lines[2:]]

    @property
    def pid(self):
        """The pid of a role that is a thread or a process, else 0."""
        kind, _, number = self.who.partition("-")
        return int(number) if kind == "pid" else 0

    @property
    def disk(self):
        return self.words["disk"]

    @property
    def how(self):
        return self.words["how"]

    @property
    def sub(self):
        return int(self.words["sub"])

    @property
    def sub_comm(self):
        return self.words["sub_comm"]

    @property
    def part(self):
        return int(self.words.get("part", "0"))

    @property
    def err(self):
        """The negative errno, 0 if the IO did not fail."""
        return int(self.words.get("err", "0"))

    @property
    def sectors(self):
        return range(self.sector, self.sector + self.bytes // SECTOR)

    def micros(self, word):
        """The time under this word in microseconds, None if it was not measured."""
        value = self.words.get(word, "-")
        return None if value == "-" else int(value)


class BadLine(ValueError):
    """A line that the format does not allow."""


def refuse(what, line):
    raise BadLine(f"{what}: {line!r}")


def parse_head(line):
    """The Entry of a first line (without its newline), None if it is none."""
    match = HEAD.fullmatch(line)
    if not match:
        return None
    words = dict(word.split("=", 1) for word in match["words"][1:].split(" "))
    return Entry(match["op"], int(match["bytes"]), int(match["sector"]), match["who"],
                 match["comm"], int(match["dev"], 16), int(match["ino"], 16),
                 int(match["gen"], 16), words, lines=[line])


def parse_intent(line):
    """(number, modifier, why) of an intent's line without indent, None if it is none."""
    match = INTENT.fullmatch(line)
    if not match:
        return None
    return int(match["nr"]), int(match["modifier"], 16), match["wb"] or match["why"] or ""


def add_intent(entry, line):
    """True if @line is the intent of @entry, which then has it."""
    intent = parse_intent(line[len(INDENT):]) if line.startswith(INDENT) else None
    if intent:
        entry.intent, entry.modifier, entry.why = intent
        entry.lines.append(line)
    return bool(intent)


def is_frame(line):
    return line.startswith(INDENT) and FRAME.fullmatch(line, len(INDENT)) is not None


def parse(lines, bad=refuse):
    """Yield the entries of lines that still have their newlines.

    Each line that does not belong there is given to bad(what, line), which raises
    BadLine unless the caller brings another one; it is left out then.
    """
    entry, wants_intent = None, False
    for line in lines:
        text = line[:-1] if line.endswith("\n") else line
        if text == line:
            bad("ends within a line", text)
        if wants_intent:
            wants_intent = False
            if not add_intent(entry, text):
                bad("no intent line", text)
        elif entry and is_frame(text):
            # many entries share their frames
            entry.lines.append(sys.intern(text))
        else:
            head = parse_head(text)
            if not head:
                bad("malformed line", text)
                continue
            if entry:
                yield entry
            entry, wants_intent = head, True
    if wants_intent:
        bad("ends within an entry", entry.line)
    if entry:
        yield entry


def parse_text(text):
    """The entries of a text that holds whole ones."""
    return list(parse(re.findall(r"[^\n]*\n|[^\n]+", text)))


def read(path, bad=refuse):
    """Yield the entries of a file; bytes that are no UTF-8 become surrogates."""
    with open(path, encoding="utf-8", errors="surrogateescape", newline="\n") as log:
        yield from parse(log, bad)


def bytes_by(entries, *names):
    """{value: bytes} by one attribute, {(value, ...): bytes} by several."""
    sums = {}
    for entry in entries:
        key = tuple(getattr(entry, name) for name in names)
        key = key if len(names) > 1 else key[0]
        sums[key] = sums.get(key, 0) + entry.bytes
    return sums
