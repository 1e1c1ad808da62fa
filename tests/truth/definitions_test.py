# SPDX-License-Identifier: Apache-2.0
"""Each metric's definition against a count: what a user would read off a clock on the wall, a list of answers or a meter.

Nothing here knows a formula of ngb. The times are uneven, so that another mean, a median or a rate would give another
number. docs/metrics.md names, for each metric, the case below that would fail if its definition were another."""

import functools
import statistics
import unittest

import made_up_results as made_up
from made_up import Model, Process, ResultsFile, Setting
from metrics_page import cases_of_rows
from servers import closed_count

MINUTE_S = 60.0
CPUS = 8  # of the machine, as made_up.py has it
THREADS = 2
JITTER = (-1e-4, 0.0, 1e-4)  # of the processes, so that differences can be told

# Milliseconds of inferences, over and over.
EVEN = [10.0]  # 100 a second
SLOW_NOW_AND_THEN = [4.0] * 7 + [20.0]  # 166.7 a second; its mean rate is 225
RARELY_SLOW = [9.0] * 15 + [45.0]  # 88.9 a second, slower than EVEN; its mean rate is 105.6
PATTERNS = 1024  # inferences of a process, whole patterns: enough for every percentile and for slow meters

IDENTITY = Setting("identity", "identity", "2.15.0")
EAGER_CPP = Setting("eager-cpp", "eager-cpp", "2.15.0")
FAST = Setting("openvino", "fast", "2026.4.1")
FAST_PAIR = Setting("openvino", "fast pair", "2026.4.1", instances=2)
TUNED = Setting("tvm", "tuned", "0.27.0", '{"trials":64}')
PLAIN = Setting("tvm", "plain", "0.27.0")
OVERLAPPED = Setting("onnxruntime", "two in flight", "1.31.1", in_flight="2")
RARE = Setting("onnxruntime", "rare", "1.31.1")
RAW_BYTES, ENCODED_BYTES = 150_528, 20_000
ONE = Model("m", 1, raw_bytes=RAW_BYTES, encoded_bytes=ENCODED_BYTES)
FOUR = Model("m", 4, raw_bytes=RAW_BYTES, encoded_bytes=ENCODED_BYTES)
CHEAPER = Model("m int8", 1, variant_of="m", exact_hash=ONE.hash)
LOAD = "cpu: 1"
# The milliseconds of each cell's inferences: (setting, model, load).
CELLS = {
    (IDENTITY, ONE, "none"): EVEN,
    (EAGER_CPP, ONE, "none"): RARELY_SLOW,
    (RARE, ONE, "none"): RARELY_SLOW,
    (FAST, ONE, "none"): SLOW_NOW_AND_THEN,
    (TUNED, ONE, "none"): [5.0],
    (PLAIN, ONE, "none"): [6.0] * 7 + [22.0],
    (IDENTITY, FOUR, "none"): [each * 4 for each in RARELY_SLOW],
    (FAST, FOUR, "none"): [12.0] * 3 + [20.0],
    (FAST, ONE, LOAD): [8.0, 8.0, 30.0, 8.0],
    (FAST, CHEAPER, "none"): [3.0] * 3 + [7.0],
    (IDENTITY, CHEAPER, "none"): [11.0],
}
AGREEMENT = [(1, 30.0, 0.99, 0.1, 1), (1, 20.0, 0.97, 0.3, 4), (0, 10.0, 0.9, 0.5, 9), (1, 40.0, 1.0, 0.2, 1)]
PAIR = ([6.0, 6.0, 18.0, 6.0], [9.0] * 4)  # of two instances that run at the same time
RAMP = [10 + 0.01 * each for each in range(1000)]
# A model that generates four tokens a pass, for two samples: the first pass, and later ones.
DECODER = Model("m decoder", 2)
FIRST_PASS_MS, LATER_PASS_MS = [30.0, 9.0, 9.0, 12.0], [5.0, 4.0, 5.0, 6.0]
PROMPT, PROMPT_MS, PROMPT_TOKENS = Model("m prompt", 2), [40.0, 40.0, 60.0, 40.0], 128
OF_TOKENS = [("new_tokens", "timed", 4), ("bytes_per_token", "timed", 9e6), ("copied_bytes_per_token", "timed", 8192),
             ("cache_bytes", "timed", 1e6)]
# Two inferences at a time: one of them ends every 5, 5, 5 and 25 ms; each takes as long as two such steps.
STEPS_MS = [5.0, 5.0, 5.0, 25.0]


def of_process(pattern, number=0):
    factor = 1 + JITTER[number]
    return [each * factor for each in pattern * (PATTERNS // len(pattern))]


def counted_per_s(pattern, batch=1):
    """The samples of a second, by a clock on the wall that counts for a minute."""
    return batch * closed_count([each / 1000 for each in pattern], MINUTE_S) / MINUTE_S


def processes(setting, model, pattern):
    made = []
    for number in range(3):
        times = of_process(pattern, (number + len(setting.label)) % 3)
        facts = {TUNED: {"tuning_seconds": "4", "tuning_seconds_here": "4", "trials": "64"},
                 RARE: {"delegate": "xnnpack", "delegated": "40", "not_delegated": "GATHER 2, RESHAPE 1"}}.get(setting, {})
        made.append(Process(
            times, warm_up=[], index=number, busy_cpus=BUSY[setting] + 0.1 * number, error=(number + 1) * 1e-6,
            compile_s={0: 2.0, 1: 3.0, 2: 10.0}[number] * COMPILES_LONGER.get(setting, 1), facts=facts,
            compile_cpu_s=(5.0, 1.0, 2.0)[number], compile_peak_bytes=(70, 90, 80)[number] * 10**6,
            timed_peak_bytes=(120, 100, 110)[number] * 10**6, agreement=AGREEMENT if model is CHEAPER else [],
            readings=readings(number)))
    return made


BUSY = {IDENTITY: 1.9, EAGER_CPP: 1.8, RARE: 1.5, FAST: 1.2, TUNED: 1.0, PLAIN: 1.1, OVERLAPPED: 1.4, FAST_PAIR: 3.0}
COMPILES_LONGER = {FAST: 5, TUNED: 4}
PACKAGE_W, IDLE_PACKAGE_W, GPU_W, BOARD_W, IDLE_BOARD_W = 50.0, 20.0, 200.0, (8.0, 10.0, 9.0, 8.0, 10.0), 4.0
BOARD_S = (1, 2, 3, 5, 9)  # the meter is read less and less often


def held_bytes(number):
    """What a process holds after each of 2,000 inferences: an arena fills in the first 500, and each leaves some bytes."""
    held, after = 100_000_000, []
    for inference in range(2000):
        held += 1000 + 10 * number + (20_000 if inference < 500 else 0)
        after.append(held)
    return after


def memory_marks(number):
    return [(quantity, "mark", float(value), inference / 1000) for inference, held in enumerate(held_bytes(number), 1)
            if inference % 20 == 0 for quantity, value in (("inferences", inference), ("memory", held))]


def session_marks(number):
    """40 sessions of 0.2 to 0.3 s, each of which leaves a megabyte and 10 kB for each earlier process."""
    return [(quantity, "session", value, 100.0 + session) for session in range(1, 41) for quantity, value in (
        ("session", (0.2, 0.25, 0.3)[number]), ("sessions", float(session)), ("memory", 5e7 + (1e6 + 1e4 * number) * session))]


def readings(number):
    return [*memory_marks(number), *session_marks(number), ("package_power", "timed", PACKAGE_W), ("idle_package_power", "start", IDLE_PACKAGE_W),
            ("gpu_mean_power", "timed", GPU_W), ("idle_board_power", "start", IDLE_BOARD_W),
            *(("board_power", "during", each, at_s) for each, at_s in zip(BOARD_W, BOARD_S)), ("gpu_utilisation", "end", (70.0, 80.0, 99.0)[number]),
            ("run_queue_wait", "timed", (0.2, 0.9, 0.4)[number]), ("model_size", "end", 1000.0),
            ("artifact_size", "end", 3000.0), ("runtime_size", "end", (50_000.0, 70_000.0, 60_000.0)[number]),
            ("load_cpu", "timed", (90.0, 96.0, 99.0)[number]), ("load_memory", "timed", (1e6, 2e6, 6e6)[number])]


def write_uneven(folder):
    with ResultsFile(folder, made_up.newest_tables()) as results:
        for (setting, model, load), pattern in CELLS.items():
            results.add_cell(setting, model, processes(setting, model, pattern), load=load)
        results.add_cell(FAST_PAIR, ONE, [
            Process(of_process(PAIR[0]), of_others=[of_process(PAIR[1])], warm_up=[], index=number, busy_cpus=3.0)
            for number in range(3)])
        results.add_cell(FAST, DECODER, [
            Process([(sum(LATER_PASS_MS), 4)] * 200, warm_up=[(sum(FIRST_PASS_MS), 4)], index=number,
                    readings=[*OF_TOKENS, ("package_power", "timed", PACKAGE_W)], facts={"feeding_back": "by the compiler"},
                    latencies_ms=[FIRST_PASS_MS] + [LATER_PASS_MS] * 200) for number in range(3)])
        results.add_cell(FAST, PROMPT, [
            Process(PROMPT_MS * 8, warm_up=[], index=number, readings=[("prompt_tokens", "timed", PROMPT_TOKENS)])
            for number in range(3)])
        steps = STEPS_MS * (PATTERNS // len(STEPS_MS))
        latencies = [[steps[at] + steps[at - 1]] for at in range(len(steps))]  # from its start to its end
        results.add_cell(OVERLAPPED, ONE, [
            Process(steps, warm_up=[], index=number, latencies_ms=latencies) for number in range(3)])


class Definitions(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = made_up.new_folder()
        write_uneven(folder)
        cls.told = made_up.shown(folder)
        cls.asked = {}  # by the name of a case: the metrics that it asked for

    def cell(self, setting, model=ONE, load="none"):
        found, = (each for each in self.told["cells"] if (each["compiler_label"], each["model"], each["batch"], each["load"])
                  == (setting.label, model.label, model.batch, load))
        return found

    def value(self, metric, *cell):
        self.asked.setdefault(self._testMethodName, set()).add(metric)
        found = self.cell(*cell)["metrics"][metric]
        self.assertIsNotNone(found["value"], f"{metric}: {found}")
        return found["value"]

    def expect(self, metric, expected, *cell, within=2e-3):
        """`within`: what counting whole inferences for a minute leaves open, as a share."""
        value = self.value(metric, *cell)
        self.assertLessEqual(abs(value - expected), within * abs(expected), f"{metric}: ngb {value}, counted {expected}")

    def test_speed_is_what_a_clock_on_the_wall_counts(self):
        for (setting, model, load), pattern in CELLS.items():
            self.expect("throughput_per_s", counted_per_s(pattern, model.batch), setting, model, load)
        together = sum(counted_per_s(each) for each in PAIR)
        self.expect("throughput_per_s", together, FAST_PAIR)
        self.expect("throughput_per_s", counted_per_s(STEPS_MS), OVERLAPPED)

    def test_ratios_are_counts_of_the_same_minute(self):
        one, four = counted_per_s(CELLS[FAST, ONE, "none"]), counted_per_s(CELLS[FAST, FOUR, "none"], 4)
        identity, identity_of_four = counted_per_s(EVEN), counted_per_s(CELLS[IDENTITY, FOUR, "none"], 4)
        eager = counted_per_s(CELLS[EAGER_CPP, ONE, "none"])
        tuned, plain = (counted_per_s(CELLS[setting, ONE, "none"]) for setting in (TUNED, PLAIN))
        self.expect("speed_up_ratio", one / identity, FAST)
        self.expect("speed_up_ratio", counted_per_s(RARELY_SLOW) / identity, RARE)
        self.assertLess(self.value("speed_up_ratio", RARE), 1)  # though most of its inferences are faster
        self.expect("rtr_ratio", four / one, FAST, FOUR)
        self.expect("ase_ratio", four / (4 * one), FAST, FOUR)  # of four times as many samples
        self.expect("bsr_ratio", (four / one) / (identity_of_four / identity), FAST, FOUR)
        self.expect("margin_ratio", plain / tuned, PLAIN)
        self.expect("margin_ratio", tuned / plain, TUNED)
        self.expect("load_retention_ratio", counted_per_s(CELLS[FAST, ONE, LOAD]) / one, FAST, ONE, LOAD)
        self.expect("instances_gain_ratio", sum(counted_per_s(each) for each in PAIR) / one, FAST_PAIR)
        self.expect("speed_up_over_exact_ratio", counted_per_s(CELLS[FAST, CHEAPER, "none"]) / one, FAST, CHEAPER)
        self.expect("leaving_python_ratio", eager / identity, FAST)
        self.expect("optimising_graph_ratio", one / eager, FAST)

    def test_compiling_has_paid_when_the_compiled_program_has_caught_up(self):
        """Both begin to compile at 0. From the inference on that is asked for, the faster one is ahead."""
        at_s = {IDENTITY: 3.0, FAST: 15.0}  # the compile times in the middle
        behind_at, count = 0, 0
        while count < 10_000:
            count += 1
            for setting in at_s:
                pattern = CELLS[setting, ONE, "none"]
                at_s[setting] += pattern[(count - 1) % len(pattern)] / 1000
            if at_s[FAST] > at_s[IDENTITY]:
                behind_at = count
        self.expect("break_even_inferences", behind_at + 1, FAST, within=5e-3)

    def test_a_meter_divided_by_the_inferences_of_its_minute(self):
        """Processor time and energy of a minute / the inferences of that minute."""
        count = counted_per_s(CELLS[FAST, ONE, "none"]) * MINUTE_S
        cpus = statistics.geometric_mean(BUSY[FAST] + 0.1 * number for number in range(3))
        board = (8 * 1 + 10 * 1 + 9 * 1 + 8 * 2 + 10 * 4) / 9  # W s in 9 s
        for metric, per_s in {"cpu_per_inference_s": cpus, "package_energy_per_inference_j": PACKAGE_W,
                              "net_package_energy_per_inference_j": PACKAGE_W - IDLE_PACKAGE_W,
                              "gpu_energy_per_inference_j": GPU_W, "board_energy_per_inference_j": board,
                              "net_board_energy_per_inference_j": board - IDLE_BOARD_W}.items():
            self.expect(metric, per_s * MINUTE_S / count, FAST)

    def test_bits_saved_are_those_of_the_samples_counted(self):
        samples = counted_per_s(CELLS[FAST, FOUR, "none"], 4)
        self.expect("tcr_bits_per_s", samples * 8 * (RAW_BYTES - ENCODED_BYTES), FAST, FOUR)

    def test_a_window_holds_what_is_left_after_the_start(self):
        """In a minute a process that starts for 15 s infers for 45 s, one that loads in 0.25 s for 59.75 s."""
        self.asked.setdefault(self._testMethodName, set()).update(("samples_in_window", "bits_in_window"))
        for compile_s, left_s in ((15.0, 45.0), (None, 59.75), (61.0, 0.0)):
            folder = made_up.new_folder()
            made_up.study(folder, [IDENTITY], [ONE], 3, lambda *of: Process(EVEN * 4, compile_s=compile_s), goal={"window_s": MINUTE_S})
            shown = made_up.metrics_of(made_up.shown(folder), "identity")
            count = counted_per_s(EVEN) * left_s
            self.assertAlmostEqual(shown["samples_in_window"]["value"], count, delta=1e-3 * count)
            bits = count * 8 * (RAW_BYTES - ENCODED_BYTES)
            self.assertAlmostEqual(shown["bits_in_window"]["value"], bits, delta=1e-3 * bits)

    def test_the_papers_mean_is_that_of_each_repetitions_rate(self):
        rates = [1000 / each for number in range(3) for each in of_process(CELLS[FAST, ONE, "none"], number)]
        self.expect("throughput_mean_per_s", statistics.mean(rates), FAST, within=1e-6)
        self.expect("throughput_std_per_s", statistics.stdev(rates), FAST, within=1e-6)

    def test_half_of_the_repetitions_are_at_least_as_fast_as_the_median(self):
        pattern = CELLS[FAST, FOUR, "none"]
        median = self.value("throughput_median_per_s", FAST, FOUR)
        faster = [each for each in pattern if 4 * 1000 / each >= median * (1 - 1e-3)]
        self.assertEqual(len(faster), 3)  # all of 12 ms; the fourth, of 20 ms, is slower
        self.assertAlmostEqual(median, 4 * 1000 / 12, delta=0.1)

    def of_ramp(self, metric):
        """The value where each repetition takes longer than the one before; and the milliseconds of all, in order."""
        self.asked.setdefault(self._testMethodName, set()).add(metric)
        if not hasattr(type(self), "ramp"):
            folder = made_up.study(made_up.new_folder(), [IDENTITY], ["m"], 3, lambda compiler, model, number: RAMP)
            type(self).ramp = made_up.metrics_of(made_up.shown(folder), "identity")
        return type(self).ramp[metric]["value"], sorted(RAMP * 3)

    def test_so_many_answers_came_within_a_percentile(self):
        for percent in (50, 90, 95, 99):
            value, times = self.of_ramp(f"latency_p{percent}_s")
            within = sum(each <= 1000 * value for each in times) / len(times)
            self.assertAlmostEqual(within, percent / 100, delta=3 / len(times))
        overlapped = [a + b for a, b in zip(STEPS_MS, STEPS_MS[-1:] + STEPS_MS[:-1])]  # of both, in flight at a time
        self.expect("latency_p50_s", statistics.median(overlapped) / 1000, OVERLAPPED, within=1e-6)

    def test_half_of_the_rates_lie_within_the_spread(self):
        spread, times = self.of_ramp("spread_ratio")
        rates = sorted(1000 / each for each in times)
        slowest_of_half, fastest_of_half = rates[len(rates) // 4], rates[3 * len(rates) // 4]
        self.assertAlmostEqual(spread, (fastest_of_half - slowest_of_half) / statistics.median(rates), delta=2e-3)

    def test_processors_kept_busy_are_a_share_of_those_there(self):
        percents = [100 * (BUSY[FAST] + 0.1 * number) / CPUS for number in range(3)]
        self.expect("cpu_percent", statistics.mean(percents), FAST, within=1e-6)
        self.expect("cpu_std_percent", statistics.stdev(percents), FAST, within=1e-6)
        self.expect("cpu_percent_of_threads", statistics.mean(percents) * CPUS / THREADS, FAST, within=1e-6)
        self.expect("cpu_percent_of_threads", 100 * 3.0 / (2 * THREADS), FAST_PAIR, within=1e-6)
        own, identity = ([BUSY[setting] + 0.1 * number for number in range(3)] for setting in (FAST, IDENTITY))
        self.expect("cpu_reduction_ratio", 1 - statistics.geometric_mean(own) / statistics.geometric_mean(identity), FAST,
                    within=1e-6)
        self.expect("gpu_percent", (70 + 80 + 99) / 3, FAST, within=1e-6)

    def test_the_process_in_the_middle_says_what_compiling_takes(self):
        """Of 2, 3 and 10 s, four times: 8, 12 and 40, 4 s of each being tuning that the first process did."""
        self.expect("compile_s", 12.0 - 4, TUNED, within=1e-6)
        self.expect("compile_count", 3, TUNED)
        self.expect("tuning_s", 4.0, TUNED, within=1e-6)
        self.expect("tuning_trials", 64, TUNED)
        self.expect("compile_total_s", 12.0, TUNED, within=1e-6)
        self.expect("compile_s", 15.0, FAST, within=1e-6)
        self.expect("compile_total_s", 15.0, FAST, within=1e-6)
        self.expect("cold_start_s", 15.0, FAST, within=1e-6)  # nothing else is before its warm-up
        self.expect("compile_cpu_s", 2.0, FAST, within=1e-6)
        folder = made_up.new_folder()
        made_up.study(folder, [IDENTITY], ["m"], 3, lambda compiler, model, number: Process(
            EVEN * 4, compile_s=None if number else 2.0))
        self.asked[self._testMethodName].update(("load_s", "warm_start_s"))
        shown = made_up.metrics_of(made_up.shown(folder), "identity")
        self.assertEqual(shown["load_s"]["value"], 0.25)
        self.assertEqual(shown["warm_start_s"]["value"], 0.25)  # nothing else is before its warm-up
        self.assertEqual(shown["cold_start_s"]["value"], 2.0)  # of the one that compiled
        folder = made_up.new_folder()
        made_up.study(folder, [IDENTITY], ["m"], 3, lambda compiler, model, number: Process(
            EVEN * 4, warm_up=[(70.0, 90.0, 400.0)[number], 20.0]))
        self.asked[self._testMethodName].add("first_inference_s")
        self.assertAlmostEqual(made_up.metrics_of(made_up.shown(folder), "identity")["first_inference_s"]["value"], 0.09)

    def test_the_largest_of_all_processes_has_to_fit(self):
        for metric, expected in {"compile_peak_bytes": 90e6, "timed_peak_bytes": 120e6, "model_size_bytes": 1000,
                                 "artifact_size_bytes": 3000, "runtime_size_bytes": 70_000, "shipped_size_bytes": 3000,
                                 "disk_size_bytes": 73_000, "run_queue_wait_percent": 0.9,
                                 "max_absolute_error": 3e-6}.items():
            self.expect(metric, expected, FAST, within=1e-9)

    def test_a_leak_is_what_each_inference_leaves_behind(self):
        """Once nothing fills any more: what a thousand inferences have added."""
        added = [held_bytes(number)[1999] - held_bytes(number)[999] for number in range(3)]
        self.expect("memory_growth_bytes_per_inference", statistics.mean(added) / 1000, FAST, within=1e-9)

    def test_sessions_leave_behind_what_they_keep(self):
        self.expect("session_memory_bytes", 1.01e6, FAST, within=1e-9)
        self.expect("session_s", 0.25, FAST, within=1e-9)

    def test_what_counts_is_counted(self):
        self.expect("repetition_count", 3 * PATTERNS, FAST, within=0)
        self.expect("process_count", 3, FAST, within=0)
        self.expect("delegated_count", 40, RARE, within=0)
        self.expect("not_delegated_count", 3, RARE, within=0)

    def test_inputs_that_agree_are_counted(self):
        cell = (FAST, CHEAPER)
        self.expect("agreement_ratio", 3 / 4, *cell, within=1e-9)
        self.expect("top1_agreement_ratio", 3 / 4, *cell, within=1e-9)
        self.expect("top1_accuracy_ratio", 2 / 4, *cell, within=1e-9)
        self.expect("top5_accuracy_ratio", 3 / 4, *cell, within=1e-9)
        self.expect("sqnr_db", 25.0, *cell, within=1e-9)
        self.expect("cosine_ratio", 3.86 / 4, *cell, within=1e-9)
        self.expect("input_error_mean", 1.1 / 4, *cell, within=1e-9)
        self.expect("agreement_input_count", 4, *cell, within=0)

    def test_a_token_takes_what_a_step_of_a_later_pass_takes(self):
        cell = (FAST, DECODER)
        self.expect("time_per_token_s", 0.005, *cell, within=1e-6)
        self.expect("time_per_token_p90_s", 0.006, *cell, within=1e-6)  # a quarter of the steps takes that
        self.expect("time_per_token_p99_s", 0.006, *cell, within=1e-6)
        self.expect("decode_tokens_per_s", 2 * 4 / 0.020, *cell, within=1e-6)  # two samples, four tokens in 20 ms
        self.expect("energy_per_token_j", PACKAGE_W * 0.020 / (2 * 4), *cell, within=1e-6)  # the same eight tokens
        self.expect("first_pass_ratio", 15 / 5, *cell, within=1e-6)  # of 60 ms
        self.expect("bytes_per_token", 9e6, *cell)
        self.expect("copied_bytes_per_token", 8192, *cell)
        self.expect("cache_bytes", 1e6, *cell)

    def test_a_prompts_tokens_are_read_together(self):
        """180 ms for four prompts of 128 tokens in each of two samples."""
        self.expect("prefill_tokens_per_s", 4 * 2 * PROMPT_TOKENS / 0.180, FAST, PROMPT, within=1e-6)
        self.expect("time_to_first_token_s", 0.040, FAST, PROMPT, within=1e-6)

    def test_a_load_works_while_the_cell_is_timed(self):
        self.expect("load_cpu_percent", 95.0, FAST, ONE, LOAD, within=1e-9)
        self.expect("load_memory_bytes_per_s", 3e6, FAST, ONE, LOAD, within=1e-9)

    @functools.cache
    def succeeds(self, case):
        return type(self)(case).run().wasSuccessful()

    def test_every_metric_names_a_case_that_asks_for_it(self):
        for metric, case in cases_of_rows("metric").items():
            with self.subTest(metric):
                self.assertTrue(hasattr(type(self), case), f"there is no case {case}")
                if self.succeeds(case):  # else it says so for itself
                    self.assertIn(metric, self.asked[case])


if __name__ == "__main__":
    unittest.main()
