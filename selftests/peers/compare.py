# SPDX-License-Identifier: GPL-2.0
"""What tests of others gave with ioblame and without, and whether that is the same.

A way's folder has `tests`, all names; `results`, a line of JSON for each test and round; and
`ends`, a line for each guest that ended by itself (see ./guest.py).
"""
import collections
import json
import os
import time

ROUNDS = 3      # how often a test that differs is run again, both ways


def rows(path):
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8") as f:
        return [json.loads(line) for line in f if line.strip()]


def outcome(row):
    """What must be the same. Reasons have times and numbers in them, and are shown only."""
    return row["status"], row.get("digest", ""), tuple(row.get("log", ()))


class Test:
    """One test: its results both ways, by round."""

    def __init__(self, name):
        self.name, self.without, self.with_it = name, {}, {}

    def both(self):
        return bool(self.without and self.with_it)

    def verdict(self):
        """same: at once. flaky: it differed, but each way gave at least once what the other
        gave, so it is not ioblame that makes the difference. different: they never met."""
        first = [outcome(way[min(way)]) for way in (self.without, self.with_it)]
        if first[0] == first[1]:
            return "same"
        seen = [{outcome(row) for row in way.values()} for way in (self.without, self.with_it)]
        return "flaky" if seen[0] & seen[1] else "different"

    def is_open(self):
        """Did sums not close when it ran last?"""
        return bool(self.with_it[max(self.with_it)].get("open"))

    def again(self):
        """Is it to be run again?"""
        return (self.both() and (self.verdict() == "different" or self.is_open()) and
                min(max(self.without), max(self.with_it)) < ROUNDS)

    def status(self):
        return self.without[min(self.without)]["status"]

    def told(self, way):
        """`fail, fail, pass: the last reason`"""
        results = [way[nr] for nr in sorted(way)]
        text = ", ".join(row["status"] for row in results)
        reason = results[-1]["reason"] or "; ".join(results[-1]["log"][:1])
        return text + (": " + reason if reason else "")

    def open_sums(self):
        """(disk, by itself, by ioblame) of sums that do not close."""
        return [what for row in self.with_it.values() for what in row.get("open", ())]

    def closed_sums(self):
        return sum(row.get("closed", 0) for row in self.with_it.values())

    def faults(self):
        """What the kernel complains of with ioblame, and never without it, is a fault also of a
        test that gives the same in another round: most races are lost seldom."""
        usual = {line for row in self.without.values() for line in row.get("log", ())}
        said = ["the kernel's log, only with ioblame: " + line
                for row in self.with_it.values() for line in row.get("log", ())
                if line not in usual]
        return said + ["the reader of the log was gone" for row in self.with_it.values()
                       if row.get("reader") is False]


class Comparison:
    def __init__(self, without, with_it):
        self.folders = without, with_it
        self.all = self.names(without) or self.names(with_it)
        self.tests = {}
        for folder, way in (without, "without"), (with_it, "with_it"):
            for row in rows(folder + "/results"):
                test = self.tests.setdefault(row["test"], Test(row["test"]))
                getattr(test, way)[row["round"]] = row
        self.compared = [t for _, t in sorted(self.tests.items()) if t.both()]
        self.ends = rows(with_it + "/ends")

    @staticmethod
    def names(folder):
        try:
            with open(folder + "/tests", encoding="utf-8") as f:
                return f.read().split("\n")[:-1]
        except OSError:
            return []

    def date_of(self, name):
        """When the test ran last with ioblame, in UTC; if its log is gone, when any test did."""
        path = "%s/log/%s" % (self.folders[1], name.replace("/", "-"))
        if not os.path.exists(path):
            path = self.folders[1] + "/results"
        return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(os.stat(path).st_mtime))

    def of(self, verdict):
        return [t for t in self.compared if t.verdict() == verdict]

    def again(self):
        return [t.name for t in self.compared if t.again()]

    def open_sums(self):
        return [what for t in self.compared for what in t.open_sums()]

    def good(self):
        """Sums that close when the test runs again did not close before."""
        return bool(self.compared) and not (
            self.of("different") or self.open_sums() or self.end_faults() or
            any(t.faults() for t in self.compared))

    def end_faults(self):
        """What is wrong with ioblame itself when a guest ends."""
        if not self.ends:
            return ["no guest with it has ended by itself"]
        said = []
        for end in self.ends:
            for name in end["left"]:
                said.append("left after unloading: " + name)
            if end["reader"]:
                said.append("the reader of the log ended with %d" % end["reader"])
            if not end["log_is_status"] and not end["lost"]:
                said.append("the log and status do not have the same bytes")
            said += ["kernel log at the end: " + line for line in end["log"]]
        return said

    def log_line(self):
        """What the reader of the log has seen."""
        losses = collections.Counter()
        for end in self.ends:
            losses.update(end["losses"])
        said = ", ".join("%s %d" % item for item in sorted(losses.items())) or "none"
        complaints = sum(1 for t in self.compared if any(r["log"] for r in t.with_it.values()))
        return "%d records read, %d lost; kernel log not clean in %d tests; losses: %s" % (
            sum(end["records"] for end in self.ends), sum(end["lost"] for end in self.ends),
            complaints, said)
