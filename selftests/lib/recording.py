# SPDX-License-Identifier: GPL-2.0
"""Recordings that no kernel made, so that a test knows what is in them.

    rec = Recording(kernel="6.1.0-test")
    rec.disk(VDA, "vda")
    rec.file(FS, 12, 1, "/srv/a")
    rec.io(op="W", disk=VDA, bytes=4096, comm="dd", pid=7, dev=FS, ino=12, gen=1)
    rec.save("/tmp/rec")

The layout of a record is that of include/linux/ioblame.h (abi.py), that of the file is in
tools/ioblame/store.h.

    python3 selftests/lib/recording.py FILE     the sample below
"""
import os
import struct
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from lib import abi  # noqa: E402

HEAD, INTENT, NAME, RECORDS, BEFORE, AFTER = range(1, 7)
NAME_DISK, NAME_FILE, NAME_CGROUP, NAME_MOUNT = range(4)

WALL_NS = 1_795_000_000_000_000_000     # a day in November 2026
START_NS = 100_000_000_000
MS = 1_000_000

STACK = ["vfs_write+0x1f4/0x2a0", "ksys_write+0x6b/0xf0", "do_syscall_64+0x5b/0xb0"]


def dev_of(major, minor):
    return major << 20 | minor


VDA, SDB, FS = dev_of(254, 0), dev_of(8, 16), dev_of(254, 0)


class Recording:
    """Chunks in the order in which they are to be written."""

    def __init__(self, kernel="6.1.0-test"):
        self.ios, self.names, self.intents = [], [], []
        self.kernel, self.losses = kernel, []
        self.now = START_NS

    def name(self, kind, text, dev=0, number=0, gen=0):
        key = struct.pack("=IIQII", kind, dev, number, gen, 0)
        self.names.append(key + text.encode() + b"\0")

    def disk(self, dev, text):
        self.name(NAME_DISK, text, dev)

    def file(self, dev, ino, gen, text):
        self.name(NAME_FILE, text, dev, ino, gen)

    def cgroup(self, number, text):
        self.name(NAME_CGROUP, text, number=number)

    def intent(self, modifier=0, stack=(), word=""):
        """A new intent; its number."""
        nr = len(self.intents)
        lines = [f"#{nr} modifier=0x{modifier:x}{word}"]
        lines += [f"[{0xffffffffba000000 + 16 * i:x}] {frame}" for i, frame in enumerate(stack)]
        self.intents.append("\n".join(lines) + "\n")
        return nr

    def io(self, op="W", wait=1 * MS, took=2 * MS, after=1 * MS, **members):
        """One record, which completes @after nanoseconds later than the last one."""
        self.now += after
        for word in ("comm", "sub_comm"):
            members[word] = members.get(word, "").encode()
        members.setdefault("tgid", members.get("pid", 0))
        members.setdefault("id", members.get("pid", 0))
        members.setdefault("how", abi.CONSTANTS.get("IOB_HOW_EXACT", 0))
        members.setdefault("sub_pid", members.get("pid", 0))
        self.ios.append(dict(op=ord(op), complete_ns=self.now, issue_ns=self.now - took,
                             queue_ns=self.now - took - wait, nr_bios=1, hwq=0, segments=1,
                             **members))

    def status(self):
        """The file `status`: what the module would have counted of these records."""
        lines = ["enabled 0", "session 1"]
        total = 0
        for letter in abi.OPS:
            of_op = [io for io in self.ios if io["op"] == ord(letter)]
            hows = [sum(io["bytes"] for io in of_op if io["how"] == nr)
                    for nr in range(len(abi.HOWS))]
            total += sum(hows)
            if of_op:
                lines.append(f"total {letter} ios={sum(1 for io in of_op if not io.get('part'))} "
                             f"bytes={sum(hows)} " +
                             " ".join(f"{w}={n}" for w, n in zip(abi.HOWS, hows)))
        lines.append(f"known role+intent+file={total} role+file=0 role=0 nomem=0 lost=0")
        return "\n".join(lines + self.losses) + "\n"

    def chunks(self):
        yield HEAD, (f"version test\nkernel {self.kernel}\nwall_ns {WALL_NS - START_NS}\n"
                     f"start_ns {START_NS}\n").encode()
        for text in self.intents:
            yield INTENT, text.encode()
        for data in self.names:
            yield NAME, data
        for at in range(0, len(self.ios), 1000):
            yield RECORDS, b"".join(abi.IOLOG.pack(**io) for io in self.ios[at:at + 1000])
        yield AFTER, self.status().encode()

    def save(self, path):
        with open(path, "wb") as file:
            file.write(struct.pack("=8sII", b"IOBLREC1", 0x01020304, 0))
            for kind, data in self.chunks():
                file.write(struct.pack("=II", kind, len(data)) + data)


def sample():
    """A bit of everything: all operations, errors, shares, long names, wide names, two disks."""
    rec = Recording()
    rec.disk(VDA, "vda")
    rec.disk(SDB, "sdb")
    rec.name(NAME_MOUNT, "/srv", dev=FS)
    rec.cgroup(77, "/system.slice/postgresql@15-main.service")
    rec.cgroup(78, "/user.slice/user-1000.slice/session-2.scope")
    rec.file(FS, 12, 1, "/srv/postgresql/15/main/base/16384/" + "long-name-" * 20 + "end")
    rec.file(FS, 13, 1, "/srv/写真/二〇二六年/" + "画像" * 40)
    rec.file(FS, 14, 1, "/srv/short")
    direct = rec.intent(stack=STACK)
    periodic = rec.intent(abi.CONSTANTS["IOB_MODIFIER_WB"] | 4, STACK, " wb=periodic")
    for i in range(60):
        rec.io("W", disk=VDA, bytes=8192, sector=8 * i, comm="postgres", pid=4711, dev=FS,
               ino=12, gen=1, cgroup=77, intent_nr=periodic, sub_pid=25, sub_comm="kworker/u4:1",
               modifier=abi.CONSTANTS["IOB_MODIFIER_WB"] | 4, took=(2 + i % 7) * MS)
        rec.io("R", disk=VDA, bytes=65536, sector=9000 + 128 * i, comm="digikam", pid=1234567,
               dev=FS, ino=13, gen=1, cgroup=78, intent_nr=direct, sub_comm="digikam", took=9 * MS)
    for i in range(19):
        rec.io("R", disk=SDB, bytes=4096, sector=20000 + 8 * i, comm="smartd", pid=600, dev=SDB,
               ino=0, cgroup=77, intent_nr=direct, sub_comm="smartd", error=-5, took=700 * MS)
    for i in range(4):
        rec.io("D", disk=VDA, bytes=1 << 20, sector=1 << 20 | i << 11, comm="fstrim", pid=601,
               dev=FS, ino=0, cgroup=77, intent_nr=direct, sub_comm="fstrim")
    for i in range(7):
        rec.io("F", disk=VDA, bytes=0, sector=0, comm="sqlite3", pid=602, dev=FS, ino=14, gen=1,
               cgroup=78, intent_nr=direct, sub_comm="sqlite3")
    rec.io("A", disk=VDA, bytes=131072, sector=5, comm="cat", pid=603, dev=FS, ino=14, gen=1,
           cgroup=78, intent_nr=direct, sub_comm="cat")
    return rec


if __name__ == "__main__":
    sample().save(sys.argv[1])
