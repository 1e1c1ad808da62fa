# SPDX-License-Identifier: Apache-2.0
"""Every number of ngb against pandas and scipy, from the raw samples of made-up results and of a real run.

`python3 correctness_test.py --write`, with NGB_BIN set to a build's bin folder, writes docs/correctness.md anew. It needs
pandas and scipy: the Python in build/dependencies/python has them."""

import csv
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

try:
    import agreement
    import kept
    import known
    import scenarios
    from metrics import Oracle
    import pandas
    from scipy import stats
except ModuleNotFoundError as missing:
    print(f"skipped: {missing}; scripts/setup tests installs it")
    sys.exit(77)

ROOT = pathlib.Path(__file__).resolve().parents[2]
NGB = pathlib.Path(os.environ["NGB_BIN"]) / "ngb"
PAGE = ROOT / "docs/correctness.md"
MOST = 1e-12
MOST_OF_P = 1e-9  # p values near 0 lose digits in the tail of Student's t
# Differences of numbers that are nearly equal in a real run (of the null compiler; the use of a processor that waits for a GPU on
# both sides), and so keep the rounding of these.
MOST_OF_DIFFERENCES = 1e-9
REAL_STUDY = """\
name: real
seed: 7
models:
  - zoo: {conv_block: {width: [8, 16], depth: [1, 2], image_size: 16}}
compilers:
  - "null": {label: slow, options: {run_ns: 2000000}}
  - "null": {label: fast, options: {run_ns: 1000000}}
batch_sizes: [1, 4]
baseline: slow
reference: "null"
processes: 3
repetitions: 6
disturbance: {max_wait_percent: 100}
output: real
"""


def ngb(folder, *arguments):
    environment = {"PATH": os.environ["PATH"], "HOME": str(folder), "NGB_TOOLCHAINS": f"{folder}/toolchains", "LANG": "C.UTF-8"}
    done = subprocess.run([NGB, *map(str, arguments)], cwd=folder, env=environment, capture_output=True, text=True, timeout=1500)
    if done.returncode != 0:
        raise AssertionError(f"ngb {arguments[0]} ended with {done.returncode}: {done.stdout}{done.stderr}")
    return done.stdout


def shown(folder, results):
    return json.loads(ngb(folder, "show", results, "--json"))


def measure(folder):
    """Runs the real study; returns its results folder."""
    (folder / "study.yaml").write_text(REAL_STUDY)
    ngb(folder, "run", "study.yaml", "--no-report")
    return folder / "real"


def compared(folder, results, oracle):
    """The agreement of everything that `ngb show` says of the results."""
    told = shown(folder, results)
    table = agreement.Table()
    compare(table, told, oracle)
    return table, told


def compare(table, told, oracle):
    agreement.compare_metrics(table, told, oracle)
    agreement.compare_series(table, told, oracle)
    agreement.compare_conclusions(table, told, oracle)


def compared_kept(folder):
    """The agreement of all kept results in one table."""
    table = agreement.Table()
    for bundle in kept.bundles():
        results = kept.unpacked(bundle, folder)
        if not kept.is_of_profiles(results):
            compare(table, shown(folder, results), Oracle(results, kept.is_baseline))
    return table


def is_slow(cell):
    return cell.compiler_label == "slow"


class Correctness(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory(prefix="ngb-oracle-")
        cls.addClassCleanup(scratch.cleanup)
        cls.folder = pathlib.Path(scratch.name)
        cls.real = measure(cls.folder)
        known.write_known(cls.folder / "known", cls.real)
        scenarios.write_broad(cls.folder / "broad", cls.real)
        cls.broad, cls.told = compared(cls.folder, cls.folder / "broad", Oracle(cls.folder / "broad"))

    def expect_agreement(self, table, most_of_differences=MOST):
        for row in table.rows():
            with self.subTest(row.name):
                self.assertEqual(row.unlike, [])
                is_difference = ("_std_" in row.name or "cpu_reduction" in row.name
                                 or row.name in ("depth_slope_per_block", "depth_cost_s_per_block"))
                self.assertLess(row.largest, most_of_differences if is_difference else MOST)
                self.assertLess(row.largest_of_p, MOST_OF_P)

    def test_both_give_the_answers_that_were_computed_by_hand(self):
        oracle = Oracle(self.folder / "known")
        ours = {cell["compiler_label"]: cell["metrics"] for cell in shown(self.folder, "known")["cells"]}
        pandas = {oracle.cell(key).compiler_label: oracle.metrics(key) for key in oracle.cells()}
        for (compiler, metric), expected in known.KNOWN.items():
            for part, answer in zip(("value", "low", "high"), expected, strict=True):
                with self.subTest(f"{compiler} {metric} {part}"):
                    for found in (ours[compiler][metric].get(part), getattr(pandas[compiler][metric], part)):
                        if answer is None:
                            self.assertIsNone(found)
                        else:
                            self.assertTrue(math.isclose(found, answer, rel_tol=1e-9), f"{found} is not {answer}")

    def test_made_up_results_have_the_numbers_that_pandas_and_scipy_compute(self):
        self.expect_agreement(self.broad)

    def test_made_up_results_have_a_number_of_every_metric_series_flag_finding_and_claim(self):
        with_numbers = {row.name for row in self.broad.rows() if row.compared > 0}
        # The first one counts, and has words; the others need a study with a goal, as tests/truth has it.
        self.assertEqual(set(documented(self.told)) - with_numbers, {"failures", "samples_in_window", "bits_in_window"})

    def test_slopes_are_those_of_the_points_that_the_figures_draw(self):
        ngb(self.folder, "report", "broad", "-o", self.folder / "drawn")
        curves = {}
        with (self.folder / "drawn/figures/speed_up_by_depth.csv").open(newline="") as file:
            for row in csv.DictReader(file):
                curve = curves.setdefault(tuple(row[each] for each in ("panel", "device", "compiler", "block", "batch")), {})
                curve[float(row["depth"])] = float(row["speed_up_ratio"] or "nan")
        drawn = sorted(stats.linregress(list(points), list(points.values())).slope for points in curves.values() if len(points) > 1)
        told = sorted(each["value"] for each in self.told["series"]["values"] if each["series"] == "depth_slope_per_block")
        self.assertEqual(len(drawn), 24)  # 3 stacks, 2 batch sizes, 4 settings beside the identity
        self.assertEqual(len(told), len(drawn))
        for ours, line in zip(told, drawn, strict=True):
            self.assertLess(abs(ours - line), 1e-12)

    def test_the_papers_figures_have_all_numbers_of_its_table_vi(self):
        ngb(self.folder, "report", "broad", "-o", self.folder / "published", "--paper", "--paper-figures")
        table = pandas.read_csv(ROOT / "src/paper/published/table6_families.csv", comment="#")
        names = {"CPU": "paper: Xeon", "GPU": "paper: RTX 4070", "Orin": "paper: Orin"}
        called = {"Identity": "PyTorch eager (identity, paper)"}
        expected = {}
        for _, row in table.iterrows():
            identity = table[(table.compiler == "Identity") & (table.device == row.device) & (table.family == row.family)].iloc[0]
            for batches, column in (("2-4", "b2_4"), ("8-16", "b8_16")):
                key = names[row.device], row.family, called.get(row.compiler, row.compiler.lower() + " (paper)"), batches
                is_vendors = row.compiler in ("Identity", "TensorRT", "OpenVINO")
                speed, use = row[f"throughput_{column}"], row[f"cpu_percent_{column}"]
                if is_vendors:
                    expected["5", *key, ""] = speed
                expected["12", *key, "CPU use (%)"] = use
                if row.compiler != "Identity":
                    expected["6", *key, ""] = speed / identity[f"throughput_{column}"]
                    expected["12", *key, "CPU reduction (%)"] = 100 * (1 - use / identity[f"cpu_percent_{column}"])
        drawn = {}
        for figure, number in (("5", "throughput_per_s"), ("6", "model_group_batch_speed_up_ratio"), ("12", "percent")):
            with (self.folder / f"published/figures/figure{figure}.csv").open(newline="") as file:
                for row in csv.DictReader(file):
                    if row["state"] == "published":
                        drawn[figure, row["device"], row["model_group"], row["compiler"], row["batch_sizes"],
                              row.get("quantity", "")] = float(row[number])
        self.assertEqual(drawn.keys(), expected.keys())
        self.assertEqual(len(drawn), 60 + 50 + 130)
        for key, value in expected.items():
            self.assertTrue(math.isclose(drawn[key], value, rel_tol=1e-12), f"{key}: {drawn[key]} is not {value}")

    def test_a_real_run_has_the_numbers_that_pandas_and_scipy_compute(self):
        table, _ = compared(self.folder, self.real, Oracle(self.real, is_slow))
        self.expect_agreement(table, MOST_OF_DIFFERENCES)
        self.assertGreater(sum(row.compared for row in table.rows()), 500)

    def test_kept_results_are_whole_and_have_the_numbers_that_pandas_and_scipy_compute(self):
        self.assertEqual([f"{bundle.parent.name}/{bundle.stem}" for bundle in kept.bundles()],
                         ["h100/onnxruntime", "h100/programs", "h100/pytorch", "h100/tensorrt", "h100/wait", "h200/explain",
                          "h200/families", "h200/figure-1", "h200/inductor", "h200/onnxruntime-tensorrt", "h200/programs"])
        for bundle in kept.bundles():
            verified = subprocess.run([NGB, "verify", bundle, "--format", "json"], capture_output=True, text=True)
            self.assertIn(verified.returncode, (0, 3), verified.stdout + verified.stderr)  # 3: its own ngb would have to decide
        self.expect_agreement(compared_kept(self.folder), MOST_OF_DIFFERENCES)

    def test_the_page_has_a_row_for_everything(self):
        page = PAGE.read_text()
        missing = [name for name in documented(self.told) if f"| `{name}` |" not in page]
        self.assertEqual(missing, [], "run correctness_test.py --write")


def documented(told):
    """The names of all rows of docs/metrics.md."""
    page = (ROOT / "docs/metrics.md").read_text()
    names = [each["name"] for each in (*told["metrics"], *told["series"]["table"])]
    flags = [line.split("`")[1] for line in page[page.index("## Flags"):].splitlines() if line.startswith("| `")]
    kinds = ["failures", "fastest", "speed_up", "batching", "depth", "cpu", "reversal"]
    claims = list(dict.fromkeys(each["claim"] for each in told["conclusions"]["claims"]))
    return [*names, *(f"flag_{name}" for name in flags), *kinds, *claims]


HEAD = """\
<!-- SPDX-License-Identifier: Apache-2.0 -->
# Correctness

Every number that `ngb` computes, against pandas and scipy, from the raw samples of the same results file. The calculation in
[tests/oracle](../tests/oracle) reads the tables of the [results file](results.md) and follows the formulas of
[metrics.md](metrics.md); it shares no code with `ngb`, and takes intervals, p values and their adjustment from scipy
(`sem`, `t`, `ttest_ind` of unequal variances, `false_discovery_control`). The test `oracle.correctness` compares both
in every run of the tests. It fails if a number differs by more than 1e-12 of its size or a p value by more than 1e-9 (in real runs also
slopes and deviations, which are small differences of large numbers), if one side has a number, a row or a verdict that the other has not, or if a row of metrics.md is missing here. A few answers were computed by hand
([scenarios.py](../tests/oracle/scenarios.py)); both sides give them.

What this does not cover: rounds that end when they have decided something (the nominal error rates of
[intervals](metrics.md#intervals) are simulated), and failures that outweigh completed processes of the same cell.

This page is written by `NGB_BIN=build/dev/bin build/dependencies/python/bin/python tests/oracle/correctness_test.py --write`.

- *numbers*: how many were compared, ends of intervals and p values among them
- *none*: values of which both say that there is none
- *ours*, *pandas*: one of the values; *difference*: the largest one of all, relative to the number's size

## Counts

An oracle that follows the same formulas cannot see a wrong definition: a mean of rates was recomputed to 2e-15, and was not the
speed that a user's clock gives. The tests in [tests/truth](../tests/truth) therefore know no formula of ngb:

- **Counts** (`truth.definitions`, `truth.series`). Inferences of uneven times are made up. What they do in a minute is counted, as are
  answers within a percentile, joules of a meter, and inferences until a compiled program has caught up. Each row of
  [metrics.md](metrics.md#the-table) names its case (*truth*); a test runs each case and sees that it asks for that metric.
- **A log** (`truth.clock`). A compiler for tests waits for given times and writes down when each inference began and ended. The speed
  that `ngb run` measures is the number of lines in a time: alone, in turns, and of two instances at once.
- **Studies whose truth is known** (`truth.simulations`). Processes are drawn with outliers, log-normal times, and modes of one side, and
  `ngb compare`, `gate` and `show` are asked. Counted: how often the interval holds the ratio of inferences in a time, how often a
  gate lets a slower version pass or stops an equal one, how often the answer leaves out the fastest.
- **Servers** (`truth.simulations`). Requests arrive at random at a server that is simulated event by event. `ngb choose` must not say
  "holds" where requests pile up, or where the p90 or p95 is 1.3 times the limit at half load and more; the interval of `--confirm` must
  hold the true percentile, or say "open".

The tests simulate little, with fixed seeds, so that they take seconds. More of the same, as a table:

```sh
NGB_BIN=build/dev/bin python3 tests/truth/figures.py --studies 200
```

On an idle machine with toolchains, `tests/truth/wall_clock.py` counts inferences of a plain loop in Python for a minute, over the same
library and file, in turns with `ngb run`; [performance.md](performance.md#agreement) has what it found.

"""


def rows_of(table, names):
    lines = ["| name | numbers | none | ours | pandas | difference |", "| --- | ---: | ---: | ---: | ---: | ---: |"]
    for name in names:
        row = table[name]
        if not row.compared and not row.without:
            continue
        example = ["", ""] if row.ours is None else [f"{value:.12g}" for value in (row.ours, row.theirs)]
        lines.append(f"| `{name}` | {row.compared} | {row.without} | {' | '.join(example)} | {max(row.largest, row.largest_of_p):.0e} |")
    return "\n".join(lines) + "\n"


def write_page():
    with tempfile.TemporaryDirectory(prefix="ngb-oracle-") as scratch:
        folder = pathlib.Path(scratch)
        real = measure(folder)
        scenarios.write_broad(folder / "broad", real)
        broad, told = compared(folder, folder / "broad", Oracle(folder / "broad"))
        of_run, _ = compared(folder, real, Oracle(real, is_slow))
        on_gpu = compared_kept(folder)
    names = documented(told)
    made_up = len(told["cells"])
    PAGE.write_text(f"{HEAD}## Made-up results\n\n{made_up} cells with processes of known speeds, flags, failures, a GPU, a load "
                    f"and two devices.\n\n{rows_of(broad, names)}\n## A real run\n\n"
                    f"16 cells of the null compiler, measured while this page was written.\n\n{rows_of(of_run, names)}\n## On an H100 and an H200\n\n"
                    "The results in [studies/results](../studies/results) ([gpu-proof](gpu-proof.md#what-was-found)).\n\n"
                    f"{rows_of(on_gpu, names)}")


if __name__ == "__main__":
    if sys.argv[1:] == ["--write"]:
        write_page()
    else:
        unittest.main()
