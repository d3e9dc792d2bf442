# SPDX-License-Identifier: GPL-2.0
"""Write a DOS table with two partitions: 96 MB from 1 MB on, and the rest of 128 MB."""
import struct
import sys


def entry(first, count):
    return struct.pack("<4B4BII", 0, 0, 0, 0, 0x83, 0, 0, 0, first, count)


table = bytes(446) + entry(2048, 196608) + entry(198656, 61440) + bytes(32) + b"\x55\xaa"
with open(sys.argv[1], "r+b") as disk:
    disk.write(table)
