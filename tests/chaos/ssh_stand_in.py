#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Stands in for ssh: runs the remote command line in sh, with hosts/NAME as its home.

Like ssh and sshd, it is two processes with a connection between them. While net/NAME.down exists, nothing passes; this end
notices after some seconds, as ssh's keep-alive does, and the other end never does: the connection is half-open."""

import os
import pathlib
import socket
import subprocess
import sys
import threading
import time

WORLD = pathlib.Path(os.environ["CHAOS_WORLD"])
KEEP_ALIVE_S = 2.5
CONNECTION_LOST = 255


def is_down(name):
    return (WORLD / "net" / f"{name}.down").exists()


def copy(source, target, name, ends):
    """Until `source` ends. What comes while the cable is out is kept back."""
    while chunk := read(source):
        while is_down(name):
            time.sleep(0.05)
        view = memoryview(chunk)
        try:
            while view:
                view = view[os.write(target, view):]
        except OSError:
            break
    ends.append(source)


def read(source):
    try:
        return os.read(source, 1 << 18)
    except OSError:
        return b""


def there(name, command, line):
    """The device's end."""
    home = WORLD / "hosts" / name
    environment = {**os.environ, "HOME": str(home)}
    program = subprocess.Popen(["sh", "-c", command], cwd=home, env=environment, stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE)
    ended = []
    arriving = threading.Thread(target=copy, args=(line.fileno(), program.stdin.fileno(), name, ended), daemon=True)
    leaving = threading.Thread(target=copy, args=(program.stdout.fileno(), line.fileno(), name, ended), daemon=True)
    arriving.start()
    leaving.start()
    while program.poll() is None or leaving.is_alive():
        time.sleep(0.02)
        if (WORLD / "net" / "over").exists():
            os._exit(0)
        if arriving.is_alive() or program.stdin.closed:
            continue
        if is_down(name):  # nobody hears of the end of a connection whose cable is out
            while not (WORLD / "net" / "over").exists():
                time.sleep(0.05)
            os._exit(0)
        program.stdin.close()
    os._exit(program.returncode if program.returncode >= 0 else CONNECTION_LOST)


def here(name, line, pid):
    """The client's end."""
    ended = []
    for source, target in ((0, line.fileno()), (line.fileno(), 1)):
        threading.Thread(target=copy, args=(source, target, name, ended), daemon=True).start()
    down_s = 0
    is_shut = False
    while line.fileno() not in ended:
        time.sleep(0.02)
        down_s = down_s + 0.02 if is_down(name) else 0
        if down_s > KEEP_ALIVE_S:
            os._exit(CONNECTION_LOST)
        if 0 in ended and not is_shut:
            line.shutdown(socket.SHUT_WR)
            is_shut = True
    os._exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) & 0xFF)


def main():
    name, command = sys.argv[sys.argv.index("--") + 1:]
    if not (WORLD / "hosts" / name).exists():
        sys.exit(f"ssh: Could not resolve hostname {name}")
    ours, theirs = socket.socketpair()
    pid = os.fork()
    if pid == 0:
        os.setsid()
        ours.close()
        null = os.open(os.devnull, os.O_RDWR)
        os.dup2(null, 0)
        os.dup2(null, 1)
        there(name, command, theirs)
    theirs.close()
    here(name, ours, pid)


main()
