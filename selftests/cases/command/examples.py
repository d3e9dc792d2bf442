# SPDX-License-Identifier: GPL-2.0
"""Run the examples of the command's help, manual and README.md: TREE DISK

In the working directory are a.tar and linux.tar; in PATH are ioblame, make, jq and flamegraph.pl.
Names of disks are replaced by DISK, and what would run until Ctrl-C ends after a moment, or gets
that once it has said something. Nothing else is changed: quotes, options and pipes are those that a
reader copies.
"""
import os
import re
import select
import signal
import subprocess
import sys
import time

MOMENT = "100ms"
# Seconds in which an example must end
PATIENCE = 60 * int(os.environ.get("IOB_SLOWNESS", "1"))
# It takes -d for an age
ENDLESS = re.compile(r"ioblame dirty( -.*)? [\d.]+")
# Commands that watch, and run until they are ended
WATCHES = {"top", "snoop", "report", "hist", "stacks", "record", "stat", "errors", "trace",
           "sched", "files", "flush", "scsi", "nvme", "pattern",
           "advise", "sums"}
# How a manual writes what roff would change
ROFF = {r"\-": "-", r"\(aq": "'", r"\(dq": '"', r"\e": "\\", r"\&": ""}


def run(command):
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, shell=True).stdout


def of_help():
    """Lines of each "Examples:"; what two blanks separate is said of them."""
    commands = [line.split()[1] for line in run("ioblame help --words").splitlines()
                if line.startswith("command ")]
    for words in ["help"] + [name + " --help" for name in commands]:
        text = run("ioblame " + words)
        examples = text[:text.index("\n\n")].splitlines()
        assert examples[0] == "Examples:" and len(examples) > 1, text
        for line in examples[1:]:
            yield words, re.split(r"\s{2,}", line.strip())[0]


def of_manual(tree):
    with open(os.path.join(tree, "Documentation/ioblame.8"), encoding="utf-8") as file:
        text = file.read()
    section = text[text.index(".SH EXAMPLES"):text.index(".SH DESCRIPTION")]
    for line in re.findall(r"^\.B (.*)$", section, re.M):
        # roff eats a quote, and prints a bare ' as another sign
        assert not re.search(r"[\"']", line), "the manual does not show this: " + line
        for sign, text in ROFF.items():
            line = line.replace(sign, text)
        assert "\\" not in line, line
        yield "manual", line


def of_readme(tree):
    with open(os.path.join(tree, "README.md"), encoding="utf-8") as file:
        for line in file:
            found = re.match(r"    (?:# )?(ioblame\b.*)", line)
            if found:
                yield "README.md", re.split(r"\s+#", found.group(1))[0].strip()


def adapted(line, disk):
    """The example for this machine, with an end."""
    line = re.sub(r"\b(sd[a-z]1?|md0)\b", disk, line)
    line = re.sub(r"\bFILE\b", "file.rec", line).replace("-- COMMAND", "-- true")
    line = re.sub(r"-d [\w.]+", "-d " + MOMENT, line)
    parts = []
    for part in re.split(r"([|;]\s*)", line):
        words = part.split(" ")
        if words[0] == "ioblame":
            command = words[1] if len(words) > 1 and re.match(r"[a-z]", words[1]) else "top"
            if command in WATCHES and not re.search(" (-d|--|--since) ", part):
                at = 2 if len(words) > 1 and words[1] == command else 1
                words[at:at] = ["-d", MOMENT] if at == 2 else [command, "-d", MOMENT]
            part = " ".join(words).rstrip() + (" " if part.endswith(" ") else "")
        parts.append(part)
    return "".join(parts)


def until_ctrl_c(line):
    """(status, stdout, stderr) of a line that is interrupted if it does not end by itself."""
    endless = ENDLESS.fullmatch(line)
    with subprocess.Popen(["bash", "-o", "pipefail", "-c", line], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True,
                          start_new_session=True) as process:
        if endless and select.select([process.stdout], [], [], PATIENCE)[0]:
            os.killpg(process.pid, signal.SIGINT)
        try:
            out, err = process.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            return ("no end", *process.communicate())
        # the shell is interrupted, too
        ended = endless and process.returncode in (-signal.SIGINT, 128 + signal.SIGINT)
        return 0 if ended else process.returncode, out, err


def try_example(where, example, disk):
    line, began = adapted(example, disk), time.monotonic()
    status, out, err = until_ctrl_c(line)
    print(f"{where}: {line}: {status}, {len(out)} bytes, {time.monotonic() - began:.1f} s",
          flush=True)
    wrong = []
    if status:
        wrong.append(f"status {status}")
    # no IO fails here: a filter for errors prints nothing; others print something
    if "select(" in line and re.search(r"\.(error|result)\b", line):
        if out:
            wrong.append("prints what is not selected: " + out[:200])
    elif "jq" in line and out.strip() in ("", "null"):
        wrong.append("jq finds nothing: " + out)
    if "Traceback" in err or "usage" in err:
        wrong.append("complains")
    return [f"{where}: {example}\n    as {line}: {what}\n    {err}" for what in wrong]


def main():
    tree, disk = sys.argv[1:]
    wrong, seen = [], set()
    # what examples of several commands replay
    run("ioblame record -o io -- make 2>/dev/null")
    examples = list(of_help()) + list(of_manual(tree)) + list(of_readme(tree))
    assert len(examples) > 50, len(examples)
    for where, example in examples:
        if example in seen:
            continue
        seen.add(example)
        began = time.time()
        wrong += try_example(where, example, disk)
        if "--bundle" in example:
            # its name has the second
            time.sleep(max(0, 1.1 - (time.time() - began)))
    print("\n".join(wrong))
    sys.exit(1 if wrong else 0)


main()
