# SPDX-License-Identifier: Apache-2.0
"""The adaptor of TensorRT against stand-ins that write down what is called: recording_tensorrt_stand_in for the Python
module, recording_cuda_stand_in for the driver's library, which the loader finds first."""
import ctypes
import json
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
STAND_IN = os.path.join(HERE, "recording_tensorrt_stand_in")
FOLDER = os.path.join(os.environ["NGB_LIB"], "compilers", "tensorrt")
sys.path.insert(0, STAND_IN)

from ngraphbench.adaptor import CompilerError  # noqa: E402
from ngraphbench.hosting import Host  # noqa: E402

CUDA = ctypes.CDLL("libcuda.so.1")
CUDA.recording_stand_in_log.restype = ctypes.c_char_p
CUDA.recording_stand_in_fail.argtypes = [ctypes.c_char_p, ctypes.c_int]
STATIC = {"inputs": {"x": ["FLOAT", [2, 3]]}, "outputs": {"y": ["FLOAT", [2, 3]]}}
OPEN_BATCH = {"inputs": {"x": ["FLOAT", [-1, 3]]}, "outputs": {"y": ["FLOAT", [-1, 3]]}}
VALUES = (1.0, -2.0, 3.0, -4.0, 5.0, -6.0)
DOUBLED = (2.0, -4.0, 6.0, -8.0, 10.0, -12.0)

OPENED = ["cuInit", "cuDeviceGetCount", "cuDevicePrimaryCtxSetFlags_v2 1", "cuDevicePrimaryCtxRetain", "cuCtxSetCurrent"]
PARSED = ["new Builder", "create_network 0", "new INetworkDefinition", "new OnnxParser", "parse_from_file"]
BUILT = ["build_serialized_network threads=2", "delete OnnxParser"]
LOADED = ["new Runtime", "deserialize_cuda_engine", "new ICudaEngine", "new IExecutionContext", "cuStreamCreate s1"]
BUFFERS = ["cuMemAlloc_v2 d1 24", "cuMemHostAlloc h1 24", "set_tensor_address x d1",
           "cuMemAlloc_v2 d2 24", "cuMemHostAlloc h2 24", "set_tensor_address y d2"]
FIRST_RUN = ["cuMemcpyHtoDAsync_v2 d1 h1 24 s1", "execute_async_v3 s1", "cuStreamSynchronize s1"]
RUN_TIMED_BY_THE_GPU = ["cuEventCreate e1", "cuEventCreate e2", "cuEventRecord e1 s1", "execute_async_v3 s1",
                        "cuEventRecord e2 s1", "cuStreamSynchronize s1", "cuEventElapsedTime e1 e2",
                        "cuEventDestroy_v2 e1", "cuEventDestroy_v2 e2"]
CLOSED = ["cuMemFree_v2 d1", "cuMemFreeHost h1", "cuMemFree_v2 d2", "cuMemFreeHost h2", "delete IExecutionContext",
          "delete ICudaEngine", "delete Runtime", "cuStreamDestroy_v2 s1", "cuDevicePrimaryCtxRelease_v2"]


class TensorRTTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder, self.session = folder.name, None
        self.addCleanup(self.close)
        CUDA.recording_stand_in_forget()

    def close(self):
        session, self.session = self.session, None
        if session is not None:
            session.close()

    def calls(self):
        """Those since this was last asked."""
        calls = CUDA.recording_stand_in_log().decode().splitlines()
        seen, self._seen = getattr(self, "_seen", 0), len(calls)
        return calls[seen:]

    def open(self, precision="f32", device="cuda", settings=None, **options):
        self.session = Host(FOLDER).open(STAND_IN, device, precision, 2, options, os.path.join(self.folder, "cache"),
                                         settings or {})
        return self.session

    def compile(self, model=STATIC, dtype="f32", shape=(2, 3), name="x", **options):
        session = self.open(**options)
        path = os.path.join(self.folder, "model.onnx")
        with open(path, "w") as file:
            json.dump(model, file)
        arguments = (path, "", ((name, dtype, shape),), os.path.join(self.folder, "engine"))
        session.compile(*arguments)
        session.load(*arguments)
        return session

    def bind(self, *arguments, data=struct.pack("6f", *VALUES), dtype="f32", shape=(2, 3), **options):
        session = self.compile(*arguments, dtype=dtype, shape=shape, **options)
        self.calls()
        session.bind([("x", dtype, shape, memoryview(data))])
        return session

    def output(self):
        ((name, dtype, shape, data),) = self.session.read()
        self.assertEqual((name, dtype), ("y", "f32"))
        return shape, struct.unpack(f"{len(data) // 4}f", data)

    def failure(self, call, *arguments, **options):
        with self.assertRaises(CompilerError) as caught:
            call(*arguments, **options)
        return caught.exception

    def stand_in(self):
        import tensorrt

        return tensorrt

    def say(self, what, message):
        """Until the test ends, or None is said, the stand-in logs `message` where it reads the variable `what`."""
        self.addCleanup(setattr, self.stand_in(), what, None)
        setattr(self.stand_in(), what, message)


class Life(TensorRTTest):
    def test_a_session_makes_these_calls_and_no_others(self):
        session = self.compile()
        calls = self.calls()
        built = OPENED + PARSED + ["new IBuilderConfig", "clear_flag TF32"] + BUILT
        self.assertEqual(calls[:len(built)], built)
        self.assertEqual(sorted(calls[len(built):-len(LOADED)]),  # their order is the interpreter's
                         ["delete Builder", "delete IBuilderConfig", "delete INetworkDefinition"])
        self.assertEqual(calls[-len(LOADED):], LOADED)
        session.bind([("x", "f32", (2, 3), memoryview(struct.pack("6f", *VALUES)))])
        self.assertEqual(self.calls(), BUFFERS + FIRST_RUN + RUN_TIMED_BY_THE_GPU)
        infer = session.runner()
        self.assertEqual(self.calls(), [])
        infer()
        self.assertEqual(self.calls(), ["execute_async_v3 s1", "cuStreamSynchronize s1"])
        self.assertEqual(self.output(), ((2, 3), DOUBLED))
        self.assertEqual(self.calls(), ["cuMemcpyDtoHAsync_v2 h2 d2 24 s1", "cuStreamSynchronize s1"])
        del infer  # as the host does it
        self.close()
        self.assertEqual(self.calls(), CLOSED)

    def test_bound_again_it_gives_back_what_it_had(self):
        session = self.bind(cuda_graph="true")
        self.calls()
        session.bind([("x", "f32", (2, 3), memoryview(struct.pack("6f", *DOUBLED)))])
        self.assertEqual(self.calls()[:5], ["cuGraphExecDestroy g1", "cuMemFree_v2 d1", "cuMemFreeHost h1",
                                            "cuMemFree_v2 d2", "cuMemFreeHost h2"])
        session.runner()()
        self.assertEqual(self.output()[1], tuple(2 * value for value in DOUBLED))

    def test_it_tells_what_it_is_and_what_was_read_back(self):
        facts = dict(self.bind(workspace_bytes="1000000", builder_optimization_level="5").inspect())
        self.assertEqual(facts, {
            "version": "10.9.0.34", "module": "tensorrt", "library": os.path.join(STAND_IN, "tensorrt/__init__.py"),
            "device": "cuda", "wait": "spin", "device_name": "Recording Stand-In", "compute_capability": "8.7",
            "driver_cuda_version": "12.6", "precision": "f32", "reduced_precision_flags": "none",
            "workspace_bytes": "1000000", "builder_optimization_level": "5", "builder_threads": "2",
            "builder_resources": "libnvinfer_builder_resource.so.10.9.0.34",
            "engine_bytes": str(os.path.getsize(os.path.join(self.folder, "engine"))), "layers": "1",
            "gpu_inference_ns": "250000",
            "activation_memory_bytes": "4096", "input_output_memory_bytes": "48", "is_cuda_graph": "false"})


class Options(TensorRTTest):
    def flags(self, **options):
        self.compile(**options)
        return [call for call in self.calls() if call.split()[0] in ("set_flag", "clear_flag", "set_memory_pool_limit")]

    def test_a_thread_sleeps_while_it_waits_when_the_study_says_block(self):
        self.open(wait="block")
        self.assertIn("cuDevicePrimaryCtxSetFlags_v2 4", self.calls())

    def test_tf32_is_off_in_every_precision(self):
        self.assertEqual(self.flags(), ["clear_flag TF32"])
        self.close()
        self.assertEqual(self.flags(precision="f16"), ["clear_flag TF32", "set_flag FP16"])
        self.close()
        self.assertEqual(self.flags(precision="bf16"), ["clear_flag TF32", "set_flag BF16"])

    def test_builder_flags_that_a_study_hands_on_are_set_and_read_back(self):
        self.assertEqual(self.flags(settings={"SPARSE_WEIGHTS": "true"}), ["clear_flag TF32", "set_flag SPARSE_WEIGHTS"])
        self.assertEqual(dict(self.session.inspect())["SPARSE_WEIGHTS"], "true")
        self.close()
        for name, value, words in (("DENSE_WEIGHTS", "true", "DENSE_WEIGHTS"), ("SPARSE_WEIGHTS", "1", "true or false")):
            refused = self.failure(self.compile, settings={name: value})
            self.assertEqual(refused.kind, "invalid_option")
            self.assertIn(words, refused.message)
            self.close()

    def test_the_workspace_is_limited_only_when_asked_for(self):
        self.assertEqual(self.flags(workspace_bytes="4096"),
                         ["clear_flag TF32", "set_memory_pool_limit WORKSPACE 4096"])

    def test_open_extents_become_the_cells_in_one_profile(self):
        self.compile(OPEN_BATCH, shape=(2, 3))
        calls = self.calls()
        at = calls.index("set_shape x [2, 3] [2, 3] [2, 3]")
        self.assertEqual(calls[at + 1], "add_optimization_profile")
        self.close()
        self.compile(STATIC)
        self.assertNotIn("add_optimization_profile", self.calls())

    def test_the_context_is_told_the_shape_before_it_gets_memory(self):
        session = self.bind(OPEN_BATCH)
        self.assertEqual(self.calls()[:2], ["set_input_shape x [2, 3]", "cuMemAlloc_v2 d1 24"])
        session.runner()()
        self.assertEqual(self.output(), ((2, 3), DOUBLED))

    def test_transfers_are_part_of_the_timed_call_when_asked_for(self):
        infer = self.bind(include_transfer="true").runner()
        self.calls()
        infer()
        self.assertEqual(self.calls(), ["cuMemcpyHtoDAsync_v2 d1 h1 24 s1", "execute_async_v3 s1",
                                        "cuMemcpyDtoHAsync_v2 h2 d2 24 s1", "cuStreamSynchronize s1"])
        self.assertEqual(self.output(), ((2, 3), DOUBLED))
        self.assertEqual(self.calls(), [])

    def test_a_graph_is_captured_once_and_launched_in_the_timed_call(self):
        infer = self.bind(cuda_graph="true").runner()
        self.assertEqual(self.calls()[len(BUFFERS + FIRST_RUN + RUN_TIMED_BY_THE_GPU):], [
            "cuStreamBeginCapture_v2 s1", "execute_async_v3 s1", "cuStreamEndCapture s1",
            "cuGraphInstantiateWithFlags g1", "cuGraphDestroy"])
        infer()
        self.assertEqual(self.calls(), ["cuGraphLaunch g1 s1", "cuStreamSynchronize s1"])
        self.assertEqual(self.output(), ((2, 3), DOUBLED))
        self.calls()
        self.close()
        self.assertEqual(self.calls()[0], "cuGraphExecDestroy g1")

    def test_a_graph_holds_the_transfers_too(self):
        infer = self.bind(cuda_graph="true", include_transfer="true").runner()
        self.calls()
        infer()
        self.assertEqual(self.calls(), ["cuGraphLaunch g1 s1", "cuStreamSynchronize s1"])
        self.assertEqual(self.output(), ((2, 3), DOUBLED))

    def test_a_timing_cache_is_kept_for_the_next_process(self):
        def found():
            return [call for call in self.calls() if call.startswith("set_timing_cache")]

        self.compile(timing_cache="true")
        self.assertEqual(found(), ["set_timing_cache ''"])
        self.close()
        self.compile(timing_cache="true")
        self.assertEqual(found(), ["set_timing_cache 'timed'"])
        self.close()
        (path,) = [os.path.join(folder, name) for folder, _, names in os.walk(os.path.join(self.folder, "cache"))
                   for name in names]
        self.assertTrue(path.endswith("/tensorrt/timing-10.9.0.34-Recording-Stand-In-8.7.cache"))
        with open(path, "wb") as file:
            file.write(b"of another GPU")
        self.compile(timing_cache="true")
        self.assertEqual(found(), ["set_timing_cache 'of another GPU'", "set_timing_cache ''"])
        self.close()
        self.compile()
        self.assertEqual(found(), [])

    def test_the_timing_cache_outlives_the_builder(self):
        self.compile(timing_cache="true")
        calls = self.calls()
        self.assertLess(calls.index("delete Builder"), calls.index("delete ITimingCache"))

    def test_outputs_of_a_shape_known_only_after_a_run_are_read_in_that_shape(self):
        model = {"inputs": STATIC["inputs"], "outputs": {"y": ["FLOAT", [-1]]}}
        self.bind(model).runner()()
        self.assertEqual(self.output(), ((3,), (1.0, 3.0, 5.0)))
        self.close()
        error = self.failure(self.bind, model, cuda_graph="true")
        self.assertEqual(error.kind, "invalid_option")
        self.assertIn('"y"', error.message)

    def test_i64_inputs_become_i32_where_tensorrt_has_no_i64(self):
        model = {"inputs": {"x": ["INT32", [1]]}, "outputs": {"y": ["FLOAT", [1]]}}
        self.bind(model, data=struct.pack("q", 7), dtype="i64", shape=(1,))
        self.assertIn("cuMemAlloc_v2 d1 4", self.calls())
        self.close()
        error = self.failure(self.bind, model, data=struct.pack("q", 1 << 40), dtype="i64", shape=(1,))
        self.assertEqual(error.kind, "unsupported_operator")


class Libraries(unittest.TestCase):
    def test_tensorrt_is_told_the_folder_of_its_kernels_before_anything_is_built(self):
        with tempfile.TemporaryDirectory() as site:
            shutil.copytree(os.path.join(STAND_IN, "tensorrt"), os.path.join(site, "tensorrt"))
            os.mkdir(os.path.join(site, "tensorrt_libs"))
            os.symlink(os.environ["RECORDING_NVINFER_STAND_IN"], os.path.join(site, "tensorrt_libs/libnvinfer.so.10"))
            program = (f"import ctypes, sys; sys.path.insert(0, {site!r}); from ngraphbench.hosting import Host; "
                       f"Host({FOLDER!r}).preload(); cuda = ctypes.CDLL('libcuda.so.1'); "
                       "cuda.recording_stand_in_log.restype = ctypes.c_char_p; "
                       "print(cuda.recording_stand_in_log().decode(), end='')")
            run = subprocess.run([sys.executable, "-B", "-c", program], capture_output=True, text=True, check=True)
        self.assertEqual(run.stdout.splitlines(), ["libnvinfer loaded, NVIDIA_TF32_OVERRIDE=",
                                                   "setInternalLibraryPath tensorrt_libs"])


class Profiles(TensorRTTest):
    LAYERS = {**STATIC, "layers": [["conv1 + act1", 1.5], ["PWN(PWN(a(b)), c)", 0.25], ["{ForeignNode[q...out]}", 0]]}

    def test_layers_have_their_means_and_the_nodes_that_their_names_are_made_of(self):
        session = self.bind(self.LAYERS)
        session.begin_profile()
        infer = session.runner()
        infer()
        infer()
        told = session.end_profile(2)
        self.assertEqual([(name, ns, nodes) for name, _, ns, nodes, _, _ in told],
                         [("conv1 + act1", 1.5e6, ["conv1", "act1"]), ("PWN(PWN(a(b)), c)", 2.5e5, ["a(b)", "c"]),
                          ("{ForeignNode[q...out]}", 0.0, ["q", "out"])])

    def test_the_context_has_a_profiler_only_within_a_profile(self):
        session = self.bind(self.LAYERS)
        self.calls()
        session.begin_profile()
        session.runner()()
        session.end_profile(1)
        session.runner()()
        run = ["execute_async_v3 s1", "cuStreamSynchronize s1"]
        self.assertEqual(self.calls(), ["set profiler", *run, "set profiler None", *run])

    def test_a_graph_has_no_profile(self):
        session = self.bind(self.LAYERS, cuda_graph="true")
        self.assertEqual(self.failure(session.begin_profile).kind, "no_profile")

    def test_inferences_of_unlike_layers_are_refused(self):
        session = self.bind(self.LAYERS)
        session.begin_profile()
        session.runner()()
        self.assertEqual(self.failure(session.end_profile, 2).kind, "no_profile")


class Versions(TensorRTTest):
    """Each in a process of its own, as the stand-in has one version."""

    def calls_of(self, version, precision="f32"):
        program = (f"import tensorrt_test, sys; case = tensorrt_test.Versions('one'); case.setUp(); "
                   f"error = case.one({precision!r}); print(*case.calls(), *error, sep='\\n')")
        run = subprocess.run([sys.executable, "-B", "-c", program], capture_output=True, text=True, cwd=HERE,
                             check=True,
                             env={**os.environ, "NGB_TENSORRT_STAND_IN_VERSION": version})
        return run.stdout.splitlines()

    def one(self, precision="f32"):
        try:
            self.compile(precision=precision)
        except CompilerError as error:
            return error.kind, error.message
        return ()

    def test_before_10_the_batch_has_to_be_asked_for(self):
        self.assertIn("create_network 1", self.calls_of("8.6.2"))
        self.assertIn("create_network 0", self.calls_of("11.2.1.2"))

    def test_from_11_on_an_f32_model_runs_in_f32_only(self):
        calls = self.calls_of("11.2.1.2", "f16")
        self.assertIn("invalid_option", calls)
        self.assertIn("set_flag FP16", self.calls_of("10.9.0.34", "f16"))


if __name__ == "__main__":
    unittest.main()
