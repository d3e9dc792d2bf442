# SPDX-License-Identifier: GPL-2.0
"""Read a bundle, by another program than wrote it: HOW FILE"""
import re
import subprocess
import sys
import tarfile

how, name = sys.argv[1:]
FOLDER = "ioblame-bundle/"
PARTS = {"MANIFEST", "doctor.txt", "versions.txt", "kernel.txt", "config.txt", "modules.txt",
         "log.txt", "status.txt", "settings.txt", "stats.txt", "probes.txt", "memory.txt",
         "disks.txt", "mounts.txt"}
RELEASE = subprocess.run(["uname", "-r"], stdout=subprocess.PIPE, check=True,
                         text=True).stdout.strip()
# what is planted, see the case
NAMES = ("zqhostzq", "zqmountzq", "zqfilezq", "zqmapperzq", "zqgroupzq", "zqprogzq", "zqdatazq",
         "zqmodelzq", "zqqueuezq", "zquserzq")
ADDRESSES = r"ffff[0-9a-f]{12}|deadbeef|52:54:00|10\.9\.8\.7|fe80|5054:ff|fe12"
# of log.txt
DUMPS = r"52 54 00|12 34 58|7a 71|58 44 42|RT\.\.|XDB3"
wrong = 0


def expect(true, *words):
    global wrong
    if not true:
        print(how + ":", *words)
        wrong += 1


text = {}
with tarfile.open(name, "r:gz") as tar:
    for member in tar.getmembers():
        expect((member.uid, member.gid, member.uname, member.gname) == (0, 0, "", ""),
               "the owner of", member.name)
        if member.isfile():
            text[member.name[len(FOLDER):]] = tar.extractfile(member).read().decode("utf-8")
        else:
            expect(member.name.rstrip("/") + "/" == FOLDER, "there is", member.name)
expect(set(text) == PARTS, "the files are", sorted(text))
whole = "\n".join(text.values())
manifest = text["MANIFEST"]
missing = manifest[manifest.index("NOT READ"):]
for part in PARTS - {"MANIFEST"}:
    found = re.search(r"^%s +(\d+) bytes" % re.escape(part), manifest, re.M)
    expect(found and int(found[1]) == len(text[part]), part, "has", len(text[part]),
           "bytes; MANIFEST:", found and found[1])
expect(RELEASE in text["kernel.txt"], "no release")
expect('"' not in text["config.txt"], "texts of the configuration, as who signs modules")
expect(re.search(r"^CONFIG_(DYNAMIC_)?FTRACE=y", text["config.txt"], re.M), "no configuration")
expect("zqhostzq" not in whole, "the machine's name is in it")
expect("root=" not in text["kernel.txt"].replace("root=...", ""), "a value of the command line")
expect("iob-command" not in whole, "a serial number is in it")

loaded = how not in ("without-module",)
if not loaded:
    expect("the module is not loaded" in missing and not text["status.txt"], "no module?")
elif how == "user":
    expect("only root" in missing and not text["status.txt"], "a user reads status")
    expect("ffff" not in text["modules.txt"] + text["probes.txt"], "addresses for a user")
elif how == "stuck":
    expect("ioblame/status: Connection timed out" in missing, "status answers:", missing)
    expect("enable: 0" in text["settings.txt"], "no settings")
else:
    expect(re.search(r"^disk \S+ W ios=", text["status.txt"], re.M), "no sums")
    expect(re.search(r"^hook tracepoint \S+ attached", text["status.txt"], re.M), "no hooks")
    expect("counters/0: W size 0 1" in text["settings.txt"], "no counters")
    expect(re.search(r"^stats/stack_known: \d+", text["stats.txt"], re.M), "no statistics")
    expect(re.search(r"^iob_role ", text["memory.txt"], re.M), "no slabs")
    expect(re.search(r"^ioblame \d+", text["modules.txt"], re.M), "no module")
    expect(re.search(r"srcversion: [0-9A-F]{20,}", text["versions.txt"]), "no srcversion")
    expect(re.search(r" ext4 .*rw", text["mounts.txt"]), "no mount")
    expect(re.search(r"^loop\d+ dev=7:", text["disks.txt"], re.M), "no loop device")
    log = text["log.txt"]
    for line in ("the line before", "soft lockup", "[ioblame]", "RIP: 0010:iob_act_get+0x10/0x80",
                 "Code: 48 8b 05 <0f> 0b", "src/core/act.c:100", "---[ end trace"):
        if how != "anonymous" or line != "the line before":
            expect(line in log, line, "is not in the log")
    expect("nobody needs" not in log, "a line of others is in the log")

if how == "with-names":
    for each in ("zqmountzq", "zqfilezq", "zqmapperzq", "zqprogzq"):
        expect(each in whole, each, "is nowhere")
    expect("ffff888012345678" in whole, "no address")
elif how == "anonymous":
    for each in NAMES + ("zq", ):
        expect(each not in whole, each, "is in", [p for p in text if each in text[p]])
    found = re.findall(ADDRESSES, whole)
    expect(not found, "addresses:", found[:5], [p for p in text if re.search(ADDRESSES, text[p])])
    expect(not re.search(DUMPS, log), "bytes of a dump:", re.findall(DUMPS, log))
    # the same program, twice in the report
    expect(re.search(r"for 22s! \[(word-\d+):4711\]", log), "no pseudonym")
    expect("RBX: 0000000000000000" in log, "no zeros")
    expect(re.search(r" Tainted: .* %s #1" % re.escape(RELEASE), log), "no release in the report")
    expect("LEFT OUT" in manifest, "MANIFEST says nothing")
sys.exit(wrong > 0)
