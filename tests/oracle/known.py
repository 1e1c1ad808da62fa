# SPDX-License-Identifier: Apache-2.0
"""Made-up results whose answers are computed by hand."""

import math

from made_up import Model, Process, ResultsFile, Setting
from scenarios import IDENTITY

# Answers computed by hand for write_known: (label of the compiler, metric): (value, low, high).
# identity: process means 100 and 50 samples/s (repetitions of 10 and of 20 ms); onnxruntime: 200 and 100, all at batch 1.
KNOWN = {
    ("identity", "throughput_mean_per_s"): (75, None, None),
    ("identity", "throughput_std_per_s"): (math.sqrt(4 * 25**2 / 3), None, None),
    ("identity", "latency_p50_s"): (0.015, None, None),
    ("identity", "compile_s"): (3, None, None),  # the middle of 2 and 4 s
    ("identity", "cpu_percent"): (18.75, None, None),  # 1.5 of 8 processors
    ("identity", "speed_up_ratio"): (1, 1, 1),
    ("onnxruntime", "speed_up_ratio"): (2, 2, 2),  # in both rounds
    ("onnxruntime", "compile_total_s"): (12, None, None),  # 8 s of compiling without tuning, 4 s of tuning
    ("onnxruntime", "cpu_reduction_ratio"): (0.5, 0.5, 0.5),  # 0.75 processors instead of 1.5
    # 9 s more, and √(1/100 · 1/50) - √(1/200 · 1/100) = 0.01·√2 - 0.005·√2 s less per inference
    ("onnxruntime", "break_even_inferences"): (9 / (0.005 * math.sqrt(2)),) * 3,
    # Two instances in each process: 3 inferences in 50 ms beside 2 in 30 ms. The rates are 100 + 50 samples/s, then the mean of
    # 50 and 50, and 100. One instance: 100 samples/s in each.
    ("openvino instances=2", "throughput_per_s"): (3 / 0.05 + 2 / 0.03,) * 3,
    ("openvino instances=2", "throughput_mean_per_s"): (150, None, None),
    ("openvino instances=2", "throughput_std_per_s"): (0, None, None),
    ("openvino instances=2", "latency_p50_s"): (0.02, None, None),  # the middle of 10, 10, 20, 20 and 20 ms
    ("openvino instances=2", "instances_gain_ratio"): ((3 / 0.05 + 2 / 0.03) / 100,) * 3,
    ("openvino instances=2", "cpu_percent_of_threads"): (37.5, None, None),  # 1.5 of 2 · 2 processors
    ("openvino instances=2", "repetition_count"): (4, None, None),
    ("onnxruntime", "repetition_count"): (4, None, None),
    ("onnxruntime", "process_count"): (2, None, None),
}


def write_known(folder, like):
    """Writes results whose answers are KNOWN."""
    model = Model("block", 1, "conv_block", {"depth": 1, "width": 8}, 1000)
    tuned = {"tuning_seconds": "4", "tuning_seconds_here": "4", "trials": "10"}
    with ResultsFile(folder, like) as results:
        results.add_cell(IDENTITY, model, [Process([10.0, 10.0], compile_s=2.0), Process([20.0, 20.0], compile_s=4.0)])
        results.add_cell(Setting("onnxruntime", "onnxruntime"), model, [
            Process([5.0, 5.0], compile_s=12.0, busy_cpus=0.75, facts=tuned),
            Process([10.0, 10.0], compile_s=8.0, busy_cpus=0.75, facts={"tuning_seconds": "4", "trials": "10"})])
        results.add_cell(Setting("openvino", "openvino instances=1"), model, [Process([10.0, 10.0]), Process([10.0, 10.0])])
        results.add_cell(Setting("openvino", "openvino instances=2", instances=2), model,
                         [Process([10.0, 20.0, 20.0], of_others=[[20.0, 10.0]]) for _ in range(2)])
