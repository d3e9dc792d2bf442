# SPDX-License-Identifier: GPL-2.0
"""Blocks of a page that a program writes: from `.. begin NAME` to `.. end NAME`."""
import re
import sys


def marks(name):
    return f".. begin {name}\n", f".. end {name}\n"


def literal(lines, title=None):
    heading = [title, "-" * len(title), ""] if title else []
    return "\n".join(["", *heading, "::", ""] + [("    " + line).rstrip() for line in lines] +
                     ["", ""])


def has_block(path, name, lines):
    begin, end = marks(name)
    with open(path, encoding="utf-8") as f:
        return begin + literal(lines) + end in f.read()


def put_block(path, name, lines, title=None):
    """Replace the block's literal text.  With @title a block that is not there is added."""
    begin, end = marks(name)
    text = literal(lines, title)
    with open(path, encoding="utf-8") as f:
        old = f.read()
    pattern = re.compile(re.escape(begin) + r".*?" + re.escape(end), re.DOTALL)
    if pattern.search(old):
        new = pattern.sub(lambda _: begin + text + end, old)
    elif title:
        new = old.rstrip("\n") + "\n\n" + begin + text + end
    else:
        sys.exit(f"{path} has no line {begin!r}")
    with open(path, "w", encoding="utf-8") as f:
        f.write(new)
