# SPDX-License-Identifier: GPL-2.0
"""What the tests' Python programs share; selftests/ is in their sys.path.

iolog       the text log: the only parser of its lines
abi         the binary records, as include/linux/ioblame.h describes them
counters    the histograms of counters_pipe and counters_pipe_bin
status      the file `status`
case        what a case in the guest uses: ioblame's files, disks, processes
inode       what an inode says of itself
rst         blocks of a page that a program writes
host_test   the runner of the tests that need no guest
"""
