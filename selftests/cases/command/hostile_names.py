# SPDX-License-Identifier: GPL-2.0
"""The hostile names of command/hostile, and how the command must show them."""

# name -> how it is shown as a file's name
SHOWN = {
    b"\x1b[2J\x1b[31m": "\\033[2J\\033[31m",
    b"a\nb\tc": "a\\012b\\011c",
    b"quote\"comma,": 'quote"comma,',
    b"\xff\xfe\x80": "\\377\\376\\200",
    b"back\\n": "back\\134n",
    b"\xe2\x80\xae" b"gpj": "\\342\\200\\256gpj",
    b"\xe3\x85\xa4\xe2\x9d\xa4\xef\xb8\x8f": "\\343\\205\\244\u2764\\357\\270\\217",
    b"pid-1 (x) dev=0": "pid-1 (x) dev=0",
    b"*?[a-z]": "*?[a-z]",
    b"<b>&amp;": "<b>&amp;",
    b";;x;": ";;x;",
    b"gr\xc3\xbc\xc3\x9f": "gr\u00fc\u00df",
}
NAMES = list(SHOWN)
# (the kernel takes no name with a newline)
CGROUP = b"/sys/fs/cgroup/evil\x1b[31m\xff,\"\t"
CGROUP_SHOWN = "/evil\\033[31m\\377,\"\\011"
