# SPDX-License-Identifier: Apache-2.0
"""scripts/operators: cases become files, run as cells of a native compiler, and become the page's tables."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

from toolchain import toolchain_of, toolchain_or_skip

toolchain_or_skip("identity", "torch")
toolchain_or_skip("onnxruntime", "onnxruntime")
FOLDER = pathlib.Path(__file__).resolve().parents[1] / "operators"
sys.path.insert(0, str(FOLDER))
import report  # noqa: E402


class Command(unittest.TestCase):
    def run_cases(self, compiler, operators):
        """Return ({case: [kind, message]}, the page)."""
        with tempfile.TemporaryDirectory() as text:
            folder = pathlib.Path(text)
            subprocess.run([sys.executable, "-B", str(FOLDER / "operators.py"), "--build", os.environ["NGB_BUILD_DIR"],
                            "--folder", text, "--output", str(folder / "page.md"), "--compilers", compiler,
                            "--operators", operators], check=True, capture_output=True)
            kept = json.loads((folder / "results.json").read_text())["compilers"]
            return kept[compiler]["outcomes"], (folder / "page.md").read_text()

    def test_openvino_accepts_scalars_and_inputs_that_are_passed_on(self):
        self.skip_without("openvino")
        kept, _ = self.run_cases("openvino", "Clip,Dropout,Max,Size")
        self.assertEqual({case: kind for case, (kind, _) in kept.items() if kind != "right"}, {})
        self.assertLessEqual({"test_clip_example_of_data", "test_dropout_default", "test_max_one_input", "test_size"},
                             set(kept))

    def test_tvm_sorts_returns_shapes_and_refuses_what_its_runtime_lacks(self):
        self.skip_without("tvm")
        kept, _ = self.run_cases("tvm", "NonZero,Shape,TopK")
        self.assertEqual({case: kept[case][0] for case in ("test_top_k", "test_shape", "test_nonzero_example")},
                         {"test_top_k": "right", "test_shape": "right", "test_nonzero_example": "unsupported_operator"})

    def skip_without(self, compiler):
        if not toolchain_of(compiler):
            self.skipTest(f"no toolchain of {compiler}")

    def test_cases_run_as_cells_and_become_a_page(self):
        kept, page = self.run_cases("onnxruntime", "Add,MaxUnpool,TopK,ReduceSum")
        self.assertEqual(kept["test_add"], ["right", ""])
        self.assertEqual(kept["test_reduce_sum_do_not_keepdims_random"], ["right", ""])
        self.assertEqual(kept["test_reduce_sum_do_not_keepdims_random_of_data"], ["right", ""])
        # ONNX Runtime's MaxUnpool is wrong, which shows that the outputs are compared.
        self.assertEqual(kept["test_maxunpool_export_with_output_shape"][0], "inaccurate")
        self.assertIn("| Add | right |", page)
        self.assertIn("| MaxUnpool | `test_maxunpool_export_with_output_shape` | inaccurate |", page)


class Page(unittest.TestCase):
    def page(self, **outcomes):
        cases = [{"name": "a", "operator": "Tile", "form": "constant"}, {"name": "b", "operator": "Tile", "form": "data"},
                 {"name": "c", "operator": "Add", "form": "any"}]
        compilers = {name: {"version": "1", "outcomes": dict(zip("abc", kinds))} for name, kinds in outcomes.items()}
        return report.write({"onnx": "1", "options": "", "is_all": False, "cases": cases, "compilers": compilers})

    def test_a_form_that_only_data_lacks_is_told_apart(self):
        right, refused = ["right", ""], ["unsupported_operator", "shape"]
        page = self.page(onnxruntime=[right, right, right], xla=[right, refused, right])
        self.assertIn("| Tile | right | right; data: refused |", page)
        self.assertIn("| xla 1 | 2 | 0 | 0 | 0 | 2 (100 %) |", page)
        self.assertIn("| xla 1 | 1 | 1 | 0 | 0 | 1 (50 %) |", page)

    def test_what_nobody_has_explained_is_named(self):
        right = ["right", ""]
        page = self.page(onnxruntime=[right, right, right], tvm=[["crash", "signal 11"], right, ["inaccurate", "1, not 2"]])
        self.assertIn("| Tile | `a` | crash | signal 11 | unexplained |", page)
        self.assertIn("| Add | `c` | inaccurate | 1, not 2 | unexplained |", page)

    def test_what_another_run_found_stays_on_the_page(self):
        right, failed = ["right", ""], ["crash", "signal 11"]
        before = self.page(onnxruntime=[right, right, right], tvm=[failed, right, right])
        cases = [{"name": "a", "operator": "Tile", "form": "any"}]
        after = report.write({"onnx": "1", "options": "", "is_all": False, "cases": cases, "compilers": {
            "onnxruntime": {"version": "1", "outcomes": {"a": right}}, "mnn": {"version": "2", "outcomes": {"a": right}}}},
            report.read(before))
        self.assertIn("| tvm 1 | 1 | 0 | 0 | 1 |", after)
        self.assertIn("| operator | onnxruntime | tvm | mnn |", after)
        self.assertIn("| Tile | right | failed; data: right | right |", after)
        self.assertIn("| Tile | `a` | crash | signal 11 | unexplained |", after)


if __name__ == "__main__":
    unittest.main()
