# SPDX-License-Identifier: Apache-2.0
"""TVM for CUDA as far as it goes without a GPU: what the plugin says without one, and on the driver's stand-in; and the
code that is generated for a GPU of compute capability 9.0. Skipped where TVM is not installed."""
import os
import sqlite3
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

from toolchain import LIB, toolchain_or_skip

_, SITE = toolchain_or_skip("tvm", "tvm")
sys.path += [SITE, os.path.join(LIB, "python"), os.path.join(LIB, "compilers", "tvm", "python")]
NGB = os.path.join(os.environ["NGB_BIN"], "ngb")
HOPPER = {"kind": "cuda", "arch": "sm_90", "max_num_threads": 1024, "max_threads_per_block": 1024,
          "max_shared_memory_per_block": 49152, "registers_per_block": 65536, "l2_cache_size_bytes": 52428800,
          "thread_warp_size": 32}
STUDY = """\
models: [{zoo: {conv_block: {width: 8, depth: 1, image_size: 16}}}]
compilers: [{tvm: {options: {device: cuda}}}]
reference: none
processes: 1
attempts: 1
"""


class Plugin(unittest.TestCase):
    def failure(self, libraries=""):
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "study.yaml"), "w") as file:
                file.write(STUDY)
            run = subprocess.run([NGB, "run", "study.yaml", "-o", "out"], cwd=folder, capture_output=True, text=True,
                                 env={**os.environ, "LD_LIBRARY_PATH": libraries, "NGB_CACHE": folder}, check=False)
            self.assertEqual(run.returncode, 1, run.stdout + run.stderr)
            with sqlite3.connect(os.path.join(folder, "out/results.db")) as results:
                (row,) = results.execute("SELECT kind, message, advice FROM failure").fetchall()
        return row

    @unittest.skipIf(os.path.exists("/proc/driver/nvidia/version"), "there is an NVIDIA driver")
    def test_without_a_gpu_it_says_so(self):
        kind, message, _ = self.failure()
        self.assertEqual(kind, "no_device")
        self.assertTrue(message.startswith("no CUDA device: TVM needs one"), message)

    def test_with_a_gpu_it_names_what_its_runtime_for_cuda_lacks(self):
        kind, message, advice = self.failure(os.environ["RECORDING_CUDA_STAND_IN"])
        if os.path.exists(os.path.join(SITE, "tvm/lib/libtvm_runtime_cuda.so")):
            self.assertEqual(kind, "toolchain_missing", message)
            self.assertIn("libcudart.so", message)
            self.assertIn("nvidia-cuda-runtime", advice)
        else:
            self.assertEqual((kind, message),
                             ("no_device", "no CUDA device: this TVM's runtime has no device API for CUDA"))


class Code(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        import compile  # the adaptor's module
        import measuring
        from tvm import relax
        from tvm.script import relax as script

        cls.compile, cls.measuring = compile, measuring
        measuring.import_intrinsics("cuda")  # else TVM imports those of every kind of device, which takes 18 s
        builder = relax.BlockBuilder()
        x = relax.Var("x", script.Tensor((1, 4, 8, 8), "float32"))
        with builder.function("main", [x]):
            with builder.dataflow():
                y = builder.emit_output(builder.emit(relax.op.nn.relu(x)))
            builder.emit_func_output(y)
        cls.module = builder.get()

    def test_the_target_is_the_gpu_with_the_processor_as_its_host(self):
        target = self.compile.target_of(2, HOPPER)
        self.assertEqual((target.kind.name, target.attrs["arch"], target.host.kind.name), ("cuda", "sm_90", "llvm"))
        self.assertEqual(int(target.host.attrs["num-cores"]), 2)
        self.assertEqual(self.compile.target_of(2).kind.name, "llvm")

    def test_kernels_for_the_gpu_are_cuda_code(self):
        target = self.compile.target_of(1, HOPPER)
        module = self.compile.prepare(self.module, target)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "model.so")
            self.compile.build(module, target, None, path, {})
            with open(path, "rb") as file:
                self.assertIn(b"__global__", file.read())

    def test_metaschedule_searches_with_its_rules_for_cuda(self):
        from tvm.s_tir import meta_schedule as ms

        target = self.compile.target_of(1, HOPPER)
        module = self.compile.prepare(self.module, target)
        (task,) = ms.relax_integration.extract_tasks(module, target)
        context = ms.TuneContext(mod=task.dispatched[0], target=target, space_generator="post-order-apply")
        names = {type(rule).__name__ for rule in context.space_generator.sch_rules}
        self.assertIn("AutoBind", names)  # of threads and blocks: no rule for processors does that

    def test_untuned_kernels_get_threads(self):
        from tvm.s_tir import meta_schedule as ms

        target = self.compile.target_of(1, HOPPER)
        (task,) = ms.relax_integration.extract_tasks(self.compile.prepare(self.module, target), target)
        self.assertNotIn("threadIdx.x", str(task.dispatched[0]))
        self.assertIn("threadIdx.x", str(self.measuring.scheduled(task.dispatched[0], target)))



class CompilerOfCudaCode(unittest.TestCase):
    """What is chosen, by what a device has: the package cuda-bindings, nvcc, and the headers of CCCL beside it."""

    def choose(self, *there):
        import compile  # the adaptor's module

        with tempfile.TemporaryDirectory() as folder, unittest.mock.patch.dict(os.environ):
            os.environ.pop("TVM_CUDA_COMPILE_MODE", None)
            os.environ.update(PATH=os.path.join(folder, "bin"), CUDA_PATH=folder)
            os.mkdir(os.path.join(folder, "bin"))
            if "nvcc" in there:
                os.symlink("/bin/true", os.path.join(folder, "bin/nvcc"))
            if "cccl" in there:
                os.makedirs(os.path.join(folder, "targets/x86_64-linux/include/cccl"))
            found = object() if "bindings" in there else None
            with unittest.mock.patch("importlib.util.find_spec", lambda name: found):
                compile.choose_cuda_compiler()
            return os.environ["TVM_CUDA_COMPILE_MODE"]

    def test_it_is_nvrtc_where_the_headers_of_cccl_are(self):
        self.assertEqual(self.choose("bindings", "nvcc", "cccl"), "nvrtc")
        self.assertEqual(self.choose("bindings", "cccl"), "nvrtc")

    def test_it_is_nvcc_where_they_are_not_or_where_nvrtc_is_not(self):
        self.assertEqual(self.choose("bindings", "nvcc"), "nvcc")
        self.assertEqual(self.choose("nvcc"), "nvcc")

    def test_without_either_what_is_missing_is_named(self):
        for there, words in (((), "has neither"), (("bindings",), "those of CCCL")):
            with self.assertRaisesRegex(Exception, words) as caught:
                self.choose(*there)
            self.assertEqual(caught.exception.kind, "toolchain_missing")


if __name__ == "__main__":
    unittest.main()
