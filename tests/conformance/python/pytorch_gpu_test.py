# SPDX-License-Identifier: Apache-2.0
"""PyTorch's compilers on a GPU, and that on the CPU nothing has changed by it. Without a GPU, the order of calls is
seen by a stand-in, and each compiler says what is missing; with one, outputs are compared."""
import dis
import os
import subprocess
import sys
import unittest
import unittest.mock

from identity_test import FOLDER, SITE, random_input
from pytorch_family_test import FamilyTest, input_shape

import torch

from agent_side import ForkServer, request
from toolchain import LIB, SMALL, write_recipe

FAMILY = ("identity", "torch-compile", "torchscript", "eager-cpp", "aotinductor")
HAS_GPU = torch.cuda.is_available()
BLOCK = dict(width=8, depth=2, image_size=17)


class RecordingTorchStandIn:
    """Not torch: writes down what is called of it."""

    class _Tensor:
        shape = (1,)

        def __init__(self, calls, name):
            self._calls, self._name = calls, name

        def cpu(self):
            return RecordingTorchStandIn._Tensor(self._calls, f"{self._name} on the CPU")

        def pin_memory(self):
            return RecordingTorchStandIn._Tensor(self._calls, f"{self._name}, page-locked")

        def copy_(self, source, non_blocking):
            self._calls.append(f"{self._name} <- {source._name}" + ("" if non_blocking else ", and waits"))

    def __init__(self, has_cuda=True):
        self.calls = []
        self.__version__ = "0"
        self.version = type("version", (), {"cuda": "13.0" if has_cuda else None})
        stream = type("stream", (), {"synchronize": staticmethod(lambda: self.calls.append("synchronize"))})
        self.cuda = type("cuda", (), {"is_available": staticmethod(lambda: True),
                                      "current_stream": staticmethod(lambda: stream)})

    def empty_like(self, tensor, device, pin_memory):
        self.calls.append(f"allocate for {tensor._name}" + (", page-locked" if pin_memory else ""))
        host = self._Tensor(self.calls, f"host of {tensor._name}")
        host.shape = tensor.shape
        return host

    def tensor(self, name):
        return self._Tensor(self.calls, name)


class RecordingDriverStandIn:
    """Not CUDA's driver: writes down what is set of the primary context."""

    def __init__(self):
        self.calls = []

    def cuInit(self, flags):
        return 0

    def cuDeviceGet(self, device, index):
        return 0

    def cuDevicePrimaryCtxSetFlags_v2(self, device, flags):
        self.calls.append(f"flags {flags}")
        return 0


class TimedCall(FamilyTest):
    def gpu(self, torch, includes_transfer=False, wait="spin"):
        self.open()  # imports the adaptor's package
        from ngraphbench_compiler.gpu import Gpu

        self.driver = RecordingDriverStandIn()
        with unittest.mock.patch("ctypes.CDLL", lambda name: self.driver):
            return Gpu(torch, includes_transfer, wait)

    def timed(self, includes_transfer):
        torch = RecordingTorchStandIn()
        calls = torch.calls
        infer = self.gpu(torch, includes_transfer).timed(lambda: calls.append("infer"), [torch.tensor("x")],
                                                         lambda: calls.append("take outputs"))
        self.assertEqual(calls, [])
        infer()
        return calls

    def test_it_ends_with_a_synchronisation(self):
        self.assertEqual(self.timed(includes_transfer=False), ["infer", "synchronize"])

    def test_the_driver_is_told_how_to_wait_before_pytorch_does_anything_on_the_gpu(self):
        for wait, flags in (("spin", "flags 1"), ("block", "flags 4")):
            torch = RecordingTorchStandIn()
            self.gpu(torch, wait=wait)
            self.assertEqual((self.driver.calls, torch.calls), ([flags], []))

    def test_transfers_are_within_it_when_asked_for(self):
        self.assertEqual(self.timed(includes_transfer=True),
                         ["x <- x on the CPU, page-locked", "infer", "take outputs", "synchronize"])

    def test_outputs_are_copied_to_page_locked_memory_that_is_kept(self):
        torch = RecordingTorchStandIn()
        gpu, output = self.gpu(torch, includes_transfer=True), torch.tensor("y")
        first = gpu.take([output])
        self.assertEqual(torch.calls, ["allocate for y, page-locked", "host of y <- y"])
        self.assertIs(gpu.take([output])[0], first[0])
        output.shape = (2,)
        self.assertIsNot(gpu.take([output])[0], first[0])

    def test_a_torch_without_cuda_is_a_missing_toolchain(self):
        error = self.refusal(self.gpu, RecordingTorchStandIn(has_cuda=False))
        self.assertEqual((error.kind, error.message), ("toolchain_missing", "PyTorch 0 is built without CUDA"))

    def test_outputs_elsewhere_are_a_fallback(self):
        gpu = self.gpu(RecordingTorchStandIn())
        error = self.refusal(gpu.refuse_outputs_elsewhere, [torch.zeros(1)])
        self.assertEqual(error.kind, "fallback")

    def test_on_the_cpu_it_is_one_call_and_nothing_else(self):
        recipe = write_recipe(self.path, "conv_block", **BLOCK)
        for compiler in ("identity", "torchscript", "eager-cpp"):
            self.use(compiler)
            self.infer(recipe, {"input": random_input(1, 3, 17, 17)}, include_transfer="true")
            infer = self.session.runner()
            names = [line.opname for line in dis.get_instructions(infer)]
            self.assertEqual(sum(name.startswith("CALL") for name in names), 1, names)
            self.assertEqual(infer.__code__.co_freevars, ("call", "only", "self"))
            self.close()


class Cold(FamilyTest):
    def test_inductors_and_tritons_caches_are_folders_that_are_deleted(self):
        self.use("torch-compile")
        self.open()
        from ngraphbench_compiler import inductor

        os.environ["TRITON_CACHE_DIR"] = "/the/users"
        os.environ.pop("TORCHINDUCTOR_CACHE_DIR", None)
        self.addCleanup(os.environ.pop, "TRITON_CACHE_DIR")
        with inductor.own_cache(1, False, {}):
            inductors, tritons = os.environ["TORCHINDUCTOR_CACHE_DIR"], os.environ["TRITON_CACHE_DIR"]
            self.assertEqual(os.path.dirname(tritons), inductors)
        self.assertFalse(os.path.exists(inductors))
        self.assertEqual(os.environ["TRITON_CACHE_DIR"], "/the/users")
        self.assertNotIn("TORCHINDUCTOR_CACHE_DIR", os.environ)


class Precision(FamilyTest):
    def test_tf32_is_off_on_a_gpu_even_where_the_user_had_it(self):
        torch.backends.cudnn.conv.fp32_precision = "tf32"
        torch.backends.cuda.matmul.fp32_precision = "tf32"
        self.open()
        self.assertEqual((torch.backends.cudnn.conv.fp32_precision, torch.backends.cudnn.rnn.fp32_precision,
                          torch.backends.cuda.matmul.fp32_precision), ("ieee", "ieee", "ieee"))
        self.assertEqual(dict(self.session.inspect())["precision"], "f32")
        self.assertFalse(torch.backends.cudnn.allow_tf32)
        torch.backends.cudnn.conv.fp32_precision = "tf32"
        self.assertEqual(dict(self.session.inspect())["precision"], "reduced: tf32")


@unittest.skipIf(HAS_GPU, "there is a GPU")
class WithoutAGpu(FamilyTest):
    def test_every_compiler_says_that_there_is_none(self):
        for compiler in FAMILY:
            self.use(compiler)
            error = self.refusal(self.open, device="cuda")
            self.assertEqual(error.kind, "no_device", compiler)
            self.assertTrue(error.message.startswith("no CUDA device: "), error.message)
            self.assertIn("leave out device: cuda", error.advice)


# Preloads compilers in a process of their own, and prints after each how often PyTorch asked CUDA for its GPUs, and whether
# Inductor would time kernels by what asks for them (PyTorch 2.11 asks when that is imported, later versions ask later).
PRELOAD = """
import sys, torch
asked = []
torch._C._cuda_getDeviceCount = lambda: asked.append(1) or 0
from ngraphbench.hosting import Host
for folder in sys.argv[1:]:
    for name in [name for name in sys.modules if name.startswith("ngraphbench_compiler")]:
        del sys.modules[name]  # an adaptor's package is one for each process
    Host(folder).preload()
    from torch._inductor import config
    print(len(asked), getattr(config, "use_experimental_benchmarker", False))
"""


class ForkedProcesses(unittest.TestCase):
    def test_a_fork_server_that_has_imported_inductor_has_asked_cuda_for_nothing(self):
        path = os.pathsep.join([os.path.join(LIB, "python"), SITE])
        folders = [os.path.join(os.path.dirname(FOLDER), compiler) for compiler in ("torch-compile", "aotinductor")]
        told = subprocess.run([sys.executable, "-c", PRELOAD, *folders], env={**os.environ, "PYTHONPATH": path},
                              capture_output=True, text=True, check=True).stdout
        self.assertEqual(told, "0 False\n" * 2)

    def test_cuda_begins_in_the_child_only(self):
        path = os.pathsep.join([os.path.join(LIB, "python"), SITE])
        wanted = request(model_path="", place={"toolchain_dir": SITE},
                         compiler={"name": "identity", "options": [["device", '"cuda"']]})
        with ForkServer(FOLDER, PYTHONPATH=path, OMP_NUM_THREADS="1", MKL_NUM_THREADS="1") as server:
            with open(f"/proc/{server.process.pid}/maps") as maps:
                self.assertNotIn("libcuda.so", maps.read())
            result, ended, log = server.measure(wanted)
        self.assertIsNotNone(result, (ended, log))
        failure = result["failure"]
        self.assertEqual(failure["kind"], "invalid_model" if HAS_GPU else "no_device", failure)
        self.assertNotIn("fork", failure["message"])


@unittest.skipUnless(HAS_GPU, "no CUDA device: outputs on a GPU were not compared")
class OnAGpu(FamilyTest):
    def compile(self, recipe, inputs, **options):
        if os.path.basename(self.folder) != "aotinductor":
            return super().compile(recipe, inputs, **options)
        arguments = (self.path, recipe, tuple((name, "f32", value.shape) for name, value in inputs.items()),
                     self.path + ".pt2")
        session = self.open(**options)
        session.compile(*arguments)
        session.load(*arguments)
        return session

    def test_every_compiler_is_right_for_each_family(self):
        for compiler in FAMILY:
            self.use(compiler)
            for name, parameters in SMALL:
                with self.subTest(compiler=compiler, name=name):
                    recipe = write_recipe(self.path, name, batch=2, **parameters)
                    for transfer in ("false", "true"):
                        self.assert_right(recipe, {"input": random_input(*input_shape(self.path))}, device="cuda",
                                          include_transfer=transfer)
                        facts = dict(self.session.inspect())
                        self.assertEqual(facts["device"], "cuda")
                        self.assertGreater(int(facts["peak_gpu_memory_bytes"]), 0)
                        self.close()

    def test_the_gpus_clock_times_the_modules_of_a_profile(self):
        self.use("identity")
        recipe = write_recipe(self.path, "conv_block", batch=2, width=8, depth=1, image_size=16)
        session = self.compile(recipe, {"input": random_input(*input_shape(self.path))}, device="cuda")
        session.bind({"input": random_input(*input_shape(self.path))})
        infer = session.runner()
        infer()
        session.begin_profile()
        infer()
        kernels = session.end_profile(1)
        self.assertGreater(len(kernels), 2)
        self.assertTrue(all(kernel.ns > 0 for kernel in kernels), kernels)


if __name__ == "__main__":
    unittest.main()
