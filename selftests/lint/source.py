# SPDX-License-Identifier: GPL-2.0
"""C source for the checks beside this file: its files, and code and comments apart.

Positions stay: code(text) and comments(text) are as long as the text and have its lines;
what is left out is blank.
"""
import os
import re

# in this order: a comment, a string, a character; whichever begins first wins
TOKEN = re.compile(r"""(?P<comment>/\*.*?\*/|//[^\n]*)|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'""",
                   re.DOTALL)
NOT_NEWLINE = re.compile(r"[^\n]")


def files(top, *folders, ends=(".c", ".h")):
    """The paths below TOP of all files with these endings, sorted"""
    found = []
    for folder in folders:
        for path, below, names in os.walk(os.path.join(top, folder)):
            below[:] = [name for name in below if name not in ("build", "__pycache__")]
            found += [os.path.relpath(os.path.join(path, name), top)
                      for name in names if name.endswith(ends)]
    return sorted(found)


def read(top, path):
    with open(os.path.join(top, path), encoding="utf-8", errors="replace") as f:
        return f.read()


def blank(text):
    return NOT_NEWLINE.sub(" ", text)


def code(text):
    """The text without its comments; strings stay"""
    return TOKEN.sub(lambda m: blank(m.group()) if m.group("comment") else m.group(), text)


def comments(text):
    """The text's comments alone"""
    kept, at = [], 0
    for match in TOKEN.finditer(text):
        if match.group("comment"):
            kept += blank(text[at:match.start()]), match.group()
            at = match.end()
    return "".join(kept) + blank(text[at:])


def line_of(text, at):
    return text.count("\n", 0, at) + 1


def parts(identifier):
    """The words of an identifier: iob_fastPath -> iob, fast, path"""
    words = []
    for word in identifier.split("_"):
        words += re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z0-9]+|[A-Z0-9]+", word)
    return [word.lower() for word in words]
