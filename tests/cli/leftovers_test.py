# SPDX-License-Identifier: Apache-2.0
"""A study leaves only its results and our cache on a machine, whatever files its compilers write."""

import os
import pathlib
import unittest

from ngb_program import OWNER, TOOLCHAINS, NgbTest, caching_cxx, without_toolchains

COMPILERS = ("aotinductor", "eager-cpp", "identity", "iree", "onnxruntime", "openvino", "torch-compile", "torchscript", "tvm",
             "xla")
OURS = pathlib.Path(".cache/ngraphbench")


class Leftovers(NgbTest):
    maxDiff = None

    def run_study(self, wanted):
        """Runs a study with those of the given compilers that are installed."""
        installed = [name for name in wanted if not without_toolchains(OWNER.get(name, name))]
        if not installed:
            self.skipTest(f"no toolchains of {', '.join(wanted)} in {TOOLCHAINS}")
        self.places = [self.folder / "home", self.folder / "temporary"]
        self.places[1].mkdir()
        self.environment.update(NGB_TOOLCHAINS=str(TOOLCHAINS), TMPDIR=str(self.places[1]))
        study = self.write("study.yaml", f"""\
models:
  - zoo: {{conv_block: {{width: 8, image_size: 16}}}}
compilers: [{", ".join(installed)}]
reference: none
processes: 1
disturbance:
  max_wait_percent: 100
attempts: 1
repetitions: 3
protocol: paper
warm_up: 1
min_repetition_ms: 0
output: results
""")
        return self.ngb("run", study, timeout=1500)

    def left(self):
        return [path.relative_to(self.folder) for place in self.places for path in place.rglob("*")
                if path.is_file() and OURS not in path.relative_to(place).parents]

    def test_do_not_remain_of_measured_compilers(self):
        # AOTInductor compiles for half a minute and writes the same files as torch-compile.
        self.environment["CXX"] = caching_cxx(self.folder)
        left_out = () if os.environ.get("NGB_ALL_CASES") else ("aotinductor",)
        done = self.run_study([name for name in COMPILERS if name not in left_out])
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(self.left(), [])

    @unittest.skipIf(without_toolchains("identity", "onnxruntime"), without_toolchains("identity", "onnxruntime"))
    def test_do_not_remain_of_a_model_that_is_quantised(self):
        self.places = [self.folder / "home", self.folder / "temporary"]
        self.places[1].mkdir()
        self.environment.update(NGB_TOOLCHAINS=str(TOOLCHAINS), TMPDIR=str(self.places[1]))
        self.write("study.yaml", """\
models:
  - {zoo: {mlp: {depth: 1, width: 16}}, label: exact}
  - {quantise: dynamic, variant_of: exact}
compilers: [onnxruntime]
""")
        planned = self.ngb("plan", "study.yaml")
        self.assertEqual(planned.returncode, 0, planned.stdout + planned.stderr)
        self.assertIn("making exact int8 dynamic with onnxruntime", planned.stderr)
        self.assertEqual(self.left(), [])

    def test_do_not_remain_of_a_compiler_that_was_killed_while_its_own_program_ran(self):
        cxx = self.write("murderous_cxx", f"#!/bin/sh\nmktemp >>{self.folder}/calls\nkill -KILL $PPID\nexec sleep 600\n")
        cxx.chmod(0o755)
        self.environment["CXX"] = str(cxx)
        done = self.run_study(["torch-compile"])
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertEqual(self.show("results")["cells"][0]["failure"]["kind"], "crash")
        self.assertEqual((self.folder / "calls").read_text().count("\n"), 1)
        self.assertEqual(self.left(), [])


if __name__ == "__main__":
    unittest.main()
