# SPDX-License-Identifier: Apache-2.0
"""Runs ngb as a user would, in a home of its own."""

import hashlib
import json
import os
import pathlib
import shutil
import signal
import sqlite3
import struct
import subprocess
import tempfile
import time
import unittest

from lean_programs import link

BIN = pathlib.Path(os.environ["NGB_BIN"])
# A shell's `&` makes its programs ignore Ctrl-C, and ngb keeps to that; here Ctrl-C is tested.
signal.signal(signal.SIGINT, signal.default_int_handler)
# This machine's toolchains. A test has an empty folder unless it uses this one.
_DATA = pathlib.Path(os.environ.get("XDG_DATA_HOME") or pathlib.Path.home() / ".local/share")
TOOLCHAINS = pathlib.Path(os.environ.get("NGB_TOOLCHAINS") or _DATA / "ngraphbench/toolchains")
_PINNED = json.loads((pathlib.Path(__file__).resolve().parents[2] / "versions.json").read_text())["toolchains"]

# Maps a compiler without a toolchain of its own to the one whose toolchain it uses.
OWNER = dict.fromkeys(("aotinductor", "eager-cpp", "onnx", "torch-compile", "torchscript"), "identity")


def toolchain(compiler):
    """Returns the default version's folder below TOOLCHAINS, as COMPILER/VERSION."""
    return pathlib.Path(compiler) / _PINNED[compiler]["default"]


def without_toolchains(*compilers):
    """Returns why a test that needs these toolchains cannot run; None if it can."""
    missing = [name for name in compilers if not (TOOLCHAINS / toolchain(name)).exists()]
    return f"no toolchains of {', '.join(missing)} on this machine" if missing else None


def as_kept(text):
    """Returns what the cache has of a text: the text's hash, and the text."""
    return hashlib.sha256(text.encode()).hexdigest() + "\n" + text


NULL_STUDY = """\
name: test
seed: 7
models:
  - zoo: {conv_block: {width: 8, depth: [1, 2], image_size: 16}}
compilers:
  - "null"
batch_sizes: [1, 2]
reference: "null"
processes: 3
disturbance:
  max_wait_percent: 100
repetitions: 5
protocol: paper
"""


def link_installation(folder, compilers):
    """Makes an installation that has, of the compilers, only these. The programs are hard links, since they find all else by
    their own path. Returns the folder of the compilers."""
    (folder / "bin").mkdir(parents=True)
    for name in ("ngb", "ngb-agent", "ngb-worker"):
        link(BIN / name, folder / "bin" / name)
    there = BIN.parent / "lib/ngraphbench"
    library = folder / "lib/ngraphbench"
    (library / "compilers").mkdir(parents=True)
    for each in there.iterdir():
        if each.name != "compilers":
            (library / each.name).symlink_to(each)
    for name in compilers:
        (library / "compilers" / name).symlink_to(there / "compilers" / name)
    return library / "compilers"


def forge_last_output(reference, change):
    """Changes the last number in a file of reference outputs and keeps the file valid, as a wrong compiler would write it."""
    content = reference.read_bytes()
    begin = 12 + struct.unpack("<I", content[8:12])[0]
    last, = struct.unpack("<f", content[-4:])
    data = content[begin:-4] + struct.pack("<f", change(last))
    digests = [hashlib.sha256(each).hexdigest().encode() for each in (content[begin:], data)]
    reference.write_bytes(content[:begin].replace(*digests) + data)


def caching_cxx(folder):
    """Makes a g++ that compiles the same text once for all tests, for Inductor, whose cache starts empty in each process."""
    path = folder / "caching-c++"
    caching = pathlib.Path(__file__).resolve().parents[1] / "conformance/cached-g++"
    path.write_text(f"#!/bin/sh\nNGB_COMPILED='{BIN.parent / 'tests/compiled-by-inductor'}' exec '{caching}' \"$@\"\n")
    path.chmod(0o755)
    return str(path)


class NgbTest(unittest.TestCase):
    """A test with an empty home, an empty toolchains folder and a working folder."""

    program = None  # ngb of an installation of the test's own

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="ngb-cli-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.folder / "home"),
            "NGB_TOOLCHAINS": str(self.folder / "toolchains"),
            "LANG": "C.UTF-8",
            "PIP_NO_INDEX": "1",  # a run installs what it lacks, and a test needs no network
        }
        for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS"):
            if name in os.environ:
                self.environment[name] = os.environ[name]
        (self.folder / "home").mkdir()

    def write(self, name, text):
        path = self.folder / name
        path.write_text(text)
        return path

    def ngb(self, *arguments, timeout=1500):
        return subprocess.run(
            [self.program or BIN / "ngb", *map(str, arguments)],
            cwd=self.folder,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=timeout,
        )

    def start(self, *arguments, begun_by=()):
        process = subprocess.Popen(
            [*begun_by, self.program or BIN / "ngb", *map(str, arguments)],
            cwd=self.folder,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self.addCleanup(process.kill)
        self.addCleanup(process.stdout.close)
        return process

    def show(self, results):
        shown = self.ngb("show", results, "--json")
        self.assertEqual(shown.returncode, 0, shown.stderr)
        return json.loads(shown.stdout)

    def query(self, results, sql):
        with sqlite3.connect(f"file:{self.folder / results / 'results.db'}?mode=ro", uri=True) as database:
            return database.execute(sql).fetchall()

    def children_of(self, pid):
        found = []
        for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
            try:
                after_name = stat.read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if int(after_name[1]) == pid:
                found.append(int(stat.parent.name))
        return found

    def wait_for(self, condition, timeout_s=1500):
        """Polls until another program's effect is visible."""
        end = time.monotonic() + timeout_s
        while time.monotonic() < end:
            value = condition()
            if value:
                return value
            time.sleep(0.01)
        self.fail("it did not happen in time")


class MeasuredTest(NgbTest):
    """A test of what is done with results. Its class measures them once, and each test has a copy of that folder."""

    measured = None  # the test in whose folder the class measured

    def measure(self):
        """Measures in this test's folder what the tests of the class begin with."""
        raise NotImplementedError

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.measured = cls()
        NgbTest.setUp(cls.measured)
        cls.addClassCleanup(cls.measured.doCleanups)
        cls.measured.measure()

    def setUp(self):
        super().setUp()
        shutil.copytree(self.measured.folder, self.folder, symlinks=True, dirs_exist_ok=True)


def kill(pid):
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
