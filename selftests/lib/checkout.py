# SPDX-License-Identifier: GPL-2.0
"""The git checkout in which this tree may be."""
import os
import subprocess

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def commit_of(name):
    """The short hash; "-" where the tree is no checkout."""
    done = subprocess.run(["git", "-C", TOP, "rev-parse", "--short=9", name], check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    return done.stdout.strip() if done.returncode == 0 else "-"
