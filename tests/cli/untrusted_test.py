# SPDX-License-Identifier: Apache-2.0
"""Input from elsewhere is checked before it is recorded and made visible before it is printed: from devices that lie,
results files that somebody mailed, and files that are not regular."""

import json
import os
import pathlib
import shlex
import shutil
import sqlite3
import subprocess
import sys
import unittest

from ngb_program import BIN, NgbTest, toolchain

HERE = pathlib.Path(__file__).resolve().parent

STUDY = """\
name: lies
models:
  - zoo: {conv_block: {width: 8, depth: 1, image_size: 16}}
compilers:
  - "null"
reference: none
processes: 2
disturbance:
  max_wait_percent: 100
repetitions: 3
protocol: paper
warm_up: 1
"""

EVIL = "\x1b]0;owned\x07\x1b[2J\x7f\u009b31m"
CONTROLS = [chr(code) for code in (*range(0x20), *range(0x7F, 0xA0)) if chr(code) not in "\n\t"]


class Untrusted(NgbTest):
    def assert_shows_no_control(self, *texts):
        for text in texts:
            self.assertEqual([c for c in CONTROLS if c in text], [], repr(text))


class ALyingDevice(Untrusted):
    """Its share ends with a message that names field and value, and the event is not recorded."""

    def installation(self, edit):
        """Installs ngb beside an agent that lies."""
        folder = self.folder / "installation"
        shutil.rmtree(folder, ignore_errors=True)
        (folder / "bin").mkdir(parents=True)
        try:
            os.link(BIN / "ngb", folder / "bin/ngb")
        except OSError:
            shutil.copy2(BIN / "ngb", folder / "bin/ngb")
        (folder / "bin/ngb-worker").symlink_to(BIN / "ngb-worker")
        (folder / "lib").symlink_to(BIN.parent / "lib")
        agent = folder / "bin/ngb-agent"
        words = [sys.executable, HERE / "hostile_agent.py", BIN / "ngb-agent", self.write("edit.json", json.dumps(edit))]
        agent.write_text("#!/bin/sh\nexec " + " ".join(shlex.quote(str(word)) for word in words) + ' "$@"\n')
        agent.chmod(0o755)
        return folder / "bin/ngb"

    def run_with(self, edit):
        self.write("study.yaml", STUDY)
        shutil.rmtree(self.folder / "results", ignore_errors=True)
        return subprocess.run([self.installation(edit), "run", "study.yaml"], cwd=self.folder, env=self.environment,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=1500)

    def assert_refused(self, said, path, value, event="process", recorded=0):
        with self.subTest(path=path, value=str(value)[:40]):
            run = self.run_with({"event": event, "path": path, "value": value})
            self.assertEqual(run.returncode, 3, run.stdout + run.stderr)
            self.assertIn(said, run.stderr)
            self.assertIn("local", run.stderr)
            self.assertEqual(self.query("results/lies", "select count(*) from process")[0][0], recorded)
            self.assert_shows_no_control(run.stdout, run.stderr)

    def test_is_refused_with_unplanned_indices_and_attempts(self):
        self.assert_refused("process_index is -5, expected 0 to 1", ["process_index"], -5)
        self.assert_refused("process_index is 1000000, expected 0 to 1", ["process_index"], 1_000_000)
        self.assert_refused("attempt is 0, expected 1 to 2", ["attempt"], 0)
        self.assert_refused("attempt is 3, expected 1 to 2", ["attempt"], 3)
        self.assert_refused("this run has not planned for that device: feed", ["cell_id"], "feed")

    def test_is_refused_with_impossible_times_and_counts(self):
        self.assert_refused("wall_ns is -7, expected 1 to", ["wall_ns"], -7)
        self.assert_refused("repetitions: wall_ns is 0, expected 1 to", ["repetitions", 0, 0], 0)
        self.assert_refused("repetitions: inferences is 0, expected 1 to", ["repetitions", 0, 1], 0)
        self.assert_refused("phases: wall_ns of start is -1, expected 0 to", ["phases", 0, "wall_ns"], -1)
        self.assert_refused("file_bytes is 0, expected 1 to", ["file_bytes"], 0, event="model")

    def test_is_refused_with_invalid_words_texts_and_paths(self):
        self.assert_refused('stop_reason is "why not", expected one of', ["stop_reason"], "why not")
        self.assert_refused('log_path is "../../secret", expected a path below', ["log_path"], "../../secret")
        self.assert_refused("facts: library has a length of 2000000", ["facts"], {"library": "x" * 2_000_000})
        self.assert_refused('file_sha256 is "\\x1b[2J", expected 64', ["file_sha256"], "\x1b[2J", event="model")

    def test_cannot_finish_while_processes_are_missing(self):
        run = self.run_with({"event": "process", "becomes": "finished"})
        self.assertEqual(run.returncode, 3, run.stdout + run.stderr)
        self.assertIn("2 of 2 processes of cell", run.stderr)
        self.assertEqual(self.query("results/lies", "select is_finished from run_device"), [(0,)])
        # The next run resumes with an agent that tells the truth.
        again = self.ngb("run", "study.yaml")
        self.assertEqual(again.returncode, 0, again.stderr)

    def test_sends_escape_sequences_that_reach_no_terminal(self):
        failure = {"kind": "inaccurate", "phase": "timed", "message": EVIL, "advice": EVIL, "signal": None, "exit_code": None}
        run = self.run_with({"event": "process", "path": ["failure"], "value": failure})
        self.assertEqual(run.returncode, 1, run.stderr)
        self.assertIn("\\x1b]0;owned\\x07", run.stderr)
        self.assertIn("\\x1b]0;owned\\x07", run.stdout)
        self.assertIn("\\u009b31m", run.stdout)
        self.assert_shows_no_control(run.stdout, run.stderr)


class AMailedResultsFile(Untrusted):
    def results(self, *statements):
        """Returns the results of a run, changed by another program."""
        self.write("study.yaml", STUDY)
        run = self.ngb("run", "study.yaml")
        self.assertEqual(run.returncode, 0, run.stderr)
        with sqlite3.connect(self.folder / "results/lies/results.db") as database:
            for statement, *values in statements:
                database.execute(statement, values)
        database.close()
        return "results/lies"

    def test_shows_its_labels_without_commanding_the_terminal(self):
        results = self.results(("update model set label = ?", EVIL), ("update cell set compiler_label = ?", EVIL),
                               ("update run set study_name = ?", EVIL), ("update cell set precision = ?", EVIL))
        for arguments in (("show", results), ("show", "--all", "--best", results), ("status", results)):
            shown = self.ngb(*arguments)
            self.assertEqual(shown.returncode, 0, shown.stderr)
            self.assertIn("\\x1b[2J", shown.stdout)
            self.assert_shows_no_control(shown.stdout, shown.stderr)
        as_json = self.ngb("show", "--json", results)
        self.assert_shows_no_control(as_json.stdout)
        self.assertEqual(json.loads(as_json.stdout)["cells"][0]["model"], EVIL)

    def test_that_is_a_fifo_is_refused_at_once(self):
        (self.folder / "results").mkdir()
        os.mkfifo(self.folder / "results/results.db")
        for command in ("show", "status"):
            shown = self.ngb(command, "results", timeout=1500)
            self.assertEqual(shown.returncode, 3)
            self.assertIn("results.db: cannot read: a FIFO, not a file", shown.stderr)


class AFileThatIsNotRegular(Untrusted):
    """A FIFO without a writer or an endless device is refused at once, with its name."""

    def plan(self, model):
        self.write("study.yaml", f"models:\n  - {model}\ncompilers: ['null']\nreference: none\n")
        return self.ngb("plan", "study.yaml", timeout=1500)

    def test_is_refused_wherever_a_study_may_name_a_file(self):
        os.mkfifo(self.folder / "pipe")
        shutil.copy(HERE.parents[1] / "studies/text_encoder.py", self.folder)
        module = "pytorch: 'text_encoder.py:encoder', shapes: {input_ids: [batch, 2]}"
        for name in ("pipe", "/dev/zero"):
            kind = "a FIFO" if name == "pipe" else "a device"
            for model in ("{pytorch: '%s:build', shapes: {x: [batch, 2]}}" % name,
                          "{onnx: %s}" % name,
                          "{%s, state_dict: %s}" % (module, name),
                          "{%s, inputs: {input_ids: {type: i64, file: %s}}}" % (module, name)):
                with self.subTest(model=model):
                    planned = self.plan(model)
                    self.assertEqual(planned.returncode, 2, planned.stdout + planned.stderr)
                    self.assertRegex(planned.stderr, f"{name}.*(: not a file|{kind}, not a file)")

    def test_is_refused_as_a_study_and_as_the_users_devices(self):
        os.mkfifo(self.folder / "pipe")
        self.assertIn("pipe: cannot read: a FIFO", self.ngb("plan", "pipe", timeout=1500).stderr)
        self.environment["NGB_DEVICES"] = str(self.folder / "pipe")
        self.assertIn("pipe: cannot read: a FIFO", self.ngb("devices", timeout=1500).stderr)


class ADamagedToolchain(Untrusted):
    """Its manifest is empty, so it counts as missing, with that reason."""

    def setUp(self):
        super().setUp()
        self.place = self.folder / "toolchains" / toolchain("onnxruntime")
        self.place.mkdir(parents=True)
        (self.place / "manifest.json").write_text("")
        self.name = f"onnxruntime@{self.place.name}"

    def test_fails_only_its_own_cells(self):
        self.write("study.yaml", STUDY.replace('  - "null"\n', '  - "null"\n  - onnxruntime\n'))
        run = self.ngb("run", "study.yaml")
        self.assertEqual(run.returncode, 1, run.stdout + run.stderr)
        self.assertIn("is damaged: not JSON", run.stderr)
        self.assertEqual(self.query("results/lies", "select count(*) from process where is_complete"), [(2,)])
        (kind, message), = self.query("results/lies", "select distinct kind, message from failure")
        self.assertEqual(kind, "toolchain_missing")
        self.assertIn("is damaged: not JSON", message)

    def test_is_listed_examined_and_removed(self):
        listed = self.ngb("toolchain", "list")
        self.assertIn(f"ngb toolchain install {self.name} replaces it", listed.stdout)
        self.assertIn("is damaged: not JSON", json.loads(self.ngb("toolchain", "list", "--json").stdout)[0]["damage"])
        self.assertIn(f"-> ngb toolchain install {self.name} replaces it", self.ngb("doctor").stdout)
        removed = self.ngb("toolchain", "remove", self.name)
        self.assertEqual(removed.returncode, 0, removed.stderr)
        self.assertFalse(self.place.exists())


if __name__ == "__main__":
    unittest.main()
