# What the cases of interface/ and lifetime/ share: ioblame's files, direct IO of
# known size, and what a disk itself says it did.
#
#	iob_python <<'END'		(lib.sh)
#	from iob import *
#	...
#	END
import errno, fcntl, mmap, os, re, select, signal, struct, subprocess, sys, time

IOB = os.environ["IOB"]
SCRATCH = os.environ["SCRATCH"]


def fail(*words):
    sys.stdout.flush()
    print("fail:", *words, file=sys.stderr, flush=True)
    os._exit(1)


def check(true, *words):
    if not true:
        fail(*words)


def same(what, got, want):
    check(got == want, "%s is %r, not %r" % (what, got, want))


def path(name):
    return name if name.startswith("/") else IOB + "/" + name


def read(name):
    with open(path(name), "rb") as f:
        return f.read().decode("ascii", "replace")


def value(name):
    return read(name).rstrip("\n")


# One write(2); the name of its error, or "" if it was taken whole
def write_error(name, text, flags=0):
    fd = os.open(path(name), os.O_WRONLY | flags)
    try:
        data = os.fsencode(text)
        n = os.write(fd, data)
        return "" if n == len(data) else "short: %d of %d" % (n, len(data))
    except OSError as e:
        return errno.errorcode[e.errno]
    finally:
        os.close(fd)


def put(name, text, flags=0):
    said = write_error(name, text, flags)
    check(not said, "writing %r to %s gives %s" % (text, name, said))


# Taken, and reads back so
def takes(name, text, reads, flags=0):
    put(name, text, flags)
    same(name + " after writing %r" % text, value(name), reads)


# Refused by this error, and nothing has changed
def refuses(error, name, text, flags=0):
    before = read(name)
    same("the error of writing %r to %s" % (text[:60], name),
         write_error(name, text, flags), error)
    same("%s after the refused %r" % (name, text[:60]), read(name), before)


def enable():
    takes("enable", "1", "1")


def disable():
    takes("enable", "0", "0")


# Memory that begins on a page
def buffer(size, byte=b"\xa5"):
    m = mmap.mmap(-1, size)
    m.write(byte * size)
    return m


class Disk:
    def __init__(self, node):
        self.node = node
        dev = os.stat(node).st_rdev
        self.number = "%d:%d" % (os.major(dev), os.minor(dev))
        self.name = os.path.basename(os.path.realpath("/sys/dev/block/" + self.number))
        self.dev = os.major(dev) << 20 | os.minor(dev)

    def queue(self, name):
        with open("/sys/block/%s/queue/%s" % (self.name, name)) as f:
            return f.read().strip()

    def open(self, flags=os.O_RDWR | os.O_DIRECT):
        return os.open(self.node, flags)

    # Each IO is one request that is complete on return
    def direct_write(self, offset, size, count=1):
        fd, m = self.open(), buffer(size)
        for i in range(count):
            same("pwrite", os.pwritev(fd, [m], offset + i * size), size)
        os.close(fd)

    def direct_read(self, offset, size, count=1):
        fd, m = self.open(), buffer(size)
        for i in range(count):
            same("preadv", os.preadv(fd, [m], offset + i * size), size)
        os.close(fd)

    # (reads, bytes read, writes, bytes written, discards, bytes, flushes) at rest
    def stat(self):
        last = None
        for _ in range(200):
            with open("/sys/block/%s/stat" % self.name) as f:
                v = [int(x) for x in f.read().split()]
            if v == last and v[8] == 0:
                break
            last = v
            time.sleep(0.05)
        v += [0] * (17 - len(v))
        return {"R": v[0], "Rb": v[2] * 512, "W": v[4], "Wb": v[6] * 512,
                "D": v[11], "Db": v[13] * 512, "F": v[15]}


# counters_pipe as it is now: a list of {who, comm, int, dev, ino, gen, hist}
PIPE_HEAD = re.compile(r"(pid-(\d+)|user-(\d+)|cgroup-(\d+))(?: \((.*)\))? "
                       r"int=(\d+) dev=0x([0-9a-f]+) ino=0x([0-9a-f]+) gen=0x([0-9a-f]+)$")


def parse_pipe(text):
    acts = []
    for line in text.splitlines():
        if line.startswith("  "):
            hist = [int(x) for x in line.split()]
            same("slots in %r" % line, len(hist), 8)
            acts[-1]["hist"].append(hist)
            continue
        m = PIPE_HEAD.match(line)
        check(m, "counters_pipe has a line %r" % line)
        acts.append({"who": m[1], "comm": m[5], "int": int(m[6]), "dev": int(m[7], 16),
                     "ino": int(m[8], 16), "gen": int(m[9], 16), "hist": []})
    return acts


def pipe():
    return parse_pipe(read("counters_pipe"))


# The histograms of one role, summed up over its acts
def counted(acts, who):
    total = {}
    for a in acts:
        if a["who"] == who:
            for nr, hist in enumerate(a["hist"]):
                old = total.setdefault(nr, [0] * 8)
                total[nr] = [x + y for x, y in zip(old, hist)]
    return total


# Records that step by their own length
def records(data, version=1):
    while data:
        length, ver = struct.unpack_from("=HH", data)
        same("version", ver, version)
        check(4 <= length <= len(data), "a record of %d bytes, %d left" % (length, len(data)))
        yield data[:length]
        data = data[length:]


def parse_pipe_bin(data):
    acts = []
    for rec in records(data):
        _, _, ident, intent, dev, ino, gen, pad = struct.unpack_from("=HHiIIQII", rec)
        same("padding", pad, 0)
        cnts = struct.unpack_from("=%dI" % ((len(rec) - 32) // 4), rec, 32)
        acts.append({"id": ident, "int": intent, "dev": dev, "ino": ino, "gen": gen,
                     "hist": [list(cnts[i:i + 8]) for i in range(0, len(cnts), 8)]})
    return acts


def read_bytes(name, size=1 << 20):
    with open(path(name), "rb", buffering=0) as f:
        return read_fd(f.fileno(), size)


def read_fd(fd, size=1 << 20):
    data = b""
    while True:
        part = os.read(fd, size)
        if not part:
            return data
        data += part


LOG_HEAD = re.compile(
    r"(?P<op>[RAWDF]) (?P<bytes>\d+) @ (?P<sector>\d+) "
    r"(?P<who>(?:pid|user|cgroup)-\d+)(?: \((?P<comm>.*)\))? "
    r"dev=0x(?P<dev>[0-9a-f]+) ino=0x(?P<ino>[0-9a-f]+) gen=0x(?P<gen>[0-9a-f]+)"
    r"(?P<words>(?: [a-z_]+=\S+)+)$")
LOG_INTENT = re.compile(r"  #(\d+) modifier=0x([0-9a-f]+)( wb=\S+| journal| reclaim)?$")
LOG_FRAME = re.compile(r"  \[[0-9a-f]{16}\] \S+( \[\w+\])?$")


# Every line of iolog must be one of three kinds
def parse_iolog(text):
    log = []
    for line in text.splitlines():
        m = LOG_HEAD.match(line)
        if m:
            e = m.groupdict()
            for k in ("bytes", "sector"):
                e[k] = int(e[k])
            for k in ("dev", "ino", "gen"):
                e[k] = int(e[k], 16)
            # op=discard and the like say which kind of D
            for key, text in (w.split("=", 1) for w in e.pop("words").split()):
                e["kind" if key == "op" else key] = text
            e["stack"] = []
            log.append(e)
            continue
        i = LOG_INTENT.match(line)
        if i:
            log[-1]["intent"] = int(i[1])
            log[-1]["modifier"] = int(i[2], 16)
            continue
        check(LOG_FRAME.match(line), "iolog has a line %r" % line)
        log[-1]["stack"].append(line.strip())
    return log


# What iolog has for us by now, without waiting
def iolog_now():
    fd = os.open(path("iolog"), os.O_RDONLY | os.O_NONBLOCK)
    data = b""
    try:
        while True:
            part = os.read(fd, 1 << 16)
            if not part:
                break
            data += part
    except BlockingIOError:
        pass
    os.close(fd)
    return parse_iolog(data.decode("ascii", "replace"))


BIN_FMT = "=HHBBHIIIIQii4QIIIIIIQQIHH16s16sB7x"
BIN_KEYS = ("len ver op how part nr_bios disk opf bytes sector error id dirty_ns queue_ns "
            "issue_ns complete_ns pid tgid intent modifier dev gen ino cgroup sub_pid hwq "
            "segments comm sub_comm role_kind").split()


def parse_iolog_bin(data):
    same("bytes of a record", struct.calcsize(BIN_FMT), 160)
    return [dict(zip(BIN_KEYS, struct.unpack(BIN_FMT, rec))) for rec in records(data)]


# status: {"enabled": "1", ..., "disk vda W": {"ios": 2, ...}}
def status():
    got = {"hooks": [], "lost": {}}
    for line in read("status").splitlines():
        key, _, rest = line.partition(" ")
        if key in ("disk", "total"):
            words = line.split(" ")
            name = " ".join(w for w in words if "=" not in w)
            got[name] = {k: int(v) for k, v in (w.split("=") for w in words if "=" in w)}
        elif key == "hook":
            got["hooks"].append(rest)
        elif key == "loss":
            got["lost"][rest.split()[0]] = int(rest.split()[1])
        else:
            got[key] = rest
    return got


# In a process of its own; its pid. What fails there fails the case.
def child(do, *args):
    pid = os.fork()
    if pid:
        return pid
    try:
        do(*args)
        os._exit(0)
    except BaseException as e:
        fail("in a child:", repr(e))


def wait_for(pid):
    _, how = os.waitpid(pid, 0)
    check(how == 0, "a child ended with status %#x" % how)


def run(do, *args):
    pid = child(do, *args)
    wait_for(pid)
    return pid


# Until it is true
def eventually(what, true, seconds=20):
    end = time.monotonic() + seconds
    while not true():
        check(time.monotonic() < end, "not within %d s: %s" % (seconds, what))
        time.sleep(0.05)
