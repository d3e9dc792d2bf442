# SPDX-License-Identifier: GPL-2.0
"""Run a command and print the most memory that it used, in KiB: COMMAND..."""
import resource
import subprocess
import sys

subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
