# SPDX-License-Identifier: Apache-2.0
"""What scripts/unchanged tells .ci/run: tests whose files are what they were when they passed."""

import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

PROGRAM = pathlib.Path(__file__).resolve().parents[2] / "scripts/unchanged"
ALL = ["aarch64", "exports", "conformance", "cluster", "simulated", "drawn"]
FILES = ("src/worker/loop.cpp", "src/toolchain/pip.cpp", "src/report/page.cpp", "compilers/null/null.cpp", "tests/aarch64/device_test.py")


class Unchanged(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="ngb-unchanged-")
        self.addCleanup(folder.cleanup)
        self.checkout, self.home = pathlib.Path(folder.name) / "checkout", pathlib.Path(folder.name) / "home"
        self.environment = {"PATH": os.environ["PATH"], "HOME": str(self.home)}
        for name in FILES:
            self.write(name, "first")
        (self.checkout / "scripts").mkdir()
        shutil.copy(PROGRAM, self.checkout / "scripts/unchanged")
        subprocess.run(["git", "init", "--quiet", self.checkout], check=True)

    def write(self, name, text):
        path = self.checkout / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def unchanged(self, *arguments, **variables):
        return subprocess.run([self.checkout / "scripts/unchanged", *arguments], env={**self.environment, **variables},
                              capture_output=True, text=True, check=True).stdout.split()

    def test_nothing_is_unless_it_has_passed(self):
        self.assertEqual(self.unchanged(), [])
        self.assertEqual(self.unchanged("--note"), [])
        self.assertEqual(self.unchanged(), ALL)
        self.assertEqual(self.unchanged(CI_FULL="1"), [])

    def test_tests_are_not_if_a_file_of_theirs_is_another_or_new(self):
        self.unchanged("--note")
        for name, left in {"src/report/page.cpp": ALL[:5], "src/toolchain/pip.cpp": ["aarch64", "simulated"],
                           "tests/aarch64/device_test.py": ALL[1:], "src/worker/loop.cpp": ALL[4:],
                           "src/metrics/mean.cpp": ALL[:3], "compilers/new/new.cpp": ALL[4:]}.items():
            with self.subTest(name):
                self.write(name, "second")
                self.assertEqual(self.unchanged(), left)
                if name in FILES:
                    self.write(name, "first")
                else:
                    (self.checkout / name).unlink()
        self.assertEqual(self.unchanged(), ALL)

    def test_conformance_is_not_if_a_toolchain_was_installed(self):
        self.unchanged("--note")
        manifest = self.home / ".local/share/ngraphbench/toolchains/tvm/0.27/manifest.json"
        manifest.parent.mkdir(parents=True)
        manifest.write_text("{}")
        self.assertEqual(self.unchanged(), [])


if __name__ == "__main__":
    unittest.main()
