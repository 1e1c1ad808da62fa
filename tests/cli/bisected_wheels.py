# SPDX-License-Identifier: Apache-2.0
"""Made-up wheels of a made-up compiler, over which `ngb bisect` searches."""

import json
import pathlib
import shutil
import tempfile

from ngb_program import NgbTest
from slowpoke import make_installation, make_wheel, unpack_toolchain

STUDY = """\
name: speed
models:
  - zoo: {conv_block: {width: 8, depth: 1, image_size: 16}}
compilers:
  - onnxruntime: {version: "1.0"}
reference: onnxruntime
rounds: {min: 3, max: 3}
repetitions: 4
warm_up: 1
disturbance:
  max_wait_percent: 100
"""


class BisectedWheels(NgbTest):
    @classmethod
    def setUpClass(cls):
        """Makes one installation, and installs one version, whose manifest is the pattern of those that are only unpacked."""
        cls.shared = pathlib.Path(tempfile.mkdtemp(prefix="ngb-bisect-"))
        cls.addClassCleanup(shutil.rmtree, cls.shared, ignore_errors=True)
        cls.program = make_installation(cls.shared / "installation")
        installing = cls()
        installing.setUp()
        cls.addClassCleanup(installing.doCleanups)
        installing.publish(["1.0"])
        installed = installing.ngb("toolchain", "install", "onnxruntime@1.0")
        installing.assertEqual(installed.returncode, 0, installed.stderr)
        cls.pattern = installing.folder / "toolchains/onnxruntime/1.0"

    def setUp(self):
        super().setUp()
        self.wheels = self.folder / "wheels"
        self.environment |= {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(self.wheels), "PIP_CONFIG_FILE": "/dev/null",
                             "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
        self.write("study.yaml", STUDY)

    def publish(self, versions, **faults):
        """Puts versions on the index, from which the bisection installs what it tries. Returns {version: wheel}."""
        return {version: make_wheel(self.wheels, version, **faults) for version in versions}

    def make(self, versions, **faults):
        """Publishes versions that are installed already, for the tests whose subject is not the installing."""
        for version, wheel in self.publish(versions, **faults).items():
            unpack_toolchain(wheel, version, self.folder / "toolchains", self.pattern)

    def bisect(self, first, last, *arguments):
        return self.ngb("bisect", "study.yaml", *self.ends(first, last), *arguments, timeout=1500)

    @staticmethod
    def ends(first, last):
        return ("--compiler", "onnxruntime", "--from", first, "--to", last)

    def answer(self, first, last, *arguments, code=0):
        told = self.bisect(first, last, "--json", *arguments)
        self.assertEqual(told.returncode, code, told.stderr)
        return json.loads(told.stdout)

    @staticmethod
    def verdicts(answer):
        return {each["version"]: each["verdict"] for each in answer["tried"]}
