# SPDX-License-Identifier: GPL-2.0
"""Ask ioblamed, and print the bytes of its answer: SOCKET REQUEST

SIGINT: no more is wanted; what comes until the end is printed."""
import signal
import socket
import sys

daemon = socket.socket(socket.AF_UNIX)
daemon.connect(sys.argv[1])
signal.signal(signal.SIGINT, lambda *_: daemon.shutdown(socket.SHUT_WR))
daemon.sendall(sys.argv[2].encode() + b"\n")
while data := daemon.recv(1 << 16):
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()
