# SPDX-License-Identifier: Apache-2.0
"""The identity's adaptor in this process, against numpy's reading of the same ONNX file (onnx.reference)."""
import json
import os
import sys
import tempfile
import unittest

from toolchain import DECODERS, LIB, SMALL, inputs_of_decoder, toolchain_or_skip, write_recipe

FOLDER = os.path.join(LIB, "compilers", "identity")
_, SITE = toolchain_or_skip("identity", "torch")
sys.path.insert(0, SITE)
os.environ["OPENBLAS_NUM_THREADS"] = "1"

import numpy  # noqa: E402
import onnx  # noqa: E402
from onnx import TensorProto, helper, numpy_helper  # noqa: E402
from onnx.reference import ReferenceEvaluator  # noqa: E402

from ngraphbench.adaptor import CompilerError  # noqa: E402
from ngraphbench.hosting import Host  # noqa: E402

_TYPES = {"float32": "f32", "int64": "i64"}


def random_input(*shape):
    return numpy.random.default_rng(1).uniform(-1, 1, shape).astype(numpy.float32)


def small_model(nodes, opset=20, initializers=(), inputs=(("x", (1, 3, 8, 8)),), outputs=("y",)):
    graph = helper.make_graph(
        nodes, "g", [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in inputs],
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in outputs], list(initializers))
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=9)


class IdentityTest(unittest.TestCase):
    folder = FOLDER

    def setUp(self):
        self._folder = tempfile.TemporaryDirectory()
        self.addCleanup(self._folder.cleanup)
        self.path = os.path.join(self._folder.name, "model.onnx")
        self.session = None

    def tearDown(self):
        self.close()

    def close(self):
        session, self.session = self.session, None
        if session is not None:
            session.close()

    def open(self, device="cpu", precision="f32", threads=1, toolchain=SITE, **options):
        self.session = Host(self.folder).open(toolchain, device, precision, threads, options)
        return self.session

    def compile(self, recipe, inputs, **options):
        """inputs: {name: array}"""
        signatures = tuple((name, _TYPES[value.dtype.name], value.shape) for name, value in inputs.items())
        self.open(**options).compile(self.path, recipe, signatures, "")
        return self.session

    def infer(self, recipe, inputs, **options):
        """{output name: array} of one run"""
        session = self.compile(recipe, inputs, **options)
        session.bind([(name, _TYPES[value.dtype.name], value.shape, memoryview(value).cast("B").toreadonly())
                      for name, value in inputs.items()])
        session.runner()()
        return {name: numpy.frombuffer(data, numpy.float32).reshape(shape)
                for name, dtype, shape, data in session.read()}

    def expected(self, inputs):
        model = onnx.load(self.path)
        names = [output.name for output in model.graph.output]
        return dict(zip(names, ReferenceEvaluator(model).run(None, inputs)))

    def assert_right(self, recipe, inputs, **options):
        actual, expected = self.infer(recipe, inputs, **options), self.expected(inputs)
        self.assertEqual(list(actual), list(expected))
        for name in expected:
            self.assertEqual(actual[name].shape, expected[name].shape)
            numpy.testing.assert_allclose(actual[name], expected[name], rtol=1e-3, atol=1e-4)

    def assert_decoders_are_right(self):
        for name, parameters in DECODERS:
            with self.subTest(parameters):
                recipe = write_recipe(self.path, name, batch=2, **parameters)
                self.assert_right(recipe, inputs_of_decoder(recipe, onnx.load(self.path).graph))
                self.close()

    def refusal(self, call, *arguments, **options):
        with self.assertRaises(CompilerError) as caught:
            call(*arguments, **options)
        return caught.exception


class Recipes(IdentityTest):
    def test_each_family_is_right_with_parameters_of_its_own(self):
        for name, parameters in SMALL:
            with self.subTest(name=name):
                recipe = write_recipe(self.path, name, batch=2, **parameters)
                dims = onnx.load(self.path).graph.input[0].type.tensor_type.shape.dim
                self.assert_right(recipe, {"input": random_input(*(dim.dim_value for dim in dims))})
                self.close()

    def test_a_decoder_is_right_with_each_form_of_its_cache(self):
        self.assert_decoders_are_right()

    def test_conv_blocks_are_right_in_either_memory_format(self):
        recipe = write_recipe(self.path, "conv_block", width=8, depth=3, image_size=17)
        for memory_format in ("contiguous", "channels_last"):
            self.assert_right(recipe, {"input": random_input(1, 3, 17, 17)}, memory_format=memory_format)
            self.close()

    def test_conv_blocks_without_a_stem_and_with_other_kernels_are_right(self):
        recipe = write_recipe(self.path, "conv_block", width=8, depth=2, kernel_size=5, stem=False, image_size=17)
        self.assert_right(recipe, {"input": random_input(1, 3, 17, 17)})

    def test_named_variants_are_timms_own_models(self):
        for name, parameters in (("resnet18", 11_689_512), ("resnet50", 25_557_032)):  # torchvision's counts too
            recipe = write_recipe(self.path, name)
            session = self.compile(recipe, {"input": random_input(1, 3, 224, 224)})
            module = session._adaptor._module
            self.assertEqual(module.pretrained_cfg["architecture"], name)
            self.assertEqual(sum(value.numel() for value in module.parameters()), parameters)
            self.close()

    def test_every_weight_is_the_files(self):
        recipe = write_recipe(self.path, "resnet18")
        model = onnx.load(self.path)
        for is_beside in (False, True):
            onnx.save(model, self.path, save_as_external_data=is_beside, location="model.onnx.data", size_threshold=0)
            state = self.compile(recipe, {"input": random_input(1, 3, 224, 224)})._adaptor._module.state_dict()
            initializers = {i.name: numpy_helper.to_array(i) for i in onnx.load(self.path).graph.initializer}
            for name, value in state.items():
                if name.endswith("num_batches_tracked"):
                    self.assertEqual(value.item(), 0)
                else:
                    numpy.testing.assert_array_equal(value.numpy(), initializers.pop(name))
            self.assertEqual(initializers, {})
            self.close()

    def test_weights_beside_the_model_that_end_early_are_an_invalid_model(self):
        recipe = write_recipe(self.path, "conv_block", width=8, depth=1, image_size=17)
        onnx.save(onnx.load(self.path), self.path, save_as_external_data=True, location="model.onnx.data",
                  size_threshold=0)
        beside = os.path.join(os.path.dirname(self.path), "model.onnx.data")
        os.truncate(beside, os.path.getsize(beside) - 4)
        error = self.refusal(self.compile, recipe, {"input": random_input(1, 3, 17, 17)})
        self.assertEqual(error.kind, "invalid_model")
        self.assertIn("model.onnx.data ends within", error.message)

    def test_weights_that_do_not_fit_are_an_invalid_model(self):
        write_recipe(self.path, "conv_block", width=8, depth=1, image_size=17)
        other = write_recipe(self.path + ".other", "conv_block", width=8, depth=2, image_size=17)
        error = self.refusal(self.compile, other, {"input": random_input(1, 3, 17, 17)})
        self.assertEqual(error.kind, "invalid_model")
        self.assertIn("blocks.1.conv.weight", error.message)

    def test_a_family_without_a_module_is_named(self):
        write_recipe(self.path, "conv_block", width=8, depth=1, image_size=17)
        recipe = '{"family": "perceiver", "parameters": {}}'
        error = self.refusal(self.compile, recipe, {"input": random_input(1, 3, 17, 17)})
        self.assertEqual(error.kind, "unsupported_operator")
        self.assertIn('"perceiver"', error.message)

    def test_a_truncated_file_is_an_invalid_model(self):
        recipe = write_recipe(self.path, "conv_block", width=8, depth=1, image_size=17)
        os.truncate(self.path, os.path.getsize(self.path) // 2)
        error = self.refusal(self.compile, recipe, {"input": random_input(1, 3, 17, 17)})
        self.assertEqual(error.kind, "invalid_model")

    def test_fifty_sessions_in_one_process_are_possible(self):
        recipe = write_recipe(self.path, "conv_block", width=8, depth=1, image_size=17)
        for _ in range(50):
            self.infer(recipe, {"input": random_input(1, 3, 17, 17)})
            self.close()


class State(IdentityTest):
    def facts(self, **options):
        recipe = write_recipe(self.path, "conv_block", width=8, depth=2, image_size=17)
        self.infer(recipe, {"input": random_input(1, 3, 17, 17)}, **options)
        return dict(self.session.inspect())

    def test_it_runs_in_eval_mode_without_gradients(self):
        for inference_mode in ("true", "false"):
            facts = self.facts(inference_mode=inference_mode)
            self.assertEqual((facts["eval_mode"], facts["gradients"]), ("true", "false"))
            self.assertEqual(facts["inference_mode"], inference_mode)
            ((_, output),) = self.session._adaptor._named()
            self.assertFalse(output.requires_grad)
            self.assertEqual(output.is_inference(), inference_mode == "true")
            self.close()

    def test_it_takes_subnormal_numbers_as_0_if_asked(self):
        import torch

        for flush, half in ("false", 2.0 ** -127), ("true", 0.0):
            self.facts(flush_denormal=flush)
            self.assertEqual(float(torch.tensor([2.0 ** -126]).mul(0.5).double()), half)
            self.close()

    def test_a_module_in_training_mode_would_be_seen(self):
        self.facts()
        self.session._adaptor._module.train()
        self.assertEqual(dict(self.session.inspect())["eval_mode"], "false")

    def test_gradients_are_on_again_after_close(self):
        import torch

        self.facts()
        self.assertFalse(torch.is_grad_enabled())
        self.close()
        self.assertTrue(torch.is_grad_enabled())

    def test_the_thread_count_is_torchs_own(self):
        self.assertEqual(self.facts(threads=2)["threads"], "2")
        self.close()
        self.assertEqual(self.facts(threads=1)["threads"], "1")

    def test_arithmetic_is_f32_even_where_the_user_had_less(self):
        import torch

        torch.set_float32_matmul_precision("medium")
        torch.backends.mkldnn.conv.fp32_precision = "bf16"
        facts = self.facts()
        self.assertEqual((facts["precision"], facts["matmul_precision"], facts["weights"]),
                         ("f32", "highest", "torch.float32"))
        self.assertEqual(torch.backends.mkldnn.conv.fp32_precision, "ieee")
        torch.backends.mkldnn.conv.fp32_precision = "bf16"
        self.assertEqual(dict(self.session.inspect())["precision"], "reduced: bf16")

    def test_it_says_what_it_is(self):
        import torch

        facts = self.facts()
        self.assertEqual((facts["version"], facts["device"]), (torch.__version__, "cpu"))
        self.assertRegex(facts["onednn"], r"^v\d")

    def test_another_torch_than_the_toolchains_is_refused(self):
        with tempfile.TemporaryDirectory() as elsewhere:
            error = self.refusal(self.open, toolchain=elsewhere)
        self.assertEqual(error.kind, "import_error")
        self.assertIn(SITE, error.message)

    def test_what_it_cannot_do_is_refused(self):
        self.assertEqual(self.refusal(self.open, toolchain="/nowhere").kind, "toolchain_missing")


class UserFiles(IdentityTest):
    def test_a_graph_with_two_inputs_and_two_outputs_is_right(self):
        onnx.save(small_model([helper.make_node("Sub", ["a", "b"], ["d"]), helper.make_node("Relu", ["d"], ["r"])],
                              inputs=(("a", (2, 3)), ("b", (2, 3))), outputs=("d", "r")), self.path)
        a, b = random_input(2, 3), numpy.full((2, 3), 0.25, numpy.float32)
        self.assert_right("", {"b": b, "a": a})

    def test_a_recipes_file_without_its_recipe_is_right_as_well(self):
        write_recipe(self.path, "conv_block", width=8, depth=2, image_size=17)
        self.assert_right("", {"input": random_input(1, 3, 17, 17)})

    def test_the_folder_of_the_file_need_not_be_writable(self):
        write_recipe(self.path, "conv_block", width=8, depth=1, image_size=17)
        before = os.listdir(self._folder.name)
        self.infer("", {"input": random_input(1, 3, 17, 17)})
        self.assertEqual(os.listdir(self._folder.name), before)

    def test_operators_in_their_form_of_opset_18_are_right(self):
        x = random_input(2, 5, 4, 6)
        axes, pads = numpy.int64([1, 3]), numpy.int64([0, 1, 0, 2, 0, 0, 1, 0])
        cases = [(f"Reduce{name}", [axes], {"keepdims": keep}, 1) for keep in (0, 1)
                 for name in ("L1", "L2", "LogSumExp", "Max", "Mean", "Min", "Prod", "SumSquare")]
        cases += [("ReduceMean", [], {}, 1), ("ReduceMean", [], {"noop_with_empty_axes": 1}, 1),
                  ("Split", [], {"axis": 1, "num_outputs": 2}, 2), ("Split", [numpy.int64([1, 4])], {"axis": 1}, 2),
                  ("Pad", [pads], {}, 1), ("Trilu", [numpy.int64(1)], {}, 1), ("Trilu", [], {"upper": 0}, 1),
                  ("Reshape", [numpy.int64([0, 10, -1])], {}, 1), ("Expand", [numpy.int64([3, 2, 1, 4, 1])], {}, 1),
                  ("Tile", [numpy.int64([1, 2, 1, 3])], {}, 1),
                  ("Slice", [numpy.int64(row) for row in ([1, -4], [9, -1], [1, -1], [2, 1])], {}, 1),
                  ("Slice", [numpy.int64(row) for row in ([-1], [-9], [3], [-2])], {}, 1),
                  ("Slice", [numpy.int64(row) for row in ([0, 1], [1, 3])], {}, 1),
                  ("Resize", ["", numpy.float32([1, 1, 2, 2])],
                   {"mode": "linear", "coordinate_transformation_mode": "half_pixel"}, 1)]
        for operator, constants, attributes, outputs in cases:
            with self.subTest(operator=operator, attributes=attributes):
                names = [f"y{index}" for index in range(outputs)]
                given = [value if isinstance(value, str) else f"c{index}" for index, value in enumerate(constants)]
                initializers = [numpy_helper.from_array(value, name) for value, name in zip(constants, given) if name]
                onnx.save(small_model([helper.make_node(operator, ["x", *given], names, **attributes)], 18,
                                      initializers, (("x", x.shape),), names), self.path)
                self.assert_right("", {"x": x})
                self.close()

    def test_constant_shapes_do_not_keep_pytorchs_compilers_from_tracing(self):
        import torch

        shapes = [numpy_helper.from_array(numpy.int64(row), name)
                  for name, row in (("s", [3, 1, 64]), ("e", [3, 2, 64]))]
        onnx.save(small_model([helper.make_node("Reshape", ["x", "s"], ["r"]),
                               helper.make_node("Expand", ["r", "e"], ["y"])], 17, shapes), self.path)
        module = self.compile("", {"x": random_input(1, 3, 8, 8)})._adaptor._module
        program = torch.export.export(module, (torch.zeros(1, 3, 8, 8),))
        self.assertEqual(tuple(program.graph.output_node().args[0][0].meta["val"].shape), (3, 2, 64))

    def test_flatten_is_right_at_every_axis(self):
        for axis in (-4, -1, 0, 1, 2, 4):
            onnx.save(small_model([helper.make_node("Flatten", ["x"], ["y"], axis=axis)]), self.path)
            self.assert_right("", {"x": random_input(1, 3, 8, 8)})
            self.close()

    def test_comparisons_in_the_form_of_opset_16_are_right(self):
        for operator in ("GreaterOrEqual", "LessOrEqual"):
            onnx.save(small_model([helper.make_node(operator, ["x", "x"], ["b"]),
                                   helper.make_node("Where", ["b", "x", "z"], ["y"])], 17,
                                  [numpy_helper.from_array(numpy.float32(0), "z")]), self.path)
            self.assert_right("", {"x": random_input(1, 3, 8, 8)})
            self.close()

    def test_operators_that_have_no_equivalent_are_all_named(self):
        onnx.save(small_model([helper.make_node("RandomNormalLike", ["x"], ["d"]),
                               helper.make_node("Erf", ["d"], ["e"]),
                               helper.make_node("MaxRoiPool", ["e", "x"], ["y"], pooled_shape=[1, 1])]), self.path)
        error = self.refusal(self.compile, "", {"x": random_input(1, 3, 8, 8)})
        self.assertEqual((error.kind, error.message),
                         ("unsupported_operator", "no PyTorch equivalent of operator MaxRoiPool, RandomNormalLike"))

    def test_files_that_are_no_models_are_invalid(self):
        valid = small_model([helper.make_node("Relu", ["x"], ["y"])]).SerializeToString()
        dangling = small_model([helper.make_node("Relu", ["nowhere"], ["y"])]).SerializeToString()
        for content in (b"", b"not a model", valid[:len(valid) // 2], b"\xff" * 100, dangling):
            with open(self.path, "wb") as file:
                file.write(content)
            error = self.refusal(self.compile, "", {"x": random_input(1, 3, 8, 8)})
            self.assertEqual(error.kind, "invalid_model", content)
        os.remove(self.path)
        error = self.refusal(self.compile, "", {"x": random_input(1, 3, 8, 8)})
        self.assertEqual(error.kind, "invalid_model")

    def test_inputs_of_other_names_are_refused(self):
        onnx.save(small_model([helper.make_node("Relu", ["x"], ["y"])]), self.path)
        error = self.refusal(self.infer, "", {"z": random_input(1, 3, 8, 8)})
        self.assertEqual((error.kind, error.message), ("invalid_model", "the model's inputs are x; given were z"))


if __name__ == "__main__":
    unittest.main()
