# SPDX-License-Identifier: GPL-2.0
"""The body of interface/settings."""
import errno
import os
import subprocess
import sys

from lib.case import (IOB, Disk, check, disable, enable, error_of, fail, path, put, read,
                      read_bytes, refuses, run, same, takes, value, write_error)

disk = Disk(sys.argv[1])
line = "%s %s" % (disk.number, disk.name)

# --- modes and defaults
rw = ("enable log_at_enable devs max_roles max_intents max_causes max_acts max_sums ttl_secs "
      "nr_counters sums charge role role_id").split()
ro = ("nr_roles nr_intents nr_causes nr_acts nr_sums counters_pipe counters_pipe_bin sums_bin "
      "intents intents_bin iolog roles status dirty").split()
losses = ("idx_nomem idx_nospc node_nomem pgtree_nomem cnts_nomem iolog_overflow").split()


def mode(name):
    return "%o" % (os.stat(path(name)).st_mode & 0o7777)


for name in rw:
    same("the mode of " + name, mode(name), "600")
for name in ro + ["stats/" + s for s in os.listdir(path("stats"))]:
    same("the mode of " + name, mode(name), "400")
for name in losses:
    same("stats/" + name, value("stats/" + name), "0")
same("the mode of the folder", mode("."), "700")
for name, default in {
        "enable": "0", "log_at_enable": "0", "devs": "", "nr_counters": "0", "charge": "split",
        "role": "thread", "role_id": "0", "ttl_secs": "120", "max_roles": "65536",
        "max_intents": "16384", "max_causes": "131072", "max_acts": "65536",
        "max_sums": "65536", "sums": "0", "nr_roles": "0", "nr_intents": "0", "nr_causes": "0",
        "nr_acts": "0", "nr_sums": "0"}.items():
    same("the default of " + name, value(name), default)
same("counters without a counter", os.listdir(path("counters")), [])
for name in ("iolog", "intents", "intents_bin", "counters_pipe", "counters_pipe_bin", "sums_bin",
             "dirty"):
    same(name + " before the first enabling", read_bytes(name), b"")
same("roles before the first enabling", read("roles"), "id pid tgid comm cgroup state\n")

# --- what every setting refuses
junk = ["", " ", "\n", "x", "1x", "1 2", "1\n2", "-1", "+ 1", "0x", "1.0", "1,", "\x001", "1\x00",
        "4294967296", "18446744073709551616", "one", "\xff", "1;"]
for name in ("max_roles", "max_intents", "max_causes", "max_acts", "max_sums", "ttl_secs",
             "nr_counters", "role_id", "log_at_enable", "sums"):
    for text in junk:
        refuses("EINVAL", name, text)
    refuses("E2BIG", name, "1" + " " * 4096)
limits = (("max_roles", 1 << 18), ("max_intents", 1 << 24),
          ("max_causes", (1 << 20) - (1 << 18)), ("max_acts", 1 << 24),
          ("max_sums", 1 << 24))
for name, most in limits:
    for text in "0", "1", "3", str(most + 1):
        refuses("EINVAL", name, text)
for name in "log_at_enable", "sums":
    refuses("EINVAL", name, "2")
refuses("EINVAL", "nr_counters", "257")
refuses("EINVAL", "role_id", "2147483648")
for text in "", "2", "-1", "maybe", "1 0", "01", "on off", "o", "1x", "on\x00":
    refuses("EINVAL", "enable", text)
for text in "", "both", "split first", "spli", "splitx", "1", "split\x00":
    refuses("EINVAL", "charge", text)
for text in "", "user", "threads", "thread process", "0", "special":
    refuses("EINVAL", "role", text)
for name in rw:
    refuses("E2BIG", name, "x" * 4097)
for name in ro:
    # root may open a read-only file for writing, but no write succeeds
    try:
        fd = os.open(path(name), os.O_WRONLY)
    except OSError:
        continue
    try:
        os.write(fd, b"1")
        fail("writing to %s works" % name)
    except OSError as e:
        check(e.errno in (errno.EINVAL, errno.EBADF, errno.EPERM), "writing to %s: %s" % (name, e))
    os.close(fd)
refuses("EINVAL", "stats/idx_nospc", "0")

# --- what they accept: white space around it, with or without a newline, up to 4096 bytes
for name, most in limits:
    default = value(name)
    for text in "4", " 5\n", "\t6 \n\n", str(most), "7" + " " * 4095, default + "\n":
        takes(name, text, text.strip())
takes("ttl_secs", "0", "0")
takes("ttl_secs", "315360000", "315360000")
refuses("EINVAL", "ttl_secs", "315360001")
takes("ttl_secs", "120\n", "120")
takes("charge", "first\n", "first")
takes("charge", " split ", "split")
for kind in "process", "cgroup", "thread":
    takes("role", kind + "\n", kind)
takes("log_at_enable", "1\n", "1")
takes("log_at_enable", "0", "0")
takes("role_id", "2147483647", "2147483647")
takes("role_id", "0\n", "0")
for text, now in (("1", "1"), ("0", "0"), ("y\n", "1"), ("N", "0"), ("on", "1"), ("off\n", "0"),
                  ("Y", "1"), ("Y", "1"), ("n", "0"), ("n", "0")):
    takes("enable", text, now)
# O_TRUNC, O_APPEND and the position have no effect
takes("ttl_secs", "60", "60", os.O_TRUNC)
takes("ttl_secs", "61", "61", os.O_APPEND)
fd = os.open(path("ttl_secs"), os.O_RDWR)
for text in b"7", b"8":
    os.write(fd, text)
os.close(fd)
same("ttl_secs after two writes", value("ttl_secs"), "8")

# --- counters come and go with their files
takes("nr_counters", "3", "3")
same("counters/", sorted(os.listdir(path("counters"))),
     ["0", "0_filter", "1", "1_filter", "2", "2_filter"])
for name in os.listdir(path("counters")):
    same("the mode of counters/" + name, mode("counters/" + name), "600")
takes("nr_counters", "256", "256")
same("files for 256 counters", len(os.listdir(path("counters"))), 512)
takes("nr_counters", "1", "1")
same("counters/", sorted(os.listdir(path("counters"))), ["0", "0_filter"])

# --- some settings are EBUSY while enabled, the others are not
enable()
for name, text in (("max_roles", "100"), ("max_intents", "100"), ("max_causes", "100"),
                   ("max_acts", "100"), ("nr_counters", "2"), ("charge", "first"),
                   ("role", "process")):
    refuses("EBUSY", name, text)
    refuses("EINVAL", name, "junk")
takes("ttl_secs", "9", "9")
takes("log_at_enable", "1", "1")
takes("log_at_enable", "0", "0")
takes("role_id", "0", "0")
takes("counters/0", "W size 0 1 2 3 4 5 6 7 0", "W size 0 1 2 3 4 5 6 7 0")
disable()
takes("nr_counters", "0", "0")
check(int(value("nr_roles")) >= 2, "nr_roles is %s after a session" % value("nr_roles"))
check(int(value("nr_acts")) >= 2, "nr_acts is %s after a session" % value("nr_acts"))
check(int(value("nr_intents")) >= 2, "nr_intents is %s after a session" % value("nr_intents"))

# --- devs
same("devs", read("devs"), "")
takes("devs", disk.name, line)
takes("devs", "", line)
takes("devs", " \n", line)
same("O_TRUNC and nothing else", write_error("devs", "!" + disk.name, os.O_TRUNC), "")
same("devs", read("devs"), "")
for word in (disk.number, disk.node, disk.name + " " + disk.number, "\t%s\n\n" % disk.name):
    takes("devs", word, line, os.O_TRUNC)
    takes("devs", word, line)
    # closing after O_TRUNC without a write
    os.close(os.open(path("devs"), os.O_WRONLY | os.O_TRUNC))
    same("devs", read("devs"), "")
put("devs", disk.name)
for text in ("nosuch", "1x:1", disk.name + " nosuch", "nosuch " + disk.name, "4095:99999",
             "/dev/null", "null", ".", "..", "/", "/etc/passwd", "999:999", "!nosuch", "5:1",
             "-1:0", "99999999999:1", disk.number + "x", disk.number + ":", disk.name + ",",
             "\xff"):
    refuses("ENODEV", "devs", text)
    refuses("ENODEV", "devs", text, os.O_TRUNC)
for text in "!", "%s !" % disk.name, "! " + disk.name, disk.name + "\x00":
    refuses("EINVAL", "devs", text)
    refuses("EINVAL", "devs", text, os.O_TRUNC)
refuses("E2BIG", "devs", disk.name + " " * 4096)
refuses("E2BIG", "devs", disk.name + " " * 4096, os.O_TRUNC)
takes("devs", "!" + disk.number, "")
put("devs", disk.name)
takes("devs", "!" + disk.name, "")
put("devs", disk.name)
takes("devs", "!" + disk.node, "")
takes("devs", "%s !%s" % (disk.name, disk.number), "")
takes("devs", "!%s %s" % (disk.number, disk.name), line)
# several devices stay in the order of writing; a loop device needs no file for that
subprocess.run(["modprobe", "-q", "loop"], check=True)
subprocess.run(["losetup", "-f"], check=True, stdout=subprocess.DEVNULL)
loop = Disk("/dev/loop0")
both = line + "\n%s %s" % (loop.number, loop.name)
takes("devs", loop.name, both)
takes("devs", disk.name, both)
takes("devs", "!%s !%s" % (disk.number, loop.name), "")
takes("devs", "%s %s" % (disk.name, loop.number), both)
# O_TRUNC clears before the first write only: the second adds to it
fd = os.open(path("devs"), os.O_WRONLY | os.O_TRUNC)
os.write(fd, loop.name.encode())
os.write(fd, disk.name.encode())
os.close(fd)
same("devs", value("devs"), "%s %s\n%s" % (loop.number, loop.name, line))
# devs can be changed while enabled
enable()
takes("devs", disk.name, line, os.O_TRUNC)
refuses("ENODEV", "devs", "nosuch")
disable()

# --- only root can open any of it


def as_nobody(names):
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
    for name in names:
        for flags in os.O_RDONLY, os.O_WRONLY:
            said = error_of(os.open, path(name), flags)
            check(said in ("EACCES", "EPERM"), "%s for nobody: %r" % (name, said))


debugfs = os.path.dirname(IOB)
old = os.stat(debugfs).st_mode & 0o7777
run(as_nobody, rw + ro + ["."])
# refused by the mode of ioblame's folder, then by the mode of each file
os.chmod(debugfs, 0o755)
run(as_nobody, rw + ro + ["."])
os.chmod(IOB, 0o755)
run(as_nobody, rw + ro + ["stats/idx_nospc"])
os.chmod(IOB, 0o700)
os.chmod(debugfs, old)
same("devs after all this", value("devs"), line)
