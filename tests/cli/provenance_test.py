# SPDX-License-Identifier: Apache-2.0
"""Results of different builds are told apart and never mixed, whether the build changes between or within runs."""

import os
import re
import shutil
import signal
import subprocess
import unittest

from ngb_program import BIN, NgbTest, NULL_STUDY, TOOLCHAINS, link_installation, toolchain, without_toolchains

PROCESSES = 12
SLOW = NULL_STUDY.replace('- "null"', '- "null": {options: {compile_ns: 200000000}}')
ONNXRUNTIME = """\
name: test
models:
  - zoo: {conv_block: {width: 8, depth: 1, image_size: 16}}
compilers:
  - onnxruntime: {version: 1.30.0}
reference: none
processes: 2
disturbance:
  max_wait_percent: 100
repetitions: 5
protocol: paper
"""


class Provenance(NgbTest):
    def use_an_installation_of_its_own(self):
        """Makes an installation whose plugin of the null compiler the test may change."""
        own = self.folder / "installation"
        compilers = link_installation(own, [])
        shutil.copytree(BIN.parent / "lib/ngraphbench/compilers/null", compilers / "null")
        self.program = own / "bin/ngb"
        return own

    def measure_a_part(self):
        self.write("study.yaml", SLOW)
        run = self.start("run", "study.yaml")
        for line in run.stdout:
            if line.startswith("2 of 12 processes"):
                break
        run.send_signal(signal.SIGINT)
        run.stdout.read()
        self.assertEqual(run.wait(300), 130)
        return len(self.query("results/test", "SELECT 1 FROM process"))

    def replace_plugin(self, installation):
        """Makes another build that behaves the same: nothing reads bytes after the end of an ELF file."""
        plugin = installation / "lib/ngraphbench/compilers/null/null.so"
        plugin.write_bytes(plugin.read_bytes() + b"another build")

    def test_another_build_is_refused_in_a_resumed_run_and_measured_again_on_request(self):
        installation = self.use_an_installation_of_its_own()
        before = self.measure_a_part()
        self.replace_plugin(installation)
        refused = self.ngb("run", "study.yaml")
        self.assertEqual(refused.returncode, 3, refused.stderr)
        self.assertRegex(refused.stderr, r"plugin or adaptor \([0-9a-f]{12} before, [0-9a-f]{12} now\)")
        self.assertIn("ngb run --new-build", refused.stderr)
        self.assertEqual(len(self.query("results/test", "SELECT 1 FROM process")), before)

        done = self.ngb("run", "study.yaml", "--new-build")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.query("results/test", "SELECT count(*) FROM process"), [(before + PROCESSES,)])
        builds = "SELECT count(DISTINCT plugin_sha256), count(DISTINCT worker_sha256) FROM made_with"
        self.assertEqual(self.query("results/test", builds), [(2, 1)])
        counted = ("SELECT count(*), count(DISTINCT plugin_sha256) FROM process JOIN made_with USING (made_with_key) "
                   "WHERE process_key IN (SELECT process_key FROM process JOIN origin USING (cell_key, origin) WHERE rank = 1)")
        self.assertEqual(self.query("results/test", counted), [(PROCESSES, 1)])
        steady = "SELECT count(*) FROM sample WHERE NOT is_warm_up GROUP BY cell_id, process_index"
        self.assertEqual(self.query("results/test", steady), [(5,)] * PROCESSES)
        raised = [cell for cell in self.show("results/test")["cells"] if "mixed_build" in cell["flags"]]
        cells = "SELECT count(DISTINCT cell_key) FROM origin WHERE rank > 1"
        self.assertEqual([(len(raised),)], self.query("results/test", cells))
        self.assertTrue(raised)

    def test_a_restored_build_resumes_where_it_stopped(self):
        installation = self.use_an_installation_of_its_own()
        plugin = installation / "lib/ngraphbench/compilers/null/null.so"
        first = plugin.read_bytes()
        self.measure_a_part()
        self.replace_plugin(installation)
        self.assertEqual(self.ngb("run", "study.yaml").returncode, 3)
        plugin.write_bytes(first)
        done = self.ngb("run", "study.yaml")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.query("results/test", "SELECT count(*) FROM process"), [(PROCESSES,)])

    def test_programs_name_their_commit_and_a_run_records_it(self):
        told = self.ngb("--version").stdout.strip()
        match = re.fullmatch(r"ngb ([\d.]+) \((?:not from git|git ([0-9a-f]{12})(, changed)?)\)", told)
        self.assertTrue(match, told)
        agent = subprocess.run([BIN / "ngb-agent", "--version"], capture_output=True, text=True)
        self.assertEqual(agent.stdout.strip().replace("ngb-agent", "ngb"), told)
        self.write("study.yaml", NULL_STUDY)
        self.assertEqual(self.ngb("run", "study.yaml").returncode, 0)
        (version, revision, changed), = self.query("results/test", "SELECT ngb_version, ngb_revision, ngb_is_changed FROM run")
        self.assertEqual(version, match[1])
        self.assertEqual(revision and revision[:12], match[2])
        self.assertEqual(changed, int(bool(match[3])) if match[2] else None)
        entry = "SELECT value FROM environment_entry WHERE name = 'agent_revision'"
        self.assertEqual(self.query("results/test", entry), [(revision,)])

    @unittest.skipIf(without_toolchains("onnxruntime"), without_toolchains("onnxruntime"))
    def test_a_toolchain_in_another_versions_folder_is_missing_with_that_reason(self):
        place = self.folder / "toolchains/onnxruntime"
        place.mkdir(parents=True)
        os.symlink(TOOLCHAINS / toolchain("onnxruntime"), place / "1.30.0")
        self.write("study.yaml", ONNXRUNTIME)
        self.assertEqual(self.ngb("run", "study.yaml").returncode, 1)
        (kind, message), = self.query("results/test", "SELECT kind, message FROM failure")
        self.assertEqual(kind, "toolchain_missing")
        self.assertIn(f"its manifest says that it is onnxruntime {toolchain('onnxruntime').name}", message)

    @unittest.skipIf(without_toolchains("onnxruntime"), without_toolchains("onnxruntime"))
    def test_a_library_whose_version_differs_from_its_manifest_has_no_speed(self):
        newest = TOOLCHAINS / toolchain("onnxruntime")
        place = self.folder / "toolchains/onnxruntime/1.30.0"
        place.mkdir(parents=True)
        os.symlink(newest / "site", place / "site")
        manifest = (newest / "manifest.json").read_text()
        (place / "manifest.json").write_text(manifest.replace(f'"version": "{newest.name}"', '"version": "1.30.0"'))
        self.write("study.yaml", ONNXRUNTIME)
        self.assertEqual(self.ngb("run", "study.yaml").returncode, 1)
        (kind, phase, message), = self.query("results/test", "SELECT kind, phase, message FROM failure")
        self.assertEqual((kind, phase), ("fallback", "open"))
        self.assertIn(f"onnxruntime 1.30.0 was requested, but the loaded library says that it is {newest.name}", message)
        self.assertEqual(self.query("results/test", "SELECT count(*) FROM repetition"), [(0,)])


if __name__ == "__main__":
    unittest.main()
