# SPDX-License-Identifier: Apache-2.0
"""The program of a measured cell, of each compiler: in Python, and in C++ built with the library's public headers."""

import json
import os
import pathlib
import shutil
import subprocess
import unittest

from export_test import ExportingTest, run_program, site
from ngb_program import BIN, caching_cxx

HEADERS = BIN.parents[1] / "dependencies/include"  # of scripts/setup


def onnxruntime_arguments(folder):
    """A release of ONNX Runtime, made of the headers and of the library in the toolchain."""
    release = folder / "release"
    (release / "lib").mkdir(parents=True)
    (release / "include").symlink_to(HEADERS / "onnxruntime")
    library = next(pathlib.Path(site("onnxruntime")).glob("onnxruntime/capi/libonnxruntime.so.*"))
    for name in ("libonnxruntime.so", "libonnxruntime.so.1"):
        (release / "lib" / name).symlink_to(library)
    return [f"-DCMAKE_PREFIX_PATH={release}"]


class Programs(ExportingTest):
    COMPILERS = ("identity", "torchscript", "eager-cpp", "torch-compile", "aotinductor", "onnxruntime", "openvino", "iree", "mnn",
                 "ncnn", "litert", "executorch", "tvm", "xla")

    def measure(self):
        self.environment["CXX"] = caching_cxx(self.folder)
        super().measure()

    def setUp(self):
        super().setUp()
        self.environment["CXX"] = str(self.measured.folder / "caching-c++")

    def test_the_program_of_each_compiler_runs_without_ngb_and_has_the_expected_outputs(self):
        measured = {row["compiler"] for row in self.show("results/test")["cells"] if row["metrics"]["throughput_per_s"]["value"]}
        for compiler in self.measured.there:
            with self.subTest(compiler=compiler):
                if compiler not in measured:
                    self.skipTest(f"{compiler} measures nothing on this machine")
                folder = self.export(compiler)
                program = (folder / "run.py").read_text()
                self.assertNotIn("ngraphbench", program)
                self.assertLessEqual(len(program.splitlines()), 85)
                ran = run_program(compiler, folder, "--json", CXX=self.environment["CXX"])
                self.assertEqual(ran.returncode, 0, ran.stdout + ran.stderr)
                told, = [json.loads(line) for line in ran.stdout.splitlines() if line.startswith("{")]
                self.assertGreater(told["samples_per_s"], 0)
                self.assertLessEqual(told["p50_ms"], told["p90_ms"])
                stored = json.loads((folder / "cell.json").read_text())
                self.assertEqual(list(stored["number"]), ["samples_per_s"])  # one process has no interval

    def build_cpp(self, folder, *arguments):
        for command in (["cmake", "-S", ".", "-B", "build", *arguments], ["cmake", "--build", "build"]):
            ran = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=1500)
            self.assertEqual(ran.returncode, 0, ran.stdout + ran.stderr)

    def check_cpp(self, compiler, *arguments):
        if compiler not in self.measured.there:
            self.skipTest(f"no toolchain of {compiler} on this machine")
        if shutil.which("cmake") is None:
            self.skipTest("no cmake on this machine")
        exported = self.ngb("export", "results/test", "--compiler", compiler, "--form", "cpp", "-o", "cpp")
        self.assertEqual(exported.returncode, 0, exported.stdout + exported.stderr)
        folder = self.folder / "cpp"
        self.assertEqual((folder / "main.cpp").read_text().count("ngraphbench"), 0)
        refused = self.ngb("export", "--verify", "cpp")
        self.assertIn("it is not built; build it as its README.md says", refused.stderr)
        self.build_cpp(folder, *arguments)
        ran = subprocess.run([folder / "build/program", "--json"], capture_output=True, text=True, timeout=600,
                             env={"PATH": os.environ["PATH"]})
        self.assertEqual(ran.returncode, 0, ran.stderr)
        told = json.loads(ran.stdout)
        self.assertGreater(told["samples_per_s"], 0)
        self.assertLessEqual(told["p50_ms"], told["p90_ms"])
        values = (folder / "expected_0.npy").read_bytes()
        (folder / "expected_0.npy").write_bytes(values[:-64] + b"\x7e" * 64)  # f32 of 8e37
        wrong = subprocess.run([folder / "build/program"], capture_output=True, text=True, timeout=600)
        self.assertEqual(wrong.returncode, 1)
        self.assertIn("output 0 is not expected_0.npy in 16 of ", wrong.stderr)

    @unittest.skipUnless((HEADERS / "onnxruntime").exists(), "no headers of ONNX Runtime on this machine")
    def test_onnxruntime_in_cpp(self):
        self.check_cpp("onnxruntime", *onnxruntime_arguments(self.folder))

    def test_openvino_in_cpp(self):
        self.check_cpp("openvino", f"-DOpenVINO_DIR={site('openvino')}/openvino/cmake")

    def test_torchscript_in_cpp(self):
        self.check_cpp("torchscript", f"-DCMAKE_PREFIX_PATH={site('identity')}/torch")

    def test_eager_cpp_in_cpp(self):
        self.check_cpp("eager-cpp", f"-DCMAKE_PREFIX_PATH={site('identity')}/torch")

    def test_aotinductor_in_cpp(self):
        self.check_cpp("aotinductor", f"-DCMAKE_PREFIX_PATH={site('identity')}/torch")

    def test_tvm_in_cpp(self):
        self.check_cpp("tvm", f"-DCMAKE_PREFIX_PATH={site('tvm')}")

    def test_a_compiler_without_a_program_in_cpp_says_so(self):
        refused = self.ngb("export", "results/test", "--compiler", "identity", "--form", "cpp", "-o", "new")
        self.assertEqual(refused.returncode, 3)
        self.assertIn("programs in C++ are not written for this compiler yet", refused.stderr)


class OnTwoThreads(ExportingTest):
    COMPILERS = ("identity", "iree")
    THREADS = 2

    def test_a_program_whose_library_has_threads_of_its_own_ends_without_a_crash(self):
        if "iree" not in self.measured.there:
            self.skipTest("no toolchain of iree on this machine")
        ran = run_program("iree", self.export("iree"), "--json")
        self.assertEqual(ran.returncode, 0, ran.stdout + ran.stderr)


if __name__ == "__main__":
    unittest.main()
