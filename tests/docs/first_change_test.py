# SPDX-License-Identifier: Apache-2.0
"""The first change of CONTRIBUTING.md: its diff applies to the sources as they are, and its test passes."""

import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ["NGB_BIN"]).parent
COMPILED = ("src/metrics/metrics.cpp", "tests/unit/metrics/metrics_test.cpp")
CHANGED = (*COMPILED, "tests/truth/definitions_test.py")


class FirstChange(unittest.TestCase):
    def test_its_diff_applies_and_its_test_passes(self):
        diff, = re.findall(r"```diff\n(.*?)```", (SOURCE / "CONTRIBUTING.md").read_text("utf-8"), re.DOTALL)
        name, = re.findall(r"^\+TEST\((\w+, \w+)\)", diff, re.MULTILINE)
        with tempfile.TemporaryDirectory() as temporary:
            folder = pathlib.Path(temporary)
            for path in CHANGED:
                (folder / path).parent.mkdir(parents=True)
                shutil.copy(SOURCE / path, folder / path)
            shutil.copy(SOURCE / "tests/unit/metrics/made_up_cells.h", folder / "tests/unit/metrics")
            self.run_in(folder, ["git", "apply", "-"], text=diff)
            program = self.program_of(folder)
            told = self.run_in(folder, [program, "--gtest_filter=" + name.replace(", ", ".")])
        self.assertIn("[  PASSED  ] 1 test.", told)

    def program_of(self, folder):
        """Returns metrics_test with the changed files in place of those in the build's libraries."""
        objects = []
        for path in COMPILED:
            objects.append(str(folder / path) + ".o")
            self.run_in(folder, ["c++", "-std=c++20", "-w", "-c", "-fPIE", f'-DNGB_SOURCE_DIR="{SOURCE}"',
                                 *(f"-I{place}" for place in (
                folder / "src", SOURCE / "src", SOURCE / "include", SOURCE / "tests")), path, "-o", objects[-1]])
        commands = self.run_in(BUILD, ["ninja", "-t", "commands", "tests/metrics_test"])
        link = next(line for line in commands.splitlines() if " -o tests/metrics_test " in line)
        link = link.split("&& ", 1)[1].rsplit(" &&", 1)[0]
        program = str(folder / "metrics_test")
        link = link.replace(" -o tests/metrics_test ", f" -o {program} -Wl,-z,muldefs ")
        link = re.sub(r"(tests/unit/metrics/CMakeFiles/metrics_test\.dir/\S+\.o ?)+", " ".join(objects) + " ", link, count=1)
        self.run_in(BUILD, ["sh", "-c", link])
        return program

    def run_in(self, folder, command, text=None):
        done = subprocess.run(command, cwd=folder, input=text, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, f"{command}: {done.stdout}{done.stderr}")
        return done.stdout


if __name__ == "__main__":
    unittest.main()
