# SPDX-License-Identifier: Apache-2.0
"""What bash, zsh and fish offer when the tabulator is typed, in real shells where they are installed."""

import os
import pty
import re
import shutil
import subprocess
import sys
import unittest

from ngb_program import BIN, NULL_STUDY, NgbTest


def completed_by_zsh(line, folder, environment):
    """What zsh makes of a line on a terminal when the tabulator is typed."""
    ours, theirs = pty.openpty()
    with subprocess.Popen(["zsh", "-i"], stdin=theirs, stdout=theirs, stderr=theirs, cwd=folder, env=environment,
                          start_new_session=True) as shell:
        os.close(theirs)
        printed = b""

        def read_until(what):
            nonlocal printed
            while what not in printed:
                printed += os.read(ours, 65536)

        read_until(b"READY")
        printed = b""
        os.write(ours, f"{line}\t".encode())
        os.write(ours, b"\x18=")  # Ctrl-X =: says where the cursor is, when all before is done
        read_until(b"point")
        shell.kill()
    os.close(ours)
    return re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]|\x07|\r", "", printed.decode(errors="replace"))


class Completions(NgbTest):
    def setUp(self):
        super().setUp()
        self.environment["PATH"] = f"{BIN}:{os.environ['PATH']}"

    def completed(self, *words):
        """What bash offers for the last word."""
        script = f"source <(ngb completions bash); COMP_WORDS=({' '.join(map(repr, words))}); " \
                 f"COMP_CWORD={len(words) - 1}; _ngb ngb {words[-1]!r}; printf '%s\\n' \"${{COMPREPLY[@]}}\""
        return self.shell("bash", "-c", script).split("\n")[:-1]

    def shell(self, *command):
        return subprocess.run(command, check=True, cwd=self.folder, env=self.environment, capture_output=True, text=True).stdout

    def test_bash_completes_commands_subcommands_and_options(self):
        self.assertEqual(self.completed("ngb", "sh"), ["show"])
        self.assertEqual(self.completed("ngb", "toolchain", "in"), ["install"])
        self.assertEqual(self.completed("ngb", "run", "study.yaml", "--bud"), ["--budget"])
        self.assertEqual(self.completed("ngb", "status", ""), [""])  # then bash offers files

    def test_bash_completes_values(self):
        self.write("quiet.yaml", "")
        self.assertEqual(self.completed("ngb", "run", "qui"), ["quickstart", "quiet.yaml"], "studies that ship, and files")
        self.assertEqual(self.completed("ngb", "show", "results/x", "--format", "m"), ["markdown"])
        self.assertEqual(self.completed("ngb", "completions", "z"), ["zsh"])
        self.assertEqual(self.completed("ngb", "toolchain", "install", "on"), ["onnxruntime"])
        self.assertEqual(self.completed("ngb", "run", "quickstart", "--compiler", "openv"), ["openvino"])
        self.write("study.yaml", NULL_STUDY)
        self.assertEqual(self.ngb("run", "study.yaml", "--no-report").returncode, 0)
        self.assertIn("conv_block\\ width=8\\ depth=2\\ image_size=16", self.completed("ngb", "show", "results/test", "--model", ""))
        self.assertEqual(self.completed("ngb", "show", "results/test", "--batch", ""), ["1", "2"])

    def test_fish_completes_in_a_real_shell(self):
        if not shutil.which("fish"):
            self.skipTest("fish is not installed")
        def completed(line):
            told = self.shell("fish", "--no-config", "-c", f"ngb completions fish | source; complete -C {line!r}")
            return [each.split("\t")[0] for each in told.splitlines()]
        self.assertEqual(completed("ngb sh"), ["show"])
        self.assertIn("--budget", completed("ngb run quickstart --bud"))
        self.assertIn("quickstart", completed("ngb run qui"))
        self.assertIn("markdown", completed("ngb show results/x --format m"))
        self.assertIn("onnxruntime", completed("ngb toolchain install on"))

    def test_zsh_completes_in_a_real_shell(self):
        if not shutil.which("zsh"):
            self.skipTest("zsh is not installed")
        self.write("zshrc", "autoload -U compinit; compinit -u -D; source <(ngb completions zsh)\n"
                            "zle-line-init() { print -n READY }; zle -N zle-line-init\n")
        self.environment |= {"ZDOTDIR": str(self.folder), "TERM": "dumb"}
        (self.folder / "zshrc").rename(self.folder / ".zshrc")
        for line, whole in (("ngb sho", "ngb show "), ("ngb run quicks", "ngb run quickstart "), ("ngb show x --format m", "ngb show x --format markdown "),
                            ("ngb toolchain install onn", "ngb toolchain install onnxruntime ")):
            with self.subTest(line):
                self.assertIn(whole, completed_by_zsh(line, self.folder, self.environment))

    def test_the_scripts_of_other_shells_are_valid_where_the_shell_is_here(self):
        for shell in ("zsh", "fish"):
            script = self.ngb("completions", shell)
            self.assertEqual(script.returncode, 0)
            self.assertIn("budget", script.stdout)
            if shutil.which(shell):
                subprocess.run([shell, "--no-execute" if shell == "fish" else "-n", self.write(shell, script.stdout)], check=True)
            else:
                print(f"{shell} is not installed: its script was not read", file=sys.stderr)


if __name__ == "__main__":
    unittest.main()
