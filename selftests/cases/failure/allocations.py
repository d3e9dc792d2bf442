# SPDX-License-Identifier: GPL-2.0
"""The body of failure/allocations."""
import ctypes
import errno
import os
import re
import sys
import time

from allocations_work import Work, small_write
from lib.case import (IOB, check, disable, enable, eventually, iolog_bins, output, path, put,
                      read, read_fd, same, status, value, write_error)
from lib.fail import ALWAYS, Sites

# What may fail without a refusal, and without another line for a hook in status
SERVES = {
    # (the hook is attached in another way, which costs more)
    "iob_own_ops_arm": "the ops for all functions serves",
    "iob_mount_init": "debugfs has the files",
    # what is not taken out of a filter leads to a handler that finds nothing
    "own_ops_end": "the filter keeps a function that is not called",
    "own_ops_begin": "the filter keeps a function that is not called",
    "iob_own_ops_disarm": "the ops is unregistered instead",
    "iob_entries_end": "the filter keeps functions that are not looked for",
    "iob_entry_disarm": "the filter keeps a function that is not looked for",
}
# What goes without memory at run time, and no loss is counted
NO_LOSS = {
    "iob_fast_other": "the next direct IO costs more",
    "pool_fill_cpu": "the next object that is taken asks again",
    "reclaim_work_fn": "the next look is soon",
    "alloc_spare": "the bios have contexts elsewhere",
    "fill_spare": "the bios have contexts elsewhere",
}

began = time.monotonic()
work = Work(*sys.argv[1:])
sites = Sites()
covered = {}
failures = 0


def note(site, phase):
    covered.setdefault(site, []).append(phase)


def load():
    code, said = output("insmod", os.environ["IOB_KO"])
    return said if code else ""


def unload():
    same("rmmod", output("rmmod", "ioblame"), (0, ""))


def hooks():
    return status()["hooks"]


def lines(name, pattern="."):
    try:
        return [line for line in read(name).splitlines() if re.search(pattern, line)]
    except FileNotFoundError:
        return []


def traces():
    """What ioblame may leave in the kernel.  Callers without a symbol are of a module that is
    gone."""
    return {
        "folder": os.path.exists(IOB),
        "module": os.path.exists("/sys/module/ioblame"),
        "caches": [name for name in os.listdir("/sys/kernel/slab") if "iob_" in name],
        "CPU states": lines("/sys/devices/system/cpu/hotplug/states", "ioblame"),
        "vmalloc": lines("/proc/vmallocinfo", r"ioblame|^\S+ +\d+ 0x"),
        "ftrace": lines("/sys/kernel/tracing/enabled_functions"),
        "kprobes": lines("/sys/kernel/debug/kprobes/list"),
    }


def nothing_left(what):
    now = traces()
    for key, old in traces_before.items():
        same("%s after %s" % (key, what), now[key], old)


def configure():
    put("devs", " ".join(disk.name for disk in work.disks))
    put("nr_counters", "2")
    put("counters/0", "W size 0 4096 8192 16384 32768 65536 131072 262144 0")
    put("counters/1", "RAW total_time 0 1 10 100 1000 10000 100000 1000000 0")
    put("counters/1_filter", "size > 512")
    put("ttl_secs", "1")


def works(what):
    """ioblame can be enabled, and tells who writes."""
    enable()
    small_write(work.raw)
    disable()


def variants(hits, always=True):
    """(skip, times): the first hit, the last one, all"""
    return [(0, 1)] + [(hits - 1, 1)] * (hits > 1) + [(0, ALWAYS)] * (hits > 1 and always)


def failed(site):
    global failures
    n = sites.counts()[site][1]
    failures += n
    sites.zero()
    return n


def told(what):
    print("%6.1f %s" % (time.monotonic() - began, what), flush=True)


# --- loading
traces_before = traces()
sites.watch(sites.all)
same("insmod", load(), "")
loading = sites.hits()
plain_hooks = hooks()
unload()
nothing_left("a load")
told("loading: %d sites" % len(loading))
for site, hits in loading.items():
    sites.watch([site])
    for skip, times in variants(hits):
        what = "loading without memory for the %s, %d/%d" % (site, skip, hits)
        sites.fail(site, skip, times)
        said = load()
        check(failed(site), "nothing failed", what)
        note(site, "load")
        if said:
            check("Cannot allocate memory" in said, what, "says", said)
        else:
            check(site.function in SERVES or hooks() != plain_hooks, what, "is not told")
            unload()
        nothing_left(what)
told("loading is refused")

# --- enabling


def enable_without(main, fails, skip, hits):
    """@fails go without memory, first of all @main; the other sites that are hit then"""
    what = "enabling without memory for the %s, %d/%d" % (main, skip, hits)
    for site in fails:
        sites.fail(site, skip if site is main else 0, ALWAYS if site is not main else 1)
    said = write_error("enable", "1")
    other = set(sites.hits()) - set(enabling) - set(fails)
    check(failed(main), "nothing failed", what)
    note(main, "enable")
    if said:
        same(what, said, "ENOMEM")
        same("enable after " + what, value("enable"), "0")
        same("binary logs after " + what, iolog_bins(), [])
    else:
        same("enable after " + what, value("enable"), "1")
        check(main.function in SERVES or hooks() != plain_hooks, what, "is not told")
        work.round(whole=True)
        disable()
    return other


sites.watch(sites.all)
same("insmod", load(), "")
configure()
plain = {"counters/" + name: value("counters/" + name)
         for name in sorted(os.listdir(IOB + "/counters"))}
plain["devs"] = value("devs")
sites.zero()
enable()
enabling = sites.hits()
plain_hooks = hooks()
sites.zero()
disable()
disabling = sites.hits()
told("enabling: %d sites, disabling: %d" % (len(enabling), len(disabling)))
for site, hits in enabling.items():
    others = set()
    for skip in sorted({0, hits - 1}):
        others |= enable_without(site, [site], skip, hits)
    for other in others - set(covered):
        if other not in disabling:
            enable_without(other, [other, site], 0, 1)
    works("enabling without memory for the %s" % site)
enable()
same("hooks in the end", hooks(), plain_hooks)
told("enabling is refused")

# --- reading and writing files of an enabled session


def error_of_read(name, flags=os.O_RDONLY):
    try:
        fd = os.open(path(name), flags)
        try:
            read_fd(fd)
        finally:
            os.close(fd)
        return ""
    except OSError as e:
        return os.strerror(e.errno) if e.errno != 12 else "ENOMEM"


def reads(name, flags=os.O_RDONLY):
    return "reading " + name, "", lambda: error_of_read(name, flags)


def writes(name, text, want="", flags=0):
    return "writing %r to %s" % (text, name), want, lambda: write_error(name, text, flags)


def mount_own():
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.mount(b"ioblame", b"/sys/fs/ioblame", b"ioblame", 0, None):
        return errno.errorcode[ctypes.get_errno()]
    same("umount", output("umount", "/sys/fs/ioblame"), (0, ""))
    return ""


work.round()
OPS = [reads(name) for name in ("devs", "status", "roles", "intents", "intents_bin",
                                "counters_pipe", "counters_pipe_bin", "stats/idx_nomem",
                                "nr_counters", "counters/0", "counters/1_filter")]
OPS += [("mounting the file system", "", mount_own)]
OPS += [reads("stats/" + name) for name in os.listdir(IOB + "/stats") if "." in name][:1]
OPS += [reads(name, os.O_RDONLY | os.O_NONBLOCK) for name in ("iolog", "iolog_bin0")]
OPS += [writes("counters/0", "W size 0 1 2 3 4 5 6 7 0"),
        writes("counters/1", "W age 0 1 2 3 4 5 6 7 0"),
        writes("counters/1_filter", "size > 4096"),
        writes("counters/1_filter", "size >", "EINVAL"),
        writes("ttl_secs", "2"),
        writes("role_id", "7"),
        writes("devs", work.raw.name),
        writes("devs", work.btrfs.node, "", os.O_TRUNC)]


def settings():
    return {name: value(name) for name in list(plain) + ["nr_counters", "ttl_secs"]}


def try_ops(ops):
    for what, want, do in ops:
        sites.zero()
        same(what, do(), want)
        for site, hits in sites.hits().items():
            if site in covered and (site.function != "hook_attach" or "renew" in covered[site]):
                continue
            before = settings()
            sites.fail(site, 0, 1)
            said = do()
            check(failed(site), "nothing failed at the %s, %s" % (site, what))
            note(site, "renew" if site.function == "hook_attach" else "file")
            if said == "ENOMEM":
                same("settings after the refused " + what, settings(), before)
            else:
                check(any("error=-12" in line for line in hooks()), what, "says %r" % said,
                      "without memory for the", site)
            same("again, " + what, do(), want)
            same("hooks without memory", [line for line in hooks() if "error=-12" in line], [])


try_ops(OPS)
put("role_id", "0")
disable()
try_ops([writes("nr_counters", "3"), writes("nr_counters", "2")])
unload()
told("files refuse")

# --- while IO runs
MORE = {"index_publish": work.many_files, "alloc_spare": work.many_bios,
        "fill_spare": work.many_bios, "iob_bio_ctx_alloc": work.many_bios}
SPARE = [site for site in sites.all if site.function == "alloc_spare"]
# what is reached only if something else goes without memory
ALSO = {"fill_spare": SPARE, "iob_bio_ctx_alloc": SPARE}


def losses():
    return {name: n for name, n in status()["lost"].items() if n}


def run_without(main, fails):
    """A session in which @fails go without memory, first once, then always; the other sites hit"""
    what = "running without memory for the %s" % main
    enable()
    for times in 1, ALWAYS:
        for site in fails:
            sites.fail(site, 0, times if site is main else ALWAYS)
        work.round(MORE.get(main.function))
        if main.function == "reclaim_work_fn":
            eventually("a look of reclaim", lambda: sites.counts()[main][1])
    other = set(sites.hits()) - running - set(fails)
    n, lost = failed(main), losses()
    if n:
        note(main, "run")
        check(lost or main.function in NO_LOSS, what, "is no loss")
        # what was written without memory is on its way to nobody any more
        work.round(whole=True)
    disable()
    told("%s: %d times: %s" % (what, n, lost))
    return other


same("insmod", load(), "")
configure()
enable()
sites.zero()
work.round(work.many_files, whole=True)
time.sleep(1.2)
running = set(sites.hits())
same("losses with memory", losses(), {})
sites.zero()
disable()
told("running: %d sites" % len(running))
for site in [site for site in sites.all if site in running or site not in covered]:
    others = run_without(site, [site] + ALSO.get(site.function, []))
    for other in others - set(covered):
        run_without(other, [other, site])

# --- disabling and unloading
for site in disabling:
    enable()
    sites.fail(site, 0, ALWAYS)
    disable()
    check(failed(site), "nothing failed: disabling without memory for the", site)
    note(site, "disable")
    works("disabling without memory for the %s" % site)
told("disabling")
enable()
sites.zero()
unload()
unloading = sites.hits()
nothing_left("unloading")
for site in unloading:
    same("insmod", load(), "")
    configure()
    enable()
    sites.fail(site, 0, ALWAYS)
    unload()
    check(failed(site), "nothing failed: unloading without memory for the", site)
    note(site, "unload")
    nothing_left("unloading without memory for the %s" % site)
told("unloading")

missing = [str(site) for site in sites.all if site not in covered]
print("%d sites, %d failures in %.0f s" % (len(sites.all), failures, time.monotonic() - began))
check(not missing, "never without memory:", "; ".join(missing))
sites.end()
work.end()
