# SPDX-License-Identifier: Apache-2.0
"""What the tests of the package have in common: a small study of the null compiler, and an environment of its own."""

import json
import os
import pathlib
import sys
import tempfile
import unittest

try:
    import pandas  # noqa: F401
except ModuleNotFoundError as missing:
    print(f"skipped: {missing}; scripts/setup tests installs it")
    sys.exit(77)

import ngraphbench as ngb

ROOT = pathlib.Path(__file__).resolve().parents[2]
_DATA = pathlib.Path(os.environ.get("XDG_DATA_HOME") or pathlib.Path.home() / ".local/share")
_TOOLCHAINS = pathlib.Path(os.environ.get("NGB_TOOLCHAINS") or _DATA / "ngraphbench/toolchains")
_IDENTITY = json.loads((ROOT / "versions.json").read_text())["toolchains"]["identity"]["default"]
SITE = _TOOLCHAINS / "identity" / _IDENTITY / "site"  # where torch is, if that toolchain is installed
# Two settings of one compiler, and a compiler without a toolchain, whose cells fail.
STUDY = {
    "name": "test",
    "seed": 7,
    "models": [{"zoo": {"conv_block": {"width": 8, "depth": [1, 2], "image_size": 16}}}],
    "compilers": [
        {"null": {"label": "slow", "options": {"made_up_ns": 4_000_000}}},
        {"null": {"label": "fast", "options": {"made_up_ns": 1_000_000}}},
        "onnxruntime",
    ],
    "batch_sizes": [1, 2],
    "baseline": "slow",
    "reference": "none",
    "processes": 3,
    "repetitions": 5,
    "disturbance": {"max_wait_percent": 100},
}


class PackageTest(unittest.TestCase):
    """Tests in a working folder and a home of their own, with the results of STUDY in `results`."""

    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory(prefix="ngb-client-")
        cls.addClassCleanup(scratch.cleanup)
        cls.folder = pathlib.Path(scratch.name)
        cls.addClassCleanup(os.chdir, os.getcwd())
        os.chdir(cls.folder)
        os.environ.update(HOME=str(cls.folder), NGB_TOOLCHAINS=str(cls.folder / "toolchains"), PIP_NO_INDEX="1")  # a run installs what it lacks
        os.environ.pop("XDG_CACHE_HOME", None)

    def raised(self, error, call, *arguments, **named):
        """The error that the call raises."""
        with self.assertRaises(error) as caught:
            call(*arguments, **named)
        return caught.exception

    @classmethod
    def measure(cls, output="results", **changes):
        with unittest.TestCase().assertWarns(ngb.CellsFailedWarning):
            return ngb.run({**STUDY, **changes}, output, progress=False)
