# SPDX-License-Identifier: GPL-2.0
"""The body of interface/../lifetime/tracers."""
import os
import sys

from lib.case import (MNT, Disk, check, disable, enable, error_of, fail, iolog_now, output, put,
                      refuses, run, same, status)

disk = Disk(sys.argv[1])
TRACING = "/sys/kernel/tracing"
FTRACE = "/proc/sys/kernel/ftrace_enabled"


def sh(*words):
    code, _ = output(*words)
    return code


# ftrace takes a line or a word from each write(2): a Python file repeats them to the end
def write_file(name, text):
    def do():
        with open(name, "w") as f:
            f.write(text)
    return error_of(do)


def hooks(name):
    return [h for h in status()["hooks"] if name in h]


def written():
    return status().get("disk %s W" % disk.name, {"bytes": 0})["bytes"]


def writes(n):
    for i in range(20):
        with open("%s/f%d.%d" % (MNT, n, i), "w") as f:
            f.write("x" * 8192)


# All IO that a program causes is charged to it, though the flusher and the journal write it
def blamed(when, n):
    os.sync()
    iolog_now()
    before = written()
    pid = run(writes, n)
    os.sync()
    log = [e for e in iolog_now() if e.op == "W"]
    same("bytes in iolog %s" % when, sum(e.bytes for e in log), written() - before)
    mine = sum(e.bytes for e in log if e.who == "pid-%d" % pid)
    data = sum(e.bytes for e in log if e.who == "pid-%d" % pid and e.ino)
    check(data >= 20 * 8192, "%s: %d bytes of data are charged to their writer" % (when, data))
    # sync() by this process writes the superblock
    check(mine >= sum(e.bytes for e in log) * 0.9, "%s: %d bytes are its own, not %r" % (
        when, mine, [(e.who, e.comm, e.bytes) for e in log if e.who != "pid-%d" % pid]))
    check("stack_wrong" not in status()["lost"], "%s: %r" % (when, status()["lost"]))
    print("%s: %d of %d bytes" % (when, mine, sum(e.bytes for e in log)))


# It has an ftrace_ops of its own, which stays registered while its module is away
SPARE = "jbd2_journal_dirty_metadata"


# The module of a function that is hooked goes and comes
def journal_goes(function, n):
    for i in range(2):
        if i == 0:
            disable()
        same("unmounting", sh("umount", MNT), 0)
        same("removing ext4 and jbd2", [sh("rmmod", "ext4"), sh("rmmod", "jbd2")], [0, 0])
        check("waiting for jbd2" in hooks(function)[0], "without jbd2: %r" % hooks(function))
        # while disabled, too, if the function has an ftrace_ops of its own
        if i == 1 or function == SPARE:
            same("switching ftrace off between", write_file(FTRACE, "0"), "EBUSY")
        if i == 0:
            enable()
        same("loading ext4 anew", sh("modprobe", "ext4"), 0)
        check(hooks(function)[0].endswith(" attached"), "with jbd2: %r" % hooks(function))
        same("mounting", sh("mount", "-t", "ext4", disk.node, MNT), 0)
        blamed("after jbd2 went %s" % ("unwatched", "watched")[i], n + i)
    disable()


# Where the compiler has put do_get_write_access() into its callers, another function serves
if sys.argv[2:] == ["spare"]:
    put("devs", disk.name)
    enable()
    check(" missing " in hooks("do_get_write_access")[0], hooks("do_get_write_access"))
    check(hooks(SPARE)[0].endswith(" attached"), "the hook is %r" % hooks(SPARE))
    blamed("by the other function", 7)
    journal_goes(SPARE, 8)
    sys.exit()

# --- enabling needs ftrace, and while enabled ftrace cannot be switched off
put("devs", disk.name)
same("switching ftrace off", write_file(FTRACE, "0"), "")
refuses("EBUSY", "enable", "1")
_, said = output("dmesg")
check("ioblame: functions cannot be watched while kernel.ftrace_enabled is 0" in said,
      "the log does not say why")
check(not [h for h in status()["hooks"] if h.startswith("function") and " attached" in h],
      "hooks remain attached")
same("switching ftrace on", write_file(FTRACE, "1"), "")
enable()
same("switching ftrace off under it", write_file(FTRACE, "0"), "EBUSY")
for name in "do_get_write_access", "do_writepages", "mm_filemap_delete_from_page_cache":
    check(hooks(name)[0].endswith(" attached"), "the hook is %r" % hooks(name))
blamed("alone", 0)

# --- a kprobe and the function tracer on the same functions, attached after ioblame's hooks
# and before them
WATCHED = "do_get_write_access\ndo_writepages\njbd2_journal_commit_transaction\n"
if not os.path.exists(TRACING + "/current_tracer"):
    sh("mount", "-t", "tracefs", "tracefs", TRACING)
same("a probe event",
     write_file(TRACING + "/kprobe_events", "p:iobtest/pages do_writepages\n"
                "p:iobtest/dirty do_get_write_access\n"), "")
same("enabling it", write_file(TRACING + "/events/iobtest/enable", "1"), "")
same("what to trace", write_file(TRACING + "/set_ftrace_filter", WATCHED), "")
same("the function tracer", write_file(TRACING + "/current_tracer", "function"), "")
blamed("beside a probe and the function tracer", 1)
disable()
enable()
blamed("begun after them", 2)
same("no tracer", write_file(TRACING + "/current_tracer", "nop"), "")
same("no filter", write_file(TRACING + "/set_ftrace_filter", ""), "")
same("disabling the event", write_file(TRACING + "/events/iobtest/enable", "0"), "")
same("no probe event", write_file(TRACING + "/kprobe_events", ""), "")
blamed("alone again", 3)

# --- modules come and go, while enabled and while disabled
seen = 0
for module, function in ("f2fs", "f2fs_write_checkpoint"), ("raid456", "add_stripe_bio"):
    if os.path.exists("/sys/module/" + module):
        continue  # in use before the case
    check("waiting for " + module in hooks(function)[0],
          "without %s: %r" % (module, hooks(function)))
    if sh("modprobe", "-q", module):
        fail("no module " + module)
    if module == "raid456" and os.uname().release.endswith("-hardened"):
        # clang puts it into its caller
        check(" missing " in hooks(function)[0], "with raid456: %r" % hooks(function))
        same("removing raid456", sh("rmmod", module), 0)
        continue
    check(hooks(function)[0].endswith(" attached"), "with %s: %r" % (module, hooks(function)))
    same("removing " + module, sh("rmmod", module), 0)
    check("waiting for " + module in hooks(function)[0],
          "after %s: %r" % (module, hooks(function)))
    # loaded while disabled, maybe at another address
    disable()
    same("loading %s anew" % module, sh("modprobe", module), 0)
    enable()
    check(hooks(function)[0].endswith(" attached"),
          "%s came before: %r" % (module, hooks(function)))
    disable()
    check(hooks(function)[0].endswith(" ready"), "disabled: %r" % hooks(function))
    same("removing %s again" % module, sh("rmmod", module), 0)
    enable()
    seen += 1
print("modules that came and went twice: %d" % seen)
check(seen, "no module could come and go")
blamed("after modules went", 4)

# --- jbd2 too
check(hooks(SPARE)[0].endswith(" spare for do_get_write_access"), "the hook is %r" % hooks(SPARE))
journal_goes("function do_get_write_access", 5)
