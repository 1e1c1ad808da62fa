# SPDX-License-Identifier: Apache-2.0
"""A device's results are kept when the job's texts, the study, the devices or the results file change."""

import json
import os
import pathlib
import signal
import unittest

from ngb_program import NULL_STUDY
from ssh_program import SSH, DeviceTest

MISSING = "\n  - openvino: {version: 9.9.9}\nbatch"
NOBODY = "http://127.0.0.1:9/"


class Kept(DeviceTest):
    def recorded(self, where="is_complete"):
        try:
            return self.query(self.results, f"select count(*) from process where {where}")[0][0]
        except Exception:  # no results yet
            return 0

    def journaled(self, device):
        """Returns the number of completed processes in the journals of a host."""
        found = (self.hosts / device).glob(".ngraphbench/runs/*/journal")
        return sum(path.read_bytes().count(b'"failure":null') for path in found)

    def agents(self):
        """Returns our programs that work for a device of this test."""
        found = []
        for process in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                words = (process / "cmdline").read_bytes().split(b"\0")
            except OSError:
                continue
            if any(str(self.hosts).encode() in word for word in words) and any(b"reside" == word for word in words):
                found.append(int(process.name))
        return found

    def begin_and_kill(self, processes=2):
        """Starts a run and kills its client after so many recorded processes; the devices continue."""
        client = self.start("run", self.study)
        self.wait_for(lambda: self.recorded() >= processes)
        client.send_signal(signal.SIGKILL)
        client.wait()
        return self.recorded()

    def edit(self, old, new):
        text = self.study.read_text()
        self.assertIn(old, text)
        self.study.write_text(text.replace(old, new))

    def assert_clean(self):
        self.wait_for(lambda: not self.agents())
        left = [str(path) for path in self.hosts.glob("*/.ngraphbench/*") if path.name != ".ngraphbench"]
        self.assertEqual(left, [])
        self.assertEqual(self.query(self.results, "select * from presence"), [])

    def assert_each_once(self, count):
        self.assertEqual(self.recorded(), count)
        self.assertEqual(self.query(self.results, "select count(*) from (select distinct cell_key, process_index from process "
                                                  "where is_complete)"), [(count,)])

    def test_a_changed_message_about_a_missing_toolchain_loses_no_results(self):
        self.use("  - dev: {ssh: dev}\n", compile_ms=600)
        self.edit("\nbatch", MISSING)
        self.environment.update(PIP_RETRIES="0", PIP_INDEX_URL=NOBODY, PIP_NO_INDEX="0")
        before = self.begin_and_kill()
        self.wait_for(lambda: self.journaled("dev") >= before + 3)
        on_device = self.journaled("dev")
        self.environment["PIP_NO_INDEX"] = "1"
        fetched = self.ngb("fetch", self.results)
        self.assertEqual(fetched.returncode, 0, fetched.stderr)
        self.assertGreaterEqual(self.recorded(), on_device)
        journals = list((self.hosts / "dev").glob(".ngraphbench/runs/*/journal*"))  # none if the run has finished meanwhile
        self.assertEqual({path.name for path in journals} - {"journal"}, set())
        done = self.ngb("resume", self.results)
        self.assertEqual(done.returncode, 1, done.stderr)  # openvino's cells
        # Repeats the failed cells if the device had finished before the fetch: a toolchain might have been installed
        # since.
        self.assertIn(self.recorded("not is_complete"), (4, 8))
        self.assert_each_once(12)
        self.assert_clean()

    def test_an_edited_study_first_fetches_the_earlier_runs_results_and_ends_that_run(self):
        self.use("  - dev: {ssh: dev}\n", compile_ms=300)
        before = self.begin_and_kill()
        self.wait_for(lambda: self.journaled("dev") >= before + 2)
        on_device = self.journaled("dev")
        self.edit("[1, 2]\nref", "[1, 2, 4]\nref")
        done = self.ngb("run", self.study)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("the study has changed", done.stderr)
        self.assertGreaterEqual(self.recorded("is_complete and run_key = 1"), on_device)
        self.assert_each_once(18)
        self.assert_clean()

    def test_a_device_removed_from_the_study_is_fetched_from_and_cleaned(self):
        self.use("  - dev: {ssh: dev}\n  - other: {ssh: other}\n", compile_ms=200)
        self.begin_and_kill()
        self.wait_for(lambda: self.journaled("other") >= 2)
        on_other = self.journaled("other")
        self.edit("  - other: {ssh: other}\n", "")
        done = self.ngb("run", self.study)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertGreaterEqual(self.recorded("is_complete and device = 'other'"), on_other)
        self.assertEqual(self.recorded("is_complete and device = 'dev'"), 12)
        self.assert_clean()

    def test_a_run_on_an_unreachable_device_is_named_until_it_is_cancelled(self):
        self.use("  - dev: {ssh: dev}\n  - other: {ssh: other}\n", compile_ms=100)
        client = self.start("run", self.study)
        self.wait_for(lambda: self.recorded("is_complete and device = 'other'") >= 1)
        client.send_signal(signal.SIGINT)  # the devices' folders remain
        client.stdout.read()
        self.assertEqual(client.wait(300), 130)
        run_id = self.query(self.results, "select run_id from run")[0][0]
        self.edit("  - other: {ssh: other}\n", "")
        gone = 'if [ "$2" = other ]; then echo "Could not resolve hostname other" >&2; exit 255; fi\nmkdir'
        self.write("commands/ssh", SSH.replace("mkdir", gone))
        done = self.ngb("run", self.study)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(f"run {run_id} is still on other", done.stderr)
        self.assertIn("ngb cancel", done.stderr)
        status = self.ngb("status", self.results)
        self.assertIn(f"run {run_id} is still on other", status.stderr)
        as_json = json.loads(self.ngb("status", self.results, "--json").stdout)
        self.assertEqual(as_json["elsewhere"], [{"run_id": run_id, "device": "other"}])
        self.write("commands/ssh", SSH)
        cancelled = self.ngb("cancel", self.results)
        self.assertEqual(cancelled.returncode, 0, cancelled.stderr)
        self.assertIn("torn down: 2 of 2 verified", cancelled.stdout)
        self.assert_clean()
        self.assertEqual(self.ngb("status", self.results).stderr, "")

    def test_results_of_the_other_devices_are_shown_when_one_is_given_up(self):
        self.use("  - dev: {ssh: dev}\n  - gone: {ssh: gone, unreachable_s: 2}\n")
        gone = 'if [ "$2" = gone ]; then echo "Connection timed out" >&2; exit 255; fi\nmkdir'
        self.write("commands/ssh", SSH.replace("mkdir", gone))
        done = self.ngb("run", self.study)
        self.assertEqual(done.returncode, 3, done.stdout)
        self.assertRegex(done.stderr, r"gone: no connection \(Connection timed out\); trying again in 1.0 s, given up in [12]")
        self.assertRegex(done.stderr, "dev: finished; ngb show .*results/test --device dev shows its results")
        self.assertIn("gone: could not be reached for 2.0 s: Connection timed out", done.stderr)
        self.assertIn("conv_block width=8 depth=1 image_size=16, batch 1, on dev", done.stdout)
        self.assertIn(f"Results: {self.results}", done.stdout)

    def test_cancel_ends_a_run_whose_study_was_edited_after_its_client_died(self):
        self.use("  - dev: {ssh: dev}\n", compile_ms=300)
        self.begin_and_kill(1)
        self.edit("[1, 2]\nref", "[1]\nref")
        (self.results / "study.json").unlink()
        cancelled = self.ngb("cancel", self.results)
        self.assertEqual(cancelled.returncode, 0, cancelled.stderr)
        self.assertIn("torn down: 1 of 1 verified", cancelled.stdout)
        self.assert_clean()

    def test_cancel_fails_if_it_cannot_record_that_nothing_is_left(self):
        self.use("  - dev: {ssh: dev}\n")
        self.assertEqual(self.ngb("run", self.study).returncode, 0)
        (self.results / "results.db.lock").mkdir()  # as in a folder that somebody else owns, for root too
        cancelled = self.ngb("cancel", self.results)
        self.assertIn("could not record that the runs are removed: ", cancelled.stderr)
        self.assertEqual(cancelled.returncode, 3)

    def test_deleting_the_results_file_during_a_run_ends_it_with_that_reason(self):
        self.write("study.yaml", NULL_STUDY.replace('- "null"', '- "null": {options: {compile_ns: 200000000}}'))
        run = self.start("run", "study.yaml")
        self.wait_for(lambda: self.recorded() >= 2)
        kept = self.folder / "kept.db"
        os.rename(self.results / "results.db", kept)
        said = run.stdout.read()
        self.assertEqual(run.wait(300), 3, said)
        self.assertIn("deleted or moved while it was written", said)
        os.rename(kept, self.results / "results.db")
        again = self.ngb("run", "study.yaml")
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assert_each_once(12)


if __name__ == "__main__":
    unittest.main()
