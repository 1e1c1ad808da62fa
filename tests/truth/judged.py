# SPDX-License-Identifier: Apache-2.0
"""Verdicts by each kind of metric over simulated sides, of which half of the models are equal and half are worse."""

import math
import random

import made_up_results as made_up
import memory
from made_up import Model, Process, Setting
from studies import Counted, Folder

# What the worse candidates are worse by. The standard deviations are between processes.
WORSE = {
    "throughput_median_per_s": "a tenth slower (sd 2 %)",
    "latency_p50_s": "a tenth slower (sd 2 %)",
    "timed_peak_bytes": "5 MB of 50 more (sd 2 %)",
    "compile_total_s": "a tenth longer (sd 3 %)",
    "cpu_per_inference_s": "a tenth more (sd 3 %)",
    "artifact_size_bytes": "a tenth larger",
    "memory_growth_bytes_per_inference": "a leak of 1 kB beside buffers of a MB",
    "agreement_ratio": "87 instead of 97 % of 256 inputs",
}
INPUTS = 256


def process(draw, number, is_worse):
    times = 1.1 if is_worse else 1.0

    def varied(value, deviation):
        return times * value * math.exp(draw.gauss(0, deviation))

    inference_ms = varied(10.0, 0.02)
    return Process(
        [inference_ms * draw.gauss(1, 0.01) for _ in range(8)], compile_s=varied(2.0, 0.03),
        timed_peak_bytes=round(varied(50e6, 0.02)), busy_cpus=1.5 * math.exp(draw.gauss(0, 0.02)),
        readings=[("artifact_size", "end", times * 3000.0)] + memory.marks(draw, memory.Leaking if is_worse else memory.Noisy))


def process_of_variant(draw, number, is_worse):
    """As fast as the other side's: a variant that agrees less has no verdict on its speed."""
    made = process(draw, number, False)
    agrees = 0.87 if is_worse else 0.97
    made.agreement = [(int(draw.random() < agrees), 30.0, 0.99, 0.1, None) for _ in range(INPUTS)] if number == 0 else []
    return made


def verdicts(models, rounds, seed=1):
    """{metric: (of equal sides, how many are told worse or better; of worse candidates, how many are told worse)}."""
    of_variants = ["agreement_ratio"]
    plain = [Model(f"m{i}", 1) for i in range(models)]
    variants = [Model(f"m{i} int8", 1, variant_of=f"m{i}", exact_hash="0" * 64) for i in range(models)]
    return {**_verdicts_on([metric for metric in WORSE if metric not in of_variants], plain, process, rounds, seed),
            **_verdicts_on(of_variants, variants, process_of_variant, rounds, seed)}


def _verdicts_on(metrics, names, make, rounds, seed):
    draw = random.Random(seed)
    worse = {model.label for model in names[::2]}
    with Folder() as folder:
        made_up.study(folder, [Setting("old", "old"), Setting("new", "new")], names, rounds,
                      lambda compiler, model, number: make(draw, number, compiler.label == "new" and model.label in worse),
                      baseline="old")
        counted = {}
        for metric in metrics:
            false, found = Counted(), Counted()
            for pair in made_up.compared(folder, "old", "new", "--metric", metric):
                if pair["model"] in worse:
                    found.add(pair["verdict"] == "worse")
                else:
                    false.add(pair["verdict"] in ("worse", "better"))
            counted[metric] = (false, found)
        return counted
