# SPDX-License-Identifier: Apache-2.0
"""ngb.open: results as frames, and what it says of what it cannot read."""

import csv
import io
import os
import pathlib
import re
import shutil
import sqlite3
import subprocess
import sys
import unittest
from unittest import mock

from package import ROOT, STUDY, PackageTest, ngb, pandas


def columns_of(page, heading):
    """The names in the table below a heading of a page in docs."""
    section = (ROOT / "docs" / page).read_text().partition(f"\n{heading}\n")[2].partition("\n#")[0]
    return re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE)


class Results(PackageTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.results = cls.measure()

    def test_cells_have_the_columns_of_show_and_a_column_for_each_metric(self):
        cells = self.results.cells
        self.assertEqual(len(cells), 12)
        told = subprocess.run([os.environ["NGB"], "show", "results", "--format", "csv"], capture_output=True, text=True).stdout
        names = [name for name in next(csv.reader(io.StringIO(told))) if "reason" not in name and not name.startswith("flag_")]
        for name in set(names) - {"failure_log_path", "failure_signal", "failure_exit_code", "baseline_precision"}:
            self.assertIn({"options": "options_json", "settings": "settings_json"}.get(name, name), cells.columns)
        for metric in columns_of("metrics.md", "## The table"):
            self.assertIn(metric, cells.columns)
        fast = cells[cells["compiler_label"] == "fast"]
        self.assertTrue((fast["speed_up_ratio"] > 2).all(), "1 ms instead of 4 ms")
        self.assertEqual(set(cells["options_json"]) - {"{}"}, {'{"made_up_ns":4000000}', '{"made_up_ns":1000000}'})

    def test_a_cell_without_a_program_says_why(self):
        cell = self.results.cells.set_index("compiler_label")["cell_id"]["fast"].iloc[0]
        error = self.raised(ngb.ProgramError, self.results.export, "program", cell)
        self.assertIn("null: ngb writes no programs for this compiler yet", str(error))
        self.assertFalse(pathlib.Path("program").exists())

    def test_history_has_a_row_for_each_point_of_each_cell(self):
        points = ngb.history("results")
        self.assertEqual((len(points), set(points["results"])), (12, {"results"}))
        cells = self.results.cells
        self.assertEqual(sorted(points["value"].dropna()), sorted(cells["throughput_per_s"].dropna()))
        self.raised(ngb.ProgramError, ngb.history, "results", by="moon")

    def test_derived_values_have_a_number_or_the_reason_why_there_is_none(self):
        derived = self.results.derived
        self.assertEqual(list(derived.columns), ["cell_id", "metric", "value", "low", "high", "reason"])
        self.assertTrue((derived["value"].isna() == (derived["reason"] != "")).all())
        failed = derived[derived["reason"].str.startswith("failed: ")]
        self.assertEqual(set(failed["reason"]), {"failed: toolchain_missing"})

    def test_samples_are_the_view_of_the_file_and_cell_id_tells_settings_apart(self):
        samples = self.results.samples
        self.assertEqual(list(samples.columns), columns_of("results.md", "### view sample"))
        steady = samples[samples["is_warm_up"] == 0]
        self.assertEqual(steady.groupby("cell_id").size().tolist(), [15] * 8)
        self.assertEqual(steady["compiler"].unique().tolist(), ["null"])
        means = steady.groupby("cell_id")["throughput_per_s"].mean()
        told = self.results.cells.set_index("cell_id")["throughput_mean_per_s"].dropna()
        pandas.testing.assert_series_equal(means.sort_index(), told.sort_index(), check_names=False)

    def test_series_findings_and_claims_are_those_of_show(self):
        series = self.results.series
        stored = set(columns_of("results.md", "### table series")) - {"position", "part_key"}
        self.assertEqual(set(series.columns), stored | {"cell_ids"})
        self.assertIn("depth_slope_per_block", set(series["series"]))
        self.assertRegex(self.results.answer[-1], r"^No result in \d+ of \d+ cells: ")
        self.assertEqual(set(self.results.findings["kind"]) & {"failures"}, {"failures"})
        self.assertIn("not_measured", set(self.results.claims["status"]))
        self.assertEqual(self.results.formulas.loc["speed_up_ratio", "unit"], "ratio")
        self.assertEqual(len(self.results.reversals), 0)

    def test_failures_say_what_failed_and_what_to_do(self):
        failures = self.results.failures
        self.assertEqual(set(failures["kind"]), {"toolchain_missing"})
        self.assertEqual(set(failures["compiler_label"]), {"onnxruntime"})
        self.assertIn("ngb toolchain install onnxruntime", failures["message"].iloc[0] + failures["advice"].iloc[0])

    def test_environments_say_which_machine_it_was(self):
        self.assertIn("cpu_threads", set(self.results.environments["name"]))

    def test_verdicts_compare_two_compilers_or_each_with_the_baseline(self):
        verdicts = self.results.verdicts("fast")
        self.assertEqual(set(verdicts["verdict"]), {"faster"})
        self.assertEqual(set(verdicts["baseline_compiler_label"]), {"slow"})
        self.assertTrue((verdicts["ratio"] > 2).all())
        told = subprocess.run([os.environ["NGB"], "compare", "results", "--baseline", "slow", "--candidate", "fast", "--format",
                               "csv"], capture_output=True, text=True).stdout
        self.assertEqual(set(verdicts.columns), set(next(csv.reader(io.StringIO(told)))) - {"is_regression"})
        both = self.results.verdicts()
        self.assertEqual(set(both["candidate_compiler_label"]), {"fast", "onnxruntime"})
        self.assertEqual(set(both[both["candidate_compiler_label"] == "onnxruntime"]["outcome"]), {"failed"})

    def test_another_metric_judges_and_answers(self):
        by_latency = self.results.verdicts("fast", metrics=["latency_p50_s:5%", "throughput_per_s"])
        self.assertEqual(set(by_latency["metric"]), {"latency_p50_s", "throughput_per_s"})
        self.assertEqual(set(zip(by_latency["metric"], by_latency["verdict"])),
                         {("latency_p50_s", "better"), ("throughput_per_s", "faster")})
        self.assertRegex(ngb.open("results", metric="latency_p50_s").answer[0], "the best by latency_p50_s")

    def test_another_baseline_turns_the_speed_ups_round(self):
        cells = ngb.open("results", baseline="fast").cells
        self.assertTrue((cells[cells["compiler_label"] == "slow"]["speed_up_ratio"] < 0.5).all())

    def test_a_frame_is_the_callers_own(self):
        cells = self.results.cells
        cells["device"] = "mine"
        self.assertEqual(set(self.results.cells["device"]), {"local"})


class Profiles(PackageTest):
    def test_operators_are_the_kernels_of_an_inference(self):
        null = {"null": {"options": {"made_up_ns": 4_000_000, "kernels": "stem+blocks.0.conv*3,~copy*1"}}}
        study = {**STUDY, "models": [{"zoo": {"conv_block": {"width": 8, "depth": 1, "image_size": 16}}}], "compilers": [null],
                 "batch_sizes": [1], "processes": 1, "profile": True}
        del study["baseline"]
        operators = ngb.run(study, "profiles", progress=False).operators
        self.assertEqual(operators["duration_ns"].tolist(), [3_000_000, 1_000_000])
        self.assertEqual(operators["start_ns"].tolist(), [0, 3_000_000])
        self.assertEqual(operators["nodes"].tolist(), [("stem", "blocks.0.conv", "blocks.0.bn", "blocks.0.act"), ()])
        self.assertEqual(operators["name"].tolist(), ["stem+blocks.0.conv", "copy"])

    def test_results_that_were_timed_for_a_speed_have_none(self):
        error = self.raised(ngb.ProgramError, lambda: self.measure("timed").operators)
        self.assertIn("processes that are timed for a speed are never profiled", str(error))


class SeveralFolders(PackageTest):
    def test_are_one_and_devices_are_renamed(self):
        self.measure("one")
        self.measure("two")
        both = ngb.open("one", "two", rename={"one:local": "xeon", "two:local": "laptop"})
        self.assertEqual(sorted(both.cells["device"].unique()), ["laptop", "xeon"])
        self.assertEqual(sorted(both.samples["device"].unique()), ["laptop", "xeon"])
        self.assertEqual(len(both.cells), 24)
        verdicts = both.verdicts("laptop", "xeon", by="device")
        self.assertEqual(len(verdicts), 12)
        comparison = ngb.compare("one", "two")
        self.assertEqual(len(comparison.verdicts), 12)
        self.assertIn("failed", comparison.summary)


class WhatCannotBeRead(PackageTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.measure(compilers=["null", "onnxruntime"], baseline="null", processes=1, models=[{"zoo": {"conv_block": {
            "width": 8, "depth": 1, "image_size": 16}}}], batch_sizes=[1])

    def copy(self, name):
        shutil.copytree("results", name)
        return pathlib.Path(name)

    def change(self, folder, sql):
        with sqlite3.connect(folder / "results.db") as database:
            database.executescript(sql)
        database.close()

    def test_a_folder_without_results_is_named(self):
        error = self.raised(ngb.ResultsError, ngb.open, "nowhere")
        self.assertEqual(str(error), "nowhere: there are no results here; name a folder that `ngb run` has written")

    def test_a_file_of_a_newer_version_is_refused_with_both_versions(self):
        folder = self.copy("newer")
        self.change(folder, "PRAGMA user_version = 99")
        error = self.raised(ngb.ResultsError, ngb.open, folder)
        self.assertEqual(str(error), "newer/results.db: written by a newer version of ngb: the file has version 99, and this "
                                     "package reads versions up to 14; install a newer ngraphbench")

    def test_a_file_that_is_no_sqlite_file_or_no_results_file_is_refused(self):
        folder = pathlib.Path("other")
        folder.mkdir()
        (folder / "results.db").write_text("Dear diary, today I measured nothing at all. " * 20)
        self.assertIn("this is no SQLite file", str(self.raised(ngb.ResultsError, ngb.open, folder)))
        (folder / "results.db").unlink()
        self.change(folder, "CREATE TABLE diary (day TEXT)")
        self.assertIn("no results file", str(self.raised(ngb.ResultsError, ngb.open, folder)))
        (folder / "results.db").write_bytes(b"")
        self.assertIn("no results in this file yet", str(self.raised(ngb.ResultsError, ngb.open, folder)))

    def test_a_file_of_an_earlier_program_is_read_from_a_copy_and_stays_as_it_is(self):
        folder = self.copy("earlier")
        self.change(folder, "DROP VIEW sample; CREATE VIEW sample AS SELECT cell_id FROM cell")
        before = (folder / "results.db").read_bytes()
        self.assertIn("options_json", ngb.open(folder).samples.columns)
        self.assertEqual((folder / "results.db").read_bytes(), before)

    def test_the_views_of_a_file_are_not_used_because_anybody_may_have_written_them(self):
        endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i FROM n) SELECT i AS options_json FROM n"
        for view in (endless, "SELECT 1 AS options_json"):
            folder = self.copy(f"viewed{len(view)}")
            self.change(folder, f"DROP VIEW sample; CREATE VIEW sample AS {view}; DROP VIEW origin; "
                                "CREATE VIEW origin AS SELECT 1")
            pandas.testing.assert_frame_equal(ngb.open(folder).samples, ngb.open("results").samples)

    def test_a_view_in_the_place_of_a_table_is_refused(self):
        folder = self.copy("view-for-table")
        self.change(folder, "PRAGMA legacy_alter_table = ON; ALTER TABLE repetition RENAME TO other; "
                            "CREATE VIEW repetition AS SELECT * FROM other")
        error = self.raised(ngb.ResultsError, lambda: ngb.open(folder).samples)
        self.assertIn("repetition is not the table that `ngb run` has written", str(error))

    def test_a_virtual_table_or_a_computed_column_in_the_place_of_ours_is_refused(self):
        for number, change in enumerate((
                "PRAGMA legacy_alter_table = ON; ALTER TABLE failure RENAME TO other; "
                "CREATE VIRTUAL TABLE failure USING fts4(kind)",
                "ALTER TABLE failure ADD COLUMN more INTEGER AS (length(hex(zeroblob(100000000))))")):
            folder = self.copy(f"computed{number}")
            self.change(folder, change)
            error = self.raised(ngb.ResultsError, lambda: ngb.open(folder).samples)
            self.assertIn("failure is not the table that `ngb run` has written", str(error))

    def test_a_table_without_its_key_is_refused_because_a_join_with_it_might_never_end(self):
        folder = self.copy("without-keys")
        self.change(folder, "PRAGMA foreign_keys = OFF; PRAGMA legacy_alter_table = ON; ALTER TABLE process RENAME TO other; "
                            "CREATE TABLE process AS SELECT * FROM other")
        error = self.raised(ngb.ResultsError, lambda: ngb.open(folder).samples)
        self.assertIn("process is not the table that `ngb run` has written", str(error))

    def test_the_version_that_the_package_reads_is_the_one_that_the_program_writes(self):
        with sqlite3.connect("results/results.db") as database:
            self.assertEqual(database.execute("PRAGMA user_version").fetchone(), (ngb.database.VERSION,))
        database.close()

    def test_without_the_program_the_message_says_how_to_name_it(self):
        there = os.environ["NGB"]
        self.addCleanup(os.environ.__setitem__, "NGB", there)
        os.environ["NGB"] = "/no/such/ngb"
        error = self.raised(ngb.ProgramMissingError, lambda: ngb.open("results").cells)
        self.assertEqual(str(error), "NGB=/no/such/ngb: there is no such program; let NGB name the file `ngb`")
        del os.environ["NGB"]
        path = os.environ["PATH"]
        self.addCleanup(os.environ.__setitem__, "PATH", path)
        os.environ["PATH"] = "/nowhere"
        self.assertIn("let the environment variable NGB name it", str(self.raised(ngb.ProgramMissingError, ngb.find_program)))
        os.environ["PATH"] = str(pathlib.Path(there).parent)
        self.assertEqual(ngb.find_program(), pathlib.Path(there))
        self.assertGreater(len(ngb.open("results").samples), 0, "reading samples needs no program")

    def test_where_only_the_stand_in_is_installed_the_message_says_why_there_is_no_program(self):
        stand_in = self.folder / "stand_in"
        stand_in.mkdir()
        shutil.copy(ROOT / "python/stand_in/ngraphbench_stand_in.py", stand_in)
        script = stand_in / "ngb"  # as pip writes it
        script.write_text("#!/usr/bin/python3\nimport sys\nfrom ngraphbench_stand_in import main\nsys.exit(main())\n")
        script.chmod(0o755)
        with mock.patch.dict(os.environ, PATH=str(stand_in)), mock.patch.dict(sys.modules), \
                mock.patch.object(sys, "path", [str(stand_in), *sys.path]):
            del os.environ["NGB"]
            error = self.raised(ngb.ProgramMissingError, lambda: ngb.open("results").cells)
            self.assertTrue(str(error).startswith("ngb: "), str(error))
            self.assertIn("the package without its programs was installed", str(error))  # as this system has programs
            self.assertGreater(len(ngb.open("results").failures), 0)

    def test_errors_of_the_program_have_its_text_and_its_exit_code(self):
        error = self.raised(ngb.ProgramError, lambda: ngb.open("results", baseline="nul").cells)
        self.assertEqual(error.exit_code, 2)
        self.assertIn("did you mean null?", error.text)
        self.assertIn(error.text, str(error))


if __name__ == "__main__":
    unittest.main()
