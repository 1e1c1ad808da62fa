# SPDX-License-Identifier: Apache-2.0
"""Every metric of docs/metrics.md from raw samples, by pandas and scipy. None: it has no value."""

import functools

import numpy
import pandas
import starts
import variants
from by_scipy import Number, contrast, like_count, log_ratio, percentile, ratio, scaled, slope_behind_knees
from flags import Flags
from raw import Raw, Relatives

ROUND = ["run_key", "process_index", "environment_hash"]
# (reading, moment, reading of the idle machine, seconds and readings that the meter needs)
PACKAGES = ("package_power", "timed", "idle_package_power", 0.1, 1)
GPU = ("gpu_mean_power", "timed", None, 1, 1)
BOARD = ("board_power", "during", "idle_board_power", 5, 5)
LATENCY_NEEDS = {"latency_p90_s": (0.90, 64), "latency_p95_s": (0.95, 130), "latency_p99_s": (0.99, 662)}


def _number(value):
    """A Number, or None for a value that is unknown."""
    is_known = value is None or isinstance(value, Number)
    return value if is_known else None if pandas.isna(value) else Number(value)


class Oracle(Flags):
    def __init__(self, folder, baseline=lambda cell: cell.compiler == "identity"):
        self.raw = Raw(folder)
        self.relatives = Relatives(self.raw, baseline)

    def cells(self):
        """The keys of all cells, in the order of the study."""
        return list(self.raw.cells)

    def cell(self, key):
        return self.raw.cells[key]

    def id_of(self, key):
        return self.cell(key).cell_id

    # The samples of a cell.

    @functools.cache
    def repetitions(self, key):
        rows = self.raw.of_processes("repetition", key).sort_values(["process_index", "repetition_index"])
        rows["wall_s"] = rows["wall_ns"] * 1e-9
        rows["per_s"] = self.cell(key).batch * rows["inferences"] / rows["wall_s"]
        return rows

    @functools.cache
    def counted(self, key):
        rows = self.repetitions(key)
        return rows[rows["is_warm_up"] == 0]

    @functools.cache
    def steady(self, key):
        """A row for each repetition that counts. Of several instances, as many as the one with the fewest has: the sum of
        the mean speeds of each in equally many parts of its repetitions."""
        rows = self.counted(key)
        if self.cell(key).instances == 1:
            return rows
        joint = []
        for process, of_process in rows.groupby("process_key", sort=False):
            each = [of.per_s.to_numpy() for _, of in of_process.groupby("instance")]
            count = min(map(len, each)) if len(each) == self.cell(key).instances else 0
            for part in range(count):
                sums = sum(rates[part * len(rates) // count:(part + 1) * len(rates) // count].mean() for rates in each)
                joint.append({**of_process.iloc[0][ROUND], "process_key": process, "per_s": sums})
        return pandas.DataFrame(joint, columns=list(dict.fromkeys([*ROUND, "process_key", "per_s"])))

    def has_speed(self, key):
        return len(self.steady(key)) > 0

    @functools.cache
    def is_comparable(self, key):
        """Whether it has a speed, and its outputs were checked, if the study asks for it, and did not change."""
        checks = self.raw.of_processes("output_check", key)
        unchecked = (checks.reference == "none") & (checks.reference_reason != "")
        is_right = not unchecked.any() and not (checks.output_change != "").any()
        return self.has_speed(key) and is_right and not self.raw.is_emulated(key)

    @functools.cache
    def by_process(self, key, first=None):
        """Samples by time of each process; of several instances the sum of theirs."""
        rows = self.counted(key)
        rows = rows[rows.process_key.isin(self.steady(key).process_key)]
        if first is not None:
            rows = rows[rows.groupby("process_key").cumcount() < first]
        totals = rows.groupby([*ROUND, "instance"], sort=False)[["inferences", "wall_s"]].sum()
        of_each = self.cell(key).batch * totals["inferences"] / totals["wall_s"]
        return of_each.groupby(ROUND, sort=False).sum()

    @functools.cache
    def medians_by_process(self, key):
        return self.steady(key).groupby(ROUND, sort=False)["per_s"].median()

    @functools.cache
    def fewest_repetitions(self, key):
        return self.steady(key).groupby("process_key").size().min()

    def alike(self, a, b):
        """Speeds by process of two cells, from equally many repetitions of both."""
        fewest = {self.fewest_repetitions(a), self.fewest_repetitions(b)}
        has_instances = self.cell(a).instances > 1 or self.cell(b).instances > 1  # these do not stop after a number
        first = like_count(min(fewest)) if len(fewest) == 2 and not has_instances else None
        return self.by_process(a, first=first), self.by_process(b, first=first)

    def log_ratio(self, a, b, weight=1.0):
        """Parts of weight · log(T_a / T_b); None if one has no speed."""
        if a is None or b is None or not self.is_comparable(a) or not self.is_comparable(b):
            return None
        shares = all(getattr(self.cell(a), name) == getattr(self.cell(b), name) for name in ("device", "model_hash", "batch"))
        return log_ratio(*self.alike(a, b), shares, weight)

    def log_speed_up(self, key, weight=1.0):
        return self.log_ratio(key, self.relatives.baseline(key), weight)

    @functools.cache
    def busy_cpus(self, key):
        rows = self.raw.of_processes("phase", key)
        rows = rows[rows["phase"] == "timed"]
        return (rows.set_index(ROUND)["cpu_ns"] / rows.set_index(ROUND)["wall_ns"]).dropna()

    def log_cpu_ratio(self, key, weight=1.0):
        baseline = self.relatives.baseline(key)
        if baseline is None or not len(self.busy_cpus(key)) or not len(self.busy_cpus(baseline)):
            return None
        own, other = self.busy_cpus(key), self.busy_cpus(baseline)
        return log_ratio(own, other, not self.cell(key).exact_hash, weight) if (own > 0).all() and (other > 0).all() else None

    @functools.cache
    def memory_growth(self, key, moment="mark", counted="inferences"):
        """The mean over processes of the slope of its marks behind the last knee; None if there are too few of them."""
        if not self.has_speed(key):
            return None
        rows = self.raw.of_processes("reading", key).query("moment == @moment").dropna(subset=["value", "at_ns"])
        growths = []
        for _, of_process in rows.groupby("process_key", sort=False):
            marks = of_process.pivot_table(index="at_ns", columns="quantity", values="value").reindex(
                columns=[counted, "memory"]).dropna().sort_values(counted, kind="stable")
            if len(marks) >= 8:
                growths.append(slope_behind_knees(marks[counted].to_numpy(), marks.memory.to_numpy()))
        return contrast([(numpy.array(growths), 1)]) if growths else None

    # The metrics.

    @functools.cache
    def metrics(self, key):
        """{name: Number or None}, a flag that is raised among them."""
        found = {**self._speeds(key), **self._latencies(key), **self._compiling(key), **self._processor(key),
                 **self._ratios(key), **self._load(key), **self._per_inference(key), **variants.metrics_of(self, key)}
        found |= variants.on_disk(found)
        found["tcr_bits_per_s"] = self._saved_bits(key, found["throughput_per_s"])
        found |= dict.fromkeys(("samples_in_window", "bits_in_window"))  # no study here has a goal; tests/truth counts them
        found["break_even_inferences"] = self._break_even(key)
        found |= self._tokens(key, found)
        errors = self.raw.of_all_attempts("output_check", key)["max_absolute_error"].dropna()
        found["max_absolute_error"] = Number(errors.max()) if len(errors) else None
        found["memory_growth_bytes_per_inference"] = self.memory_growth(key)
        found |= starts.metrics_of(self, key)
        found["run_queue_wait_percent"] = self._reading(key, "run_queue_wait", "timed", "max")
        found = {name: _number(value) for name, value in found.items()}
        return found | {f"flag_{name}": Number(value) for name, value in self._flags(key, found["spread_ratio"]).items()}

    @functools.cache
    def _speeds(self, key):
        rows = self.steady(key)["per_s"]
        names = ("throughput_mean_per_s", "throughput_std_per_s", "throughput_per_s", "throughput_median_per_s",
                 "spread_ratio", "repetition_count", "process_count")
        if not len(rows):
            return dict.fromkeys(names)
        geometric = [ratio([(numpy.log(speeds).to_numpy(), 1)])
                     for speeds in (self.by_process(key), self.medians_by_process(key))]
        quartiles = rows.quantile([0.25, 0.5, 0.75])
        spread = (quartiles[0.75] - quartiles[0.25]) / quartiles[0.5] if len(rows) >= 4 else None
        return dict(zip(names, (rows.mean(), rows.std() if len(rows) > 1 else None, *geometric,
                                spread, len(rows), len(self.by_process(key))), strict=True))

    def _saved_bits(self, key, speed):
        raw, encoded = self.cell(key).raw_bytes, self.cell(key).encoded_bytes
        if raw is None or speed is None:
            return None
        value, *ends = ((raw - encoded) * 8 * each for each in (speed.value, speed.low, speed.high) if each is not None)
        return Number(value, *sorted(ends))

    def _latencies(self, key):
        rows = self.counted(key)
        kept = self.raw.of_processes("latency", key)
        kept = kept.merge(rows[["process_key", "repetition_index"]], on=["process_key", "repetition_index"])
        names = ("latency_p50_s", *LATENCY_NEEDS)
        if not len(rows):
            return dict.fromkeys(names)
        latencies = kept["latency_ns"] * 1e-9 if len(kept) else rows["wall_s"] / rows["inferences"]
        by_process = [each.to_numpy() for _, each in latencies.groupby((kept if len(kept) else rows)["process_key"])]
        is_single = len(kept) > 0 or (rows["inferences"] == 1).all()
        found = {"latency_p50_s": latencies.quantile(0.5)}
        for name, (q, needed) in LATENCY_NEEDS.items():
            found[name] = percentile(by_process, q) if is_single and len(latencies) >= needed else None
        return found

    def _tokens(self, key, found):
        """What is told of cells that generate tokens, or read prompts; found has their speeds and latencies."""
        steps, prompt, read, copied, cache = (
            self._reading(key, quantity, "timed", "max")
            for quantity in ("new_tokens", "prompt_tokens", "bytes_per_token", "copied_bytes_per_token", "cache_bytes"))
        speed, median = found["throughput_per_s"], found["latency_p50_s"]
        tokens = scaled(speed, prompt) if prompt is not None else None
        told = {
            "time_per_token_s": median, "time_per_token_p90_s": found["latency_p90_s"],
            "time_per_token_p99_s": found["latency_p99_s"], "decode_tokens_per_s": speed,
            "energy_per_token_j": scaled(self._energy(key, BOARD) or self._energy(key, PACKAGES), 1 / self.cell(key).batch),
            "first_pass_ratio": self._first_pass(key) if steps is not None else None,
            "bytes_per_token": read, "copied_bytes_per_token": copied, "cache_bytes": cache}
        if steps is None:
            told = dict.fromkeys(told)
        return told | {"prefill_tokens_per_s": tokens, "time_to_first_token_s": median if prompt is not None else None}

    def _first_pass(self, key):
        kept = self.raw.of_processes("latency", key)
        first = kept[kept["repetition_index"] == 0].groupby("process_key")["latency_ns"].mean()
        counted = self.counted(key)[["process_key", "repetition_index"]]
        later = kept.merge(counted, on=["process_key", "repetition_index"]).groupby("process_key")["latency_ns"].median()
        ratios = (first / later).dropna()
        return ratios.mean() if len(ratios) else None

    @functools.cache
    def _compiling(self, key):
        phases = self.raw.of_processes("phase", key)
        compiled = phases[phases["phase"] == "compile"].set_index("process_key")
        timed = phases[phases["phase"] == "timed"]
        tuned_here = pandas.to_numeric(self.raw.facts("tuning_seconds_here")).reindex(compiled.index).fillna(0)
        processes = self.raw.counted[self.raw.counted.cell_key == key].process_key
        tuned = pandas.to_numeric(self.raw.facts("tuning_seconds")).reindex(processes).max()
        trials = pandas.to_numeric(self.raw.facts("trials")).reindex(processes).max()
        loaded = phases[phases["phase"] == "load"]
        has = len(compiled) > 0
        compile_s = (compiled["wall_ns"] * 1e-9 - tuned_here).median() if has else None
        is_tuned = not pandas.isna(tuned)
        return {
            "compile_s": compile_s,
            "compile_count": len(compiled) if has else None,
            "tuning_s": tuned if is_tuned else None,
            "tuning_trials": trials if is_tuned else None,
            "compile_total_s": compile_s + (tuned if is_tuned else 0) if has else None,
            "load_s": (loaded["wall_ns"] * 1e-9).median() if len(loaded) else None,
            "first_inference_s": self._first_inference(key),
            **self._delegates(key),
            "compile_cpu_s": (compiled["cpu_ns"] * 1e-9).median() if has else None,
            "compile_peak_bytes": compiled["peak_rss_bytes"].max() if has else None,
            "timed_peak_bytes": timed["peak_rss_bytes"].max() if len(timed) else None,
        }

    def _first_inference(self, key):
        first = self.repetitions(key).query("repetition_index == 0 and is_warm_up == 1 and inferences == 1")
        return first["wall_s"].median() if len(first) and self.has_speed(key) else None

    def _delegates(self, key):
        rows = self.raw.of_processes("fact", key)
        facts = dict(zip(rows.name, rows.value)) if self.has_speed(key) else {}
        if facts.get("delegate", "none") == "none":
            return dict.fromkeys(("delegated_count", "not_delegated_count"))
        left = facts.get("not_delegated", "none" if facts.get("is_fully_delegated") == "true" else None)
        return {"delegated_count": int(facts["delegated"]) if "delegated" in facts else None,
                "not_delegated_count": sum(int(each.split()[-1]) for each in left.split(",") if left != "none") if left else None}

    def _compile_total(self, key):
        return self._compiling(key)["compile_total_s"]

    def _break_even(self, key):
        baseline = self.relatives.baseline(key)
        parts = self.log_speed_up(key)
        if parts is None or baseline == key:
            return None  # no speed, or the baseline itself
        gain = ratio(parts)
        own, other = self._compile_total(key), self._compile_total(baseline)
        if own is None or other is None or gain.value <= 1 or gain.low is None or gain.low <= 1:
            return None
        t_baseline = self.cell(baseline).batch / self._speeds(baseline)["throughput_per_s"].value
        ends = [None if end is None else max(0.0, own - other) / (t_baseline - t_baseline / end)
                for end in (gain.value, gain.high, gain.low)]
        return Number(*ends)

    def _processor(self, key):
        busy, processors, threads = self.busy_cpus(key), self.raw.processors(key), self.cell(key).threads * self.cell(key).instances
        percent = 100 * busy / processors if processors else busy[:0]
        parts = self.log_cpu_ratio(key)
        share = ratio(parts) if parts is not None else None
        if share is None:
            reduction = None
        elif share.low is None:
            reduction = Number(1 - share.value)
        else:
            reduction = Number(1 - share.value, 1 - share.high, 1 - share.low)
        return {
            "cpu_percent": percent.mean() if len(percent) else None,
            "cpu_std_percent": percent.std() if len(percent) > 1 else None,
            "cpu_percent_of_threads": (100 * busy / threads).mean() if len(busy) else None,
            "cpu_reduction_ratio": reduction,
            "gpu_percent": self._reading(key, "gpu_utilisation", "end", "mean"),
            **{f"{name}_bytes": self._reading(key, name, "end", "max") for name in ("model_size", "artifact_size", "runtime_size")},
        }

    def _per_inference(self, key):
        phases = self.raw.of_processes("phase", key)
        used_s = phases[phases["phase"] == "timed"].groupby(ROUND)["cpu_ns"].sum() * 1e-9
        return {
            "cpu_per_inference_s": self._of_an_inference(key, used_s),
            "package_energy_per_inference_j": self._energy(key, PACKAGES),
            "net_package_energy_per_inference_j": self._energy(key, PACKAGES, is_net=True),
            "gpu_energy_per_inference_j": self._energy(key, GPU),
            "board_energy_per_inference_j": self._energy(key, BOARD),
            "net_board_energy_per_inference_j": self._energy(key, BOARD, is_net=True),
        }

    def _inferences(self, key):
        """Of the timed phase of each process: what the worker counted, else the repetitions that began in it."""
        told = self._by_process(key, "inferences", "timed").sum()
        phases = self.raw.of_processes("phase", key)
        begun_ns = phases[phases["phase"] == "timed"].set_index("process_key")["started_ns"]
        rows = self.repetitions(key)
        of_phase = rows[rows.started_ns >= rows.process_key.map(begun_ns)].groupby(ROUND)["inferences"].sum()
        return told if len(told) else of_phase

    def _of_an_inference(self, key, amounts):
        """The geometric mean over processes of an amount of the timed phase over the phase's inferences."""
        if not self.has_speed(key):
            return None
        values = amounts.reindex(self.by_process(key).index) / self._inferences(key)
        return ratio([(numpy.log(values.to_numpy()), 1)]) if (values > 0).all() else None

    def _energy(self, key, meter, is_net=False):
        quantity, moment, idle, least_s, least = meter
        phases = self.raw.of_processes("phase", key)
        timed_s = phases[phases["phase"] == "timed"].groupby(ROUND)["wall_ns"].sum() * 1e-9
        powers = self._by_process(key, quantity, moment)
        if self.cell(key).load != "none" or (timed_s < least_s).any() or (powers.count() < least).any():
            return None
        power_w = (self._over_time(key, quantity) if moment == "during" else powers.mean()) - (self._by_process(key, idle, "start").mean() if is_net else 0)
        return self._of_an_inference(key, power_w * timed_s)

    def _over_time(self, key, quantity):
        """The mean power of each process, in which a reading holds since the one before, the first as long as the second."""
        rows = self.raw.of_processes("reading", key)
        rows = rows[(rows["quantity"] == quantity) & (rows["moment"] == "during")]
        held = rows.groupby(ROUND)["at_ns"].diff().bfill()
        return (rows["value"] * held).groupby([rows[each] for each in ROUND]).sum() / held.groupby([rows[each] for each in ROUND]).sum()

    def _by_process(self, key, quantity, moment):
        rows = self.raw.of_processes("reading", key)
        return rows[(rows["quantity"] == quantity) & (rows["moment"] == moment)].groupby(ROUND)["value"]

    def _ratios(self, key):
        relatives = self.relatives
        single, baseline = relatives.at_batch_1(key), relatives.baseline(key)
        identity, direct = relatives.identity(key), relatives.without_python(key)
        sides = {
            "speed_up_ratio": (key, baseline),
            "rtr_ratio": (key, single),
            "leaving_python_ratio": (direct if self.has_speed(key) else None, identity),
            "optimising_graph_ratio": (key, direct),
            "margin_ratio": (key, self._best_other(key)),
            "instances_gain_ratio": (key, relatives.one_instance(key) if self.cell(key).instances > 1 else None),
            "load_retention_ratio": (key, relatives.without_load(key) if self.cell(key).load != "none" else None),
        }
        parts = {name: self.log_ratio(*side) for name, side in sides.items()}
        found = {name: None if each is None else ratio(each) for name, each in parts.items()}
        found["ase_ratio"] = None if parts["rtr_ratio"] is None else ratio(parts["rtr_ratio"], self.cell(key).batch)
        found["bsr_ratio"] = self._bsr(key, single, baseline)
        return found

    def _bsr(self, key, single, baseline):
        baseline_single = None if baseline is None else self.relatives.at_batch_1(baseline)
        here, there = self.log_ratio(key, baseline), self.log_ratio(single, baseline_single, -1.0)
        if here is None or there is None:
            return None
        return Number(1, 1, 1) if single == key else ratio([*here, *there])

    def _best_other(self, key):
        if not self.has_speed(key):
            return None
        others = sorted(self.relatives.settings_of_compiler(key), key=lambda other: -numpy.log(self.by_process(other)).mean())
        return next((other for other in others if other != key), None)

    def _load(self, key):
        names = {"load_cpu_percent": "load_cpu", "load_memory_bytes_per_s": "load_memory"}
        if self.cell(key).load == "none":
            return dict.fromkeys(names)
        return {name: self._reading(key, quantity, "timed", "mean") for name, quantity in names.items()}

    def _reading(self, key, quantity, moment, how):
        rows = self.raw.of_processes("reading", key)
        rows = rows[(rows["quantity"] == quantity) & (rows["moment"] == moment)].value
        return rows.agg(how) if len(rows) and self.has_speed(key) else None

    def _readings(self, key, quantity, moment=None):
        rows = self.raw.of_processes("reading", key).query("quantity.str.startswith(@quantity)")
        return rows[rows["moment"] == moment]["value"].dropna() if moment else rows["value"].dropna()
