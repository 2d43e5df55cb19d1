# SPDX-License-Identifier: Apache-2.0
"""Replaces omen-build-opencl: forwards everything to the real one, and records each start and
request in a file. At the request of a given number it ends in a given way: `leaves` (as if it had
timed out) or `dies`.
"""
import os
import selectors
import signal
import socket
import subprocess
import sys


def main():
    real, notes, end, number = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])
    asker = socket.socket(fileno=os.dup(0))
    near, far = socket.socketpair()
    with open(notes, "a", encoding="utf-8") as f:
        f.write("start\n")
    with subprocess.Popen([real], stdin=far, stdout=far):
        far.close()
        look = selectors.DefaultSelector()
        look.register(asker, selectors.EVENT_READ, near)
        look.register(near, selectors.EVENT_READ, asker)
        questions, answered = 0, True
        while True:
            for key, _ in look.select():
                if key.fileobj is asker and answered:
                    questions += 1
                    with open(notes, "a", encoding="utf-8") as f:
                        f.write("question\n")
                    if questions == number and end == "leaves":
                        os._exit(0)
                    if questions == number and end == "dies":
                        os.kill(os.getpid(), signal.SIGKILL)
                answered = key.fileobj is near
                data = key.fileobj.recv(1 << 16)
                if not data:
                    os._exit(0)
                key.data.sendall(data)


main()
