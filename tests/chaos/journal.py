# SPDX-License-Identifier: Apache-2.0
"""What the devices' journals have recorded, read from their files beside the agents that write them."""

import contextlib
import json
import struct
import threading
import zlib


def frames(content):
    """The payload of every whole frame, also of those behind damage."""
    at = 0
    while at + 8 <= len(content):
        size, check = struct.unpack_from("<II", content, at)
        payload = content[at + 8:at + 8 + size]
        if 0 < size == len(payload) and zlib.crc32(payload) == check:
            yield payload
            at += 8 + size
        else:
            at += 1


def processes_in(value):
    """Every completed process's result in a record, however it is wrapped."""
    if isinstance(value, dict):
        if {"cell_id", "process_index", "started_unix_ns"} <= value.keys():
            if value.get("failure") is None:
                yield value["cell_id"], value["process_index"], value["started_unix_ns"]
            return
        value = list(value.values())
    for each in value if isinstance(value, list) else ():
        yield from processes_in(each)


def read(path):
    try:
        content = path.read_bytes()
    except OSError:
        return set()
    found = set()
    for payload in frames(content):
        try:
            found.update(processes_in(json.loads(payload)))
        except ValueError:
            continue
    return found


class Witness:
    """Sees every process that a journal recorded, while the world goes on."""

    def __init__(self, world):
        self.world = world
        self.seen = set()
        self.forgiven = set()
        self.stop = threading.Event()
        self.thread = threading.Thread(target=self.watch, daemon=True)
        self.thread.start()

    def watch(self):
        sizes = {}
        while not self.stop.wait(0.03):
            with contextlib.suppress(OSError):  # folders go while we look
                for path in self.world.folder.glob("hosts/*/.ngraphbench/runs/*/journal*"):
                    status = path.stat()
                    size = (status.st_size, status.st_mtime_ns)
                    if sizes.get(path) != size:
                        sizes[path] = size
                        self.seen |= read(path)

    def forgive(self, path, before):
        """What a fault has destroyed in a journal is lost by right."""
        self.forgiven |= before - read(path)

    def end(self):
        self.stop.set()
        self.thread.join()
        return self.seen - self.forgiven
