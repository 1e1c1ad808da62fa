# SPDX-License-Identifier: Apache-2.0
"""The definitions of numbers that span cells, against counts of a clock on the wall, as definitions_test.py has them."""

import functools
import statistics
import unittest

import made_up_results as made_up
from made_up import Model, Process, ResultsFile, Setting, with_dynamic_batch
from metrics_page import cases_of_rows
from servers import closed_count

MINUTE_S = 60.0
JITTER = (-1e-4, 0.0, 1e-4)
INFERENCES = 64
IDENTITY, FAST = Setting("identity", "identity", "2.15.0"), Setting("openvino", "fast", "2026.4.1")
SMALL_HEAP = Setting("tvm", "slow and small", "0.27.0")
BUSY = {IDENTITY: 1.9, FAST: 1.2, SMALL_HEAP: 1.5}
PEAK = {IDENTITY: 100, FAST: 90, SMALL_HEAP: 50}
COMPILE_S = {IDENTITY: 3.0, FAST: 2.0, SMALL_HEAP: 9.0}
GPU_PERCENT = {1: 80.0, 2: 90.0}
CPUS = 8


def uneven(mean_ms, kind):
    """Inferences that take so long on average. Of the kinds 1 and 2, each eighth takes 4 and 10 times as long as the others."""
    times = (1, 4, 10)[kind % 3]
    return [mean_ms * 8 / (7 + times)] * 7 + [mean_ms * 8 / (7 + times) * times]


def network(name, batch, group, style="convolutional", size=1):
    return Model(name, batch, "resnet", {"classes": 1000}, 10**7, group, style, size)


def block(width, depth, batch=1):
    return Model(f"conv_block width={width} depth={depth}", batch, "conv_block",
                 {"depth": depth, "image_size": 16, "width": width}, 900 * width * depth)


SMALLER, LARGER = ((name, size) for name, size in (("resnet18", 1), ("resnet50", 2)))
# The mean milliseconds of an inference by (model, setting). Speed-ups over the identity fall by .2 with each block.
MEANS = {}
for (name, size), identity_ms, fast_ms in ((SMALLER, 20.0, 10.0), (LARGER, 60.0, 20.0)):
    for batch, of_batch in ((1, 1.0), (4, 3.0)):
        model = network(name, batch, "ResNets", size=size)
        MEANS[model, IDENTITY] = identity_ms * of_batch
        MEANS[model, FAST] = fast_ms * of_batch * (1.2 if batch == 4 else 1)
        MEANS[model, SMALL_HEAP] = identity_ms * of_batch * 1.5
STATIC = network("mobilenet", 1, "MobileNets", "hybrid")
DYNAMIC = with_dynamic_batch(STATIC)
MEANS[STATIC, FAST], MEANS[DYNAMIC, FAST] = 10.0, 12.5
TIGHT, WIDE = (Model(f"llama capacity={capacity}", 1, "decoder", {"cache": "static", "capacity": capacity, "context": 32})
               for capacity in (64, 2048))  # steps over the larger cache take 1.6 times as long
MEANS[TIGHT, FAST], MEANS[WIDE, FAST] = 5.0, 8.0
GROWING = Model("llama cache=growing", 1, "decoder", {"cache": "open", "context": 32})
MEANS[GROWING, FAST] = 4.0
OWN_SHAPE, ANY_SHAPE, PADDED = (network(f"encoder{suffix}", 1, "encoders", "transformer") for suffix in ("", " dynamic", " pad_to=128"))
MEANS[OWN_SHAPE, FAST], MEANS[ANY_SHAPE, FAST], MEANS[PADDED, FAST] = 10.0, 11.0, 14.0
VISITED = network("reader in one session", 1, "readers", "transformer")
# Of a process's passes the milliseconds of two visits of 16 and one of 128 by setting: in the first pass, and in later ones.
PASSES = {IDENTITY: ((30.0, 5.0, 60.0), (4.0, 4.0, 24.0)), FAST: ((20.0, 3.0, 90.0), (2.0, 2.0, 6.0))}
GAINED_BYTES = (3e6, 5e6, 7e6)  # of a process's first visit of 128
MEANS[VISITED, IDENTITY], MEANS[VISITED, FAST] = (sum(later) / 3 for _, later in PASSES.values())
DEPTHS, SPEED_UPS, BLOCK_MS = (1, 2, 3), (2.0, 1.8, 1.6), 10.0
for depth, speed_up in zip(DEPTHS, SPEED_UPS):
    MEANS[block(8, depth), IDENTITY] = BLOCK_MS * depth
    MEANS[block(8, depth), FAST] = BLOCK_MS * depth / speed_up
for width, of_four in ((8, 2.0), (16, 3.2)):  # an inference of four samples takes so many times as long as of one
    for batch, times in ((1, 1.0), (4, of_four)):
        MEANS[block(width, 1, batch), FAST] = BLOCK_MS * width / 8 / 2 * times
        MEANS[block(width, 1, batch), IDENTITY] = BLOCK_MS * width / 8 * times


CELLS = sorted(MEANS, key=lambda cell: (cell[0].label, cell[0].batch, cell[1].label))
PATTERNS = {cell: uneven(MEANS[cell], place) for place, cell in enumerate(CELLS)}


def counted_per_s(model, setting):
    """The samples of a second, by a clock on the wall that counts for ten minutes."""
    times_s = [each / 1000 for each in PATTERNS[model, setting]]
    return model.batch * closed_count(times_s, 10 * MINUTE_S) / (10 * MINUTE_S)


def times_of(model, setting, number):
    factor = 1 + JITTER[(number + len(setting.label)) % 3]
    return [each * factor for each in PATTERNS[model, setting] * (INFERENCES // 8)]


def rates_of(model, setting):
    return [1000 * model.batch / each for number in range(3) for each in times_of(model, setting, number)]


def visiting_processes(setting):
    """A pass of the warm-up, and 64 that count."""
    first, later = PASSES[setting]
    return [Process([(sum(later), 3)] * INFERENCES, warm_up=[(sum(first), 3)], index=number, busy_cpus=BUSY[setting],
                    compile_s=COMPILE_S[setting], timed_peak_bytes=PEAK[setting] * 10**6,
                    latencies_ms=[list(first)] + [list(later)] * INFERENCES, facts={"sessions_of_shapes": "1"},
                    readings=[("sequence=16", "shape", 2), (("sequence=16", "byte"), "shape", 1e6), ("sequence=128", "shape", 1),
                              (("sequence=128", "byte"), "shape", GAINED_BYTES[number])]) for number in range(3)]


def processes(model, setting):
    if model is VISITED:
        return visiting_processes(setting)
    return [Process(times_of(model, setting, number), warm_up=[], index=number, busy_cpus=busy_of(setting, model, number),
                    compile_s=COMPILE_S[setting], timed_peak_bytes=PEAK[setting] * 10**6,
                    readings=[("gpu_utilisation", "end", GPU_PERCENT[model.size or 1])]) for number in range(3)]


def busy_of(setting, model, number):
    return BUSY[setting] + 0.1 * number + (0.3 if model.size == 2 else 0)


class Series(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = made_up.new_folder()
        with ResultsFile(folder, made_up.newest_tables()) as results:
            for model, setting in CELLS:
                results.add_cell(setting, model, processes(model, setting))
        cls.told = made_up.shown(folder)["series"]["values"]
        cls.asked = {}

    def expect(self, series, expected, subject, batch=1, setting=FAST, within=3e-3):
        """Checks the only value of the setting there. `within`: what counting whole inferences leaves open, as a share."""
        self.asked.setdefault(self._testMethodName, set()).add(series)
        where = {"series": series, "compiler": f"{setting.label} {setting.version}", "subject": subject,
                 "batch_sizes": str(batch)}
        values = [row["value"] for row in self.told if all(row[key] == wanted for key, wanted in where.items())]
        self.assertEqual(len(values), 1, f"{where}: {values}")
        self.assertLessEqual(abs(values[0] - expected), within * abs(expected) + 1e-9,
                             f"{where}: ngb {values[0]}, counted {expected}")

    def speed_up(self, model, setting=FAST):
        return counted_per_s(model, setting) / counted_per_s(model, IDENTITY)

    def test_a_groups_throughput_is_that_of_the_papers_table(self):
        for batch in (1, 4):
            rates = [rates_of(model, FAST) for model in networks(batch)]
            means = [statistics.mean(each) for each in rates]
            self.expect("model_group_throughput_per_s", statistics.mean(means), "ResNets", batch, within=1e-6)
            self.expect("model_group_throughput_std_per_s", statistics.mean(map(statistics.stdev, rates)), "ResNets", batch,
                        within=1e-6)
            self.expect("model_group_throughput_between_std_per_s", statistics.stdev(means), "ResNets", batch, within=1e-6)

    def test_a_groups_ratio_is_the_middle_of_counted_ratios(self):
        """Two models, by the geometric mean: one twice and one eight times as fast are four times as fast."""
        for batch in (1, 4):
            models, single = networks(batch), networks(1)
            ups = [self.speed_up(model) for model in models]
            scaled = [counted_per_s(model, FAST) / counted_per_s(one, FAST) / batch for model, one in zip(models, single)]
            bsr = [up / self.speed_up(one) for up, one in zip(ups, single)]
            for name, subject in (("model_group", "ResNets"), ("style", "convolutional")):
                if name == "model_group":
                    self.expect("model_group_speed_up_ratio", statistics.geometric_mean(ups), subject, batch)
                self.expect(f"{name}_batch_speed_up_ratio", statistics.geometric_mean(ups), subject, batch)
                if batch == 4:
                    self.expect(f"{name}_batch_ase_ratio", statistics.geometric_mean(scaled), subject, batch)
                    self.expect(f"{name}_batch_bsr_ratio", statistics.geometric_mean(bsr), subject, batch)

    def test_a_groups_processors_are_the_mean_of_its_models(self):
        busy = {setting: [[busy_of(setting, model, number) for number in range(3)] for model in networks(1)]
                for setting in (FAST, IDENTITY)}
        percents = [[100 * each / CPUS for each in of_model] for of_model in busy[FAST]]
        shares = [statistics.geometric_mean(own) / statistics.geometric_mean(base)
                  for own, base in zip(busy[FAST], busy[IDENTITY])]
        for name in ("model_group", "model_group_batch"):
            self.expect(f"{name}_cpu_percent", statistics.mean(map(statistics.mean, percents)), "ResNets", within=1e-6)
            self.expect(f"{name}_cpu_std_percent", statistics.mean(map(statistics.stdev, percents)), "ResNets", within=1e-6)
            self.expect(f"{name}_cpu_reduction_ratio", 1 - statistics.geometric_mean(shares), "ResNets", within=1e-6)
        self.expect("model_group_gpu_percent", statistics.mean(GPU_PERCENT.values()), "ResNets", within=1e-9)

    def test_each_block_more_costs_what_a_clock_says(self):
        """Speed-ups of 2, 1.8 and 1.6 at depths of 1, 2 and 3, with 10 ms a block of the identity."""
        stack = "conv_block image_size=16 width=8"
        self.expect("depth_slope_per_block", -0.2, stack)
        self.expect("depth_retention_ratio", 1.6 / 2.0, stack)
        self.expect("depth_cost_s_per_block", BLOCK_MS / 1000, stack, setting=IDENTITY)

    def test_batching_gains_less_in_wider_blocks_by_count(self):
        gain = {width: counted_per_s(block(width, 1, 4), FAST) / counted_per_s(block(width, 1), FAST) for width in (8, 16)}
        self.expect("batch_width_friction_ratio", gain[16] / gain[8],
                    "conv_block image_size=16 depth=1, width 16 over 8", 4)

    def test_a_larger_cache_costs_what_a_clock_says(self):
        self.expect("capacity_ratio", counted_per_s(WIDE, FAST) / counted_per_s(TIGHT, FAST), WIDE.label + ", over 64")

    def test_the_best_form_of_a_cache_is_the_one_of_most_tokens(self):
        self.expect("best_cache_ratio", counted_per_s(GROWING, FAST) / counted_per_s(TIGHT, FAST),
                    GROWING.label + ", over static of 64 rows")

    def test_dynamic_shapes_cost_what_a_clock_says(self):
        self.expect("dynamic_shapes_ratio", counted_per_s(DYNAMIC, FAST) / counted_per_s(STATIC, FAST), STATIC.label)

        for model in (ANY_SHAPE, PADDED):
            self.expect("compiled_shapes_ratio", counted_per_s(model, FAST) / counted_per_s(OWN_SHAPE, FAST), model.label)

    def test_visits_of_shapes_take_what_a_clock_says(self):
        for shape, first, second, later, over in (("16", 20.0, 3.0, 2.0, 4.0), ("128", 90.0, 6.0, 6.0, 24.0)):
            subject = f"{VISITED.label}, sequence={shape}"
            self.expect("shape_first_visit_s", first / 1000, subject, within=1e-6)
            self.expect("shape_second_visit_s", second / 1000, subject, within=1e-6)
            self.expect("shape_later_visits_s", later / 1000, subject, within=1e-6)
            self.expect("shape_speed_up_ratio", over / later, subject, within=1e-6)

    def test_a_shapes_memory_is_what_its_first_visit_gains(self):
        self.expect("shape_memory_bytes", 5e6, f"{VISITED.label}, sequence=128", within=1e-9)

    def test_a_setting_is_dominated_by_what_is_better_in_all_three(self):
        """`fast` is faster than the identity, compiles in less time and takes less memory; than `slow and small`, not less."""
        for setting, expected in ((IDENTITY, 1), (FAST, 0), (SMALL_HEAP, 0)):
            self.expect("dominating_count", expected, "resnet18", setting=setting)

    @functools.cache
    def succeeds(self, case):
        return type(self)(case).run().wasSuccessful()

    def test_every_series_names_a_case_that_asks_for_it(self):
        for series, case in cases_of_rows("series").items():
            with self.subTest(series):
                self.assertTrue(hasattr(type(self), case), f"there is no case {case}")
                if self.succeeds(case):  # else it says so for itself
                    self.assertIn(series, self.asked[case])


def networks(batch):
    return [network(name, batch, "ResNets", size=size) for name, size in (SMALLER, LARGER)]


if __name__ == "__main__":
    unittest.main()
