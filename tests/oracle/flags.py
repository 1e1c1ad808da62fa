# SPDX-License-Identifier: Apache-2.0
"""Every flag of docs/metrics.md from raw samples."""

import numpy
import pandas
import variants


class Flags:
    """The part of Oracle (metrics.py) that raises the flags."""

    def _growth_of_memory(self, key):
        """Bytes with each inference: by marks of its memory, else by the quarters of the readings, else by the highest memory of three phases."""
        growth = self.memory_growth(key)
        if growth is not None and growth.low is not None:
            return growth.value if growth.low > 0 and growth.value >= 100 else 0
        readings = self.raw.of_processes("reading", key).sort_values("position")
        phases = self.raw.of_processes("phase", key)
        most = 0
        for process, rows in readings.groupby("process_key"):
            inferences = rows[(rows.quantity == "inferences") & (rows.moment == "timed")].value.sum()
            bytes_ = rows[(rows.quantity == "memory") & (rows.moment == "during")].value.dropna().to_numpy()
            ends = [i * len(bytes_) // 4 for i in range(5)]
            means = [bytes_[begin:end].mean() for begin, end in zip(ends, ends[1:])] if len(bytes_) >= 8 else [0, 0]
            peaks = phases[phases.process_key == process].set_index("phase").peak_rss_bytes
            peaks = [peaks.get(phase, numpy.nan) for phase in ("check", "warm_up", "timed")]
            for values, since, share in ((means, 0, 0.75), (peaks, 1, 1)):
                growth = values[-1] - values[since]
                if values == sorted(set(values)) and growth > max(16 * 2**20, 0.05 * values[since]):
                    most = max(most, growth / (share * inferences))
                    break
        return most

    def _change_of_speed(self, key):
        repetitions = self.raw.of_processes("repetition", key)
        readings = self.raw.of_processes("reading", key)
        alone = readings.query("quantity == 'alone_inference'").set_index("process_key").value
        for process, seconds in readings.query("quantity == 'later_inference'").set_index("process_key").value.items():
            rows = repetitions[(repetitions.process_key == process) & (repetitions.is_warm_up == 0)]
            counted = rows.wall_ns / rows.inferences / 1e9
            share = alone.get(process, counted.median()) / seconds
            if not counted.min() <= seconds <= counted.max() and abs(share - 1) > 0.1:
                return share
        return 0

    def _cost_of_subnormals(self, key):
        usual, flushed = (self._readings(key, f"{which}_inference", "after") for which in ("later", "flushed"))
        times = usual.iloc[0] / flushed.iloc[0] if len(usual) and len(flushed) else 0
        return times if times > 1.25 else 0

    def _unevenness(self, key):
        share = self.steady(key)["per_s"].mean() / self.by_process(key).mean() if self.has_speed(key) else 0
        return share if share > 1.01 else 0

    def _wait_that_was_let_through(self, key, processes):
        """The longest wait above 5 % of a timed phase that neither the process itself nor its load caused."""
        cell = self.cell(key)
        timed = self.raw.of_processes("reading", key).query("moment == 'timed'")
        longest = 0
        for process in processes.process_key:
            rows = timed[timed.process_key == process]
            first = rows.drop_duplicates("quantity").set_index("quantity").value
            wait, others = (first.get(name, numpy.nan) for name in ("run_queue_wait", "other_cpu"))
            is_own = wait > 5 and others * (1 if pandas.isna(cell.threads) else cell.threads) * cell.instances < wait / 2
            is_own = is_own or cell.load != "none" or process in self.raw.facts("waits_for_itself").index
            causes = ["core_steal", "throttled", "other_cpu" if is_own else "run_queue_wait"]
            longest = max(longest, rows[rows.quantity.isin(causes)].value.dropna().max(), key=lambda each: numpy.nan_to_num(each))
        return longest if longest > 5 else 0

    def _repetitions_that_count(self, key, processes):
        rows = self.raw.of_processes("repetition", key).query("is_warm_up == 0")
        return rows.groupby("process_key").size().reindex(processes.process_key, fill_value=0)

    def _share_of_turns_again(self, key, processes):
        turns, again = (pandas.to_numeric(self.raw.facts(name).astype(str).str.split(",").str[0]).reindex(processes.process_key).fillna(0)
                        for name in ("turns", "turns_again"))
        run = numpy.minimum(turns, self._repetitions_that_count(key, processes)).sum()
        share = again.sum() / (again.sum() + run) if run else 0
        return share if share > 0.05 else 0

    def _flags(self, key, spread):
        cell, raw = self.cell(key), self.raw
        processes = raw.counted[raw.counted.cell_key == key]
        if not len(processes):
            return {}
        spread = 0 if spread is None else spread.value
        steal = self._readings(key, "steal", "timed").max()
        pressure = self._readings(key, "pressure_cpu_some", "timed").max() if cell.load == "none" else 0
        faults = self._readings(key, "page_faults", "timed").max()
        clock = self._readings(key, "frequency").min() / raw.highest_frequency_hz(cell.device)
        gpu = self._readings(key, "gpu_frequency", "end").min() / self._readings(key, "gpu_max_frequency", "end").max()
        checks = raw.of_processes("output_check", key)
        checked = checks[checks["reference"] != "none"]
        phases = raw.of_processes("phase", key)
        failed = raw.failed[raw.failed.cell_key == key]
        aside = raw.set_aside[raw.set_aside.cell_key == key]
        is_same_build = aside.made_with_key == processes.made_with_key.iloc[0]
        baseline = self.relatives.baseline(key)
        theirs = raw.counted[raw.counted.cell_key == baseline].environment_hash
        fewest = self._repetitions_that_count(key, processes).min()
        is_looked_at = len(self._readings(key, "later_inference", "after")) > 0
        values = {
            "few_repetitions": fewest if fewest < 6 and not is_looked_at else 0,
            "waited": self._wait_that_was_let_through(key, processes),
            "turns_again": self._share_of_turns_again(key, processes),
            "not_steady": (processes.is_steady == 0).sum(),
            "spread": spread if spread > 0.10 else 0,
            "unstable": spread if spread > 0.25 else 0,
            "uneven": self._unevenness(key),
            "steal": steal if steal > 1 else 0,
            "pressure": pressure if pressure > 5 else 0,
            "page_faults": faults if faults > 10_000 else 0,
            "throttled": clock if clock < 0.75 else 0,
            "gpu_throttled": gpu if cell.compute_device == "gpu" and gpu < 0.75 else 0,
            "extra_threads": processes.threads_used.max() if processes.threads_used.max() > cell.threads else 0,
            "mixed_build": (~is_same_build).sum(),
            "mixed_environment": is_same_build.sum(),
            "unlike_baseline": int(len(theirs) > 0 and theirs.iloc[0] != processes.environment_hash.iloc[0]),
            "unchecked": len(processes) - len(checked),
            "other_reference": (checked.reference_reason != "").sum(),
            "weak_check": (checked.small_elements >= 0.9 * checked.compared_elements).sum(),
            "not_finite": len(variants.not_finite(raw, key, checked)),
            "speed_changes": self._change_of_speed(key),
            "subnormal": self._cost_of_subnormals(key),
            "growing_memory": self._growth_of_memory(key),
            "emulated": len(processes) if raw.is_emulated(key) else 0,
            "made_up": (raw.of_processes("fact", key).name == "made_up_ns").sum(),
            "outputs_change": (checks.output_change != "").sum(),
            "shared_compilation": phases[phases["phase"] == "load"].process_key.nunique(),
            "incomplete": cell.planned_processes - len(processes),
            "disturbed": (failed.kind == "disturbed").sum(),
            "retried": (failed.kind != "disturbed").sum(),
        }
        return {name: value for name, value in values.items() if value > 0}
