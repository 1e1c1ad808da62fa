# SPDX-License-Identifier: Apache-2.0
"""Reads a folder of installed packages with Python's own importlib.metadata.

Run as `python3 -c TEXT find SITE NAME…` (the first of these packages in that folder, or, if SITE is empty, of those
that the interpreter finds, and the folder that holds it) or `contents SITE` (what that folder holds). The answer is the
last line of output, as JSON.
"""

import csv
import io
import json
import os
import sys
from importlib import metadata
from importlib.util import cache_from_source


def recorded_files(distribution, site):
    """Return the files that RECORD lists and that are inside `site`.

    RECORD keeps the paths that programs had before pip moved them with --target: ../../bin/x is bin/x here.
    """
    for row in csv.reader(io.StringIO(distribution.read_text("RECORD") or "")):
        if row:
            parts = [part for part in os.path.normpath(row[0]).split("/") if part not in ("", ".", "..")]
            yield os.path.join(site, *parts)


def size_of(paths):
    """Return the bytes of the files and of their bytecode, which may be listed as well."""
    files = {*paths, *(cache_from_source(path) for path in paths if path.endswith(".py"))}
    return sum(os.path.getsize(path) for path in files if os.path.isfile(path))


def contents(site):
    """Return name, version and bytes of every package, sorted."""
    found = {(d.metadata["Name"], d.version): d for d in metadata.distributions(path=[site]) if d.metadata["Name"]}
    return [[*key, size_of([*recorded_files(found[key], site)])] for key in sorted(found)]


def find(site, *names):
    for name in names:
        # Without a path, a namesake in the interpreter's own folders could be found before the package in `site`.
        distribution = next(iter(metadata.distributions(name=name, path=[site] if site else sys.path)), None)
        if distribution is None:
            continue
        site = str(distribution.locate_file(""))
        return {"version": distribution.version, "site": site, "packages": contents(site)}
    return {}


try:
    answer = {"find": find, "contents": contents}[sys.argv[1]](*sys.argv[2:])
except OSError as error:
    sys.exit(str(error))
print("\n" + json.dumps(answer))
