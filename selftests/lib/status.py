# SPDX-License-Identifier: GPL-2.0
"""The file `status`: settings, sums for each disk and operation, hooks, layouts, losses."""


def parse(text):
    """{"enabled": "1", ..., "disk vda W": {"ios": 2, ...}, "hooks": [...], "layouts": {...},
    "lost": {...}}"""
    got = {"hooks": [], "layouts": {}, "lost": {}}
    for line in text.splitlines():
        key, _, rest = line.partition(" ")
        if key in ("disk", "total"):
            words = line.split(" ")
            name = " ".join(w for w in words if "=" not in w)
            got[name] = {k: int(v) for k, v in (w.split("=") for w in words if "=" in w)}
        elif key == "hook":
            got["hooks"].append(rest)
        elif key == "layout":
            name, _, state = rest.partition(" ")
            got["layouts"][name] = state
        elif key == "loss":
            got["lost"][rest.split()[0]] = int(rest.split()[1])
        else:
            got[key] = rest
    return got


def disk_rows(status):
    """Yield (disk, operation, sums) of what parse() gives."""
    for name, sums in status.items():
        if name.startswith("disk "):
            _, disk, op = name.split(" ")
            yield disk, op, sums
