# SPDX-License-Identifier: Apache-2.0
"""ngb history, over made-up results whose truth is known: where a compiler or a machine changed, and what it is given."""

import csv
import io
import json
import os
import pathlib
import re
import shutil
import sqlite3
import subprocess
import sys
import unittest

from ngb_program import BIN, NULL_STUDY, NgbTest

TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path += [str(TESTS / "truth"), str(TESTS / "oracle")]
from made_up import Process, ResultsFile, Setting  # noqa: E402
from made_up_results import newest_tables, study  # noqa: E402

DAY_NS = 24 * 3600 * 10**9
FIRST_NS = 1_800_000_000 * 10**9  # 2027-01-15 08:00
# What two processes add to the times of each point, in percent: no two points are equal, and none has a trend.
JITTER = (0.0, 0.4, -0.3, 0.2, -0.4, 0.3, -0.1, 0.1)


class History(NgbTest):
    maxDiff = None

    def results(self, day, times, compilers=("identity", "onnxruntime"), environment="kernel-1", date=None, version="1.0",
                protocol=None, name=None):
        """Makes results of a day. `times` has the milliseconds of an inference of each compiler; None: not measured."""
        folder = self.folder / (name or f"day{day:02}")
        jitter = 1 + JITTER[day % len(JITTER)] / 100

        def process(setting, model, number):
            time = times[setting.compiler]
            spread = 1 + (number - 1) / 2000
            return time and Process([time * jitter * spread] * 8, environment=environment)

        settings = [Setting(each, each, version if each == "onnxruntime" else "2.0") for each in compilers]
        study(folder, settings, ["net"], 3, process, protocol)
        self.edit(folder, f"UPDATE run SET started_unix_ns = {FIRST_NS + (day if date is None else date) * DAY_NS}, "
                          f"run_id = '{day:016}'")
        return folder

    def edit(self, folder, sql):
        with sqlite3.connect(folder / "results.db") as database:
            database.executescript(sql)

    def eight_days(self, onnxruntime=None, identity=None, **others):
        """Eight results, of which the last four have the second time of each pair."""
        slower = {"onnxruntime": onnxruntime or (10, 10), "identity": identity or (20, 20)}
        return [self.results(day, {name: times[day >= 4] for name, times in slower.items()}, **others) for day in range(8)]

    def history(self, *arguments, code=0):
        told = self.ngb("history", *arguments)
        self.assertEqual(told.returncode, code, told.stdout + told.stderr)
        return told.stderr if code else told.stdout

    def lines(self, *arguments):
        whole = json.loads(self.history(*arguments, "--json"))
        return whole, {line["compiler_label"].partition(" ")[0]: line for line in whole["lines"]}

    def test_finds_a_step_of_the_compiler_and_says_that_it_is_the_compilers(self):
        whole, lines = self.lines(*self.eight_days(onnxruntime=(10, 11)))
        self.assertEqual(lines["identity"]["changes"], [])
        change, = lines["onnxruntime"]["changes"]
        self.assertEqual((change["at"], change["point"], change["verdict"], change["cause"]),
                         (4, "2027-01-19", "slower", "compiler"))
        self.assertAlmostEqual(change["ratio"]["value"], 10 / 11, delta=0.005)
        self.assertLess(change["ratio"]["high"], 1)
        self.assertAlmostEqual(change["beside_identity"]["value"], 10 / 11, delta=0.002)
        self.assertIn("2 cells over 8 results by date: 1 with a change", whole["summary"])
        _, alone = self.lines(*(f"day{day:02}" for day in range(8)), "--compiler", "onnxruntime")
        self.assertEqual(alone["onnxruntime"]["changes"], lines["onnxruntime"]["changes"], "the identity is read all the same")
        self.assertEqual(list(alone), ["onnxruntime"])

    def test_calls_a_drift_that_the_identity_shares_the_machines(self):
        _, lines = self.lines(*self.eight_days(onnxruntime=(10, 11), identity=(20, 22)))
        for line in lines.values():
            change, = line["changes"]
            self.assertEqual((change["verdict"], change["cause"]), ("slower", "machine"))

    def test_names_both_if_both_changed(self):
        _, lines = self.lines(*self.eight_days(onnxruntime=(10, 12.1), identity=(20, 22)))
        self.assertEqual([change["cause"] for change in lines["onnxruntime"]["changes"]], ["both"])

    def test_says_why_a_cause_is_not_known(self):
        _, lines = self.lines(*self.eight_days(onnxruntime=(10, 11), compilers=("onnxruntime",)))
        change, = lines["onnxruntime"]["changes"]
        self.assertEqual((change["cause"], change["identity"]), ("unknown", None))
        self.assertEqual(change["why_unknown"], "PyTorch eager (identity) was not measured here")

    def test_finds_nothing_where_nothing_changed_and_says_what_would_have_been_found(self):
        _, lines = self.lines(*self.eight_days())
        for line in lines.values():
            self.assertEqual(line["changes"], [])
            # The standard deviation of the jitters is 0.282 %; 8 points: 10.7 / sqrt(8) of it.
            self.assertAlmostEqual(line["least_change"]["value"], 0.0107, delta=0.0003)
            self.assertEqual(line["verdict"], "same")

    def test_draws_changes_of_the_environment_in(self):
        days = [self.results(day, {"identity": 20, "onnxruntime": 10 if day < 4 else 9},
                             environment="kernel-1" if day < 4 else "kernel-2", version="1.0" if day < 6 else "1.1")
                for day in range(8)]
        whole, lines = self.lines(*days)
        self.assertEqual([(each["of"], each["entry"], each["before"], each["after"]) for each in whole["environment_changes"]],
                         [("xeon", "kernel", "kernel-1", "kernel-2"), ("onnxruntime", "version", "1.0", "1.1")])
        change, = lines["onnxruntime"]["changes"]
        self.assertEqual(change["with"], [{"entry": "kernel", "before": "kernel-1", "after": "kernel-2"}])
        self.assertIn("xeon: kernel kernel-1 → kernel-2", self.history(*days))
        points = list(csv.DictReader(io.StringIO(self.history(*days, "--points", "--format", "csv"))))
        self.assertEqual(len(points), 16)
        self.assertEqual([row["with"] for row in points if row["with"]][0], "kernel kernel-1 → kernel-2")

    def test_judges_the_last_point_by_those_before_it(self):
        days = [self.results(day, {"identity": 20, "onnxruntime": 10 if day < 8 else 12}) for day in range(9)]
        whole, lines = self.lines(*days)
        self.assertEqual((lines["onnxruntime"]["verdict"], lines["identity"]["verdict"]), ("slower", "same"))
        self.assertEqual(lines["onnxruntime"]["window"], 8)
        self.assertAlmostEqual(lines["onnxruntime"]["ratio"]["value"], 10 / 12, delta=0.005)
        self.assertIn("slower", self.history(*days))

    def test_is_ordered_by_date_and_says_so_if_that_is_not_the_order_given(self):
        days = self.eight_days(onnxruntime=(10, 11))
        whole, lines = self.lines(*reversed(days))
        self.assertEqual([point["results"] for point in lines["onnxruntime"]["points"]], [str(day) for day in days])
        self.assertIn("the order is by date recorded", " ".join(whole["remarks"]))
        self.assertNotIn("by date recorded", " ".join(self.lines(*days)[0]["remarks"]))

    def test_keeps_the_order_given_of_equal_dates(self):
        days = [self.results(day, {"identity": 20, "onnxruntime": 10}, date=0) for day in range(3)]
        _, lines = self.lines(days[1], days[0], days[2])
        self.assertEqual([point["results"] for point in lines["identity"]["points"]],
                         [str(days[1]), str(days[0]), str(days[2])])

    def test_says_that_a_clock_jumped_back(self):
        days = self.eight_days()
        self.edit(days[2], "INSERT INTO run (run_key, run_id, study_name, study_json, study_sha256, started_unix_ns) "
                           f"VALUES (2, 'later', 'made up', '{{}}', '', {FIRST_NS})")
        self.assertIn(f"The clock jumped back between two runs of {days[2]}", " ".join(self.lines(*days)[0]["remarks"]))

    def test_is_ordered_by_version_also_of_one_folder(self):
        settings = [Setting("onnxruntime", f"onnxruntime {version}", version)
                    for version in ("1.10.0", "1.9.0", "1.10.0rc1", "1.8.2")]
        study(self.folder / "versions", [Setting("identity", "identity", "2.0"), *settings], ["net"], 3,
              lambda setting, model, number: [20.0 if setting.compiler == "identity" else 10.0 + number / 100] * 8)
        _, lines = self.lines(self.folder / "versions", "--by", "version", "--compiler", "onnxruntime")
        self.assertEqual([point["point"] for point in lines["onnxruntime"]["points"]],
                         ["1.8.2", "1.9.0", "1.10.0rc1", "1.10.0"])
        self.assertEqual(list(lines), ["onnxruntime"])
        self.assertEqual(lines["onnxruntime"]["cell"], "net, batch 1, on xeon: onnxruntime, 2 threads")
        _, by_label = self.lines(self.folder / "versions", "--by", "label", "--compiler", "onnxruntime")
        self.assertEqual([point["point"] for point in by_label["onnxruntime"]["points"]],
                         ["onnxruntime 1.10.0", "onnxruntime 1.9.0", "onnxruntime 1.10.0rc1", "onnxruntime 1.8.2"])
        by_date = json.loads(self.history(self.folder / "versions", "--json"))
        self.assertEqual(len(by_date["lines"]), 5, "by date each version is a line of its own")

    def test_is_ordered_by_commit_as_git_has_them(self):
        def git(*words):
            done = subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", *words], cwd=self.folder,
                                  capture_output=True, text=True, check=True, env=self.environment)
            return done.stdout.strip()

        git("init", "-q")
        commits = []
        for number in range(3):
            git("commit", "-q", "--allow-empty", "-m", str(number))
            commits.append(git("rev-parse", "HEAD"))
        # Measured in another order than committed.
        folders = {commit: self.results(day, {"identity": 20, "onnxruntime": 10}, name=commit[:12])
                   for day, commit in zip((2, 0, 1), commits)}
        _, lines = self.lines(*(folders[commit].name for commit in sorted(commits)), "--by", "commit")
        self.assertEqual([point["point"] for point in lines["identity"]["points"]], [commit[:12] for commit in commits])
        shutil.copytree(folders[commits[0]], self.folder / "0123456789ab")
        self.assertIn("git knows no commit 0123456789ab here", self.history("0123456789ab", "--by", "commit", code=2))
        shutil.copytree(folders[commits[0]], self.folder / "monday")
        self.assertIn("monday is not called after a commit", self.history("monday", "--by", "commit", code=2))

    def test_shows_another_metric(self):
        days = []
        for day in range(9):
            folder = self.results(day, {"identity": 20, "onnxruntime": 10})
            grown = 100_000_000 if day < 8 else 150_000_000
            self.edit(folder, f"UPDATE phase SET peak_rss_bytes = {round(grown * (1 + JITTER[day % 8] / 100))} WHERE phase = 'timed'")
            days.append(folder)
        whole, lines = self.lines(*days, "--metric", "timed_peak_bytes:5%")
        self.assertEqual((whole["metric"], whole["margin_ratio"]), ("timed_peak_bytes", 0.05))
        self.assertEqual(lines["onnxruntime"]["verdict"], "worse")
        self.assertAlmostEqual(lines["onnxruntime"]["ratio"]["value"], 1.5, delta=0.01)
        self.assertIn("no verdict can be made of speed_up_ratio", self.history(*days, "--metric", "speed_up_ratio", code=2))

    def test_has_gaps_where_a_cell_is_missing_or_failed(self):
        days = self.eight_days()
        shutil.rmtree(days[2])
        days[2] = self.results(2, {"identity": 20}, compilers=("identity",))
        shutil.rmtree(days[7])
        days[7] = self.results(7, {"identity": 20, "onnxruntime": None})
        whole, lines = self.lines(*days)
        points = lines["onnxruntime"]["points"]
        self.assertEqual((points[2]["value"], points[2]["reason"]), (None, "these results do not have the cell"))
        self.assertIsNone(points[7]["value"])
        self.assertEqual((lines["onnxruntime"]["verdict"], lines["onnxruntime"]["values"]), ("undecided", 6))
        self.assertIn("the last point has no value", lines["onnxruntime"]["reason"])
        self.assertIn("1 of 2 cells has no value in some of the results: their lines have gaps", whole["remarks"])

    def test_of_one_point_says_that_it_is_no_history(self):
        whole, lines = self.lines(self.results(0, {"identity": 20, "onnxruntime": 10}))
        self.assertEqual(lines["identity"]["reason"], "fewer than 3 points before it")
        self.assertIsNone(lines["identity"]["ratio"])
        self.assertEqual(lines["identity"]["least_change"], {"value": None, "reason": "a change needs 8 points with a value"})
        self.assertIn("2 of 2 cells have fewer than two points with a value, which are no history", whole["remarks"])

    def test_tells_two_machines_under_one_name(self):
        days = self.eight_days(onnxruntime=(10, 11), identity=(20, 22))
        for day in days[4:]:
            self.edit(day, "UPDATE environment_entry SET value = '16' WHERE name = 'cpu_threads'; "
                           "UPDATE environment SET environment_hash = 'other'; UPDATE process SET environment_hash = 'other'")
        whole, lines = self.lines(*days)
        self.assertIn("xeon is 2 machines (cpu_threads 16; cpu_threads 8)", " ".join(whole["remarks"]))
        self.assertEqual([change["cause"] for change in lines["onnxruntime"]["changes"]], ["machine"])
        renamed = [word for day in days[4:] for word in ("--as", f"{day}:xeon=newer")]
        apart = json.loads(self.history(*days, *renamed, "--json"))
        self.assertEqual(sorted({line["device"] for line in apart["lines"]}), ["newer", "xeon"])

    def test_refuses_results_of_unlike_protocols(self):
        one = self.results(0, {"identity": 20, "onnxruntime": 10}, protocol={"warm_up": 1})
        other = self.results(1, {"identity": 20, "onnxruntime": 10}, protocol={"warm_up": 2})
        told = self.history(one, other, code=3)
        self.assertIn("different protocols: warm_up: 1 and 2; to read them anyway, add --across-protocols", told)
        self.history(one, other, "--across-protocols")

    def test_refuses_the_same_run_twice_and_what_is_no_result(self):
        one = self.results(0, {"identity": 20, "onnxruntime": 10})
        shutil.copytree(one, self.folder / "copy")
        self.assertIn("give the results of each measurement once", self.history(one, self.folder / "copy", code=3))
        self.history(self.folder / "nowhere", code=3)
        self.assertIn("these results have no such compiler", self.history(one, "--compiler", "openvino", code=2))
        self.assertIn('cannot be ordered by "day"', self.history(one, "--by", "day", code=2))

    def test_types_the_examples_of_the_guide(self):
        (self.folder / "results").mkdir()
        for day in range(8):
            self.results(day, {"identity": 20, "onnxruntime": 10}, name=f"results/nightly-{day}")
        shutil.copytree(self.folder / "results/nightly-0", self.folder / "results/versions")
        self.write("study.yaml", NULL_STUDY)
        (self.folder / "bundles").mkdir()
        self.assertEqual(self.ngb("run", "study.yaml", "-o", "measured", "--no-report").returncode, 0)
        self.assertEqual(self.ngb("bundle", "measured", "-o", "bundles/measured.zip").returncode, 0)
        guide = (TESTS.parent / "docs/history.md").read_text("utf-8")
        commands = re.search(r"```sh\n(.*?)```", guide, re.DOTALL)[1].splitlines()
        self.assertEqual(len(commands), 5)
        for command in commands:
            done = subprocess.run(["bash", "-c", command], cwd=self.folder, capture_output=True, text=True, timeout=600,
                                  env=self.environment | {"PATH": f"{BIN}:{os.environ['PATH']}"})
            self.assertEqual(done.returncode, 0, command + done.stderr)
        page = (self.folder / "history.html").read_text("utf-8")
        self.assertIn("2 cells over 8 results by date", page)
        self.assertIn('data-name="history_1"', page)

    def test_reads_bundles_that_verify_and_refuses_others(self):
        self.write("study.yaml", NULL_STUDY)
        for name in ("one", "two"):
            ran = self.ngb("run", "study.yaml", "-o", name, "--no-report")
            self.assertEqual(ran.returncode, 0, ran.stderr)
            self.assertEqual(self.ngb("bundle", name, "-o", f"{name}.zip").returncode, 0)
        whole = json.loads(self.history("one.zip", "two", "--json"))
        self.assertEqual([each["name"] for each in whole["results"]], ["one.zip", "two"])
        self.assertEqual(len(whole["lines"]), 4)
        content = bytearray((self.folder / "two.zip").read_bytes())
        content[len(content) // 2] ^= 1
        (self.folder / "two.zip").write_bytes(content)
        told = self.history("one.zip", "two.zip", code=3)
        self.assertRegex(told, "two.zip: ")
        self.assertNotIn("Traceback", told)


if __name__ == "__main__":
    unittest.main()
