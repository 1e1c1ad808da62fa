# SPDX-License-Identifier: Apache-2.0
"""Reads a folder of installed packages with Python's own importlib.metadata.

Run as `python3 -c TEXT find SITE NAME…` (the first of these packages in that folder, or, if SITE is empty, of those
that the interpreter finds, and the folder that holds it), `contents SITE` (what that folder holds), `unlike SITE NAME…`
(what is not as it was in the wheels) or `copy SITE INTO NAME…` (copies these packages). The answer is JSON.
"""

import base64
import compileall
import csv
import hashlib
import io
import json
import os
import re
import shutil
import sys
import warnings
from importlib import metadata
from importlib.util import cache_from_source


def record(distribution):
    """Return the files that RECORD lists, as paths from the site, and their hashes: "sha256=…", or "" without one.

    RECORD keeps the paths that programs had before pip moved them with --target: ../../bin/x is bin/x here.
    """
    for row in csv.reader(io.StringIO(distribution.read_text("RECORD") or "")):
        if row and "__pycache__" not in row[0]:  # bytecode is made where it is used, and has no hash
            parts = [part for part in os.path.normpath(row[0]).split("/") if part not in ("", ".", "..")]
            yield os.path.join(*parts), (row + [""])[1]


def recorded_files(distribution, site):
    return [os.path.join(site, path) for path, _ in record(distribution)]


def size_of(paths):
    """Return the bytes of the files and of their bytecode, which may be listed as well."""
    files = {*paths, *(cache_from_source(path) for path in paths if path.endswith(".py"))}
    return sum(os.path.getsize(path) for path in files if os.path.isfile(path))


def contents(site):
    """Return name, version and bytes of every package, sorted."""
    found = {(d.metadata["Name"], d.version): d for d in metadata.distributions(path=[site]) if d.metadata["Name"]}
    return [[*key, size_of(recorded_files(found[key], site))] for key in sorted(found)]


def find(site, *names):
    for name in names:
        # Without a path, a namesake in the interpreter's own folders could be found before the package in `site`.
        distribution = next(iter(metadata.distributions(name=name, path=[site] if site else sys.path)), None)
        if distribution is None:
            continue
        site = str(distribution.locate_file(""))
        return {"version": distribution.version, "site": site, "packages": contents(site)}
    return {}


def is_as_recorded(path, expected):
    """Return whether the file exists and has the hash, if RECORD has one: PEP 376 has none for RECORD itself."""
    if not os.path.isfile(path) or not expected:
        return os.path.isfile(path)
    name, _, digest = expected.partition("=")
    found = hashlib.new(name)
    with open(path, "rb") as file:
        while piece := file.read(1 << 20):
            found.update(piece)
    return base64.urlsafe_b64encode(found.digest()).rstrip(b"=").decode() == digest


def package(site, name):
    return next(iter(metadata.distributions(name=name, path=[site])), None)


def unlike(site, *names):
    """Return the files of these packages that are not as a RECORD lists them, and the name of a package without one. Two
    packages may list the same path."""
    expected, lost = {}, []
    for name in names:
        files = list(record(package(site, name))) if package(site, name) else []
        for path, digest in files:
            expected.setdefault(path, set()).add(digest)
        if not files:
            lost.append(name)
    return lost + [path for path, digests in expected.items()
                   if not any(is_as_recorded(os.path.join(site, path), digest) for digest in digests)]


def copy(site, into, *names):
    """Copy each package of which every file has the hash in RECORD, make its bytecode, and return their names."""
    copied = [name for name in names if not unlike(site, name)
              and all(digest or path.endswith(".dist-info/RECORD") for path, digest in record(package(site, name)))]
    for path, _ in (each for name in copied for each in record(package(site, name))):
        os.makedirs(os.path.join(into, os.path.dirname(path)), exist_ok=True)
        shutil.copy2(os.path.join(site, path), os.path.join(into, path))
    if copied:
        warnings.simplefilter("ignore")
        os.chdir(into)  # so that only folders within it can be called tests
        compileall.compile_dir(".", maxlevels=100, quiet=2, rx=re.compile(r"/tests?/"), workers=0)
    return copied


try:
    answer = {"find": find, "contents": contents, "copy": copy, "unlike": unlike}[sys.argv[1]](*sys.argv[2:])
except OSError as error:
    sys.exit(str(error))
print(json.dumps(answer))
