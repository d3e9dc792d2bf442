# SPDX-License-Identifier: GPL-2.0
"""What score and discards share: the files of a case's folder, and the table."""
import os
import sys


def read(path):
    with open(path, encoding="utf-8", errors="surrogateescape") as f:
        return f.read()


def disks(folder):
    """The disks whose statistics were taken."""
    return sorted(name[7:] for name in os.listdir(folder) if name.startswith("before."))


def stat(folder, when, disk):
    """The fields of /sys/block/DISK/stat at a time: 2 sectors read, 6 written, 13 discarded."""
    return [int(word) for word in read(f"{folder}/{when}.{disk}").split()]


def unrest(folder):
    """What was not at rest when it should have been, as a list of faults."""
    path = f"{folder}/unrest"
    return [read(path).strip()] if os.path.exists(path) else []


def kernel(out):
    """6.1 of 6.1.0-50-amd64"""
    return ".".join(read(f"{out}/kernel").split(".")[:2])


def row(*cells):
    """A line of the table: kernel, file system, workload, bytes, ioblame, submitter."""
    widths = "8", "16", "8", ">10", ">8", ">10"
    return " ".join(f"{cell:{width}}" for cell, width in zip(cells, widths))


def print_details(lines, wrong, faults):
    """What belongs to a row: lines, {who: bytes} that are charged wrongly, faults."""
    for line in lines:
        print(f"    {line}")
    for who, count in wrong.most_common(8):
        print(f"    {count:10} {who}")
    for fault in faults:
        print(f"    BAD {fault}")


def end(failed):
    sys.exit(1 if failed else 0)
