# SPDX-License-Identifier: GPL-2.0
"""The runner of the tests that need no guest: they print `ok NAME` or `FAIL NAME: WHY` each.

    if __name__ == "__main__":
        host_test.main("iolog/", globals())
"""
import sys


def main(prefix, names):
    """Run each test_NAME of @names, or those that have the first argument in their name.

    A test fails by an exception, or by giving back what it saw instead of None or True.
    """
    wanted, failed = "".join(sys.argv[1:2]), 0
    for name, test in list(names.items()):
        if not name.startswith("test_") or wanted not in name:
            continue
        try:
            why = test()
        except Exception as error:
            why = f"{type(error).__name__}: {error}"
        if why is None or why is True:
            print(f"ok {prefix}{name[5:]}")
        else:
            failed += 1
            print(f"FAIL {prefix}{name[5:]}: {why}")
    sys.exit(1 if failed else 0)


def refused(error, do, *args):
    """The text of the @error that a call raises."""
    try:
        do(*args)
    except error as said:
        return str(said)
    raise AssertionError(f"{args!r} is accepted")


def iolog_entry(op, size, sector, who, dev=0, ino=0, gen=0, disk="vdb", how="exact", sub=1,
                sub_comm="kworker/u4:1", more="", intent="#4 modifier=0x10000002 wb=sync",
                frames=("[ffffffff812342cb] ext4_setattr+0x25b/0x4c0",
                        "[ffffffffc0342cb0] ext4_file_write+0x6f/0x2a0 [ext4]")):
    """An entry of iolog as the module prints it; @more has part=, op= and err=."""
    head = (f"{op} {size} @ {sector} {who} dev={dev:#x} ino={ino:#x} gen={gen:#x} disk={disk}"
            f" how={how} sub={sub} sub_comm={sub_comm}{more} wait=100 io=900 age=-")
    return "".join(line + "\n" for line in (head, *("  " + low for low in (intent, *frames))))
