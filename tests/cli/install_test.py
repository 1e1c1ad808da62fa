# SPDX-License-Identifier: Apache-2.0
"""What a new user meets first: studies that ship with ngb, a study to start from, completions, a choice of toolchains,
and the packages."""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest
import zipfile

from ngb_program import BIN, NgbTest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(BIN).parent
PIP = {**os.environ, "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
PIP.pop("PIP_FIND_LINKS", None)


class FirstSteps(NgbTest):
    def test_a_study_that_ships_with_ngb_is_known_by_its_name(self):
        planned = self.ngb("plan", "quickstart")
        self.assertEqual(planned.returncode, 0, planned.stderr)
        self.assertIn("12 cells, 60 processes", planned.stdout)
        self.assertIn("paper/quick/conv", self.ngb("plan", "absent").stderr)

    def test_a_file_of_that_name_comes_first(self):
        self.write("quickstart", "name: mine\n")
        self.assertIn(": models: the key is missing", self.ngb("plan", "quickstart").stderr)

    def test_an_unknown_study_is_refused_with_the_names_that_ship(self):
        planned = self.ngb("plan", "quikstart")
        self.assertEqual(planned.returncode, 2)
        self.assertIn("no such file", planned.stderr)
        self.assertIn("studies that ship with ngb: mha, paper/compile,", planned.stderr)

    def test_a_new_study_can_be_planned_as_it_is_and_is_never_overwritten(self):
        written = self.ngb("new", "first.yaml")
        self.assertEqual((written.returncode, written.stdout),
                         (0, "first.yaml: written. Next:\n  ngb plan first.yaml\n  ngb run first.yaml\n"))
        planned = self.ngb("plan", "first.yaml")
        self.assertEqual(planned.returncode, 0, planned.stderr)
        again = self.ngb("new", "first.yaml")
        self.assertEqual(again.returncode, 2)
        self.assertIn("first.yaml: this file exists already; give another name", again.stderr)
        self.assertIn("ends in .yaml", self.ngb("new", "my study").stderr)

    def test_the_toolchains_that_can_be_had_are_listed_with_their_sizes_if_nobody_can_be_asked(self):
        self.environment["NGB_TOOLCHAINS"] = str(self.folder / "none")
        asked = self.ngb("toolchain", "install")
        self.assertEqual(asked.returncode, 2)
        self.assertRegex(asked.stdout, r"(?m)^onnxruntime +\S+ +\d+ MB  ONNX Runtime")
        self.assertRegex(asked.stdout, r"(?m)^identity .* GB  PyTorch eager.*; also for aotinductor, ")
        self.assertNotIn("tensorrt", asked.stdout)  # there is no GPU here, or this would ask for 2 GB
        self.assertIn("ngb toolchain install identity onnxruntime openvino", asked.stderr)


class Completions(NgbTest):
    def completed(self, *words):
        """What bash offers for the last word."""
        script = f"source <({BIN}/ngb completions bash); COMP_WORDS=({' '.join(map(repr, words))}); " \
                 f"COMP_CWORD={len(words) - 1}; _ngb ngb {words[-1]!r}; echo \"${{COMPREPLY[@]}}\""
        return subprocess.run(["bash", "-c", script], check=True, capture_output=True, text=True).stdout.split()

    def test_bash_completes_commands_subcommands_and_options(self):
        self.assertEqual(self.completed("ngb", "sh"), ["show"])
        self.assertEqual(self.completed("ngb", "toolchain", "in"), ["install"])
        self.assertEqual(self.completed("ngb", "run", "study.yaml", "--bud"), ["--budget"])
        self.assertEqual(self.completed("ngb", "run", ""), [])  # then bash offers files

    def test_the_scripts_of_other_shells_are_valid_where_the_shell_is_here(self):
        for shell in ("zsh", "fish"):
            script = self.ngb("completions", shell)
            self.assertEqual(script.returncode, 0)
            self.assertIn("budget", script.stdout)
            if shutil.which(shell):
                subprocess.run([shell, "--no-execute" if shell == "fish" else "-n", self.write(shell, script.stdout)], check=True)
            else:
                print(f"{shell} is not installed: its script was not read", file=sys.stderr)


class Packages(NgbTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        scratch = tempfile.TemporaryDirectory(prefix="ngb-packages-")
        cls.addClassCleanup(scratch.cleanup)
        cls.packages = pathlib.Path(scratch.name)
        made = subprocess.run([SOURCE / "scripts/package", BUILD, cls.packages], capture_output=True, text=True)
        if made.returncode != 0:
            raise AssertionError(made.stdout + made.stderr)
        cls.wheel, = cls.packages.glob("*-manylinux_*.whl")
        cls.stand_in, = cls.packages.glob("*-py3-none-any.whl")

    def installed(self, wheel):
        """The programs' folder of a new environment with a wheel in it."""
        subprocess.run([sys.executable, "-m", "venv", self.folder / "venv"], check=True)
        subprocess.run([self.folder / "venv/bin/pip", "install", "--no-index", "--quiet", wheel], check=True, env=PIP)
        return self.folder / "venv/bin"

    def test_pip_takes_the_wheel_with_the_programs_where_it_fits_and_else_the_one_without(self):
        # pip decides by the names, so one file may stand for all three wheels.
        wheels = self.folder / "wheels"
        wheels.mkdir()
        names = [f"ngraphbench-0.1.0-py3-none-{tag}.whl" for tag in ("manylinux_2_28_x86_64", "manylinux_2_28_aarch64", "any")]
        for name in names:
            shutil.copy(self.stand_in, wheels / name)
        for platform, taken in (("manylinux_2_28_x86_64", names[0]), ("manylinux_2_28_aarch64", names[1]),
                                ("musllinux_1_2_x86_64", names[2]), ("macosx_14_0_arm64", names[2]),
                                ("manylinux_2_17_x86_64", names[2]), ("linux_riscv64", names[2]), ("win_amd64", names[2])):
            with self.subTest(platform):
                subprocess.run([sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-index", "--find-links", wheels,
                                "--only-binary", ":all:", "--platform", platform, "--dest", self.folder / platform, "ngraphbench"],
                               check=True, env=PIP)
                self.assertEqual([each.name for each in (self.folder / platform).iterdir()], [taken])

    def test_the_commands_of_the_wheel_without_programs_say_what_can_be_done_and_end_with_3(self):
        programs = self.installed(self.stand_in)
        for name in ("ngb", "ngraphbench"):
            ran = subprocess.run([programs / name, "run", "quickstart"], capture_output=True, text=True)
            self.assertEqual((ran.returncode, ran.stdout), (3, ""))
            # The tests run where ngb does, and nobody gets this wheel there but by an old pip.
            self.assertIn("ngb: this system can run ngb, but the package without its programs was installed", ran.stderr)
        told = subprocess.run([programs / "python", "-c", """if True:
            from ngraphbench_stand_in import hindrance, message
            systems = [("Darwin", "arm64", True, None, (3, 13)), ("Windows", "AMD64", True, None, (3, 13)),
                       ("Linux", "x86_64", True, None, (3, 13)), ("Linux", "x86_64", True, (2, 17), (3, 13)),
                       ("Linux", "riscv64", True, (2, 39), (3, 13)), ("Linux", "aarch64", False, (2, 31), (3, 13)),
                       ("Linux", "aarch64", True, (2, 31), (3, 8)), ("Linux", "x86_64", True, (2, 28), (3, 9))]
            for system in systems:
                print(message(hindrance(*system)).splitlines()[0])
            """], check=True, capture_output=True, text=True).stdout
        here = "ngb: no program of ngb runs here: this is "
        self.assertEqual(told.splitlines()[:-1], [
            here + "macOS on arm64", here + "Windows on AMD64",
            here + "Linux with another C library than glibc, such as musl of Alpine", here + "Linux with glibc 2.17",
            here + "Linux on the processor riscv64", here + "a 32-bit Python on Linux", here + "Python 3.8"])
        self.assertTrue(told.splitlines()[-1].startswith("ngb: this system can run ngb"))

    def test_the_wheel_runs_from_an_environment_of_its_own(self):
        wheel = self.wheel
        self.assertRegex(wheel.name, rf"^ngraphbench-[0-9.]+-py3-none-manylinux_2_\d+_{os.uname().machine}\.whl$")
        self.assertLess(int(wheel.name.split("_")[2]), 35)
        with zipfile.ZipFile(wheel) as archive:
            names = archive.namelist()
        self.assertTrue(any(name.endswith("licenses/libssl-dev") for name in names))
        self.assertFalse([name for name in names if "__pycache__" in name])
        self.assertIn("ngraphbench/py.typed", names)  # the package for users
        self.installed(wheel)
        for name in ("ngb", "ngraphbench"):
            planned = subprocess.run([self.folder / "venv/bin" / name, "plan", "quickstart"], capture_output=True, text=True,
                                     cwd=self.folder, env={**os.environ, **self.environment})
            self.assertIn("12 cells, 60 processes", planned.stdout, planned.stderr)
        self.write("first.yaml", "name: first\nmodels: [{zoo: {mlp: {}}}]\ncompilers: ['null']\nreference: none\n"
                                "batch_sizes: [1]\nprocesses: 1\nrepetitions: 3\n"
                                 "disturbance: {max_wait_percent: 100}\n")
        ran = subprocess.run([self.folder / "venv/bin/ngb", "run", "first.yaml"], capture_output=True, text=True,
                             cwd=self.folder, env={**os.environ, **self.environment})
        self.assertRegex(ran.stdout, r"(?m)^1 cell: 1 measured$", ran.stderr)
        # The environment's pip installs toolchains even if the environment is not activated and the system's python3 has no pip.
        (self.folder / "without-pip").mkdir()
        python = self.folder / "without-pip/python3"
        python.write_text(f'#!/bin/sh\n[ "$2" != pip ] && exec {sys.executable} "$@"\nexit 1\n')
        python.chmod(0o755)
        environment = {**os.environ, **self.environment, "PATH": f"{python.parent}:{os.environ['PATH']}", "PIP_NO_INDEX": "1"}
        environment["NGB_TOOLCHAINS"] = str(self.folder / "none")
        for program, answer in ((self.folder / "venv/bin/ngb", "pip finds no version of onnxruntime"),
                                (f"{BIN}/ngb", "this Python has no pip")):
            installed = subprocess.run([program, "toolchain", "install", "onnxruntime"], capture_output=True, text=True,
                                       cwd=self.folder, env=environment)
            self.assertEqual(installed.returncode, 3, installed.stdout)
            self.assertIn(answer, installed.stderr)


if __name__ == "__main__":
    unittest.main()
