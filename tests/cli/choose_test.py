# SPDX-License-Identifier: Apache-2.0
"""Profiles of configurations, choosing one, and confirming it under requests that arrive at random."""

import csv
import io
import json
import unittest

from ngb_program import NULL_STUDY, NgbTest

# An inference of 2 ms; 80 of them in five processes carry p90 and not p95.
SERVED = NULL_STUDY.replace('- "null"', '- "null": {options: {made_up_ns: 2000000}}').replace("depth: [1, 2]", "depth: 1").replace(
    "[1, 2]", "1").replace("processes: 3", "processes: 5").replace("repetitions: 5", "repetitions: 16")


class Choosing(NgbTest):
    def test_a_configuration_is_profiled_chosen_and_confirmed(self):
        self.write("study.yaml", SERVED)
        run = self.ngb("run", "study.yaml", "--no-report")
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        self.check_profile()
        self.check_wrong_input()

        light = ("results/test", "--latency", "p50=200ms", "--load", "20/s")
        chosen = self.ngb("choose", *light, "--cost", "local=0.5")
        self.assertEqual(chosen.returncode, 0, chosen.stdout + chosen.stderr)
        held = self.ngb("choose", *light, "--confirm", "-o", "light", "--json")
        self.assertEqual(held.returncode, 0, held.stdout + held.stderr)
        row = json.loads(held.stdout)
        self.assertEqual((row["fit"], row["confirmation"]["held"]), ("holds", "held"))
        requests = row["confirmation"]["requests"]
        # 128 / (1 - busy)² in five processes; an inference of 2 ms is busy for 4 % of the time.
        self.assertGreaterEqual(requests, 140)
        self.assertEqual(requests % 5, 0)
        self.assertGreater(row["confirmation"]["answered_s"], 0.0019)
        self.assertLess(row["confirmation"]["high_s"], 0.2)
        # By the clock of the made-up times, on which the requests of each process arrive.
        (least_s,), = self.query("light", "SELECT min(seconds) FROM (SELECT (max(started_ns) - min(started_ns)) / 1e9 AS seconds "
                                 "FROM repetition WHERE is_warm_up = 0 GROUP BY process_key)")
        self.assertGreater(least_s, requests / 5 / 20 / 2)
        self.assertLess(row["confirmation"]["independent_requests"], requests)
        self.assertIn(f"ngb: choose: 5 processes answer {requests // 5} requests each, at 20/s: ", held.stderr)
        # Repetitions before the requests are warm-up; every request has a latency.
        self.assertEqual(self.query("light", "SELECT count(*) FROM repetition WHERE is_warm_up = 0"), [(requests,)])
        self.assertEqual(self.query("light", "SELECT count(*) FROM latency"), [(requests,)])
        self.assertEqual(self.query("light", "SELECT value FROM protocol WHERE key = 'arrivals'"),
                         [(f'{{"requests":{requests // 5},"requests_per_s":20.0}}',)])

        heavy = self.ngb("choose", "results/test", "--latency", "p90=50ms", "--load", "5000/s", "--confirm", "--requests", "200")
        self.assertEqual(heavy.returncode, 4, heavy.stdout + heavy.stderr)  # 200 of 2 ms last 0.4 s, and arrive in 0.04 s
        self.assertIn("no configuration answers 5e+03 requests/s: the fastest answers", heavy.stdout)
        self.assertRegex(heavy.stdout, r"not held: null.*, conv_block .*: 200 requests at 5e\+03/s in")
        self.assertIn("predicted: too slow for so many requests", heavy.stdout)
        self.assertIn("% busy: requests pile up", heavy.stdout)

    def check_profile(self):
        told = json.loads(self.ngb("profile", "results/test", "--json", "--cost", "local=0.36").stdout)
        self.assertEqual(len(told["rows"]), 1)
        row = told["rows"][0]
        self.assertEqual((row["compiler"], row["device"], row["batch"], row["precision"]), ("null", "local", 1, "f32"))
        speed = row["throughput_per_s"]
        self.assertTrue(0 < speed["low"] <= speed["value"] <= min(speed["high"], 501))
        self.assertGreater(row["latency_p90_s"]["value"], 0.0019)
        self.assertEqual(row["latency_p99_s"]["reason"], "needs 662 repetitions, has 80")
        self.assertAlmostEqual(row["cost_per_million_inferences"]["value"], 100 / speed["value"])  # 0.0001 a second
        for number in ("energy_per_inference_j", "energy_source"):
            self.assertNotEqual(row[number]["value"] is None, row[number].get("reason", "") == "", number)
        self.assertGreater(row["cold_start_s"]["value"], 0)
        self.assertGreater(row["open_peak_bytes"]["value"], 1e5)
        rows = list(csv.DictReader(io.StringIO(self.ngb("profile", "results/test", "--format", "csv").stdout)))
        self.assertEqual(float(rows[0]["throughput_per_s"]), speed["value"])
        self.assertIn("no cost_per_hour of this device", rows[0]["cost_per_hour_unknown_reason"])
        self.assertIn("conv_block", self.ngb("profile", "results/test").stdout)

    def check_wrong_input(self):
        for arguments, code, message in (
                (("profile", "results/test", "--cost", "local=free"), 2, "--cost local=free: expected DEVICE=PRICE"),
                (("profile", "results/test", "--cost", "xeon=1"), 2, "--cost xeon: no chosen result is of this device"),
                (("profile", "results/test", "--format", "jsno"), 2, "unknown format, did you mean json?"),
                (("choose", "results/test", "--latency", "p90=50ms", "--load", "40/s", "--confirm", "--requests", "10"), 2,
                 "--requests 10: too few requests for p90: its interval has no upper end; give at least 64")):
            ended = self.ngb(*arguments)
            self.assertEqual(ended.returncode, code, ended.stdout + ended.stderr)
            self.assertIn(message, ended.stderr)

    def test_what_lacks_a_percentile_is_open_with_what_it_needs(self):
        self.write("study.yaml", SERVED.replace("made_up_ns: 2000000", "made_up_ns: 20000"))
        self.assertEqual(self.ngb("run", "study.yaml", "--no-report").returncode, 0)
        for percentile, reason in (("p90", "a repetition holds several inferences; measure with min_repetition_ms: 0"),
                                   ("p50", "")):
            chosen = self.ngb("choose", "results/test", "--latency", f"{percentile}=200ms", "--load", "40/s", "--json")
            row, = json.loads(chosen.stdout)
            self.assertEqual((row["fit"], row["why"]), ("open" if reason else "holds", reason))

    def test_a_study_of_the_default_protocol_is_confirmed_though_it_takes_turns_and_has_few_repetitions(self):
        """As the quickstart: 7 processes in turns, of 6 repetitions, too few for p90."""
        in_turns = SERVED.replace("protocol: paper\n", "turns: 6\n").replace("processes: 5", "processes: 7").replace(
            "repetitions: 16", "repetitions: 6")
        self.write("study.yaml", in_turns)
        self.assertEqual(self.ngb("run", "study.yaml", "--no-report").returncode, 0)
        self.assertEqual(self.query("results/test", "SELECT value FROM protocol WHERE key = 'turns'"), [("6",)])
        light = ("results/test", "--latency", "p90=200ms", "--load", "20/s")
        served = self.ngb("choose", *light, "--confirm")
        self.assertEqual(served.returncode, 0, served.stdout + served.stderr)
        self.assertIn("needs 64 repetitions, has 42", served.stdout)
        self.assertRegex(served.stdout, r"held: null.* requests at 20/s in")
        self.assertRegex(served.stdout, r"measured:  p90 \d")
        # The study of the confirmation is a study like others: it is read back with every default, and measured again.
        folder, = (self.folder / "results/test-confirm").iterdir()
        again = self.ngb("choose", folder, *light[1:], "--confirm", "-o", "again")
        self.assertEqual(again.returncode, 0, again.stdout + again.stderr)

    def test_a_model_is_confirmed_beside_its_twin_for_any_batch(self):
        model = "- zoo: {conv_block: {width: 8, depth: 1, image_size: 16}}"
        self.write("study.yaml", SERVED.replace(model, f"{model}\n  {model}\n    dynamic_batch: true"))
        run = self.ngb("run", "study.yaml", "--no-report")
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        for cell in self.show("results/test")["cells"]:
            name = cell["model"]
            held = self.ngb("choose", "results/test", "--latency", "p50=200ms", "--load", "20/s", "--model", name, "--confirm",
                            "--requests", "60", "-o", f"held{name.count('dynamic')}")
            self.assertEqual(held.returncode, 0, held.stdout + held.stderr)

    def test_results_without_samples_have_no_profile(self):
        self.write("study.yaml", SERVED.replace('- "null": {options: {made_up_ns: 2000000}}', "- onnxruntime"))
        self.assertEqual(self.ngb("run", "study.yaml", "--no-report").returncode, 1)
        ended = self.ngb("profile", "results/test")
        self.assertEqual(ended.returncode, 3, ended.stdout)
        self.assertIn("results/test: no chosen configuration has a completed process; to see why, run: ngb show", ended.stderr)


if __name__ == "__main__":
    unittest.main()
