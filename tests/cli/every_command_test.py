# SPDX-License-Identifier: Apache-2.0
"""Every command of ngb, one after the other in one folder: what it leaves on the machine, and that nothing which the shell
has set, and no Python file of the folder, changes what it does. A new command needs a row here."""

import os
import pathlib
import re
import shutil
import subprocess
import unittest

from ngb_program import BIN, NgbTest

STUDY = """\
name: test
models:
  - zoo: {conv_block: {width: 8, image_size: 16}}
compilers:
  - "null": {label: a, options: {run_ns: 100000}}
  - "null": {label: b, options: {run_ns: 200000}}
loads: [{command: "env >>SEEN; exec sleep 60"}]
reference: none
processes: 5
repetitions: 16
warm_up: 1
min_repetition_ms: 0
disturbance: {max_wait_percent: 100}
"""
SIDES = ("--baseline", "a", "--candidate", "b")
LATENCY = ("--latency", "p50=200ms", "--load", "20/s")
ELSEWHERE = ("--machine", "aarch64", "--glibc", "2.35", "--python", "3.10")
# A command, its exit code (or those that other work on this machine may give), and what it writes into the working folder. No
# toolchain is installed, and pip has no index.
COMMANDS = (
    (("new", "first.yaml"), 0, "first.yaml"),
    (("doctor",), 3, None),
    (("compilers",), 0, None),
    (("models",), 0, None),
    (("models", "show", "mlp"), 0, None),
    (("models", "write", "mlp", "-o", "mlp.onnx"), 0, "mlp.onnx"),
    (("schema",), 0, None),
    (("completions", "bash"), 0, None),
    (("plan", "study.yaml"), 0, None),
    (("run", "study.yaml", "-o", "measured"), 0, "measured"),
    (("run", "study.yaml", "-o", "again", "--no-report"), 0, "again"),
    (("run", "mlp.onnx", "--compilers", "null", "-o", "named", "--dry-run"), 0, "named"),  # its study
    (("resume", "measured"), 0, "measured"),
    (("fetch", "measured"), 3, "measured"),
    (("status", "measured"), 0, "measured"),
    (("cancel", "measured"), 0, "measured"),
    (("show", "measured"), 0, "measured"),
    (("report", "measured", "-o", "page"), 0, "page"),
    (("profile", "measured"), 0, "measured"),
    (("choose", "measured", *LATENCY), (0, 5), "measured"),
    (("tune", "study.yaml", "-o", "tuned"), (0, 2, 3), "tuned"),
    (("compare", "measured", *SIDES), 0, "measured"),
    (("history", "measured", "again", "-o", "history.html"), 0, "history.html"),
    (("explain", "study.yaml", *SIDES, "--rounds", "2", "-o", "explained"), 3, "explained"),
    (("gate", "study.yaml", *SIDES, "-o", "gated"), 4, "gated"),
    (("export", "measured", "--compiler", "a", "-o", "exported"), 3, None),  # it was measured beside a load
    (("merge", "measured", "again", "-o", "merged"), 0, "merged"),
    (("bundle", "measured", "-o", "bundle.zip"), 0, "bundle.zip"),
    (("verify", "bundle.zip"), 0, None),
    (("collection", ".", "-o", "site"), 0, "site"),
    (("calibrate", "--threads", "1", "--time", "1s", "-o", "calibrated"), 2, "calibrated"),
    (("bisect", "study.yaml", "--compiler", "onnxruntime", "--from", "1.30.0", "--to", "1.31.1"), 3, "results"),
    (("devices",), 0, None),
    (("devices", "check"), 0, None),
    (("devices", "rbac"), 0, None),
    (("toolchain", "list"), 0, None),
    (("toolchain", "install", "onnxruntime@9.9.9"), 3, None),
    (("toolchain", "adopt", "onnxruntime", "empty"), 3, None),
    (("toolchain", "remove", "onnxruntime"), 3, None),
    (("toolchain", "download", "onnxruntime@9.9.9", *ELSEWHERE), 3, None),
    (("toolchain", "verify"), 0, None),
    (("toolchain", "push", "onnxruntime@9.9.9"), 2, None),
)
# Each of these changes a speed, an answer, or what is run.
SHELL = {
    "PYTHONPATH": ":/nowhere",  # its empty entry is the working folder
    "PYTHONVERBOSE": "1",
    "PYTHONMALLOCSTATS": "1",
    "ONEDNN_MAX_CPU_ISA": "SSE41",
    "OMP_PROC_BIND": "close",
    "GLIBC_TUNABLES": "glibc.malloc.tcache_count=0",
    "LD_PRELOAD": "/nowhere/preload.so",
    "LD_AUDIT": "/nowhere/audit.so",
    "A_LIBRARY_OF_TOMORROW": "fast",
}
PYTHON_FILES = ("os", "json", "platform", "csv", "re", "bisect", "ast", "importlib", "pip", "runpy", "tempfile", "hashlib",
                "vl_convert")


class EveryCommand(NgbTest):
    maxDiff = None

    def setUp(self):
        super().setUp()
        self.places = [self.folder / name for name in ("home", "temporary", "work")]
        for place in self.places[1:]:
            place.mkdir()
        self.seen = self.folder / "seen"  # the variables of all loads and of all Pythons that are asked
        (self.folder / "work/empty").mkdir()
        self.write("work/study.yaml", STUDY.replace("SEEN", str(self.seen)))
        python = self.write("python3", f'#!/bin/sh\nenv >>{self.seen}\nexec {shutil.which("python3")} "$@"\n')
        python.chmod(0o755)
        self.environment |= {"TMPDIR": str(self.places[1]), "PATH": f"{self.folder}:{os.environ['PATH']}",
                             "PIP_NO_INDEX": "1", "PIP_CONFIG_FILE": "/dev/null"}

    def files(self):
        return {path for place in self.places for path in place.rglob("*") if not path.is_dir()}

    def left_by(self, words, code, writes):
        """Runs a command. Returns the files that are new, but for those that it is meant to write."""
        before = self.files()
        ended = subprocess.run([BIN / "ngb", *words], cwd=self.folder / "work", env=self.environment,
                               stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=1500)
        self.assertIn(ended.returncode, code if isinstance(code, tuple) else (code,), f"{words}\n{ended.stdout}{ended.stderr}")
        home, _, work = self.places
        ours = [home / ".cache/ngraphbench", *([work / writes, work / f"{writes}.yaml"] if writes else [])]
        return [str(path) for path in sorted(self.files() - before)
                if not any(path == each or each in path.parents for each in ours)]

    def test_is_in_the_list(self):
        def subcommands(*words):
            helped = self.ngb(*words, "--help").stdout.partition("\nWords:\n")[0]
            return [(*words, name) for name in re.findall(r"^  ([a-z]+) {2,}\S", helped, re.MULTILINE) if name != "file"]

        named = set(subcommands())
        for group in (("devices",), ("models",), ("toolchain",)):
            named |= set(subcommands(*group))
        listed = {words[:2] if words[:2] in named else words[:1] for words, _, _ in COMMANDS}
        self.assertEqual(sorted(named - listed - {("toolchain",)}), [])

    def test_leaves_nothing_but_its_results_its_cache_and_its_toolchains(self):
        self.assertEqual({words: left for words, *row in COMMANDS if (left := self.left_by(words, *row))}, {})

    def test_is_the_same_whatever_the_shell_has_set(self):
        mark = self.folder / "mark"
        for name in PYTHON_FILES:
            self.write(f"work/{name}.py", f"open({str(mark)!r}, 'a').write('{name} ')\n")
        self.environment |= SHELL
        for words, *row in COMMANDS:
            with self.subTest(words):
                self.assertEqual(self.left_by(words, *row), [])
                ran = mark.read_text() if mark.exists() else ""
                mark.unlink(missing_ok=True)
                self.assertEqual(ran, "")
        names = {line.partition("=")[0] for line in self.seen.read_text().splitlines()}
        self.assertEqual(names & (SHELL.keys() - {"PYTHONPATH"}), set())
        self.assertIn("NGB_TOOLCHAINS", names)
        logs = "".join(log.read_text(errors="replace") for log in pathlib.Path(self.folder / "work").rglob("logs/*.log"))
        self.assertNotIn("/nowhere", logs)


if __name__ == "__main__":
    unittest.main()
