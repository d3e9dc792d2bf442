# SPDX-License-Identifier: GPL-2.0
"""What the kernel's memory holds, by kind, and whether it grows with what is done.

    before = memory.now()
    ...
    grown = memory.grown(before, memory.now(), 9000)
"""
import os
import re
import subprocess
import time

TRACING = "/sys/kernel/tracing"
PER_CACHE = "slab "
# kind: how many more may be by chance. Workers of the kernel come and go, each with a stack.
SLACK = {"vmalloc areas": 60, "vmalloc KiB": 2048, "percpu KiB": 256, "ftrace pages": 2,
         "threads": 30, "kprobes": 0, "ftraced functions": 0, "modules": 0}


def lines(name):
    try:
        with open(name, encoding="ascii", errors="replace") as f:
            return f.read().splitlines()
    except OSError:
        return []


def settle():
    """Free what is kept only in case that it is needed again."""
    for _ in range(3):
        subprocess.run(["sync"], check=True)
        with open("/proc/sys/vm/drop_caches", "w", encoding="ascii") as f:
            f.write("3")
        for cache in os.scandir("/sys/kernel/slab"):
            try:
                with open(cache.path + "/shrink", "w", encoding="ascii") as f:
                    f.write("1")
            except OSError:
                pass  # a link to a cache that is gone
        time.sleep(1)


def now():
    """{kind: number}, of a kernel that does nothing else."""
    settle()
    found = {}
    for line in lines("/proc/meminfo"):
        name, kib = line.split()[:2]
        if name == "Percpu:":
            found["percpu KiB"] = int(kib)
        elif name == "SUnreclaim:":
            found["unreclaimable slab KiB"] = int(kib)
    areas = lines("/proc/vmallocinfo")
    found["vmalloc areas"] = len(areas)
    found["vmalloc KiB"] = sum(int(a.split()[1]) for a in areas) // 1024
    for line in lines(TRACING + "/dyn_ftrace_total_info"):
        pages = re.search(r"pages:? *(\d+)", line)
        if pages:
            found["ftrace pages"] = int(pages.group(1))
    found["ftraced functions"] = len(lines(TRACING + "/enabled_functions"))
    found["kprobes"] = len(lines("/sys/kernel/debug/kprobes/list"))
    found["modules"] = len(lines("/proc/modules"))
    found["threads"] = sum(name.isdigit() for name in os.listdir("/proc"))
    for line in lines("/proc/slabinfo")[2:]:
        cache, objects = line.split()[:2]
        found[PER_CACHE + cache] = int(objects)
    return found


def grown(before, after, times):
    """{kind: growth} of what grew by more than chance when something was done so often.

    A cache counts if it has one object more for each second time.
    """
    wrong = {}
    for kind, number in after.items():
        more = number - before.get(kind, 0)
        if kind.startswith(PER_CACHE):
            if more > max(times // 2, 1000):
                wrong[kind] = more
        elif kind in SLACK and more > SLACK[kind]:
            wrong[kind] = more
    return wrong
