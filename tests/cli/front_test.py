# SPDX-License-Identifier: Apache-2.0
"""What ngb says before it does anything: help, its version, and words that are no command and no option."""

import fcntl
import os
import pty
import re
import struct
import subprocess
import termios
import unittest

from ngb_program import BIN, NgbTest

# What is typed, and the word that is meant.
TYPOS = {
    "rnu quickstart": "run", "runn quickstart": "run", "shwo results": "show", "reprot results": "report", "plam s.yaml": "plan",
    "docter": "doctor", "comapre a b": "compare", "gaet a": "gate", "bisct": "bisect", "explian a": "explain", "chose a": "choose",
    "verfy a": "verify", "bundel a": "bundle", "toolchian list": "toolchain", "toolchain instal onnxruntime": "install",
    "toolchain lst": "list", "devices chek": "check", "models wirte resnet18": "write",
    "run quickstart --bugdet 10m": "--budget", "run quickstart --ouput x": "--output", "run quickstart --no-reprot": "--no-report",
    "show x --jsno": "--json", "show x --colums p50": "--columns", "show x --formta csv": "--format",
    "gate a --fail-if-undecide": "--fail-if-undecided", "compare a b --candiate x": "--candidate", "report x --papr-figures":
    "--paper-figures", "choose x --latncy p90=1s": "--latency", "--verson": "--version",
}


def on_a_terminal(columns, *arguments, **environment):
    """What ngb prints on a terminal so wide."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    with subprocess.Popen([BIN / "ngb", *arguments], stdout=theirs, env={**os.environ, **environment}) as program:
        os.close(theirs)
        printed = b""
        while True:
            try:
                part = os.read(ours, 65536)
            except OSError:  # it has ended
                break
            if not part:
                break
            printed += part
    os.close(ours)
    if program.returncode != 0:
        raise AssertionError(f"ngb ended with {program.returncode}")
    return printed.decode().replace("\r\n", "\n")


class Front(NgbTest):
    def refused(self, *arguments):
        """What ngb says of words that it does not take."""
        told = self.ngb(*arguments)
        self.assertEqual((told.returncode, told.stdout), (2, ""))
        return told.stderr

    def test_a_typo_is_named_with_the_word_that_is_meant(self):
        for typed, meant in TYPOS.items():
            with self.subTest(typed):
                self.assertRegex(self.refused(*typed.split()), rf"^ngb: \S+: no such (command|option), did you mean {meant}\?; ")

    def test_a_typo_in_a_file_a_model_or_a_key_is_named_with_the_word_that_is_meant(self):
        self.write("my_study.yaml", "models: [{zoo: resnet81}]\ncompilers: [openvno]\nrepititions: 3\n")
        self.write("my_model.onnx", "")
        for typed, meant in {
                "run quickstrat": ["quickstart"], "plan papr/models": ["paper/models"], "run my_stduy.yaml": ["my_study.yaml"],
                "run my_modle.onnx --compiler null": ["my_model.onnx"], "new my_modle.onnx": ["my_model.onnx"], "run resnet81": ["resnet18"],
                "run efficientnet_b33": ["efficientnet_b3"], "compilers openvno": ["openvino"],
                "toolchain install onxruntime": ["onnxruntime"], "run my_model.onnx --compiler openvno": ["openvino"],
                "show . --format jsno": ["json"], "plan my_study.yaml": ["resnet18", "openvino", "repetitions"]}.items():
            with self.subTest(typed):
                told = self.refused(*typed.split())
                for each in meant:
                    self.assertIn(f"did you mean {each}?", told)

    def test_a_word_that_is_like_no_command_is_named(self):
        self.assertEqual(self.refused("frobnicate"), "ngb: frobnicate: no such command; `ngb --help` lists them\n")

    def test_help_is_what_no_word_at_all_gives(self):
        self.assertEqual(self.ngb().stdout, self.ngb("--help").stdout)
        self.assertEqual(self.ngb("help").stdout, self.ngb("--help").stdout)

    def test_help_of_a_command_has_two_spellings(self):
        for command in ("run", "toolchain install", "devices rbac"):
            with self.subTest(command):
                self.assertEqual(self.ngb("help", *command.split()).stdout, self.ngb(*command.split(), "--help").stdout)
        self.assertIn("did you mean run?", self.refused("help", "rnu"))

    def test_a_command_of_commands_says_that_it_needs_one(self):
        self.assertEqual(self.refused("toolchain"), "ngb: ngb toolchain: which command?; `ngb toolchain --help` says more\n")

    def test_the_version_has_two_spellings(self):
        self.assertRegex(self.ngb("-V").stdout, r"^ngb \d+\.\d+\.\d+")
        self.assertEqual(self.ngb("-V").stdout, self.ngb("--version").stdout)

    def test_help_is_as_wide_as_the_terminal(self):
        for columns in (80, 120):
            for command in ("run", "show", "gate", "devices"):
                with self.subTest(columns=columns, command=command):
                    lines = re.sub(r"\x1b\[[0-9;]*m", "", on_a_terminal(columns, command, "--help")).split("\n")
                    too_wide = [line for line in lines if len(line) > columns and line.strip().count(" ") > 0]
                    self.assertEqual(too_wide, [])

    def test_headings_are_bold_unless_the_terminal_shall_have_no_colours(self):
        self.assertIn("\x1b[1mArguments:\x1b[0m", on_a_terminal(100, "run", "--help"))
        self.assertNotIn("\x1b", on_a_terminal(100, "run", "--help", NO_COLOR="1"))


if __name__ == "__main__":
    unittest.main()
