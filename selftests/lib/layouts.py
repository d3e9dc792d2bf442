# SPDX-License-Identifier: GPL-2.0
"""What the cases interface/layouts* check of private structs in each mode of layout_modes.

    judge("writes", iolog_now(), [run(writes)], 64 * K)
    verdict({"dm_crypt_io"}, {"dm_crypt_io"})
"""
import os
import re
import sys

from lib import iolog
from lib.case import check, output, same, status, value

MODE = sys.argv[1]
RIGHT = MODE != "wrong"


def known(entries):
    """{pid: bytes} of what is believed to be known."""
    sums = {}
    for e in entries:
        if e.how in ("exact", "inherited"):
            sums[e.pid] = sums.get(e.pid, 0) + e.bytes
    return sums


def judge(what, entries, causes, least, right=RIGHT, submitter=0):
    """@causes, pids, caused all these entries: at least @least bytes for each are known to be
    its, or, without a proof, not all of them.  Nothing is believed to be another's, but that
    without a proof a task that is no worker pays for what it submits."""
    print("%s: %s by %r: %r" % (MODE, what, causes, iolog.bytes_by(entries, "who", "how")))
    got = known(entries)
    others = set(got) - set(causes)
    same("others that are taken for causes of " + what, others if right else others - {submitter},
         set())
    enough = [pid for pid in causes if got.get(pid, 0) >= least]
    same("whose %s are known" % what, enough, list(causes) if right else [])


def shown(layouts, names, state):
    for name in names:
        check(layouts.get(name, "").startswith(state),
              "%s is %s, not %s" % (name, layouts.get(name), state))


def doctor_names(names):
    _, said = output(os.environ["IOB_BIN"] + "/ioblame", "doctor")
    found = set(re.findall(r"^note +layout +(\S+): wrong by=use lost: ", said, re.M))
    same("layouts that doctor calls wrong", found, names)


def verdict(used, wrong, by_use=frozenset()):
    """`status`, the statistics and doctor: these structs were used; displaced, these are wrong.
    @by_use: those of them that BTF does not have."""
    got = status()
    layouts = got["layouts"]
    for name in sorted(used):
        print("%s: %s: %s" % (MODE, name, layouts.get(name)))
    if MODE in ("proved", "displaced"):
        shown(layouts, used - by_use, "proved by=btf")
        kept = os.environ["OUT"] + "/layouts"
        offsets = repr([layouts[name] for name in sorted(used)])
        if MODE == "displaced":
            with open(kept) as f:
                same("offsets that were compiled wrongly, from BTF", offsets, f.read())
        else:
            with open(kept, "w") as f:
                f.write(offsets)
    else:
        shown(layouts, used if RIGHT else used - wrong, "proved by=use")
    if not RIGHT:
        shown(layouts, wrong, "wrong by=use lost: ")
    doctor_names(set() if RIGHT else wrong)
    same("layout_wrong is counted", value("stats/layout_wrong") != "0", not RIGHT)
    same("layout_wrong is lost", "layout_wrong" in got["lost"], not RIGHT)
