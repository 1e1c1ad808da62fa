# SPDX-License-Identifier: Apache-2.0
"""Runs ngb-agent behind a bad line. `twice` delivers every event twice. `swapped` delivers the third event before the
second, but only the first time that it is started. `deaf` passes the agent's output on and reads nothing.

    unruly_agent.py twice|swapped|deaf NGB_AGENT ARGUMENT..."""

import json
import pathlib
import signal
import struct
import subprocess
import sys

HEADER = struct.Struct("<II")  # length, CRC-32


def frames(stream):
    while len(header := stream.read(HEADER.size)) == HEADER.size:
        yield header + stream.read(HEADER.unpack(header)[0])


def is_event(frame):
    return json.loads(frame[HEADER.size:])["type"] == "event"


def swapped(source):
    """Keeps the second event back until the third has gone."""
    seen, kept = 0, None
    for frame in source:
        seen += is_event(frame)
        if is_event(frame) and seen == 2:
            kept = frame
            continue
        yield frame
        if kept and seen == 3:
            yield kept
            kept = None


def twice(source):
    for frame in source:
        yield frame
        if is_event(frame):
            yield frame


def main():
    order, agent, *arguments = sys.argv[1:]
    started = pathlib.Path(agent).parent / "was-started"
    stdin = subprocess.DEVNULL if order == "deaf" else None
    said = frames(subprocess.Popen([agent, *arguments], stdin=stdin, stdout=subprocess.PIPE).stdout)
    if order == "twice":
        said = twice(said)
    elif not started.exists():
        said = swapped(said)
    started.touch()
    for frame in said:
        sys.stdout.buffer.write(frame)
        sys.stdout.buffer.flush()
    if order == "deaf":
        signal.pause()


if __name__ == "__main__":
    main()
