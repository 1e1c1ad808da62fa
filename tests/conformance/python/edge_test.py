# SPDX-License-Identifier: Apache-2.0
"""litert and executorch, which convert the identity's module: cells in their own workers, against numpy's reading of the same
ONNX file (onnx.reference). python edge_test.py COMPILER"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
from types import SimpleNamespace

from toolchain import LIB, SMALL, toolchain_of, toolchain_or_skip, write_recipe

COMPILER = sys.argv[1]


def enter_toolchain():
    """The identity's Python runs this file: its toolchain has onnx."""
    python, site = toolchain_or_skip("identity", "torch")
    if not toolchain_of(COMPILER):
        print(f"SKIPPED: no toolchain {COMPILER}")
        sys.exit(77)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([site, os.path.join(LIB, "python")]), "IN_TOOLCHAIN": "1"}
    sys.exit(subprocess.run([python, "-B", os.path.abspath(__file__), *sys.argv[1:]], env=environment).returncode)


if "IN_TOOLCHAIN" not in os.environ:
    enter_toolchain()
sys.argv.pop(1)
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "operators"))

import cases  # noqa: E402
import numpy  # noqa: E402
import onnx  # noqa: E402
import running  # noqa: E402
from onnx import TensorProto, helper, numpy_helper  # noqa: E402
from onnx.reference import ReferenceEvaluator  # noqa: E402

BUILD = pathlib.Path(os.environ["NGB_BUILD_DIR"])
PLACEMENT = ("delegates", "not_delegated", "threads", "precision")
DELEGATED = {"litert": "is_fully_delegated", "executorch": "delegate"}


def compiler_under_test():
    root = pathlib.Path(toolchain_of(COMPILER)).parents[1]
    with open(os.environ["NGB_VERSIONS"], encoding="utf-8") as file:
        found = running.installed(pathlib.Path(LIB), root, json.load(file))
    return next((each for each in found if each.name == COMPILER), None)


@unittest.skipIf(compiler_under_test() is None, f"{COMPILER} is not built")
class Edge(unittest.TestCase):
    def setUp(self):
        self._folder = tempfile.TemporaryDirectory()
        self.addCleanup(self._folder.cleanup)
        self.folder = pathlib.Path(self._folder.name)
        (self.folder / "model" / "inputs").mkdir(parents=True)
        self.path = self.folder / "model" / "model.onnx"

    def write(self, *nodes, inputs=(("x", TensorProto.FLOAT, [2, 3]),), output=("y", TensorProto.FLOAT, None), weights=()):
        graph = helper.make_graph(nodes, "g", [helper.make_tensor_value_info(*each) for each in inputs],
                                  [helper.make_tensor_value_info(*output)], weights)
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9), self.path)

    def result(self, inputs, options=(), threads=1, module_site=None, is_profiled=False, precision="f32", tolerance=1e-3):
        """Return the result of one worker, which compares its outputs with the reference's."""
        try:
            expected = ReferenceEvaluator(str(self.path)).run(None, inputs)
        except Exception:  # a model that nobody can read
            expected = []
        names = [slot.name for slot in onnx.load(self.path).graph.output]
        cases.write_reference(self.folder / "model" / "expected", names, expected)
        for place, value in enumerate(inputs.values()):
            numpy.save(self.folder / "model" / "inputs" / f"{place}.npy", value)
        slots = [{"name": name, "type": cases.TYPES[value.dtype.name], "shape": list(value.shape)}
                 for name, value in inputs.items()]
        case = {"name": "model", "inputs": slots, "absolute": tolerance / 10, "relative": tolerance}
        with running.Runner(compiler_under_test(), pathlib.Path(LIB), BUILD / "bin/ngb-worker",
                            BUILD / "tests" / "ready") as runner:
            wanted = runner.request(case, self.folder)
            wanted["compiler"]["options"] = [[name, json.dumps(value)] for name, value in options]
            wanted["compiler"]["threads"] = threads
            wanted["compiler"]["precision"] = precision
            if is_profiled:
                wanted["protocol"] |= {"profile": True, "repetitions": 21}
            if module_site is not None:
                wanted["module_site"] = module_site
            result, ending = runner.native(wanted)
        self.assertIsNotNone(result, ending)
        return result

    def facts(self, *arguments, **named):
        result = self.result(*arguments, **named)
        self.assertIsNone(result["failure"], result["failure"])
        return result["facts"]

    def profiled(self, x):
        """The kernels' names, and the share of an inference that they have."""
        result = self.result({"input": x}, is_profiled=True)
        self.assertIsNone(result["failure"], result["failure"])
        profile = result["profile"]
        return [kernel[0] for kernel in profile["kernels"]], sum(profile["kernel_ns"]) / profile["profiled_ns"]

    def refusal(self, inputs, **named):
        failure = self.result(inputs, **named)["failure"]
        self.assertIsNotNone(failure)
        return failure["kind"], failure["message"]

    def test_each_family_of_models_is_right(self):
        # A conversion takes seconds.
        chosen = SMALL if os.environ.get("NGB_ALL_CASES") else [each for each in SMALL if each[0] in ("mha_block", "convnext")]
        for name, parameters in chosen:
            with self.subTest(name=name):
                write_recipe(str(self.path), name, batch=2, **parameters)
                slot, = onnx.load(self.path).graph.input
                shape = tuple(dim.dim_value for dim in slot.type.tensor_type.shape.dim)
                x = numpy.random.default_rng(1).uniform(-1, 1, shape).astype("f4")
                facts = self.facts({slot.name: x})
                for fact in PLACEMENT:
                    self.assertIn(fact, facts)

    def test_gelu_by_tanh_is_the_models_own(self):
        """At x = -2.3: -0.024327 by tanh, -0.024665 with the error function; the worker compares with the former."""
        self.write(helper.make_node("Gelu", ["x"], ["y"], approximate="tanh"))
        self.facts({"x": numpy.full((2, 3), -2.3, "f4")})

    def test_an_output_that_is_an_input_is_never_left_unwritten(self):
        self.write(helper.make_node("Identity", ["x"], ["y"]))
        x = {"x": numpy.ones((2, 3), "f4")}
        if COMPILER == "litert":
            self.assertEqual(self.refusal(x), ("unsupported_operator", "an output of this model is one of its inputs, which LiteRT "
                                                                       "never writes"))
        else:
            self.facts(x)

    def test_its_own_kernels_are_right_too(self):
        write_recipe(str(self.path), "conv_block", width=8, depth=2, image_size=16)
        facts = self.facts({"input": numpy.ones((1, 3, 16, 16), "f4")}, options=[("delegate", "none")])
        self.assertIn(facts["delegate"], ("none",))

    def test_a_profile_tells_the_time_of_each_kernel_also_within_the_delegate(self):
        write_recipe(str(self.path), "conv_block", width=64, depth=2, image_size=128)
        names, share = self.profiled(numpy.ones((1, 3, 128, 128), "f4"))
        self.assertEqual(sum("Convolution" in name for name in names), 3, names)  # the stem and one for each block
        # Work beside this test makes what is between the kernels longer, never shorter: the quietest of up to eight profiles counts.
        tries = 1
        while share <= 0.8 and tries < 8:
            share = max(share, self.profiled(numpy.ones((1, 3, 128, 128), "f4"))[1])
            tries += 1
        self.assertGreater(share, 0.8)
        self.assertLess(share, 1.02)

    def test_a_reduced_precision_shows_in_the_outputs(self):
        write_recipe(str(self.path), "conv_block", width=8, depth=2, image_size=16)
        x = {"input": numpy.random.default_rng(1).uniform(-1, 1, (1, 3, 16, 16)).astype("f4")}
        for precision, least, tolerance in {"litert": (("f16", 1e-5, 0.1),),
                                            "executorch": (("f16", 1e-5, 0.1), ("bf16", 1e-4, 1))}[COMPILER]:
            with self.subTest(precision=precision):
                result = self.result(x, precision=precision, tolerance=tolerance)
                self.assertIsNone(result["failure"], result["failure"])
                self.assertGreater(result["check"]["max_absolute_error"], least)
                self.assertEqual(result["facts"]["precision"], precision)
                if COMPILER == "executorch":
                    self.assertEqual(result["facts"]["f32_operators"], "none")

    def test_a_precision_that_nothing_computes_in_is_refused(self):
        if COMPILER == "litert":
            self.write(helper.make_node("Relu", ["x"], ["y"]))
            inputs = {"x": numpy.ones((2, 3), "f4")}
            said = ("fallback", "LiteRT was told to compute in f16, and its outputs are those of f32, bit for bit: here it computes in f32")
            own = self.refusal(inputs, precision="f16", options=[("delegate", "none")])
            self.assertEqual(own, ("invalid_option", "only XNNPACK computes in f16, LiteRT's own kernels do not"))
        else:
            self.write(helper.make_node("Add", ["x", "x"], ["y"]), inputs=[("x", TensorProto.INT64, [3])],
                       output=("y", TensorProto.INT64, [3]))
            inputs = {"x": numpy.array([2, 0, 1])}
            said = ("fallback", "no operator of this model computes in f16")
        self.assertEqual(self.refusal(inputs, precision="f16"), said)

    def test_threads_are_those_that_were_asked_for(self):
        write_recipe(str(self.path), "conv_block", width=8, depth=2, image_size=16)
        facts = self.facts({"input": numpy.ones((1, 3, 16, 16), "f4")}, threads=2)
        self.assertEqual(facts["threads"], "2")

    def test_types_are_those_of_the_model(self):
        self.write(helper.make_node("Gather", ["table", "x"], ["y"]), inputs=[("x", TensorProto.INT64, [3])],
                   output=("y", TensorProto.INT64, [3]), weights=[numpy_helper.from_array(numpy.array([7, -8, 9]), "table")])
        self.facts({"x": numpy.array([2, 0, 1])})
        self.write(helper.make_node("Greater", ["x", "zero"], ["y"]), output=("y", TensorProto.BOOL, [2, 3]),
                   weights=[numpy_helper.from_array(numpy.float32(0), "zero")])
        self.facts({"x": numpy.float32([[1, -1, 0], [-2, 2, 3]])})

    def test_two_inputs_and_two_outputs_keep_their_order(self):
        graph = helper.make_graph(
            [helper.make_node("Sub", ["a", "b"], ["difference"]), helper.make_node("MatMul", ["a", "t"], ["product"]),
             helper.make_node("Transpose", ["b"], ["t"])][::-1], "g",
            [helper.make_tensor_value_info(name, TensorProto.FLOAT, [2, 2]) for name in "ab"],
            [helper.make_tensor_value_info(name, TensorProto.FLOAT, [2, 2]) for name in ("product", "difference")])
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9), self.path)
        self.facts({"a": numpy.float32([[1, 2], [3, 4]]), "b": numpy.float32([[5, 7], [11, 13]])})

    def test_what_runs_beside_a_delegate_is_read_from_the_program(self):
        sys.path.insert(0, os.path.join(LIB, "compilers", COMPILER, "python"))
        if COMPILER == "litert":
            import placement

            def node(name, *tensors):
                return {"op_name": name, "inputs": tensors[:1], "outputs": tensors[1:]}

            nodes = [node("CONV_2D", 0, 1), node("RESHAPE", 1, 2), node("CONV_2D", 2, 3), node("TfLiteXNNPackDelegate", 0, 1),
                     node("TfLiteXNNPackDelegate", 2, 3)]
            self.assertEqual(placement.executed(nodes, [3]), (2, ["RESHAPE"]))
            return
        import compile as compiler

        plan = SimpleNamespace(
            operators=[SimpleNamespace(name="aten::view_copy", overload="out"), SimpleNamespace(name="prim::go", overload="")],
            delegates=[SimpleNamespace(id="XnnpackBackend")],
            chains=[SimpleNamespace(instructions=[SimpleNamespace(instr_args=each) for each in (
                SimpleNamespace(delegate_index=0), SimpleNamespace(op_index=0), SimpleNamespace(op_index=1),
                SimpleNamespace(value_index=3))])])
        self.assertEqual(compiler.calls_of(plan), ["XnnpackBackend", "aten::view_copy.out", "prim::go"])

    def test_all_operators_that_are_lacking_are_named_at_once(self):
        self.write(helper.make_node("Nonesuch", ["x"], ["z"]), helper.make_node("Neverseen", ["z"], ["y"]))
        kind, message = self.refusal({"x": numpy.zeros((2, 3), "f4")})
        self.assertEqual(kind, "unsupported_operator")
        self.assertIn("Neverseen, Nonesuch", message)

    def test_without_the_identitys_toolchain_it_says_what_to_install(self):
        self.write(helper.make_node("Neg", ["x"], ["y"]))
        failure = self.result({"x": numpy.ones((2, 3), "f4")}, module_site="")["failure"]
        self.assertEqual((failure["kind"], failure["phase"]), ("toolchain_missing", "open"))
        self.assertEqual(failure["advice"], "ngb toolchain install identity")

    def test_a_size_that_is_data_is_refused(self):
        self.write(helper.make_node("NonZero", ["x"], ["y"]), output=("y", TensorProto.INT64, [2, "count"]))
        kind, _ = self.refusal({"x": numpy.ones((2, 3), "f4")})
        self.assertEqual(kind, "unsupported_operator")


if __name__ == "__main__":
    unittest.main()
