# SPDX-License-Identifier: GPL-2.0
"""Print what ioblamed sends to this user: SOCKET"""
import socket
import sys

daemon = socket.socket(socket.AF_UNIX)
daemon.connect(sys.argv[1])
for line in daemon.makefile():
    print(line, end="", flush=True)
