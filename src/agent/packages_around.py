# SPDX-License-Identifier: Apache-2.0
"""Prints one hash of the packages that this Python finds beside its own library, and of what they run at each start.

Run as `python3 -c TEXT`. A package counts by its RECORD, which lists its files with their hashes; a module without one by its
content, and a folder without one by its name.
"""

import hashlib
import os
import sys

COUNTED = (".pth", ".py", ".so", ".egg-link")


def content_of(path):
    with open(path, "rb") as file:
        return file.read()


def lines_of(folder):
    for name in sorted(os.listdir(folder)):
        path = os.path.join(folder, name)
        record = os.path.join(path, "RECORD")
        if os.path.isfile(record):
            yield name, content_of(record)
        elif os.path.isfile(path) and name.endswith(COUNTED):
            yield name, content_of(path)
        else:
            yield name, b""


library = os.path.dirname(os.__file__)
whole = hashlib.sha256()
for folder in dict.fromkeys(map(os.path.realpath, filter(None, sys.path))):
    if folder in (library, os.path.join(library, "lib-dynload")) or not os.path.isdir(folder):
        continue
    for name, content in lines_of(folder):
        if name != "__pycache__":
            whole.update(f"{name} {hashlib.sha256(content).hexdigest()}\n".encode(errors="surrogateescape"))
print(whole.hexdigest())
