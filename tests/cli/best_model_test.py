# SPDX-License-Identifier: Apache-2.0
"""Which model is the best, given compilers: of made-up times, with sizes from which the right answer is counted by hand."""

import json
import re

from ngb_program import MeasuredTest, NgbTest

# All models take 1 ms with the quick compiler and 4 ms with the slow one. They save 500, 900 and 890 bytes of a sample.
STUDY = """\
name: encoders
models:
  - {zoo: {conv_block: {width: 8, depth: 1, image_size: 16}}, label: coarse, raw_bytes: 1000, encoded_bytes: 500}
  - {zoo: {conv_block: {width: 8, depth: 2, image_size: 16}}, label: fine, raw_bytes: 1000, encoded_bytes: 100}
  - {zoo: {conv_block: {width: 8, depth: 3, image_size: 16}}, label: nearly, raw_bytes: 1000, encoded_bytes: 110}
compilers:
  - "null": {label: slow, options: {made_up_ns: 4000000}}
  - "null": {label: quick, options: {made_up_ns: 1000000}}
reference: none
processes: 4
repetitions: 5
warm_up: 1
min_repetition_ms: 0
longer_look_s: 0
disturbance: {max_wait_percent: 100}
output: results
"""
TCR = ("--models", "--metric", "tcr_bits_per_s")


class BestModel(MeasuredTest):
    def measure(self):
        self.write("study.yaml", STUDY)
        ran = self.ngb("run", "study.yaml", "--no-report")
        self.assertEqual(ran.returncode, 0, ran.stderr)

    def models(self, *words):
        told = self.ngb("show", "results", *words, "--json")
        self.assertEqual(told.returncode, 0, told.stderr)
        return {row["model"]: row for row in json.loads(told.stdout)["models"]}

    def test_is_the_one_that_saves_most_with_its_best_compiler(self):
        found = self.models(*TCR)
        self.assertEqual({name: row["verdict"] for name, row in found.items()},
                         {"coarse": "out", "fine": "best", "nearly": "out"})
        self.assertEqual({row["compiler"] for row in found.values()}, {"quick"})
        self.assertAlmostEqual(found["fine"]["value"]["value"] / 7.2e6, 1, delta=0.01)  # 900 bytes of 8 bits in 1 ms
        self.assertAlmostEqual(found["coarse"]["beside_the_best"]["value"], 5 / 9, delta=0.01)

    def test_keeps_what_is_asked_of_other_metrics(self):
        found = self.models(*TCR, "--at-most", "throughput_per_s=500", "--at-least", "tcr_bits_per_s=1.2e6")
        self.assertEqual(found["coarse"]["verdict"], "not allowed")
        self.assertRegex(found["coarse"]["why"], r"^tcr_bits_per_s is (1|9\.9\d\d|1\.00\d)e\+0[56], and at least 1\.2e\+06 is asked$")
        self.assertEqual({found[name]["compiler"] for name in ("fine", "nearly")}, {"slow"})

    def test_of_one_model_that_keeps_what_is_asked_stands_alone(self):
        found = self.models(*TCR, "--at-least", "tcr_bits_per_s=7.16e6")
        self.assertEqual(found["fine"]["verdict"], "alone")

    def test_by_the_speed_is_none_of_three_that_are_alike(self):
        self.assertEqual({row["verdict"] for row in self.models("--models").values()}, {"may be the best"})

    def test_of_too_few_processes_is_not_told(self):
        """A model that rounds have dropped has few processes. Here each has one, which tells no speeds apart."""
        self.write("one.yaml", STUDY.replace("processes: 4", "processes: 1").replace("output: results", "output: one"))
        ran = self.ngb("run", "one.yaml", "--no-report")
        self.assertEqual(ran.returncode, 0, ran.stderr)
        rows = json.loads(self.ngb("show", "one", *TCR, "--json").stdout)["models"]
        self.assertEqual(sorted(row["verdict"] for row in rows), ["may be the best", "not told", "not told"])
        self.assertRegex(self.ngb("show", "one", *TCR).stdout,
                         r"^\w+ may be the best model at batch 1 on local by tcr_bits_per_s; too few processes tell it from 2 others\n")

    def test_of_files_of_one_size_needs_no_second_process(self):
        """A size does not vary, so that two are the same is told by one process of each."""
        self.write("sizes.yaml", STUDY.replace("processes: 4", "processes: 1").replace("output: results", "output: sizes")
                   .replace("depth: 2", "depth: 1").replace("depth: 3", "depth: 1").replace("16}}, label: fine", "24}}, label: fine")
                   .replace("16}}, label: nearly", "32}}, label: nearly"))
        self.assertEqual(self.ngb("run", "sizes.yaml", "--no-report").returncode, 0)
        rows = json.loads(self.ngb("show", "sizes", "--models", "--metric", "shipped_size_bytes", "--json").stdout)["models"]
        self.assertEqual([row["verdict"] for row in rows], ["may be the best"] * 3)

    def test_of_wrong_words_is_refused_with_what_is_right(self):
        for words, said in (((*TCR, "--at-least", "speed=3"), 'there is no metric "speed"'),
                            ((*TCR, "--at-least", "throughput_per_s"), "expected a number in samples/s"),
                            ((*TCR, "--model", "fine"), "leave out the filters"),
                            (("--at-least", "throughput_per_s=3"), "requires --models")):
            with self.subTest(words):
                told = self.ngb("show", "results", *words)
                self.assertEqual(told.returncode, 2, told.stdout)
                self.assertIn(said, told.stderr)

    def test_is_named_first_in_a_table_for_people(self):
        told = self.ngb("show", "results", "--models", "--metric", "tcr_bits_per_s")
        self.assertTrue(told.stdout.startswith("fine is the best model at batch 1 on local by tcr_bits_per_s\n"), told.stdout)


class ModelsOfNoGoal(NgbTest):
    """The models are one network in three depths, so that which is the fastest is said although no goal asks it."""

    def answer(self, text):
        self.write("study.yaml", text)
        ran = self.ngb("run", "study.yaml")
        self.assertEqual(ran.returncode, 0, ran.stderr)
        return ran.stdout.split("\n\n  compiler ")[0]

    def test_are_told_after_the_compilers_in_few_lines(self):
        told = self.answer(STUDY)
        self.assertTrue(told.startswith("quick is the fastest on all 3 workloads"), told)
        compilers, models = told.split("\n\n", 1)
        self.assertRegex(models, r"^(\w+, ){2}\w+ may be the fastest model at batch 1 on local\n")
        self.assertRegex(models, r"\n +model +parameters +MACs +best with +samples/s \[95 %\] +TCR/s +verdict\n")
        self.assertRegex(models, r"\n +fine +1424 +350208 +quick +\d+.* 71\d{5} +may be the best\n?")
        self.assertLessEqual(len(models.rstrip().split("\n")), 8)
        page = (self.folder / "results/report/index.html").read_text()
        answer = page[page.index('id="answer"'):]
        self.assertLess(answer.index("quick is the fastest"), answer.index("may be the fastest model at batch 1 on local"))

    def test_are_sentences_if_a_table_would_be_long(self):
        told = self.answer(STUDY + "batch_sizes: [1, 2, 4]\n")
        models = told.split("\n\n", 1)[1].rstrip().split("\n")
        self.assertEqual([line.split(" model ")[-1] for line in models[:3]], [f"at batch {batch} on local" for batch in (1, 2, 4)])
        self.assertEqual(models[3:], ["Each model with its best compiler, parameters and MACs: ngb show RESULTS --models"])

    def test_of_networks_that_are_not_one_are_not_compared(self):
        told = self.answer(STUDY.replace("depth: 3, image_size: 16}}, label: nearly", "depth: 3, image_size: 16}}, group: other, label: nearly"))
        self.assertNotIn("model at batch", told)


# 500 samples/s are what the quick compiler alone has.
GOAL = "goal: {metric: tcr_bits_per_s, at_least: {throughput_per_s: 500}}\n"
OVER_MODELS = "rounds: {until: decided, over: models, max: 5}\n"


class Goal(NgbTest):
    def run_study(self, text, code=0):
        self.write("study.yaml", text)
        ran = self.ngb("run", "study.yaml", "--no-report")
        self.assertEqual(ran.returncode, code, ran.stderr)
        return ran

    def rows(self, *words):
        return json.loads(self.ngb("show", "results", *words, "--json").stdout)

    def test_of_a_study_is_answered_first(self):
        ran = self.run_study(STUDY + GOAL)
        self.assertTrue(ran.stdout.startswith("fine is the best model at batch 1 on local by tcr_bits_per_s\n"), ran.stdout)
        self.assertRegex(ran.stdout, r"coarse +824 +202752 +quick .* out")
        told = self.ngb("show", "results", "--models")
        self.assertIn("Asked: throughput_per_s of at least 500 samples/s", told.stdout)
        self.assertEqual({row["compiler"] for row in self.rows("--models")["models"]}, {"quick"})
        slower = self.rows("--models", "--metric", "throughput_per_s", "--at-least", "throughput_per_s=100",
                           "--at-most", "throughput_per_s=500")
        self.assertEqual({row["compiler"] for row in slower["models"]}, {"slow"})

    def test_is_first_on_the_page(self):
        self.run_study(STUDY + GOAL)
        self.assertEqual(self.ngb("report", "results", "-o", "page").returncode, 0)
        page = (self.folder / "page/index.html").read_text()
        answer = page[page.index('id="answer"'):]
        self.assertLess(answer.index("fine is the best model at batch 1 on local by tcr_bits_per_s"), answer.index("<table"))
        self.assertRegex(re.sub(r"\s+", " ", answer[:answer.index("</table>")]), "best with.*verdict.*coarse.*out")

    def test_in_rounds_over_models_drops_what_has_lost(self):
        ran = self.run_study(STUDY.replace("processes: 4\n", OVER_MODELS) + GOAL)
        self.assertRegex(ran.stdout, r"^fine(, nearly)? (is|may be) the best model at batch 1 on local by tcr_bits_per_s\n")
        processes = {(cell["model"], cell["compiler_label"]): cell["metrics"]["process_count"]["value"]
                     for cell in self.rows()["cells"]}
        # The study lets processes wait for a processor, so that three are needed to tell how much they differ.
        self.assertEqual({count for (model, compiler), count in processes.items() if compiler == "slow"}, {1})
        self.assertEqual(processes["coarse", "quick"], 3)
        self.assertGreaterEqual(processes["fine", "quick"], 3)
        self.assertEqual({row["model"]: row["verdict"] for row in self.rows("--models")["models"]}["coarse"], "out")

    def test_in_rounds_over_models_keeps_bounds_that_a_process_says(self):
        """Only the slow compiler has 2 ms or more, and all use more than a megabyte."""
        ran = self.run_study(STUDY.replace("processes: 4\n", OVER_MODELS) +
                             "goal: {metric: tcr_bits_per_s, at_least: {latency_p50_s: 0.002}, at_most: {timed_peak_bytes: 1 GB}}\n")
        self.assertRegex(ran.stdout, r"^fine(, nearly)? (is|may be) the best model at batch 1 on local by tcr_bits_per_s\n")
        processes = {(cell["model"], cell["compiler_label"]): cell["metrics"]["process_count"]["value"]
                     for cell in self.rows()["cells"]}
        self.assertEqual({count for (model, compiler), count in processes.items() if compiler == "quick"}, {1})
        self.assertGreaterEqual(processes["fine", "slow"], 3)
        plan = self.ngb("plan", "study.yaml").stdout
        self.assertIn("latency_p50_s: 0.002", plan)
        self.assertIn("timed_peak_bytes: 1 GB", plan)

    def test_over_devices_is_by_the_worst(self):
        """Both devices are this machine, so that a model is as good on each."""
        devices = "".join(f"  - {name}: {{command: [sh], folder: {self.folder / name}}}\n" for name in ("large", "small"))
        self.run_study(STUDY.replace("processes: 4", "processes: 3") + "devices:\n" + devices +
                       "goal: {metric: tcr_bits_per_s, across: worst}\n")
        rows = self.rows("--models")["models"]
        self.assertEqual({row["model"]: row["verdict"] for row in rows}, {"coarse": "out", "fine": "best", "nearly": "out"})
        self.assertEqual({row["compiler"] for row in rows}, {"quick on large, quick on small"})
        self.assertEqual(len(self.rows("--models", "--across", "each")["models"]), 6)
        told = self.ngb("show", "results", "--models").stdout
        self.assertTrue(told.startswith("fine is the best model at batch 1 over large, small by the worst tcr_bits_per_s\n"), told)

    def test_counts_what_a_window_holds(self):
        """A start takes far less than a minute, in which 1,000 samples/s are almost 60,000."""
        self.run_study(STUDY + "goal: {metric: samples_in_window, window_s: 60}\n")
        for row in self.rows("--models")["models"]:
            self.assertGreater(row["value"]["value"], 50_000)
            self.assertLess(row["value"]["value"], 60_000)

    def test_with_wrong_words_is_refused_with_what_is_right(self):
        over_models = STUDY.replace("processes: 4\n", OVER_MODELS)
        for text, said in ((STUDY + "goal: {metric: tcr}\n", "did you mean tcr_bits_per_s?"),
                           (STUDY + "goal: {at_least: {throughput: 200}}\n", "did you mean throughput_per_s?"),
                           (STUDY + "goal: {at_most: {latency_p99_s: 5 MB}}\n", "expected a number in s"),
                           (STUDY + "goal: {metric: samples_in_window}\n", "add window_s"),
                           (over_models + "goal: {at_most: {shipped_size_bytes: 1 GB}}\n", "leave out the bound, or `over: models`")):
            with self.subTest(said):
                self.assertIn(said, self.run_study(text, code=2).stderr)
