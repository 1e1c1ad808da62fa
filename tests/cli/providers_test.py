# SPDX-License-Identifier: Apache-2.0
"""Execution providers of ONNX Runtime that are in packages of their own. They are large and no toolchain of ngb, so this needs a
virtual environment: NGB_PROVIDERS is its folder, with onnxruntime, onnxruntime-ep-openvino, onnxruntime-qnn and
onnxruntime-ep-webgpu, and perhaps onnxruntime-ep-nv-tensorrt-rtx."""

import os
import pathlib
import unittest

from ngb_program import NgbTest

PROVIDERS = os.environ.get("NGB_PROVIDERS")
STUDY = """\
name: test
models:
  - {zoo: {conv_block: {width: 8, depth: 1, image_size: 16}}}
compilers:
  - onnxruntime: {version: "%s"}
  - onnxruntime: {version: "%s", label: provider, options: {provider: %s}, settings: {%s}}
reference: onnxruntime
processes: 1
warm_up: 1
repetitions: 3
longer_look_s: 0
disturbance: {max_wait_percent: 100}
"""


def is_of_intel():
    return "GenuineIntel" in pathlib.Path("/proc/cpuinfo").read_text()


@unittest.skipUnless(PROVIDERS, "NGB_PROVIDERS names no virtual environment with provider packages")
class Providers(NgbTest):
    def setUp(self):
        super().setUp()
        adopted = self.ngb("toolchain", "adopt", "onnxruntime", PROVIDERS)
        self.assertEqual(adopted.returncode, 0, adopted.stderr)
        self.version = adopted.stdout.split(":")[0].split()[-1]

    def cell(self, provider, settings=""):
        self.write("study.yaml", STUDY % (self.version, self.version, provider, settings))
        ran = self.ngb("run", "study.yaml", "--no-report")
        self.assertIn(ran.returncode, (0, 1), ran.stderr)
        return next(cell for cell in self.show("results/test")["cells"] if cell["compiler_label"] == "provider")

    def facts(self):
        return dict(self.query("results/test", "SELECT name, value FROM fact JOIN process USING (process_key) JOIN cell "
                               "USING (cell_key) WHERE options_json LIKE '%provider%'"))

    def test_qnn_computes_all_nodes_in_its_simulator_where_there_is_no_npu(self):
        cell = self.cell("qnn")
        self.assertIsNone(cell["failure"])
        self.assertLess(cell["metrics"]["max_absolute_error"]["value"], 1e-4)
        facts = self.facts()
        self.assertEqual(facts["provider"], "QNNExecutionProvider")
        self.assertRegex(facts["placement"], r"^QNNExecutionProvider \d+$")
        self.assertIn(facts["device"], ("cpu", "npu"))

    def test_openvino_runs_on_the_processors_of_its_maker_in_f32(self):
        cell = self.cell("openvino")
        if is_of_intel():
            self.assertIsNone(cell["failure"])
            self.assertLess(cell["metrics"]["max_absolute_error"]["value"], 1e-5)  # bf16 would differ by 1e-3
            self.assertRegex(self.facts()["placement"], r"^OpenVINOExecutionProvider \d+$")
        else:
            self.assertEqual(cell["failure"]["kind"], "no_device")
            self.assertIn("provider openvino finds no device here; ONNX Runtime finds: cpu of ", cell["failure"]["message"])
            self.assertIn("Intel's processors; the compiler openvino runs on others, too", cell["failure"]["advice"])

    def test_webgpu_without_a_gpu_says_what_there_is(self):
        cell = self.cell("webgpu")
        if cell["failure"] is None:
            self.assertEqual(self.facts()["device"], "gpu")
        else:
            self.assertEqual(cell["failure"]["kind"], "no_device")
            self.assertIn("GPUs that Vulkan drives", cell["failure"]["advice"])

    def test_nv_tensorrt_rtx_without_a_driver_says_so(self):
        cell = self.cell("nv-tensorrt-rtx")
        if not list(pathlib.Path(PROVIDERS).rglob("onnxruntime_ep_nv_tensorrt_rtx")):
            self.assertEqual(cell["failure"]["kind"], "toolchain_missing")
            self.assertIn("there is no package onnxruntime-ep-nv-tensorrt-rtx beside it", cell["failure"]["message"])
        elif cell["failure"] is not None:
            self.assertEqual(cell["failure"]["kind"], "no_device")


if __name__ == "__main__":
    unittest.main()
