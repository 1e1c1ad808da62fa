# SPDX-License-Identifier: Apache-2.0
"""The profiles of every compiler whose toolchain is installed: the kernels' times are those of the inferences, every node
is found, and afterwards an inference costs what it did. python profile_test.py COMPILER"""
import json
import os
import subprocess
import sys
import tempfile
import unittest
from collections import Counter

from toolchain import LIB

SOURCE = os.path.dirname(os.environ["NGB_VERSIONS"])
sys.path.insert(0, os.path.join(SOURCE, "tests", "bench", "explain"))

import attributed  # noqa: E402

COMPILER = sys.argv.pop(1)
if COMPILER in ("aotinductor", "iree", "torch-compile", "tvm") and not os.environ.get("NGB_ALL_CASES"):
    print(f"SKIPPED: {COMPILER} compiles for minutes; NGB_ALL_CASES=1 runs it")
    sys.exit(77)
BENCH = attributed.Bench(os.environ["NGB_BUILD_DIR"], tempfile.mkdtemp())
if BENCH.identity is None or attributed.toolchain_of(SOURCE, BENCH.build, COMPILER) is None:
    print(f"SKIPPED: no toolchain of identity and {COMPILER}")
    sys.exit(77)
sys.path[:0] = [BENCH.identity[1], os.path.join(LIB, "python")]

import mapping  # noqa: E402

# Whose inferences of a convolution over a large image take seconds.
SLOW = ("iree", "tvm")
MODELS = ("resnet18",) if COMPILER in SLOW else ("resnet18", "conv_block")
SIZE = {"rounds": 2, "inferences": 3} if COMPILER in SLOW else {"rounds": 3, "inferences": 5}
# Compilers without a profile, and what their reason says.
REFUSES = {"xla": "no profiler"}
NO_PROFILE = 12  # NGB_NO_PROFILE
# IREE's own program runs other inferences than those that are timed here, at another time.
IS_TIMED_APART = COMPILER == "iree"


@unittest.skipIf(COMPILER in REFUSES, "it refuses")
class Profile(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.told = {}

    def profile(self, model, **size):
        if model not in self.told:
            path, recipe = BENCH.write(model)
            told = BENCH.profile(COMPILER, path, recipe, **size)
            self.assertNotIn("failure", told, told.get("failure"))
            self.told[model] = told, mapping.Graph(path)
        return self.told[model]

    @unittest.skipIf(IS_TIMED_APART, "its kernels are timed in inferences of another process")
    def test_the_kernels_times_sum_to_those_of_the_profiled_inferences(self):
        for model in MODELS:
            told, graph = self.profile(model, **SIZE)
            numbers = attributed.summary(told, graph)  # the median of the repetitions, of which others disturb some
            self.assertGreaterEqual(numbers["attributed_percent"], 90, (model, numbers["attributed_of"]))
            self.assertLessEqual(numbers["attributed_percent"], 105, (model, numbers["attributed_of"]))

    def test_every_executed_node_is_found_by_its_name_or_by_what_surrounds_it(self):
        for model in MODELS:
            told, graph = self.profile(model, **SIZE)
            found = mapping.map_nodes(graph, told["rounds"][-1]["kernels"])
            lost = [node for node in graph.nodes if node not in found]
            self.assertEqual(lost, [], model)

    def test_each_repetition_has_the_same_kernels(self):
        told, _ = self.profile("resnet18", **SIZE)
        first, *others = [[(kernel["name"], kernel["kind"], kernel["nodes"], kernel["outputs"], kernel["found_by"])
                           for kernel in each["kernels"]] for each in told["rounds"]]
        for other in others:
            self.assertEqual(other, first)

    def test_an_inference_costs_afterwards_what_it_did_before(self):
        # In this model, a profile costs onnxruntime and PyTorch as much as the inference, so that one that goes on would be
        # seen.
        told, _ = self.profile("mha_block", rounds=7, inferences=100)
        ratios = sorted(min(each["again"])[0] / min(each["plain"])[0] for each in told["rounds"])
        self.assertLess(ratios[len(ratios) // 2], 1.2, ratios)


# Prints the executed nodes as a list of [type, microseconds]. Arguments: a model.
EXECUTED = """
import json, sys
import numpy, openvino
model = openvino.Core().compile_model(sys.argv[1], "CPU", {"PERF_COUNT": "YES", "INFERENCE_NUM_THREADS": 1,
                                                           "INFERENCE_PRECISION_HINT": "f32", "PERFORMANCE_HINT": "LATENCY"})
request = model.create_infer_request()
inputs = {each: numpy.random.default_rng(0).normal(size=tuple(each.shape)).astype("f4") for each in model.inputs}
for _ in range(5):
    request.infer(inputs)
print(json.dumps([[each.node_type, each.real_time.microseconds] for each in request.get_profiling_info()
                  if each.status.name == "EXECUTED"]))
"""


@unittest.skipUnless(COMPILER == "openvino", "the library's own Python tells what it executed")
class ExecutedNodes(unittest.TestCase):
    def test_the_kernels_are_the_nodes_that_the_library_says_it_executed(self):
        python, site = attributed.toolchain_of(SOURCE, BENCH.build, "openvino")
        environment = {**os.environ, "PYTHONPATH": f"{site}:{BENCH.identity[1]}"}  # which has numpy
        for model in ("resnet18", "mobilenetv3_large_100", "vit_tiny_patch16_224"):
            path, recipe = BENCH.write(model)
            ran = subprocess.run([python, "-S", "-c", EXECUTED, path], env=environment, capture_output=True, text=True)
            self.assertEqual(ran.returncode, 0, ran.stderr)
            executed = json.loads(ran.stdout)
            told = BENCH.profile(COMPILER, path, recipe, **SIZE)
            kernels = [(kernel["kind"], kernel["ns"] / 1000) for kernel in told["rounds"][-1]["kernels"]]
            self.assertGreater(len(kernels), 20)
            here, there = (Counter(kind for kind, _ in nodes) for nodes in (kernels, executed))
            # A node whose mean is less than a microsecond is told as not executed, so of two processes only one may have it.
            brief = Counter(kind for kind, microseconds in [*kernels, *executed] if 0 < microseconds < 3)
            self.assertEqual((here - there) + (there - here) - brief, Counter(), (model, here, there))


@unittest.skipUnless(COMPILER in REFUSES, "it has a profile")
class Refusal(unittest.TestCase):
    def test_a_compiler_that_does_not_tell_its_kernels_says_why(self):
        told = BENCH.profile(COMPILER, *BENCH.write("mha_block"), rounds=1, inferences=1)
        self.assertEqual(told["failure"]["kind"], NO_PROFILE, told)
        self.assertIn(REFUSES[COMPILER], told["failure"]["message"])


if __name__ == "__main__":
    unittest.main()
