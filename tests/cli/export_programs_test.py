# SPDX-License-Identifier: Apache-2.0
"""The program of a measured cell, of each compiler."""

import json
import unittest

from export_test import ExportingTest, run_program


class Programs(ExportingTest):
    COMPILERS = ("identity", "torchscript", "eager-cpp", "torch-compile", "aotinductor", "onnxruntime", "openvino", "iree", "mnn",
                 "ncnn", "litert", "executorch", "tvm", "xla")

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
                ran = run_program(compiler, folder, "--json")
                self.assertEqual(ran.returncode, 0, ran.stdout + ran.stderr)
                told, = [json.loads(line) for line in ran.stdout.splitlines() if line.startswith("{")]
                self.assertGreater(told["samples_per_s"], 0)
                self.assertLessEqual(told["p50_ms"], told["p90_ms"])
                stored = json.loads((folder / "cell.json").read_text())
                self.assertEqual(list(stored["number"]), ["samples_per_s"])  # one process has no interval


if __name__ == "__main__":
    unittest.main()
