# SPDX-License-Identifier: GPL-2.0
"""The body of failure/loading."""
import ctypes
import errno
import os
import time

from lib.case import SLOWNESS, check, child, disable, enable, output, same

from lib.fail import Sites

STATUS = "/sys/kernel/debug/ioblame/status"
# How long a file that is opened while the module loads stays open, in seconds
HELD = 3 * SLOWNESS
TRIES = 20

libc = ctypes.CDLL(None, use_errno=True)
sites = Sites()
# (without its folder where the module has no such information)
node = [site for site in sites.all
        if os.path.basename(site.line).startswith("tree.c:") and "malloc" in site.called]
same("places where a file's node is allocated", len(node), 1)
sites.watch(node)
same("insmod", output("insmod", os.environ["IOB_KO"]), (0, ""))
hits = sites.hits()[node[0]]
same("rmmod", output("rmmod", "ioblame"), (0, ""))
print("%d files and directories" % hits)


def failing_load():
    """The load that goes without memory for the last of its files"""
    sites.zero()
    sites.fail(node[0], hits - 1, 1)
    code, said = output("insmod", os.environ["IOB_KO"])
    check(code and "Cannot allocate memory" in said, "insmod says", code, said)
    check(not os.path.exists("/sys/module/ioblame"), "the module is there")
    check(not os.path.exists(os.path.dirname(STATUS)), "its files are there")


# --- a file that is opened as soon as it is there, and closed late
def opens():
    while True:
        try:
            fd = os.open(STATUS, os.O_RDONLY)
        except OSError:
            continue
        break
    time.sleep(HELD)
    os.close(fd)
    os._exit(0)


for n in range(TRIES):
    pid = child(opens)
    began = time.monotonic()
    failing_load()
    took = time.monotonic() - began
    if os.waitpid(pid, os.WNOHANG)[0] or took >= HELD:
        break
    # it was not quick enough
    os.kill(pid, 9)
    os.waitpid(pid, 0)
print("a file was open in load %d, which took %.1f s" % (n + 1, took))
check(took >= HELD, "no load waited for an open file: the last took %.1f s" % took)


# --- a mount that is tried all the time
def mounts():
    while libc.mount(b"none", b"/mnt", b"ioblame", 0, None):
        if ctypes.get_errno() != errno.ENODEV:
            os._exit(2)
    os._exit(1)


pid = child(mounts)
for n in range(TRIES // 4):
    failing_load()
same("a mount during a load that fails", os.waitpid(pid, os.WNOHANG), (0, 0))
os.kill(pid, 9)
os.waitpid(pid, 0)

# --- and a load goes on as ever
sites.watch([])
sites.end()
same("insmod", output("insmod", os.environ["IOB_KO"]), (0, ""))
enable()
disable()
same("mount", output("mount", "-t", "ioblame", "none", "/mnt"), (0, ""))
same("umount", output("umount", "/mnt"), (0, ""))
same("rmmod", output("rmmod", "ioblame"), (0, ""))
