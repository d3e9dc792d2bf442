# SPDX-License-Identifier: GPL-2.0
"""The body of failure/allocations."""
import ctypes
import errno
import os
import sys
import time
import zlib

from allocations_work import Traces, Work, small_write
from lib import case
from lib.case import (IOB, check, disable, enable, error_of, eventually, iolog_bins, output, path,
                      put, read_fd, same, status, value)

from lib.fail import ALWAYS, Sites

# What may fail without a refusal, and without another line for a hook in status
SERVES = {
    # (the hook is attached in another way, which costs more)
    "iob_own_ops_arm": "the ops for all functions serves",
    "iob_mount_init": "debugfs has the files",
    "layout_btf_open": "the compiled layout serves, behind a proof",
    "own_ops_begin": "the ops for all functions serves",
    # what is not taken out of a filter leads to a handler that finds nothing
    "iob_ops_clear_filter": "the filter keeps functions that are not looked for",
    "iob_own_ops_disarm": "the ops is unregistered instead",
    "iob_entry_disarm": "the filter keeps a function that is not looked for",
}
# What is lost for want of memory at run time, by where it is taken: one of these is counted
LOSSES = {
    "src/blame/plane.c": ("pgtree_nomem",),
    "src/blame/share.c": ("parts_nomem",),
    "src/core/act.c": ("node_nomem",),
    "src/core/cause.c": ("node_nomem",),
    "src/core/index.c": ("idx_nomem",),
    "src/core/intent.c": ("node_nomem",),
    # of associations, ranges, logs and participants
    "src/core/pool.c": ("owner_evicted", "freed_evicted", "journal_evicted", "participant_merged"),
    "src/core/role.c": ("node_nomem",),
    "src/core/task.c": ("task_nomem",),
    "src/fs/btrfs_compressed.c": ("parts_nomem",),
    "src/io/bio_ctx.c": ("inflight_nomem",),
    "src/io/counters.c": ("cnts_nomem",),
    "src/io/sum.c": ("sum_nomem",),
    "src/io/sum_reader.c": ("sum_unseen",),
}
# What goes without memory at run time, and no loss is counted
NO_LOSS = {
    "iob_fast_other": "the next direct IO costs more",
    "pool_fill_cpu": "the next object that is taken asks again",
    "reclaim_pass": "the next look is soon",
    "alloc_spare": "the bios have contexts elsewhere",
    "fill_spare": "the bios have contexts elsewhere",
}


def write_error(name, text, flags=0):
    """As the one of lib.case; opening the file may be what is refused."""
    try:
        return case.write_error(name, text, flags)
    except OSError as e:
        return errno.errorcode[e.errno]


began = time.monotonic()
MEMORY = sys.argv.pop()
work = Work(*sys.argv[1:])
sites = Sites()
# {site: the phases in which it went without memory}
covered = {}
failures = 0
# losses of a round with memory
usual = {}
# What is called by a function that not each kernel has
CALLED_BY = {"iob_btrfs_submits": "btrfs_submit_bbio"}


# All places take minutes: without IOB_PLACES=all those of every eighth function have their turn.
# A function's places go together, as one may be reached only if another goes without.
# With it, a place that is reached in several phases goes without memory in each.
ALL = os.environ.get("IOB_PLACES") == "all"
EVERY = 1 if ALL else 8
left = set()


def turns(places):
    """Those of @places that have their turn"""
    those = [site for site in places if zlib.crc32(site.function.encode()) % EVERY == 0]
    left.update(set(places) - set(those))
    return those


def note(site, phase):
    covered.setdefault(site, []).append(phase)


def load():
    code, said = output("insmod", os.environ["IOB_KO"])
    return said if code else ""


sums_fd = None


def hold_sums():
    """Sums that go with their acts are kept while a program has sums_bin open."""
    global sums_fd
    if sums_fd is None:
        sums_fd = os.open(path("sums_bin"), os.O_RDONLY)


def unload():
    global sums_fd
    if sums_fd is not None:
        os.close(sums_fd)
    sums_fd = None
    same("rmmod", output("rmmod", "ioblame"), (0, ""))


def hooks():
    return status()["hooks"]


def configure():
    put("devs", " ".join(disk.name for disk in work.disks))
    put("nr_counters", "2")
    put("counters/0", "W size 0 4096 8192 16384 32768 65536 131072 262144 0")
    put("counters/1", "RAW total_time 0 1 10 100 1000 10000 100000 1000000 0")
    put("counters/1_filter", "size > 512")
    put("ttl_secs", "1")
    put("log_at_enable", "1")
    put("sums", "1")
    hold_sums()


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
traces = Traces()
sites.watch(sites.all)
same("insmod", load(), "")
loading = sites.hits()
plain_hooks = hooks()
unload()
traces.same_after("a load")
told("loading: %d sites" % len(loading))
for site in turns(loading):
    hits = loading[site]
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
        traces.same_after(what)
told("loading is refused")

# --- what each session does, and what the first one does
MORE = {"index_publish": work.many, "pool_fill_cpu": work.many,
        "iob_pool_get": work.many, "alloc_spare": work.many_bios,
        "fill_spare": work.many_bios, "iob_bio_ctx_alloc": work.many_bios}
SPARE = [site for site in sites.all if site.function == "alloc_spare"]
# what is reached only if something else goes without memory
ALSO = {"fill_spare": SPARE, "iob_bio_ctx_alloc": SPARE,
        "iob_pool_get": [site for site in sites.all if site.function == "pool_fill_cpu"]}


def losses():
    return {name: n for name, n in status()["lost"].items() if n}


def check_loss(what, site, lost):
    """No memory at run time is a loss, @lost has its name, unless the place has none."""
    names = LOSSES.get(site.line.split(":")[0], ())
    # (a kernel without debug information does not tell the file of the module's functions)
    if not site.line.startswith(("src/", "include/")):
        names = [name for of_file in LOSSES.values() for name in of_file]
    check(set(names) & set(lost) or site.function in NO_LOSS, what, "is no loss of", names, "but:",
          lost)


def loss_or_none(what, site, before):
    check_loss(what, site, {name: n for name, n in losses().items() if n > before.get(name, 0)})


def reload():
    unload()
    same("insmod", load(), "")
    configure()


def session(do):
    """Sites that are hit while enabling, running and disabling, each with its hits"""
    sites.zero()
    put("enable", "1")
    hits = [sites.hits()]
    sites.zero()
    do()
    hits.append(sites.hits())
    usual.update(losses())
    sites.zero()
    disable()
    hits.append(sites.hits())
    sites.zero()
    return hits


# What keeps the sum of an act that goes; a compiler may make it a part of its caller
KEPT = "keep_gone" if "keep_gone" in {site.function for site in sites.all} else "iob_sums_keep"


def plain_round():
    work.round(work.many, whole=True)
    # reclaim takes the acts when it looks next, and a slow machine looks late
    for later in "reclaim_pass", KEPT:
        eventually("a look of reclaim: " + later,
                   lambda name=later: name in {site.function for site in sites.hits()})


sites.watch(sites.all)
same("insmod", load(), "")
sites.zero()
configure()
configuring = sites.hits()
first = session(plain_round)[0]
enabling, running, disabling = session(plain_round)
plain = ["devs", "nr_counters", "ttl_secs"]
plain += ["counters/" + name for name in sorted(os.listdir(IOB + "/counters"))]
enable()
plain_hooks = hooks()
disable()
told("configuring: %d sites, enabling: %d, anew: %d, running: %d, disabling: %d; usual losses: %s"
     % (len(configuring), len(first), len(enabling), len(running), len(disabling), usual))


def settings():
    return {name: value(name) for name in plain}


# --- configuring: what is made for a disk that was never watched
for site in set(configuring) if ALL else set(configuring) - set(running) - set(covered):
    what = "configuring without memory for the %s" % site
    unload()
    same("insmod", load(), "")
    sites.fail(site, 0, 1)
    said = write_error("devs", work.raw.name)
    if failed(site):
        note(site, "configure")
        if site not in running or said:
            same(what, said, "ENOMEM")
            same("devs after " + what, value("devs"), "")
    configure()


# --- enabling

def enable_without(main, fails, skip, hits):
    """@fails go without memory, first of all @main; the other sites that are hit then"""
    what = "enabling without memory for the %s, %d/%d" % (main, skip, hits)
    if main not in enabling:
        reload()
    before, bins = settings(), iolog_bins()
    sites.zero()
    for site in fails:
        sites.fail(site, 0, ALWAYS)
    sites.fail(main, skip, 1)
    said = write_error("enable", "1")
    other = set(sites.hits()) - set(enabling) - set(first) - set(running) - set(fails)
    if not failed(main):
        # (IO beside it has had the place the first time)
        check(main in running, "nothing failed:", what)
        same(what + ", which it did not need", said, "")
        disable()
        return other
    note(main, "enable")
    if said:
        same(what, said, "ENOMEM")
        same("enable after " + what, value("enable"), "0")
        # a session that has not begun leaves that before it
        check(iolog_bins() in ([], bins), "binary logs after", what, iolog_bins())
        same("settings after " + what, settings(), before)
    else:
        missing = sorted(set(hooks()) - set(plain_hooks))
        check(main.function in SERVES or missing, what, "is not told")
        # without a hook less is known; status says so
        work.round(whole=not missing)
        told("%s: %s" % (what, missing))
        disable()
    return other


for site in turns({**first, **enabling}):
    hits = {**first, **enabling}[site]
    others = set()
    for skip in sorted({0, hits - 1}):
        others |= enable_without(site, [site], skip, hits)
    for other in others - set(covered) - set(disabling) - left:
        enable_without(other, [other, site], 0, 1)
    works("enabling without memory for the %s" % site)
enable()
same("hooks in the end", hooks(), plain_hooks)
told("enabling is refused")

# --- reading and writing files of an enabled session


def error_of_read(name, flags=os.O_RDONLY):
    def all_of():
        fd = os.open(path(name), flags)
        try:
            read_fd(fd)
        finally:
            os.close(fd)

    return error_of(all_of)


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


OPS = [reads(name) for name in ("devs", "status", "roles", "intents", "intents_bin",
                                "counters_pipe", "counters_pipe_bin", "sums_bin",
                                "stats/idx_nomem", "nr_counters", "counters/0",
                                "counters/1_filter")]
OPS += [("mounting the file system", "", mount_own)]
OPS += [reads("stats/" + name) for name in os.listdir(IOB + "/stats") if "." in name][:1]
OPS += [reads(name, os.O_RDONLY | os.O_NONBLOCK) for name in ("iolog", "iolog_bin0")]
OPS += [writes("counters/0", "W size 0 1 2 3 4 5 6 7 0"),
        writes("counters/1", "W age 0 1 2 3 4 5 6 7 0"),
        writes("counters/1_filter", "size > 4096"),
        writes("counters/1_filter", "size >", "EINVAL"),
        writes("ttl_secs", "1"),
        writes("devs", work.raw.name),
        writes("devs", work.btrfs.node, "", os.O_TRUNC)]
NO_MEMORY = "error=-12"
# What is done for what was unused for ttl_secs
LATER = "reclaim_pass", "iob_sums_release", KEPT


tried = set()


def try_ops(ops):
    for what, want, do in ops:
        sites.zero()
        same(what, do(), want)
        hit = set(sites.hits())
        for site in turns(hit if ALL else hit - set(running)):
            # (a hook is attached in other places, too)
            if site in covered and site.function != "hook_attach" and not ALL:
                continue
            # once for each place and kind of file
            if ALL and (site, what) in tried:
                continue
            tried.add((site, what))
            before, lost = settings(), losses()
            sites.fail(site, 0, 1)
            said = do()
            if not failed(site):
                continue
            note(site, "file")
            if said == "ENOMEM":
                same("settings after the refused " + what, settings(), before)
            elif site in running:
                # (the reader itself, or IO beside it)
                same(what + " without memory for the %s" % site, said, want)
                loss_or_none(what, site, lost)
            else:
                check(any(NO_MEMORY in line for line in hooks()), what, "says %r" % said,
                      "without memory for the", site)
            same("again, " + what, do(), want)
            same("hooks without memory", [line for line in hooks() if NO_MEMORY in line], [])


work.round(whole=True)
try_ops(OPS)


# --- a module with hooks goes
def f2fs_comes():
    same("modprobe", output("modprobe", "f2fs"), (0, ""))


def f2fs_goes():
    same("modprobe -r", output("modprobe", "-r", "f2fs"), (0, ""))


for site in [None] + [site for site in sites.all if site.function == "iob_entry_disarm"]:
    f2fs_comes()
    if site:
        sites.fail(site, 0, ALWAYS)
    f2fs_goes()
    if site and failed(site):
        note(site, "module")

# --- and comes: what is looked up the first time is tried again
sites.zero()
f2fs_comes()
came = set(sites.hits())
whole = sorted(hooks())
f2fs_goes()
looking_up = {site for site in came if site.function == "hooks_look_up_in"}
check(looking_up, "f2fs came, and these had a call:", came)
for site in looking_up | set(turns(came)):
    sites.fail(site, 0, 1)
    f2fs_comes()
    if failed(site):
        note(site, "module")
    if site in looking_up:
        same("hooks after one had no memory", sorted(hooks()), whole)
    f2fs_goes()
    f2fs_comes()
    same("hooks when f2fs came again after the %s" % site, sorted(hooks()), whole)
    f2fs_goes()
disable()
try_ops([writes("nr_counters", "3"), writes("nr_counters", "2")])
told("files refuse")


# --- memory comes, and the table cannot grow: what its pages are charged to is less exact
configure()
for site in [site for site in sites.all if site.function == "planes_memory_event"]:
    enable()
    sites.fail(site, 0, ALWAYS)
    put(MEMORY, "online_movable")
    check(failed(site), "nothing failed: memory comes without memory for the", site)
    note(site, "memory")
    work.round()
    eventually("the memory can go", lambda: not write_error(MEMORY, "offline"))
    disable()
    works("memory that came and went")


# --- while IO runs

def run_without(main, fails):
    """A session in which @fails go without memory, first once, then always; the other sites hit"""
    what = "running without memory for the %s" % main
    refused = 0

    def read_again(error):
        nonlocal refused
        same("reading iolog, " + what, error, "ENOMEM")
        refused += failed(main)

    work.read_again = read_again
    enable()
    n = 0
    for times in 1, ALWAYS:
        for site in fails:
            sites.fail(site, 0, ALWAYS)
        sites.fail(main, 0, times)
        work.round(MORE.get(main.function))
        if main.function in LATER:
            eventually("a look of reclaim", lambda: sites.counts()[main][1])
        n += sites.counts()[main][1]
    other = set(sites.hits()) - set(running) - set(disabling) - set(fails)
    failed(main)
    lost = losses()
    if n or refused:
        note(main, "run")
    if n:
        check_loss(what, main, {name: n for name, n in lost.items() if name not in usual})
        work.round(whole=True)
    disable()
    told("%s: %d times, %d refused: %s" % (what, n, refused, lost))
    return other


reload()
for site in turns([site for site in sites.all if site in running or site not in covered]):
    others = run_without(site, [site] + ALSO.get(site.function, []))
    for other in others - set(covered) - left:
        run_without(other, [other, site])

# --- disabling and unloading
for site in set(disabling) if ALL else set(disabling) - set(running):
    enable()
    lost = losses()
    sites.fail(site, 0, ALWAYS)
    said = write_error("enable", "0")
    if not failed(site):
        # (IO beside it has had the place the first time)
        check(site in running, "nothing failed: disabling without memory for the", site)
        continue
    note(site, "disable")
    if said:
        same("disabling without memory for the %s" % site, (said, value("enable")), ("ENOMEM", "1"))
        disable()
    elif site in running:
        loss_or_none("disabling", site, lost)
    works("disabling without memory for the %s" % site)
told("disabling")
enable()
sites.zero()
unload()
unloading = set(sites.hits()) if ALL else set(sites.hits()) - set(running)
traces.same_after("unloading")
for site in unloading:
    same("insmod", load(), "")
    configure()
    enable()
    # (tried until there is memory: else ftrace's filter would be lost)
    sites.fail(site, 0, 3 if site.function == "iob_ops_clear_filter" else ALWAYS)
    unload()
    if failed(site):
        note(site, "unload")
    else:
        check(site in running, "nothing failed: unloading without memory for the", site)
    traces.same_after("unloading without memory for the %s" % site)
told("unloading")

attached = [line.split()[1] for line in plain_hooks if " attached" in line]
missing = [str(site) for site in sites.all if site not in covered and site not in left and
           CALLED_BY.get(site.function, attached[0]) in attached]
left -= set(covered)
if left:
    print("%d of %d sites had no turn: make check-places gives it to all"
          % (len(left), len(sites.all)))
phases = {}
for site, those in covered.items():
    for phase in set(those):
        phases[phase] = phases.get(phase, 0) + 1
print("sites that went without memory in each phase:", phases)
print("%d sites, %d failures in %.0f s" % (len(sites.all), failures, time.monotonic() - began))
sites.end()
work.end()
check(not missing, "never without memory:", "; ".join(missing))
