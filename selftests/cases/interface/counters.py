# SPDX-License-Identifier: GPL-2.0
"""The body of interface/counters."""
import os
import sys
import time

from lib.case import (BLKDISCARD, BLKZEROOUT, K, M, Disk, buffer, check, child, counted, disable,
                      enable, eventually, pipe, put, read, refuses, run, same, status,
                      takes, value, wait_for, write_error)

disk = Disk(sys.argv[1])
put("devs", disk.name)

# --- specifications
takes("nr_counters", "4", "4")
for nr in range(4):
    same("counters/%d" % nr, read("counters/%d" % nr), "--- disabled\n")
    same("counters/%d_filter" % nr, read("counters/%d_filter" % nr), "0\n")
for spec in ("RA offset 0 8192 16384 24576 32768 40960 49152 57344 0",
             "RA offset 0 4096 8192 12288 16384 20480 24576 28672 32768",
             "RA offset 32768 36864 40960 45056 49152 53248 57344 61440 0",
             "RAW io_time 10000 25000 50000 100000 500000 1000000 2500000 5000000 0",
             "R wait_time 0 0 0 0 0 0 0 0 0", "W seek_dist 1 1 1 1 1 1 1 1 1",
             "D age 0 1 2 3 4 5 6 7 8", "F total_time 0 1 2 3 4 5 6 7 18446744073709551615"):
    takes("counters/0", spec + "\n", spec)
canonical = "RAWDF size 0 16 16 16 16 16 16 16 0"
takes("counters/0", "  FDWAR\tsize 0x0 0x10 16 16\n16 16 16 16 0 ", canonical)
takes("counters/0", "WWW size 0 1 1 1 1 1 1 1 0", "W size 0 1 1 1 1 1 1 1 0")
takes("counters/0", canonical, canonical)
for spec in ("X", "R", "R size", "R size 0 1 2 3 4 5 6 7", "R size 0 1 2 3 4 5 6 7 8 9",
             "R size 0 1 2 3 4 5 6 7 0 x", "Q size 0 1 2 3 4 5 6 7 0", "r size 0 1 2 3 4 5 6 7 0",
             "R Size 0 1 2 3 4 5 6 7 0", "R sizes 0 1 2 3 4 5 6 7 0", "size 0 1 2 3 4 5 6 7 0",
             "R size 1 0 2 3 4 5 6 7 0", "R size 0 1 2 3 4 5 6 7 6", "R size 0 1 2 3 4 5 7 6 0",
             "R size 0 1 2 3 4 5 6 -7 0", "R size 0 1 2 3 4 5 6 7.0 0", "R size 00 1 2 3 4 5 6 7 0",
             "R size 0 1 2 3 4 5 6 18446744073709551616 0", "R,W size 0 1 2 3 4 5 6 7 0",
             "R size a b c d e f g h i", "---", "disabled", "--- enabled", "--- disabled x",
             "R size 0 1 2 3 4 5 6 7 0\x00", "RAWDFX size 0 1 2 3 4 5 6 7 0"):
    refuses("EINVAL", "counters/0", spec)
refuses("E2BIG", "counters/0", "R size 0 1 2 3 4 5 6 7 0" + " " * 4096)
for nothing in "", "\n", " \t\n", "--- disabled", "--- disabled\n":
    takes("counters/0", canonical, canonical)
    takes("counters/0", nothing, "--- disabled")
same("the others", [value("counters/%d" % n) for n in (1, 2, 3)], ["--- disabled"] * 3)

# --- filters
for text in ("offset >= 16384 && size < 131072 && io_time >= 10000",
             "offset >= 32768 && (size < 4096 || !(age & 1)) && seek_dist > 10",
             "!(wait_time == 0) || total_time != 0x10", "size&4096", "!size & 4096",
             "((size <= 18446744073709551615))"):
    takes("counters/0_filter", text + "\n", text)
takes("counters/0_filter", "0\n", "0")

# A malformed filter is dropped; the file then reads why, and where the error is


def malformed(text, error, position, why):
    put("counters/0_filter", "size > 1")
    same("the error of the filter %r" % text[:60], write_error("counters/0_filter", text), error)
    got = read("counters/0_filter").split("\n")
    same("what %r reads back as" % text[:60], got,
         [text.strip(), " " * position + "^", "parse_error: " + why, ""])


malformed("size < 4096 && ofset > 3", "EINVAL", 15, "Field not found")
malformed("size", "EINVAL", 4, "Expected an operator (== != < <= > >= &)")
malformed("size = 3", "EINVAL", 5, "Expected an operator (== != < <= > >= &)")
malformed("size == 3 size", "EINVAL", 10, "Expected && or ||")
malformed("(size == 3 size", "EINVAL", 11, "Expected &&, || or )")
malformed("(size == 3", "EINVAL", 0, "'(' without ')'")
malformed("size == 3)", "EINVAL", 9, "')' without '('")
malformed("size == 3x", "EINVAL", 8, "Malformed number")
malformed("size == -3", "EINVAL", 8, "Number has a sign, fields have none")
malformed("size == 18446744073709551616", "EINVAL", 8, "Number out of range, more than 64 bits")
malformed("size == 3 &&", "EINVAL", 12, "Expected a field")
malformed("", "EINVAL", 0, "No filter found")
malformed("00", "EINVAL", 0, "Field not found")
malformed(" && ".join(["size > 1"] * 65), "E2BIG", 12 * 64,
          "Too many comparisons, 64 at most")
malformed("(" * 33 + "size > 1" + ")" * 33, "E2BIG", 32, "Too deeply nested, 32 levels at most")
put("counters/0_filter", "size > 1\n")
# A write that never reaches the parser leaves the filter as it is
refuses("E2BIG", "counters/0_filter", "size > 1" + " " * 4096)
refuses("EINVAL", "counters/0_filter", "size > 1\x00")
# A filter belongs to its counter: a new specification keeps it
takes("counters/0", canonical, canonical)
same("the filter", value("counters/0_filter"), "size > 1")
takes("counters/0_filter", " && ".join(["size > 1"] * 64), " && ".join(["size > 1"] * 64))

# --- any write to nr_counters clears all
takes("nr_counters", "4", "4")
same("counters/0", value("counters/0"), "--- disabled")
same("counters/0_filter", value("counters/0_filter"), "0")

# --- counting. 64 MiB: a sector's offset is half its number.
SIZES = "size 0 1024 4096 8192 16384 65536 131072 262144 0"
OFFSETS = "offset 0 8192 16384 24576 32768 40960 49152 57344 0"
put("counters/0", "W " + SIZES)
put("counters/1", "R " + SIZES)
put("counters/2", "RW " + OFFSETS)
put("counters/3", "RW size 4096 8192 12288 16384 20480 24576 28672 32768 65536")
enable()


def sized():
    disk.direct_write(0, 512, 7)
    disk.direct_write(1 * M, 1024, 1)
    disk.direct_write(2 * M, 4096, 5)
    disk.direct_write(3 * M, 8192, 4)
    disk.direct_write(4 * M, 32 * K, 3)
    disk.direct_write(5 * M, 64 * K, 2)
    disk.direct_read(0, 512, 11)
    disk.direct_read(6 * M, 128 * K, 2)
    disk.direct_read(7 * M, 4096, 6)


who = "pid-%d" % run(sized)
got = counted(pipe(), who)
same("sizes of writes", got[0], [7, 1, 5, 4, 3, 2, 0, 0])
same("sizes of reads", got[1], [11, 0, 6, 0, 0, 0, 2, 0])
same("offsets", got[2], [41, 0, 0, 0, 0, 0, 0, 0])
# Nothing is counted below the first boundary and from the last one on: 4096s and 8192s have
# slots, 32 KiB has the last slot
same("within boundaries", got[3], [11, 4, 0, 0, 0, 0, 0, 3])

# Writes on both sides of each boundary between the eighths of the disk


def placed():
    for eighth in range(8):
        disk.direct_write(eighth * 8 * M, 4096, eighth + 1)
        if eighth:
            disk.direct_write(eighth * 8 * M - 512, 512, 1)


who = "pid-%d" % run(placed)
same("offsets", counted(pipe(), who)[2], [2, 3, 4, 5, 6, 7, 8, 8])

# The offset of the last sector is 65535, below a boundary of 65536
put("counters/2", "R offset 65535 65536 65536 65536 65536 65536 65536 65536 0")
who = "pid-%d" % run(disk.direct_read, 64 * M - 512, 512)
same("the last sector", counted(pipe(), who)[2], [1, 0, 0, 0, 0, 0, 0, 0])

# --- seek_dist: from the end of the IO before; 1 MiB is 1024
put("counters/2", "R seek_dist 0 1 1024 1025 2048 2049 4096 4097 0")


def seeking():
    disk.direct_read(16 * M, 4096, 1)  # from an unknown place
    disk.direct_read(16 * M + 4096, 4096, 9)  # 0
    disk.direct_read(18 * M, 4096, 1)  # 2 MiB - 40 KiB: slot 2..3
    disk.direct_read(17 * M + 4096, 4096, 1)  # 1 MiB back
    disk.direct_read(21 * M + 8192, 4096, 1)  # 4 MiB on


who = "pid-%d" % run(seeking)
got = counted(pipe(), who)[2]
same("how many seeks", sum(got), 13)
same("without seeking, 1 MiB, 4 MiB", [got[0], got[2], got[6]], [9, 1, 1])

# --- a filter changes what is counted while IO runs
put("counters/2", "W " + SIZES)
put("counters/2_filter", "offset >= 32768 && size < 8192")
who = "pid-%d" % run(placed)
same("the latter half, small", counted(pipe(), who)[2], [3, 0, 26, 0, 0, 0, 0, 0])

# --- while a counter is changed, an IO of each moment may be counted twice or not at all
CHANGES, IOS = 200, 3000
tell, told = os.pipe()
go, start = os.pipe()


# Write until @start says that it is enough, but so often at least, and tell how often that was
def endless(least=0):
    fd, m, n, enough = disk.open(), buffer(4096), 0, False
    os.set_blocking(go, False)
    os.write(told, b"x")
    while not enough or n < least:
        try:
            enough = enough or os.read(go, 1)
        except BlockingIOError:
            pass
        os.pwritev(fd, [m], 40 * M + 512 * (n & 1))
        n += 1
    os.write(told, b"%d" % n)
    os._exit(0)


pid = child(endless, IOS)
os.read(tell, 1)
for n in range(CHANGES):
    put("counters/2", "W " + SIZES if n % 2 else "--- disabled")
os.write(start, b"x")
wait_for(pid)
ios = int(os.read(tell, 32))
got = sum(counted(pipe(), "pid-%d" % pid)[0])
print("%d IOs are counted while another counter is changed %d times: %d" % (ios, CHANGES, got))
check(abs(got - ios) <= CHANGES, "%d of %d IOs are counted" % (got, ios))

pid = child(endless)
who = "pid-%d" % pid
os.read(tell, 1)
put("counters/2_filter", "0")


def small():
    return counted(pipe(), who).get(2, [0] * 8)[2]


# IO that began before is over, and another one that began since
def goes_on():
    def writes():
        return int(value(disk.sys("stat")).split()[4])
    before = writes()
    eventually("IO goes on", lambda: writes() >= before + 2)


eventually("it counts without a filter", lambda: small() > 0)
for i in range(3):
    put("counters/2_filter", "size > 1048576")
    goes_on()
    first = counted(pipe(), who)[2]
    goes_on()
    second = counted(pipe(), who)[2]
    same("counted under a filter that nothing passes", second, first)
    put("counters/2_filter", "size == 4096")
    eventually("it counts again", lambda: small() > first[2])
# A malformed filter is dropped: all IO counts
put("counters/2_filter", "size > 1048576")
write_error("counters/2_filter", "size >")
now = small()
eventually("it counts after a malformed filter", lambda: small() > now)
put("counters/2", "")
goes_on()
first = small()
goes_on()
same("counted while disabled", small(), first)
os.write(start, b"x")
wait_for(pid)
disable()

# --- each operation has a letter, and is counted only under it
takes("nr_counters", "5", "5")
for nr, letter in enumerate("RAWDF"):
    put("counters/%d" % nr, letter + " size 0 1 4096 8192 16384 65536 131072 8388608 0")
enable()


def flush():
    fd = disk.open(os.O_RDWR)
    for i in range(3):
        os.fsync(fd)
    os.close(fd)


def ahead():
    fd = disk.open(os.O_RDONLY)
    os.posix_fadvise(fd, 8 * M, 128 * K, os.POSIX_FADV_DONTNEED)
    os.posix_fadvise(fd, 8 * M, 128 * K, os.POSIX_FADV_WILLNEED)
    same("read", len(os.pread(fd, 128 * K, 8 * M)), 128 * K)
    os.close(fd)


def all_of(who):
    return [sum(h) for nr, h in sorted(counted(pipe(), who).items())]


who = "pid-%d" % run(disk.direct_read, 0, 4096, 3)
same("reads in R A W D F", all_of(who), [3, 0, 0, 0, 0])
who = "pid-%d" % run(disk.direct_write, 0, 4096, 4)
same("writes in R A W D F", all_of(who), [0, 0, 4, 0, 0])
who = "pid-%d" % run(ahead)
got = counted(pipe(), who)
check(sum(got[1]) > 0, "no readahead was counted: %r" % got)
same("but for readaheads", [sum(got[n]) for n in (0, 2, 3, 4)], [0] * 4)


# IO that only the counter @nr of this operation may count, as @want
def counted_alone(what, able, nr, want, do, *args):
    if not able:
        print("%s: not tested, the disk cannot" % what)
        return
    # first the IO, then the pipe
    who = "pid-%d" % run(do, *args)
    got = counted(pipe(), who)
    same(what + ", by size", got[nr], want)
    same("but for " + what, [sum(got[n]) for n in range(5) if n != nr], [0] * 4)


counted_alone("flushes", "write back" in disk.queue("write_cache"), 4,
              [3, 0, 0, 0, 0, 0, 0, 0], flush)
counted_alone("discards", disk.queue("discard_max_bytes") != "0", 3,
              [0, 0, 0, 0, 0, 0, 1, 0], disk.ioctl_range, BLKDISCARD, 32 * M, 1 * M)
counted_alone("zeroed areas", disk.queue("write_zeroes_max_bytes") != "0", 3,
              [0, 0, 0, 0, 0, 0, 1, 0], disk.ioctl_range, BLKZEROOUT, 40 * M, 1 * M)

# --- times: each IO is counted in all three of them
put("counters/0",
    "R wait_time 0 100000000 100000000 100000000 100000000 100000000 100000000 100000000 0")
put("counters/1", "R io_time 0 1 100000000 100000000 100000000 100000000 100000000 100000000 0")
put("counters/2", "R total_time 0 1 100000000 100000000 100000000 100000000 100000000 100000000 0")
put("counters/3", "W age 1000000 2000000 4000000 8000000 16000000 100000000 100000000 100000000 0")
who = "pid-%d" % run(disk.direct_read, 0, 4096, 10)
got = counted(pipe(), who)
same("wait_time", got[0], [10] + [0] * 7)
same("io_time", sum(got[1]), 10)
same("io_time of some length", got[1][1], 10)
same("total_time of some length", got[2][1], 10)

# A page that is written two seconds after it became dirty has that age


def dirty_and_wait():
    fd = disk.open(os.O_RDWR)
    os.pwrite(fd, b"x" * 4096, 0)
    time.sleep(2.1)
    os.fsync(fd)
    os.close(fd)


# Its last close would drop the disk's pages
keep = disk.open(os.O_RDONLY)
who = "pid-%d" % run(dirty_and_wait)
got = counted(pipe(), who)[3]
same("a page of two seconds and more", [got[0], sum(got[1:])], [0, 1])

# What became dirty before ages are noted, or while they are not, has no age.  The page has a
# stamp of the last time.
put("counters/3", "W size 0 1 2 3 4 5 6 7 0")


def dirty_again(*pages):
    fd = disk.open(os.O_RDWR)
    for page in pages:
        os.pwrite(fd, b"y" * 4096, page * 4096)
    os.close(fd)


who = "pid-%d" % run(dirty_again, 0, 1)
time.sleep(0.01)
put("counters/3", "W age 0 1000000 2000000 4000000 8000000 16000000 100000000 200000000 0")
new = "pid-%d" % run(dirty_again, 1, 2)
os.fsync(keep)
os.close(keep)
acts = pipe()
same("ages of pages that became dirty before", sum(counted(acts, who).get(3, [])), 0)
same("ages of pages that became dirty since", sum(counted(acts, new)[3]), 1)
disable()
same("losses", status()["lost"], {})
