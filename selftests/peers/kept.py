# SPDX-License-Identifier: GPL-2.0
"""The last result of each test of others' suites, from all runs.

No run has time for all tests, so each takes over its results into the file `kept`, and begins
with those that have none there. A line is

    KERNEL SUITE TEST VERDICT STATUS SUMS OPEN DATE COMMIT REASON

VERDICT is same, flaky or different; or fault, for a test that is not different, if the kernel
complains only with ioblame, or something was wrong when the guests ended. That may be the fault of
each test that ran there, so it is kept as the reason of all of them, until they run again.

STATUS is the result without it. SUMS counts sums that closed, OPEN those that did not. DATE is
when the test ran last with ioblame, in UTC; of what was kept before that had a time, the day.
COMMIT is the one that was checked out when what ran was copied, or "-". The line of the test END
tells how the guests with ioblame ended the last time; its STATUS is the number of tests that the
suite has.
"""
import collections

END = "(end)"
FIELDS = ("kernel", "suite", "test", "verdict", "status", "sums", "open", "date", "commit",
          "reason")

Kept = collections.namedtuple("Kept", FIELDS)


def read(path):
    """{(kernel, suite, test): Kept}"""
    with open(path, encoding="utf-8") as f:
        rows = [Kept(*line.rstrip("\n").split(" ", len(FIELDS) - 1)) for line in f]
    return {row[:3]: row for row in rows}


def write(path, kept):
    with open(path, "w", encoding="utf-8") as f:
        for _, row in sorted(kept.items()):
            f.write(" ".join(row) + "\n")


def one_line(text):
    """What a suite says, without what would end the line."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split()) or "-"


def both_told(test):
    return "without %s | with %s" % (test.told(test.without), test.told(test.with_it))


def wrong_in(test):
    """What is wrong in the test itself, or not always the same."""
    if test.faults():
        return test.faults()
    if test.verdict() != "same":
        return [both_told(test)]
    return ["%s by itself %s, by ioblame %s" % tuple(what) for what in test.open_sums()]


def of_test(kernel, suite, test, ended, date, commit):
    """@ended is what was wrong at the guests' end, @commit what ran if the result does not say."""
    commit = test.with_it[max(test.with_it)].get("commit", commit)
    verdict, said = test.verdict(), wrong_in(test)
    if verdict != "different" and (test.faults() or ended):
        verdict = "fault"
    if ended:
        said.append("at the guest's end: " + "; ".join(ended))
    reason = "; ".join(said) or test.told(test.with_it).partition(": ")[2]
    return Kept(kernel, suite, test.name, verdict, test.status(), str(test.closed_sums()),
                str(len(test.open_sums())), date, commit, one_line(reason))


def of_end(kernel, suite, comparison, date, commit):
    faults = comparison.end_faults()
    return Kept(kernel, suite, END, "fault" if faults else "same", str(len(comparison.all)), "0",
                "0", date, commit, one_line("; ".join(faults) or comparison.log_line()))


def put(kept, new):
    """An older result never replaces a newer one: each module, built suite and time limit has a
    folder of its own, and all that is in it is taken over each time."""
    old = kept.get(new[:3])
    if not old or old.date <= new.date:
        kept[new[:3]] = new


def take_over(kept, kernel, suite, comparison, commit):
    """The results of a run; older ones of the same tests are replaced."""
    rows = [of_test(kernel, suite, test, comparison.end_faults(), comparison.date_of(test.name),
                    commit) for test in comparison.compared]
    if rows:
        newest = max(rows, key=lambda row: row.date)
        rows.append(of_end(kernel, suite, comparison, newest.date, newest.commit))
    for row in rows:
        put(kept, row)


def later(kept, kernel, suite):
    """The tests that have a result, those first whose result is the oldest."""
    rows = [row for row in kept.values() if row[:2] == (kernel, suite) and row.test != END]
    return [row.test for row in sorted(rows, key=lambda row: (row.date, row.test))]


class Suite:
    """What is kept of one suite on one kernel."""

    def __init__(self, kept, kernel, suite):
        mine = [row for key, row in sorted(kept.items()) if key[:2] == (kernel, suite)]
        self.kernel, self.suite = kernel, suite
        self.rows = [row for row in mine if row.test != END]
        self.end = [row for row in mine if row.test == END]

    def all(self):
        return int(self.end[0].status) if self.end else len(self.rows)

    def of(self, *verdicts):
        return [row for row in self.rows if row.verdict in verdicts]

    def count(self, status):
        return sum(row.status == status for row in self.rows)

    def sums(self):
        return sum(int(row.sums) for row in self.rows)

    def open(self):
        return [row for row in self.rows if row.open != "0"]

    def dates(self):
        """The days of the oldest result and of the newest."""
        dates = [row.date[:len("2001-09-09")] for row in self.rows]
        return min(dates), max(dates)


def suites(kept, order):
    """A Suite for each suite of each kernel that has results, in the order of @order."""
    known = {key[:2] for key in kept}
    names = sorted(known, key=lambda k: (k[0], order.index(k[1]) if k[1] in order else len(order)))
    return [Suite(kept, *name) for name in names]
