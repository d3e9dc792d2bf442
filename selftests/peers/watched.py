# SPDX-License-Identifier: GPL-2.0
"""ioblame while others' tests run: it watches every disk, has five counters and a reader of its
binary log, and its sums are held against the disks' own statistics."""
import os
import subprocess
import threading
import time

from lib.case import IOB, put, read, value
from lib.status import disk_rows, parse

COUNTERS = ("RAW total_time 0 10 30 100 300 1000 3000 10000 0",
            "RAW size 0 4096 8192 16384 65536 131072 262144 524288 0",
            "RAW offset 0 8192 16384 24576 32768 40960 49152 57344 0",
            "RAW seek_dist 0 1 16 256 1024 4096 16384 32768 0",
            "WD age 0 1000 10000 100000 1000000 5000000 30000000 60000000 0")
FILTER = "offset >= 32768 && size < 131072 && io_time >= 10"
# fields of a disk's `stat`: the sectors read, written, discarded, and the IOs under way
READ, WRITTEN, INFLIGHT, DISCARDED = 2, 6, 8, 13
SECTOR = 512


def disk_stat(name):
    with open("/sys/block/%s/stat" % name, encoding="ascii") as f:
        return [int(x) for x in f.read().split()]


def identity(name):
    """A disk that goes and comes again under the same name is another one."""
    try:
        return value("/sys/block/%s/diskseq" % name)
    except OSError:
        return value("/sys/block/%s/dev" % name)


def counts_itself(name):
    """Does the disk keep statistics now?"""
    return value("/sys/block/%s/queue/iostats" % name) == "1"


def disks_now():
    """{name: (identity, bytes read, bytes written or discarded, IOs under way)}"""
    now = {}
    for name in os.listdir("/sys/block"):
        try:
            if counts_itself(name):
                s = disk_stat(name)
                now[name] = (identity(name), s[READ] * SECTOR,
                             (s[WRITTEN] + s[DISCARDED]) * SECTOR, s[INFLIGHT])
        except OSError:
            continue    # it went meanwhile
    return now


def at_rest(seconds=20):
    """disks_now() when nothing has changed for a while."""
    end, last, times = time.monotonic() + seconds, None, 0
    while times < 3 and time.monotonic() < end:
        now = disks_now()
        times = times + 1 if now == last and not any(d[3] for d in now.values()) else 0
        last = now
        time.sleep(0.1)
    return last


def charged():
    """{disk: [bytes read, bytes written or discarded]} by the module's account."""
    sums = {}
    for disk, op, row in disk_rows(parse(read("status"))):
        both = sums.setdefault(disk, [0, 0])
        if op in "RA":
            both[0] += row["bytes"]
        elif op in "WD":
            both[1] += row["bytes"]
    return sums


def total_written():
    return parse(read("status")).get("total W", {"bytes": 0})["bytes"]


def snapshot():
    """(disks, sums) of one moment: no IO came between the two."""
    for _ in range(20):
        subprocess.run(["udevadm", "settle", "--timeout=20"], check=False)
        disks, sums = at_rest(), charged()
        if disks_now() == disks:
            break
    return disks, sums


class Watched:
    """The module from load to unload."""

    def __init__(self, out):
        self.out = out
        self.known, self.stop, self.lock = {}, threading.Event(), threading.Lock()
        subprocess.run(["insmod", os.environ["IOB_KO"]], check=True)
        put("nr_counters", str(len(COUNTERS)))
        for nr, text in enumerate(COUNTERS):
            put("counters/%d" % nr, text)
        put("counters/3_filter", FILTER)
        self.add_disks()
        put("enable", "1")
        # disks are at rest yet
        self.reader = subprocess.Popen([os.environ["IOB_BIN"] + "/iotally", IOB, out + "/sums"],
                                       stdout=subprocess.PIPE)
        if self.reader.stdout.readline() != b"ready\n":
            raise OSError("iotally does not start")
        self.unread = total_written()
        self.thread = threading.Thread(target=self.follow, daemon=True)
        self.thread.start()

    def add_disks(self):
        """Watch what has come; what went is taken off the list, which has room for 1,024."""
        now = {}
        for name in os.listdir("/sys/block"):
            try:
                now[name] = (identity(name), value("/sys/block/%s/dev" % name))
            except OSError:
                continue
        with self.lock:
            for name in set(self.known) - set(now):
                self.devs("!" + self.known.pop(name)[1])
            for name, what in now.items():
                if self.known.get(name) != what and self.devs(what[1]):
                    self.known[name] = what

    @staticmethod
    def devs(word):
        fd = os.open(IOB + "/devs", os.O_WRONLY | os.O_APPEND)
        try:
            os.write(fd, word.encode())
            return True
        except OSError:
            return False    # the device went meanwhile
        finally:
            os.close(fd)

    def follow(self):
        while not self.stop.wait(0.3):
            self.add_disks()

    def before(self):
        self.add_disks()
        self.disks, self.sums = snapshot()
        self.then = dict(self.known)

    def after(self):
        """What does not close: [[disk, bytes by the disk, by ioblame]], and how many disks do."""
        subprocess.run(["sync"], check=False)
        (disks, sums), wrong, right = snapshot(), [], 0
        for name, was in self.disks.items():
            now = disks.get(name)
            if not now or now[0] != was[0] or self.known.get(name) != self.then.get(name):
                continue
            itself = [now[i] - was[i] for i in (1, 2)]
            here = [b - a for a, b in zip(self.sums.get(name, [0, 0]), sums.get(name, [0, 0]))]
            if itself != here:
                wrong.append([name, itself, here])
            elif any(itself):
                right += 1
        return {"open": wrong, "closed": right, "reader": self.reader.poll() is None}

    def end(self):
        """Disable and unload; what is to be known of the whole."""
        self.stop.set()
        self.thread.join()
        with open(self.out + "/status", "a", encoding="ascii") as f:
            f.write(read("status"))
        put("enable", "0")
        said = {"reader": self.reader.wait(60), "left": []}
        rows = parse(read("status"))
        with open(self.out + "/sums", encoding="utf-8", errors="replace") as f:
            said["records"], written = [int(x) for x in f.readline().split()[1:]]
        said["lost"] = int(value("stats/iolog_bin_overflow"))
        said["log_is_status"] = self.unread + written == total_written()
        said["losses"] = rows["lost"]
        subprocess.run(["rmmod", "ioblame"], check=True)
        said["left"] = [name for name in os.listdir("/sys/kernel/slab") if name.startswith("iob_")]
        if os.path.exists(IOB):
            said["left"].append(IOB)
        return said
