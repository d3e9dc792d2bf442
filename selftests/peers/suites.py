# SPDX-License-Identifier: GPL-2.0
"""The suites of others: which tests each has, how one is run, and what came of it.

A suite's tests() are names; run(name, task) gives a Result. Its `disks` are what the host makes,
as vm/disks.sh has them, and `needs` the built suite it takes programs from.
"""
import glob
import hashlib
import os
import re
from dataclasses import dataclass

HOME = "/peers"
WORK = "/mnt/work"
PASS, FAIL, SKIP, SLOW = "pass", "fail", "skip", "slow"
REASON = 160


@dataclass
class Result:
    """@digest: of what the test has left, where that must be the same each time."""
    status: str
    reason: str = ""
    digest: str = ""


def slow(limit):
    return Result(SLOW, "no end within %d s" % limit)


def read_text(path):
    try:
        with open(path, encoding="utf-8", errors="replace") as f:
            return f.read()
    except OSError:
        return ""


def last_line(text, pattern="."):
    lines = [line.strip() for line in text.splitlines() if re.search(pattern, line)]
    return lines[-1][:REASON] if lines else ""


def node(name):
    return os.environ["DISK_" + name]


class Suite:
    disks = ""
    needs = ""

    def setup(self, task):
        """Once for each guest."""

    def tests(self):
        raise NotImplementedError

    def run(self, name, task):
        raise NotImplementedError


class Xfstests(Suite):
    """The group `quick` of one file system."""
    needs = "xfstests"

    def __init__(self, fs):
        self.fs = fs
        self.disks = "test:%s=8G scratch=8G pool1=8G pool2=8G pool3=8G" % fs
        self.home = HOME + "/xfstests"
        self.results = "/tmp/results"

    def environment(self):
        env = {"FSTYP": self.fs, "TEST_DEV": node("test"), "TEST_DIR": "/mnt/test",
               "SCRATCH_MNT": "/mnt/scratch", "RESULT_BASE": self.results}
        pool = " ".join(node(name) for name in ("scratch", "pool1", "pool2", "pool3"))
        if self.fs == "btrfs":
            env["SCRATCH_DEV_POOL"] = pool
        else:
            env.update(SCRATCH_DEV=node("scratch"), LOGWRITES_DEV=node("pool1"))
        return env

    def setup(self, task):
        for folder in "/mnt/test", "/mnt/scratch", self.results:
            os.makedirs(folder, exist_ok=True)
        for user in "fsgqa", "123456-fsgqa", "fsgqa2":
            task.setup("useradd", "-m", "--badname", user)

    def tests(self):
        names = []
        for area in "generic", self.fs:
            for line in read_text("%s/tests/%s/group.list" % (self.home, area)).splitlines():
                words = line.split()
                if "quick" in words and words[0].isdigit():
                    names.append(area + "/" + words[0])
        return names

    def run(self, name, task):
        code, said = task.command("./check", name, cwd=self.home, env=self.environment())
        if code is None:
            return slow(task.limit)
        if re.search(r"^Not run: .*%s" % name, said, re.MULTILINE):
            why = read_text("%s/%s.notrun" % (self.results, name))
            return Result(SKIP, last_line(why) or last_line(said, "not run"))
        if re.search(r"^Failures: .*%s" % name, said, re.MULTILINE):
            return Result(FAIL, last_line(said, r"\[failed|mismatch|_check_|inconsistent") or
                          last_line(said, "^    [+]"))
        if code == 0 and re.search(r"^Passed all 1 tests", said, re.MULTILINE):
            return Result(PASS)
        return Result(FAIL, "check says: " + last_line(said))


class Blktests(Suite):
    needs = "blktests"
    disks = "test:ext4=4G scratch=2G nvmea=2G scsia=2G"
    groups = "block", "loop", "nvme", "scsi", "throtl", "dm"

    def __init__(self):
        self.home = HOME + "/blktests"

    def setup(self, task):
        task.mount("test", WORK, "ext4")
        devices = " ".join(node(name) for name in ("scratch", "nvmea", "scsia"))
        with open(self.home + "/config", "w", encoding="ascii") as f:
            f.write("TEST_DEVS=(%s)\nTIMEOUT=20\nNVMET_TRTYPES=loop\nNVME_IMG_SIZE=256M\n"
                    "NVME_NUM_ITER=20\n" % devices)

    def tests(self):
        return ["%s/%s" % (group, os.path.basename(path)) for group in self.groups
                for path in sorted(glob.glob("%s/tests/%s/[0-9][0-9][0-9]" % (self.home, group)))]

    def run(self, name, task):
        task.setup("rm", "-rf", self.home + "/results")
        code, said = task.command("./check", name, cwd=self.home, env={"TMPDIR": WORK})
        if code is None:
            return slow(task.limit)
        found = {PASS: [], FAIL: [], "not run": []}
        for path in sorted(glob.glob("%s/results/**/%s*" % (self.home, name), recursive=True)):
            facts = dict(line.split("\t", 1) for line in read_text(path).splitlines()
                         if "\t" in line)
            if facts.get("status") in found and not re.search(r"\.(full|out|dmesg)", path):
                found[facts["status"]].append(facts.get("reason", ""))
        if found[FAIL] or code not in (0, 1):
            return Result(FAIL, "; ".join(found[FAIL])[:REASON] or last_line(said))
        if found[PASS]:
            return Result(PASS)
        return Result(SKIP, last_line(said, "^    ") or "check says nothing")


class Ltp(Suite):
    """io (direct and asynchronous IO), fs, and of syscalls those of the file ./syscalls."""
    needs = "ltp"
    disks = "test:ext4=4G scratch=2G"
    groups = {"dio": "io", "ltp-aiodio.part1": "io", "ltp-aiodio.part2": "io",
              "ltp-aiodio.part3": "io", "ltp-aiodio.part4": "io", "ltp-aio-stress": "io",
              "fs": "fs", "syscalls": "syscalls-io"}
    # bits of a test's exit status
    FAILED, BROKEN, WARNED, UNFIT = 1, 2, 4, 32

    def __init__(self):
        self.home = HOME + "/ltp"
        self.commands = {}

    def setup(self, task):
        task.mount("test", WORK, "ext4")

    def tests(self):
        built = set(os.listdir(self.home + "/testcases/bin"))
        for file, group in self.groups.items():
            for line in read_text("%s/runtest/%s" % (self.home, file)).splitlines():
                words = line.split(None, 1)
                if not words or line.startswith("#"):
                    continue
                name, command = words[0], words[-1]
                # those of other system calls are not built
                if group == "syscalls-io" and command.split()[0] not in built:
                    continue
                self.commands["%s/%s" % (group, name)] = command
        return list(self.commands)

    def run(self, name, task):
        folder = WORK + "/ltp"
        task.setup("rm", "-rf", folder)
        os.makedirs(folder)
        os.chmod(folder, 0o777)
        env = {"LTPROOT": self.home, "TMPDIR": folder, "LTP_DEV": node("scratch"),
               "LTP_DEV_FS_TYPE": "ext4", "LTP_SINGLE_FS_TYPE": "ext4", "LTP_TIMEOUT_MUL": "10",
               "PATH": "%s/testcases/bin:%s" % (self.home, os.environ["PATH"])}
        code, said = task.command("sh", "-c", self.commands[name], cwd=folder, env=env)
        if code is None:
            return slow(task.limit)
        if code == self.UNFIT:
            return Result(SKIP, last_line(said, "TCONF"))
        if code & (self.FAILED | self.BROKEN) or code & ~(self.WARNED | self.UNFIT):
            return Result(FAIL, last_line(said, "TFAIL|TBROK|FAIL") or "exit status %d" % code)
        return Result(PASS)


class StressNg(Suite):
    """Each stressor of the classes filesystem and io, by a number of operations."""
    disks = "test:ext4=4G"
    OPS, SECONDS = 300, 20
    # what stress-ng exits with where it cannot run a stressor
    NO_RESOURCE, NOT_IMPLEMENTED = 3, 4

    def setup(self, task):
        task.mount("test", WORK, "ext4")

    def tests(self):
        names = set()
        for kind in "filesystem", "io":
            with os.popen("stress-ng --class '%s?' 2>&1" % kind) as said:
                names.update(said.read().partition(":")[2].split())
        return sorted(names)

    def run(self, name, task):
        code, said = task.command(
            "stress-ng", "--" + name, "2", "--%s-ops" % name, str(self.OPS), "--timeout",
            str(self.SECONDS), "--verify", "--temp-path", WORK, cwd=WORK)
        if code is None:
            return slow(task.limit)
        if code in (self.NO_RESOURCE, self.NOT_IMPLEMENTED) or "unsupported" in said:
            return Result(SKIP, last_line(said, "skip|support|resource") or "exit status %d" % code)
        return Result(PASS) if code == 0 else Result(
            FAIL, last_line(said, "fail|error") or "exit status %d" % code)


class OnEach(Suite):
    """Something on each file system; a test is FILESYSTEM/WAY-SEED."""
    needs = "xfstests"
    disks = "ext4=1G xfs=1G btrfs=1G f2fs=1G vfat=1G"
    file_systems = "ext4", "xfs", "btrfs", "f2fs", "vfat"
    ways = {}
    seeds = range(1, 6)

    def setup(self, task):
        for fs in self.file_systems:
            task.mount(fs, "/mnt/" + fs, fs)

    def tests(self):
        return ["%s/%s-%d" % (fs, way, seed) for seed in self.seeds for way in self.ways
                for fs in self.file_systems]

    def parts(self, name):
        fs, rest = name.split("/")
        way, seed = rest.rsplit("-", 1)
        return fs, self.ways[way], seed


class Fsx(OnEach):
    """The file's content at the end depends on nothing but the seed and the file system."""
    ways = {"any": [], "direct": ["-Z", "-r", "4096", "-w", "4096"], "aio": ["-A"],
            "uring": ["-U"]}

    def run(self, name, task):
        fs, options, seed = self.parts(name)
        path = "/mnt/%s/%s" % (fs, name.replace("/", "-"))
        code, said = task.command(HOME + "/xfstests/ltp/fsx", "-q", "-N", "5000", "-S", seed,
                                  "-l", "262144", *options, path, cwd="/tmp")
        if code is None:
            return slow(task.limit)
        if code and re.search("not support|Invalid argument|unrecognized|usage", said):
            return Result(SKIP, last_line(said))
        if code:
            return Result(FAIL, last_line(said) or "exit status %d" % code)
        task.setup("sync", "-f", path)
        with open(path, "rb") as f:
            content = f.read()
        os.unlink(path)
        return Result(PASS, "", hashlib.sha256(content).hexdigest()[:16])


class Fsstress(OnEach):
    """Four processes that do anything; then the file system must be sound."""
    ways = {"4": ["-p", "4", "-n", "150"], "1": ["-p", "1", "-n", "400"]}
    checks = {"ext4": ["e2fsck", "-fn"], "xfs": ["xfs_repair", "-n"],
              "btrfs": ["btrfs", "check"], "f2fs": ["fsck.f2fs", "--dry-run"],
              "vfat": ["fsck.vfat", "-n"]}

    def run(self, name, task):
        fs, options, seed = self.parts(name)
        folder = "/mnt/%s/stress" % fs
        task.setup("rm", "-rf", folder)
        os.makedirs(folder)
        code, said = task.command(HOME + "/xfstests/ltp/fsstress", "-d", folder, "-s", seed,
                                  "-l", "1", *options, cwd="/tmp")
        if code is None:
            return slow(task.limit)
        task.setup("umount", "/mnt/" + fs)
        unsound, checked = task.command(*self.checks[fs], node(fs), cwd="/tmp")
        task.mount(fs, "/mnt/" + fs, fs)
        if code:
            return Result(FAIL, last_line(said) or "exit status %d" % code)
        if unsound is None:
            return slow(task.limit)
        return Result(FAIL, "the check says: " + last_line(checked)) if unsound else Result(PASS)


class Mdadm(Suite):
    """mdadm's own tests, on loop devices whose files are on a watched disk."""
    needs = "mdadm"
    disks = "test:ext4=4G"

    def __init__(self):
        self.home = HOME + "/mdadm"

    def setup(self, task):
        task.mount("test", "/var/tmp", "ext4")

    def tests(self):
        return sorted(os.path.basename(path) for path in glob.glob(self.home + "/tests/[0-9]*"))

    def run(self, name, task):
        code, said = task.command("./test", "--tests=" + name, "--keep-going", cwd=self.home)
        if code is None:
            return slow(task.limit)
        if "succeeded" in said:
            return Result(PASS)
        if "FAILED" not in said and "ERROR" not in said:
            return Result(SKIP, last_line(said) or "exit status %d" % code)
        log = last_line(read_text("/var/tmp/%s.log" % name))
        return Result(FAIL, last_line(said, "ERROR") or log or "exit status %d" % code)


SUITES = {"xfstests-ext4": lambda: Xfstests("ext4"), "xfstests-xfs": lambda: Xfstests("xfs"),
          "xfstests-btrfs": lambda: Xfstests("btrfs"), "blktests": Blktests, "ltp": Ltp,
          "stress-ng": StressNg, "fsx": Fsx, "fsstress": Fsstress, "mdadm": Mdadm}
