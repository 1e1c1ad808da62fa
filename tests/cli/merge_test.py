# SPDX-License-Identifier: Apache-2.0
"""Several results folders read as one, and ngb merge, on results of the null compiler."""

import json
import signal
import unittest

from ngb_program import NULL_STUDY, MeasuredTest

RENAMED = ("--as", "a:local=xeon", "--as", "b:local=laptop")


class Merge(MeasuredTest):
    def measure(self):
        for name in ("a", "b"):
            run = self.ngb("run", self.write(f"{name}.yaml", NULL_STUDY), "-o", name)
            self.assertEqual(run.returncode, 0, run.stderr)

    def good(self, *arguments):
        done = self.ngb(*arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def refused(self, code, *arguments):
        done = self.ngb(*arguments)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        return done.stderr

    def test_what_was_merged_is_shown_as_both_folders_are(self):
        self.assertIn("8 cells of 2 devices: laptop, xeon", self.good("merge", "a", "b", *RENAMED, "-o", "both"))
        for arguments in ((), ("--all",), ("--json",), ("--format", "csv")):
            self.assertEqual(self.good("show", "both", *arguments), self.good("show", "a", "b", *RENAMED, *arguments))
        cells = json.loads(self.good("show", "both", "--json"))["cells"]
        self.assertEqual({cell["device"] for cell in cells}, {"xeon", "laptop"})
        for cell in cells:
            self.assertIsNotNone(cell["metrics"]["rtr_ratio"]["value"])
        logs = self.query("both", "SELECT log_path FROM process WHERE log_path <> ''")
        for path, in logs:
            self.assertTrue((self.folder / "both" / path).is_file(), path)

    def test_devices_of_two_folders_are_compared_merged_or_not(self):
        sides = ("--by", "device", "--baseline", "xeon", "--candidate", "laptop", "--format", "csv")
        self.good("merge", "a", "b", *RENAMED, "-o", "both")
        asked = [self.good("compare", *results, *sides) for results in
                 (("both",), ("a", "b", *RENAMED), ("a", "b", "--join", *RENAMED))]
        self.assertEqual(len(asked[0].splitlines()), 5)
        self.assertEqual(asked[0], asked[1])
        self.assertEqual(asked[0], asked[2])
        gate = self.ngb("gate", "both", *sides[:6], "--fail-if-slower", "1000%")
        self.assertEqual(gate.returncode, 0, gate.stderr)

    def test_one_machine_without_new_names_stays_one_device(self):
        cells = json.loads(self.good("show", "a", "b", "--json"))["cells"]
        self.assertEqual(len(cells), 4)
        self.good("merge", "a", "b", "-o", "both")
        self.assertEqual(self.query("both", "SELECT count(*) FROM process WHERE is_complete = 1"), [(24,)])
        states = json.loads(self.good("status", "both", "--json"))
        self.assertEqual([state["source"] for state in states], ["a", "b"])

    def test_a_folder_is_renamed_by_merging_it_alone(self):
        self.good("merge", "a", "-o", "c/d/", "--as", "local=xeon")
        self.assertIn("xeon", self.good("show", "c/d"))
        self.assertEqual(self.query("c/d", "SELECT DISTINCT device FROM source_cell"), [("local",)])

    def test_what_cannot_be_merged_gets_one_message_and_no_folder(self):
        self.assertIn("it exists already", self.refused(2, "merge", "a", "b", "-o", "a"))
        self.assertIn("one is a copy of the other", self.refused(3, "merge", "a", "a", "-o", "c"))
        self.assertIn("renames no device", self.refused(2, "merge", "a", "-o", "c", "--as", "local"))
        self.assertIn("expected one of: local", self.refused(2, "show", "a", "--as", "xeon=pi"))
        self.assertIn("expected one of: a, b", self.refused(2, "show", "a", "b", "--as", "d:local=pi"))
        self.assertIn("there are no results here", self.refused(3, "merge", "a", "missing", "-o", "c"))
        other = self.write("other.yaml", NULL_STUDY.replace("repetitions: 5", "repetitions: 6"))
        self.good("run", other, "-o", "other")
        self.assertIn("unlike protocols: repetitions: 5 and 6", self.refused(3, "merge", "a", "other", "-o", "c"))
        self.assertIn("unlike protocols", self.refused(3, "show", "a", "other"))
        self.assertEqual([path.name for path in self.folder.glob("c*")], [])

    def test_nothing_is_measured_into_merged_results(self):
        self.good("merge", "a", "b", "-o", "both")
        self.assertIn("nothing can be measured into them", self.ngb("run", "a.yaml", "-o", "both").stderr)

    def test_an_interrupted_merge_leaves_nothing(self):
        merge = self.start("merge", "a", "b", *RENAMED, "-o", "both")
        merge.send_signal(signal.SIGINT)
        code = merge.wait(timeout=1500)
        left = [path.name for path in self.folder.glob("both*")]
        self.assertEqual(left, ["both"] if code == 0 else [])

    def test_this_machine_may_have_a_name_in_a_study(self):
        named = self.write("named.yaml", NULL_STUDY + "devices: [{workstation: local}]\n")
        self.assertIn("workstation", self.good("run", named, "-o", "named"))
        self.good("run", named, "-o", "named")
        renamed = json.loads(self.good("show", "a", "--as", "local=workstation", "--json"))["cells"]
        own = json.loads(self.good("show", "named", "--json"))["cells"]
        self.assertEqual({cell["cell_id"] for cell in own}, {cell["cell_id"] for cell in renamed})


if __name__ == "__main__":
    unittest.main()
