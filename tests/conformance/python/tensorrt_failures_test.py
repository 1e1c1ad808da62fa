# SPDX-License-Identifier: Apache-2.0
"""What the adaptor of TensorRT says when something is wrong, against the stand-ins of tensorrt_test.py."""
import os
import struct
import unittest

from tensorrt_test import CUDA, STAND_IN, STATIC, VALUES, TensorRTTest


class Failures(TensorRTTest):
    def test_a_node_that_is_not_taken_is_named(self):
        error = self.failure(self.compile, {**STATIC, "errors": [
            {"code": "UNSUPPORTED_NODE", "node": 3, "name": "head", "operator": "Nonesuch", "desc": "no importer"}]})
        self.assertEqual(error.kind, "unsupported_operator")
        self.assertEqual(error.message, 'TensorRT does not support Nonesuch ("head", node 3): no importer')

    def test_a_file_that_is_no_model_is_invalid(self):
        error = self.failure(self.compile, {**STATIC, "errors": [{"code": "MODEL_DESERIALIZE_FAILED", "desc": "no"}]})
        self.assertEqual(error.kind, "invalid_model")
        error = self.failure(self.open().compile, os.path.join(self.folder, "nowhere.onnx"), "", (), "engine")
        self.assertEqual(error.kind, "invalid_model")
        self.assertIn("nowhere.onnx", error.message)

    def test_inputs_that_are_not_the_models_are_invalid(self):
        for wrong in ({"name": "z"}, {"shape": (3, 2)}, {"dtype": "i32"}):
            self.assertEqual(self.failure(self.compile, **wrong).kind, "invalid_model", wrong)
            self.close()

    def test_an_output_that_stays_on_the_cpu_is_refused(self):
        error = self.failure(self.bind, {**STATIC, "locations": {"y": "HOST"}})
        self.assertEqual(error.kind, "unsupported_operator")
        self.assertIn('"y" holds a shape', error.message)

    def test_a_failed_build_says_why(self):
        for message, kind in (("Could not find any implementation for node conv_1", "unsupported_operator"),
                              ("Requested amount of GPU memory could not be allocated: out of memory", "out_of_memory"),
                              ("Error Code 2: Internal Error", "compiler_failed")):
            self.say("fail_to_build", message)
            error = self.failure(self.compile)
            self.assertEqual(error.kind, kind)
            self.assertIn(message, error.message)
            self.close()

    def test_kernels_that_are_not_found_are_explained_by_their_folder(self):
        not_found = ("Error Code 6: API Usage Error (Unable to load library: libnvinfer_builder_resource.so.10.6.0: "
                     "cannot open shared object file: No such file or directory)")
        for step, message in (("fail_to_make_builder", "a builder"), ("fail_to_build", "an engine")):
            self.say(step, not_found)
            error = self.failure(self.compile)
            self.assertEqual(error.message, f"TensorRT cannot make {message}: {not_found}")
            self.assertEqual(error.advice, f"put {STAND_IN}/tensorrt_libs into LD_LIBRARY_PATH before ngb starts, because "
                                           "TensorRT before 10.7 searches its kernels nowhere else; or use 10.7 or later")
            self.say(step, None)
            self.close()
        self.say("fail_to_make_builder", "CUDA initialization failure")
        self.assertEqual(self.failure(self.compile).advice, "")

    def test_an_error_that_is_survived_explains_no_later_failure(self):
        self.say("survived_error", "something that it can do without")
        self.compile()
        self.close()
        self.say("fail_to_build", "Error Code 2: Internal Error")
        self.assertEqual(self.failure(self.compile).message,
                         "TensorRT cannot make an engine: Error Code 2: Internal Error")

    def test_a_failed_session_leaves_nothing_of_tensorrt(self):
        self.say("fail_to_build", "no")
        self.failure(self.compile)
        self.close()
        calls = self.calls()
        for kind in ("Builder", "INetworkDefinition", "IBuilderConfig", "OnnxParser"):
            self.assertEqual(calls.count(f"new {kind}"), calls.count(f"delete {kind}"), kind)
        self.assertEqual(calls[-1], "cuDevicePrimaryCtxRelease_v2")

    def test_without_a_gpu_it_says_so(self):
        CUDA.recording_stand_in_fail(b"cuInit", 100)
        error = self.failure(self.open)
        self.assertEqual(error.kind, "no_device")
        self.assertEqual(error.message, "no CUDA device: TensorRT 10.9.0.34 needs one; no CUDA-capable device is "
                                        "detected (CUDA error 100)")
        CUDA.recording_stand_in_forget()
        CUDA.recording_stand_in_fail(b"cuDeviceGetCount", -1)
        self.assertIn("the driver shows none to this process", self.failure(self.open).message)

    def test_the_gpus_errors_are_told_apart(self):
        session = self.compile()
        CUDA.recording_stand_in_fail(b"cuMemAlloc_v2", 2)
        error = self.failure(session.bind, [("x", "f32", (2, 3), memoryview(struct.pack("6f", *VALUES)))])
        self.assertEqual((error.kind, error.message), ("out_of_memory", "cuMemAlloc_v2: out of memory (CUDA error 2)"))
        self.close()
        CUDA.recording_stand_in_forget()
        infer = self.bind().runner()
        CUDA.recording_stand_in_fail(b"cuStreamSynchronize", 700)
        self.assertEqual(self.failure(infer).kind, "device_lost")

    def test_what_was_allocated_before_a_failure_is_given_back(self):
        session = self.compile()
        CUDA.recording_stand_in_fail(b"cuMemHostAlloc", 2)
        self.failure(session.bind, [("x", "f32", (2, 3), memoryview(struct.pack("6f", *VALUES)))])
        self.close()
        calls = self.calls()
        self.assertIn("cuMemFree_v2 d1", calls)


if __name__ == "__main__":
    unittest.main()
