# SPDX-License-Identifier: Apache-2.0
"""Variants that compilers' own tools quantise: each is measured by the compiler that it is for and agrees with its source,
and what a tool or a compiler cannot do is said before anything is measured."""

import unittest

from compiled_files_test import MeasuredFiles, run_python
from export_test import installed
from ngb_program import TOOLCHAINS

# y = relu(x @ a) @ b for x of [batch, 64]; a product between QuantizeLinear and DequantizeLinear; and one without products.
NETS = """
import numpy, onnx
from onnx import TensorProto, helper, numpy_helper
random = numpy.random.default_rng(1)
weights = [numpy_helper.from_array(random.normal(0, 0.125, (64, 64)).astype("f4"), name) for name in "ab"]
scale = [numpy_helper.from_array(numpy.array(0.01, "f4"), "scale"), numpy_helper.from_array(numpy.array(0, "i1"), "zero")]
node = helper.make_node
plain = [node("MatMul", ["x", "a"], ["h"]), node("Relu", ["h"], ["r"]), node("MatMul", ["r", "b"], ["y"])]
qdq = [node("QuantizeLinear", ["x", "scale", "zero"], ["q"]), node("DequantizeLinear", ["q", "scale", "zero"], ["d"]),
       node("MatMul", ["d", "a"], ["y"])]
soft = [node("Softmax", ["x"], ["y"])]
for name, nodes, constants in (("net", plain, weights), ("qdq", qdq, [weights[0], *scale]), ("soft", soft, [])):
    x, y = (helper.make_tensor_value_info(each, TensorProto.FLOAT, ["batch", 64]) for each in "xy")
    onnx.save(helper.make_model(helper.make_graph(nodes, name, [x], [y], constants),
                                opset_imports=[helper.make_opsetid("", 17)], ir_version=8), name + ".onnx")
"""
MODULE = """
import torch
def build(width=64):
    return torch.nn.Sequential(torch.nn.Linear(width, width), torch.nn.ReLU(), torch.nn.Linear(width, 10))
"""
# The compiler, its tool, what it does, and the least SQNR in dB that 8 and 4 bits have of such weights.
WAYS = (("executorch", "torchao", "static", 8, 25), ("executorch", "torchao", "dynamic", 8, 25),
        ("litert", "ai_edge_quantizer", "static", 8, 25), ("litert", "ai_edge_quantizer", "dynamic", 8, 25),
        ("litert", "ai_edge_quantizer", "weights", 8, 30), ("litert", "ai_edge_quantizer", "weights", 4, 10),
        ("mnn", "mnn", "weights", 8, 30), ("mnn", "mnn", "weights", 4, 10),
        ("openvino", "nncf", "static", 8, 25), ("openvino", "nncf", "weights", 8, 30), ("openvino", "nncf", "weights", 4, 10),
        ("onnxruntime", "matmul_nbits", "weights", 4, 10), ("onnxruntime", "matmul_nbits", "weights", 8, 30))
# OpenVINO has two threads: on one, its 2026.4.1 computes zeros of such a product where the processor has AMX.
NEEDED = ("identity", "litert", "executorch", "mnn", "openvino", "onnxruntime", "nncf")


@unittest.skipUnless(all(map(installed, NEEDED)), "not all toolchains are on this machine")
class QuantisedByTools(MeasuredFiles):
    def measure(self):
        self.environment["NGB_TOOLCHAINS"] = str(TOOLCHAINS)
        run_python("identity", NETS, self.folder)
        self.write("module.py", MODULE)
        variants = "".join(f"  - {{quantise: {{tool: {tool}, how: {how}, bits: {bits}}}, variant_of: source, compilers: [{compiler}]}}\n"
                           for compiler, tool, how, bits, _ in WAYS)
        self.write("study.yaml", f"models:\n  - {{onnx: net.onnx, label: source}}\n{variants}"
                                 "compilers: [identity, litert, executorch, mnn, {openvino: {label: openvino, threads: 2}}, onnxruntime]\n"
                                 "processes: 1\nrepetitions: 6\ndisturbance: {max_wait_percent: 100}\noutput: results\n")
        self.ran = self.ngb("run", "study.yaml", "--no-report", timeout=1500)
        self.assertEqual(self.ran.returncode, 0, self.ran.stdout + self.ran.stderr)

    def refusal(self, name, models, compilers):
        """What `ngb plan` says of a study that it refuses."""
        refused = self.ngb("plan", self.write(name, f"models:\n{models}compilers: {compilers}\n"))
        self.assertEqual(refused.returncode, 2, refused.stdout)
        return refused.stderr

    def test_each_is_measured_by_its_compiler_and_agrees_with_its_source(self):
        cells = self.cells()
        for compiler, tool, how, bits, sqnr in WAYS:
            label = f"source int{bits} {how} by {tool}"
            with self.subTest(label):
                metrics = cells[label, compiler]["metrics"]
                self.assertGreater(metrics["throughput_per_s"]["value"], 0)
                self.assertGreater(metrics["sqnr_db"]["value"], sqnr)
                self.assertLess(metrics["sqnr_db"]["value"], 80)  # it is quantised

    def test_fewer_bits_take_less_room(self):
        sizes = {(compiler, tool, how, bits): self.cells()[f"source int{bits} {how} by {tool}", compiler]["metrics"]
                 ["model_size_bytes"]["value"] for compiler, tool, how, bits, _ in WAYS}
        for compiler, tool in (("litert", "ai_edge_quantizer"), ("mnn", "mnn"), ("onnxruntime", "matmul_nbits")):
            self.assertLess(sizes[compiler, tool, "weights", 4], sizes[compiler, tool, "weights", 8])
            self.assertLess(sizes[compiler, tool, "weights", 8], 2 * 64 * 64 * 4)

    def test_a_module_is_quantised_for_the_compilers_that_run_modules(self):
        self.write("module.yaml", "models:\n  - {pytorch: 'module.py:build', label: source, shapes: {input: [batch, 64]}}\n"
                                  "  - {quantise: {tool: torchao}, variant_of: source}\n"
                                  "  - {quantise: {tool: torchao, how: dynamic}, variant_of: source}\n"
                                  "  - {quantise: {tool: mnn, how: weights}, variant_of: source}\n"
                                  "compilers: [identity, executorch, mnn]\n")
        refused = self.ngb("plan", "module.yaml")
        self.assertEqual(refused.returncode, 2, refused.stdout)
        self.assertIn("mnn needs an ONNX file, and source is a PyTorch module", refused.stderr)
        study = (self.folder / "module.yaml").read_text()
        self.write("module.yaml", "".join(line for line in study.splitlines(True) if "tool: mnn" not in line) +
                   "processes: 1\nrepetitions: 6\ndisturbance: {max_wait_percent: 100}\noutput: module\n")
        run = self.ngb("run", "module.yaml", "--no-report", timeout=1500)
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        for how in ("static", "dynamic"):
            sqnr = self.cells("module")[f"source int8 {how} by torchao", "executorch"]["metrics"]["sqnr_db"]["value"]
            self.assertGreater(sqnr, 25)
            self.assertLess(sqnr, 80)  # it is quantised

    def test_a_tool_that_finds_nothing_to_quantise_makes_no_variant(self):
        said = self.refusal("nothing.yaml", "  - {onnx: soft.onnx, label: source}\n"
                               "  - {quantise: {tool: torchao}, variant_of: source}\n", "[executorch]")
        self.assertIn("torchao: XNNPACK's quantiser finds nothing that it quantises in the model", said)

    def test_a_file_for_one_batch_size_is_not_measured_at_another(self):
        self.write("two.yaml", "models:\n  - {onnx: net.onnx, label: source}\n  - {quantise: {tool: mnn, how: weights}, variant_of: source}\n"
                               "compilers: [mnn]\nbatch_sizes: [1, 2]\n")
        self.assertIn("it was compiled for another batch size than 2", self.ngb("plan", "two.yaml").stderr)

    def test_a_model_without_matrix_products_is_refused_by_the_tool_of_their_weights(self):
        said = self.refusal("none.yaml", "  - {zoo: {conv_block: {width: 8, image_size: 8}}, label: source}\n"
                               "  - {quantise: {tool: matmul_nbits}, variant_of: source}\n", "[onnxruntime]")
        self.assertIn("matmul_nbits: the model has no MatMul with constant weights", said)

    def test_what_compilers_do_not_run_of_a_quantised_file_is_said_by_the_plan(self):
        self.write("qdq.yaml", "models: [{onnx: qdq.onnx}]\ncompilers: [onnxruntime, ncnn, litert, executorch, mnn]\n")
        planned = self.ngb("plan", "qdq.yaml")
        self.assertEqual(planned.returncode, 0, planned.stderr)
        self.assertIn("ncnn refuses QuantizeLinear of qdq: its cells fail there", planned.stdout)
        self.assertIn("executorch, litert compute QuantizeLinear of qdq for their value alone", planned.stdout)
        self.write("net.yaml", "models: [{onnx: net.onnx}]\ncompilers: [onnxruntime, ncnn, litert]\n")
        self.assertNotIn("of net", self.ngb("plan", "net.yaml").stdout)

    def test_a_tool_that_no_package_has_is_refused_with_what_to_do(self):
        said = self.refusal("ncnn.yaml", "  - {onnx: net.onnx, label: source}\n"
                               "  - {quantise: {tool: ncnn}, variant_of: source}\n", "[ncnn]")
        self.assertIn("ncnn: ncnn2table and ncnn2int8, which quantise for it, are programs that its packages lack", said)

    def test_a_column_says_what_a_delegate_computes(self):
        shown = self.ngb("show", "results", "--model", "source", "--columns", "delegated,not-delegated")
        self.assertRegex(shown.stdout, r"litert .* 2 +0")
        self.assertRegex(shown.stdout, r"executorch .* 3 +0")


if __name__ == "__main__":
    unittest.main()
