# SPDX-License-Identifier: Apache-2.0
"""An agent that lies: runs ngb-agent and replaces one value of its messages to the client.

    hostile_agent.py NGB_AGENT EDIT_FILE ARGUMENT...

The file holds JSON: {"event": "process", "path": ["wall_ns"], "value": -7} replaces that value in every event of that
kind; {"event": "process", "becomes": "finished"} replaces the whole event."""

import json
import struct
import subprocess
import sys
import zlib

HEADER = struct.Struct("<II")  # length, CRC-32


def frames(stream):
    while len(header := stream.read(HEADER.size)) == HEADER.size:
        yield stream.read(HEADER.unpack(header)[0])


def edited(payload, edit):
    message = json.loads(payload)
    if message["type"] != "event" or message["body"]["type"] != edit["event"]:
        return payload
    if "becomes" in edit:
        message["body"] = {"type": edit["becomes"]}
    else:
        *way, last = edit["path"]
        place = message["body"]
        for key in way:
            place = place[key]
        place[last] = edit["value"]
    return json.dumps(message, ensure_ascii=False).encode()


def main():
    agent, edit, *arguments = sys.argv[1:]
    with open(edit, encoding="utf-8") as file:
        edit = json.load(file)
    for payload in frames(subprocess.Popen([agent, *arguments], stdout=subprocess.PIPE).stdout):
        payload = edited(payload, edit)
        sys.stdout.buffer.write(HEADER.pack(len(payload), zlib.crc32(payload)) + payload)
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
