# SPDX-License-Identifier: Apache-2.0
"""What PyTorch's other compilers make of the identity's modules, in this process."""
import os
import sys
import unittest
import unittest.mock
from collections import Counter

import identity_test
from agent_side import ForkServer, request
from identity_test import LIB, SMALL, IdentityTest, random_input, write_recipe

import onnx

COMPILERS = os.path.dirname(identity_test.FOLDER)
_WRAPPERS = {"aten::conv2d", "aten::convolution"}  # in eager mode, around the operator that a trace holds
_IDLE = {"aten::slice", "aten::as_strided", "aten::alias", "aten::contiguous"}  # views that Python skips, or makes otherwise


def input_shape(path):
    return tuple(dim.dim_value for dim in onnx.load(path).graph.input[0].type.tensor_type.shape.dim)


class FamilyTest(IdentityTest):
    def use(self, compiler):
        """From now on sessions are that compiler's. An adaptor's package is one for each process."""
        for name in [name for name in sys.modules if name.startswith("ngraphbench_compiler")]:
            del sys.modules[name]
        self.folder = os.path.join(COMPILERS, compiler)

    def assert_all_families_are_right(self, compiler):
        self.use(compiler)
        for name, parameters in SMALL:
            with self.subTest(name=name):
                recipe = write_recipe(self.path, name, batch=2, **parameters)
                self.assert_right(recipe, {"input": random_input(*input_shape(self.path))})
                self.close()
        self.assert_decoders_are_right()


class Programs(FamilyTest):
    def test_torchscript_is_right_for_each_family(self):
        self.assert_all_families_are_right("torchscript")

    def test_eager_cpp_is_right_for_each_family(self):
        self.assert_all_families_are_right("eager-cpp")

    def test_torchscript_is_right_in_either_layout_and_however_far_it_is_optimised(self):
        self.use("torchscript")
        recipe = write_recipe(self.path, "conv_block", width=8, depth=3, image_size=17)
        for options in ({"memory_format": "channels_last"}, {"optimize_for_inference": "false"},
                        {"optimize_for_inference": "false", "freeze": "false"}):
            self.assert_right(recipe, {"input": random_input(1, 3, 17, 17)}, **options)
            self.close()

    def test_freezing_leaves_fewer_operators_to_run(self):
        recipe = write_recipe(self.path, "resnet", depths=[1, 1, 1, 1], width=0.125, classes=10, image_size=32)
        counts = []
        self.use("torchscript")
        for freeze in ("false", "true"):
            facts = dict(self.compile(recipe, {"input": random_input(1, 3, 32, 32)}, freeze=freeze,
                                      optimize_for_inference="false").inspect())
            counts.append(int(facts["operators"]))
            self.close()
        self.assertEqual(counts[0] - counts[1], 1 + 2 * 4 + 4)  # batch normalisations of stem, blocks and shortcuts


class EagerCpp(FamilyTest):
    def operators_called(self, compiler, recipe, given):
        import torch

        self.use(compiler)
        self.infer(recipe, {"input": given})
        infer = self.session.runner()
        with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as profile:
            infer()
        self.close()
        called = Counter(event.name for event in profile.events() if event.name.startswith("aten::"))
        return {name: count for name, count in called.items() if name not in _WRAPPERS | _IDLE}

    def test_it_calls_the_operators_that_the_identity_calls(self):
        for name, parameters in SMALL:
            with self.subTest(name=name):
                recipe = write_recipe(self.path, name, batch=2, **parameters)
                given = random_input(*input_shape(self.path))
                identity = self.operators_called("identity", recipe, given)
                self.assertGreater(sum(identity.values()), 5)
                self.assertEqual(self.operators_called("eager-cpp", recipe, given), identity)

    def test_it_optimises_nothing(self):
        self.use("eager-cpp")
        recipe = write_recipe(self.path, "conv_block", width=8, depth=1, image_size=17)
        session = self.compile(recipe, {"input": random_input(1, 3, 17, 17)})
        self.assertEqual(dict(session.inspect())["graph_optimization"], "false")


class KeptCache(FamilyTest):
    """What torch-compile keeps for other processes. A C++ compiler that notes its calls shows what is compiled."""

    def setUp(self):
        super().setUp()
        self.artifact = os.path.join(self._folder.name, "artifact")
        self.recipe = write_recipe(self.path, "conv_block", width=8, depth=2, image_size=17)

    def serve(self):
        """Start the server whose workers compile or load: processes of their own, because what a process has compiled
        stays in its memory."""
        self.calls = os.path.join(self._folder.name, "calls")
        cxx = os.path.join(self._folder.name, "noting-g++")
        with open(cxx, "w", encoding="utf-8") as file:
            file.write(f'#!/bin/sh\necho "$*" >>{self.calls}\nexec {os.environ.get("CXX", "g++")} "$@"\n')
        os.chmod(cxx, 0o755)
        path = os.pathsep.join([os.path.join(LIB, "python"), identity_test.SITE])
        self.server = ForkServer(os.path.join(COMPILERS, "torch-compile"), PYTHONPATH=path, CXX=cxx, OMP_NUM_THREADS="1",
                                 MKL_NUM_THREADS="1")
        self.server.__enter__()
        self.addCleanup(self.server.__exit__)

    def run_one(self, outputs, is_loading=False):
        """What a worker says that compiles or loads, and how many files it had compiled."""
        with open(self.calls, "w", encoding="utf-8"):
            pass
        inputs = [{"name": "input", "type": "f32", "shape": list(input_shape(self.path))}]
        result, ended, log = self.server.measure(request(
            task="make_references", model_path=self.path, compiler={"name": "torch-compile"},
            model={"source": {"type": "recipe", "json": self.recipe}, "inputs": inputs},
            place={"toolchain_dir": identity_test.SITE}, reference_path=os.path.join(self._folder.name, outputs),
            reference_name="torch-compile", artifact_path=self.artifact, loads_artifact=is_loading))
        self.assertIsNotNone(result, (ended, log))
        with open(self.calls, encoding="utf-8") as file:
            return result, sum(".cpp" in line for line in file)

    def outputs(self, name):
        with open(os.path.join(self._folder.name, name), "rb") as file:
            return file.read()

    def test_is_loaded_without_compiling_and_gives_the_same_outputs(self):
        self.serve()
        first, compiled = self.run_one("first")
        self.assertIsNone(first.get("failure"))
        self.assertGreater(compiled, 0)
        self.assertGreater(int(first["facts"]["libraries_compiled"]), 0)
        second, compiled = self.run_one("second", is_loading=True)
        self.assertIsNone(second.get("failure"))
        self.assertEqual((compiled, second["facts"]["libraries_compiled"]), (0, "0"))
        self.assertEqual(self.outputs("second"), self.outputs("first"))
        self.assertTrue(self.outputs("first").startswith(b"NGBREF05"))
        self.assertEqual(os.listdir(self._folder.name).count("artifact"), 1)

        libraries = [os.path.join(place, name) for place, _, names in os.walk(self.artifact) for name in names
                     if name.endswith(".so")]
        os.remove(libraries[0])
        refused, compiled = self.run_one("third", is_loading=True)
        self.assertGreater(compiled, 0)
        self.assertRegex(refused["failure"]["message"], "^torch.compile compiled 1 .* again")

    def test_is_nothing_with_a_backend_that_compiles_nothing(self):
        self.use("torch-compile")
        self.open(backend="eager").compile(self.path, self.recipe, (("input", "f32", input_shape(self.path)),),
                                           self.artifact)
        self.session.load(self.path, self.recipe, (("input", "f32", input_shape(self.path)),), self.artifact)
        self.assertFalse(os.path.exists(self.artifact))


class WithoutWhatCompilesCpp(FamilyTest):
    def test_inductor_says_what_is_missing(self):
        os.environ["CXX"] = "no-such-compiler"
        self.addCleanup(os.environ.pop, "CXX")
        recipe = write_recipe(self.path, "conv_block", width=8, depth=1, image_size=17)
        for compiler in ("torch-compile", "aotinductor"):
            self.use(compiler)
            error = self.refusal(self.compile, recipe, {"input": random_input(1, 3, 17, 17)})
            self.assertEqual(error.kind, "toolchain_missing")
            self.assertIn("no-such-compiler", error.message)
            self.assertIn("apt-get install g++", error.advice)

    def test_torch_compile_says_which_headers_are_missing(self):
        self.use("torch-compile")
        with unittest.mock.patch("sysconfig.get_path", lambda name: "/no-such-folder"):
            error = self.refusal(self.open)
            self.open(backend="eager")
        self.assertEqual(error.kind, "toolchain_missing")
        self.assertIn("there is no /no-such-folder/Python.h", error.message)
        self.assertIn("apt-get install python3-dev", error.advice)


if __name__ == "__main__":
    unittest.main()
