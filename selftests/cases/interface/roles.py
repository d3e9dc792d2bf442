# SPDX-License-Identifier: GPL-2.0
"""The body of interface/roles."""
import os
import subprocess
import sys
import threading

from lib.case import (SCRATCH, BinaryLog, Disk, counted, disable, enable, iolog_now, pipe, put,
                      read, refuses, run, same, takes, value)

disk = Disk(sys.argv[1])
# Arguments of dd, which is there under two names
DD = ["if=/dev/zero", "of=" + disk.node, "bs=4096", "count=1", "status=none"]
put("devs", disk.name)
put("nr_counters", "1")
put("counters/0", "RWAF size 0 1 2 3 4 5 6 7 0")


def by_sector():
    return {e.sector: e for e in iolog_now()}


def roles():
    lines = read("roles").splitlines()
    same("the first line of roles", lines[0], "id pid tgid comm cgroup state")
    got = [dict(zip(lines[0].split(), line.split())) for line in lines[1:]]
    for line in lines:
        same("words in %r" % line, len(line.split(" ")), 6)
    same("the special roles", lines[1:3], ["0 - - nomem - -", "0 - - lost - -"])
    return got


def threads():
    tids = {}

    def write(nr):
        tids[nr] = threading.get_native_id()
        # Python 3.14 names a thread after its function
        put("/proc/thread-self/comm", "python3")
        disk.direct_write(nr * 4096, 4096)
    for nr in 1, 2:
        t = threading.Thread(target=write, args=(nr,))
        t.start()
        t.join()
    disk.direct_write(0, 4096)
    with open(SCRATCH + "/tids", "w") as f:
        f.write("%d %d" % (tids[1], tids[2]))


def three_threads():
    pid = run(threads)
    with open(SCRATCH + "/tids") as f:
        return (pid,) + tuple(int(x) for x in f.read().split())


# --- thread
enable()
pid, one, two = three_threads()
log = by_sector()
same("who, by thread", [log[s].who for s in (0, 8, 16)], ["pid-%d" % t for t in (pid, one, two)])
for tid in pid, one, two:
    r = [r for r in roles() if r["pid"] == str(tid)]
    same("the role of thread %d" % tid, [(x["id"], x["tgid"], x["comm"], x["state"]) for x in r],
         [(str(tid), str(pid), "python3", "exited")])
disable()

# --- process
takes("role", "process", "process")
enable()
pid, one, two = three_threads()
log = by_sector()
same("who, by process", [log[s].who for s in (0, 8, 16)], ["pid-%d" % pid] * 3)
r = [r for r in roles() if r["id"] == str(pid)]
same("the process's role", [(x["pid"], x["tgid"], x["comm"], x["state"]) for x in r],
     [("-", str(pid), "python3", "exited")])
disable()

# --- cgroup
groups = "/sys/fs/cgroup"
if os.path.exists(groups + "/cgroup.procs"):
    takes("role", "cgroup", "cgroup")
    enable()
    ids = []

    def in_group(name):
        put("%s/%s/cgroup.procs" % (groups, name), "0")
        disk.direct_write(4096 * (8 + int(name[-1])), 4096)
    for name in "iob1", "iob2":
        os.makedirs(groups + "/" + name, exist_ok=True)
        ids.append(os.stat(groups + "/" + name).st_ino)
        run(in_group, name)
        run(in_group, name)
    log = by_sector()
    same("who, by cgroup", [log[8 * s].who for s in (9, 10)], ["cgroup-%d" % i for i in ids])
    same("roles of cgroups", sorted(int(r["cgroup"]) for r in roles()[2:]), sorted(ids))
    got = pipe()
    same("two IOs each", [sum(counted(got, "cgroup-%d" % i)[0]) for i in ids], [2, 2])
    disable()
    for name in "iob1", "iob2":
        os.rmdir(groups + "/" + name)
else:
    print("cgroup: not tested, no cgroup2 here")

# --- user roles
takes("role", "thread", "thread")
enable()


def user():
    same("role_id of a new process", value("role_id"), "0")
    takes("role_id", "7", "7")
    disk.direct_write(0, 4096)

    def inherits():
        same("role_id of a child", value("role_id"), "7")
        disk.direct_write(4096, 4096)
        takes("role_id", "0", "0")
        disk.direct_write(8192, 4096)
        takes("role_id", "2147483647", "2147483647")
        disk.direct_write(12288, 4096)
    pid = run(inherits)
    same("the parent's role_id", value("role_id"), "7")
    t = threading.Thread(target=lambda: disk.direct_write(16384, 4096))
    t.start()
    t.join()
    # another program
    subprocess.run([SCRATCH + "/first"] + DD + ["seek=5", "oflag=direct"], check=True)
    refuses("EINVAL", "role_id", "seven")
    with open(SCRATCH + "/tids", "w") as f:
        f.write(str(pid))


bins = BinaryLog()
run(user)
with open(SCRATCH + "/tids") as f:
    pid = int(f.read())
log = by_sector()
same("user roles", [log[8 * s].who for s in range(6)],
     ["user-7", "user-7", "pid-%d" % pid, "user-2147483647", "user-7", "user-7"])
same("user roles in roles", {r["id"] for r in roles() if r["id"].startswith("-")},
     {"-7", "-2147483647"})
same("one role for all that are 7", sum(counted(pipe(), "user-7")[0]), 4)
same("our own", value("role_id"), "0")
disable()
binary = {e.sector: e for e in bins.end()}
same("their ids in binary", [binary[8 * s].id for s in range(6)],
     [-7, -7, pid, -2147483647, -7, -7])
same("their kinds", [binary[8 * s].role_kind for s in range(6)], [3, 3, 0, 3, 3, 3])

# --- a name is kept after the exit and renewed at exec
enable()


def renamed():
    disk.direct_write(0, 4096)
    os.execv(SCRATCH + "/second name",
             ["dd"] + DD + ["seek=1", "oflag=direct"])


pid = run(renamed)
log = by_sector()
same("names before and after exec", [(log[s].who, log[s].comm) for s in (0, 8)],
     [("pid-%d" % pid, "python3"), ("pid-%d" % pid, "second name")])
same("the names in roles", [(r["comm"], r["state"]) for r in roles() if r["pid"] == str(pid)],
     [("python3", "exited"), ("second\\040name", "exited")])
same("and in counters_pipe",
     sorted((a["comm"], sum(a["hist"][0])) for a in pipe() if a["who"] == "pid-%d" % pid),
     [("python3", 1), ("second name", 1)])
# A dirty page outlives its writer, and so does the writer's name
subprocess.run([SCRATCH + "/first"] + DD + ["seek=2", "conv=notrunc"], check=True)
os.sync()
same("the name of an exited writer", by_sector()[16].comm, "first")

disable()

# --- a task with another name or in another cgroup acts in another role from then on
STEPS = ("first", "renamed", "moved", "by another", "back", "thread", "its name", "moved, too")


def name_of(e):
    return e.comm.rstrip(b"\0").decode()


def rename(name, tid="self"):
    put("/proc/self/task/%s/comm" % tid if tid != "self" else "/proc/self/comm", name)


def move(group, pid):
    put("%s%s/cgroup.procs" % (groups, group), str(pid))


def changes():
    turn, done = threading.Semaphore(0), threading.Semaphore(0)
    tid = []

    def write(step):
        # the same IO many times: by the fast path
        for i in range(8):
            disk.direct_write((STEPS.index(step) * 8 + i) * 4096, 4096)

    def thread():
        tid.append(threading.get_native_id())
        rename("python3", tid[0])
        for step in STEPS[5:]:
            write(step)
            done.release()
            turn.acquire()

    def step_of_thread():
        turn.release()
        done.acquire()

    write("first")
    rename("second")
    write("renamed")
    move("/iob1", 0)
    write("moved")
    pid = os.getpid()
    run(lambda: move("/iob2", pid))
    write("by another")
    rename("python3")
    move("", 0)
    write("back")
    t = threading.Thread(target=thread)
    t.start()
    done.acquire()
    # by another thread of the process
    rename("named", tid[0])
    step_of_thread()
    move("/iob1", 0)
    step_of_thread()
    same("in roles", [(r["comm"], int(r["cgroup"]), r["state"]) for r in roles()
                      if r["pid"] == str(pid)],
         [("python3", root, "past"), ("second", root, "past"), ("second", one, "past"),
          ("second", two, "past")])
    turn.release()
    t.join()


if os.path.exists(groups + "/cgroup.procs"):
    for name in "iob1", "iob2":
        os.makedirs(groups + "/" + name, exist_ok=True)
    root, one, two = (os.stat(groups + name).st_ino for name in ("", "/iob1", "/iob2"))
    enable()
    bins = BinaryLog()
    pid = run(changes)
    disable()
    binary = {e.sector // 8: e for e in bins.end()}
    for step, want in zip(STEPS, [("python3", root), ("second", root), ("second", one),
                                  ("second", two), ("python3", root), ("python3", root),
                                  ("named", root), ("named", one)]):
        same("name and cgroup: " + step, {(name_of(e), e.cgroup) for e in
                                          (binary[STEPS.index(step) * 8 + i] for i in range(8))},
             {want})
    same("all of them are gone", {r["state"] for r in roles() if r["tgid"] == str(pid)},
         {"exited"})
    # the dirtier of a page that is written later, by the name and the cgroup it had
    enable()
    bins = BinaryLog()
    run(lambda: (move("/iob2", 0), os.execv(
        "/bin/sh", ["sh", "-c", "echo x >>%s; echo 0 >%s/cgroup.procs; exec sleep 0" %
                    (disk.node, groups)])))
    os.sync()
    disable()
    same("who wrote", {(name_of(e), e.cgroup, e.how) for e in bins.end()
                       if e.op == ord("W")}, {("sh", two, 0)})
    for name in "iob1", "iob2":
        os.rmdir(groups + "/" + name)

# --- a task's name cannot break a line
NAMES = [b"x) dev=0x1\nW 1", b"\n\n\n\n", b"a\\b\x1b[31m\x7f", b"(((", b")) (( ))", b" ",
         b"tab\there", "\u00e4\u00f6".encode(), b"\xff\xfe", "\u009b31m".encode(), b"user-7",
         "\u202egpj\u2028".encode(), "\u200b\ufeff".encode(), "x\u20031\u20037".encode(),
         "\u00a0\u3000\u1680y".encode(), "\u3164\u2764\ufe0f\ufffa".encode()]
# of those above
HIDDEN = "\u200b\u2028\u202e\u3164\ufe0f\ufeff\ufffa"


def hostile(name, nr):
    with open("/proc/self/comm", "wb", buffering=0) as f:
        f.write(name)
    with open("/proc/self/comm", "rb") as f:
        same("what the kernel calls us", f.read(), name + b"\n")
    disk.direct_write(nr * 4096, 4096)


def escaped(name, spaces):
    def shown(c):
        if " " <= c < "\x7f" and c != "\\" and not (c == " " and spaces):
            return c
        if c >= "\xa0" and not "\ud800" <= c < "\ue000" and c not in HIDDEN and \
           not (c.isspace() and spaces):
            return c
        # bytes that are no UTF-8 are surrogates
        return "".join("\\%03o" % b for b in c.encode("utf-8", "surrogateescape"))
    text = "".join(map(shown, name.decode("utf-8", "surrogateescape")))
    return text.encode().decode("ascii", "replace")


enable()
pids = [run(hostile, name, nr) for nr, name in enumerate(NAMES)]
log = by_sector()
got = pipe()
for nr, (pid, name) in enumerate(zip(pids, NAMES)):
    e = log[nr * 8]
    same("the role of %r" % name, e.who, "pid-%d" % pid)
    same("how it is shown in iolog", e.comm, escaped(name, False))
    same("as the submitter", e.sub_comm, escaped(name, True))
    same("in counters_pipe", {a["comm"] for a in got if a["who"] == "pid-%d" % pid},
         {escaped(name, False)})
    same("in roles", [r["comm"] for r in roles() if r["pid"] == str(pid)], [escaped(name, True)])
disable()
