# SPDX-License-Identifier: Apache-2.0
"""Who judges the outputs of users' models, and which checks prove little."""

import json
import pathlib
import unittest

from ngb_program import TOOLCHAINS, MeasuredTest, without_toolchains
import user_models_test

MODELS = pathlib.Path(__file__).with_name("reference_models.py")
PINNED = json.loads((pathlib.Path(__file__).resolve().parents[2] / "versions.json").read_text())["toolchains"]
UNOPTIMISED = f"onnxruntime {PINNED['onnxruntime']['default']} (graph_optimization: disabled)"
WHY_NOT = without_toolchains("identity", "onnxruntime", "openvino")
THREE = "[identity, onnxruntime, openvino]"
JUDGED = ("onnx: padded_row.onnx", "onnx: pool_after_loop.onnx", "onnx: not_finite.onnx", "onnx: tiny.onnx", "onnx: half.onnx",
          "onnx: steep.onnx", "onnx: one_class.onnx", "onnx: fused.onnx",
          "{onnx: not_finite.onnx, label: in_range, inputs: {x: {range: [0, 1]}}}",
          "{onnx: tied.onnx, compilers: [identity, onnxruntime]}", "{onnx: untied.onnx, compilers: [identity, onnxruntime]}")
MODULES = '''
import torch


class Noisy(torch.nn.Module):
    """Somebody forgot that this dropout is also on in evaluation mode."""

    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(64, 64)

    def forward(self, x):
        return torch.nn.functional.dropout(self.layer(x), 0.1, training=True)


class Remembers(torch.nn.Module):
    """Each inference does more than the one before, and returns something else."""

    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.randn(256, 256) * 0.06)
        self.calls = 0

    def forward(self, x):
        self.calls += 1
        for _ in range(1 + self.calls // 3):
            x = torch.tanh(x @ self.weight)
        return x


noisy = Noisy
remembers = Remembers
'''


class WithModels(MeasuredTest, user_models_test.UsersModelsTest):
    """Each test has the files of reference_models.py, which are made once."""

    def measure(self):
        self.python(MODELS.read_text())

    def measure_models(self, *models, compilers=THREE, **keys):
        self.run_study("\n".join(f"  - {model}" for model in models), compilers, **keys)

    def of(self, model):
        """Returns {compiler: its cell of the model as JSON, with the names of its flags}."""
        return {cell["compiler"]: cell for cell in self.show("results")["cells"] if cell["model"] == model}

    def assert_measured(self, cells, *compilers):
        self.assertEqual({name for name, cell in cells.items() if cell["status"] == "measured"}, set(compilers),
                         {name: cell["failure"] for name, cell in cells.items()})

    def flags(self, cell):
        return set(cell["flags"])


@unittest.skipIf(WHY_NOT, WHY_NOT)
class Judged(WithModels):
    """What three compilers make of models that have nothing to do with each other, in one study."""

    def measure(self):
        super().measure()
        self.environment["NGB_TOOLCHAINS"] = str(TOOLCHAINS)
        self.measure_models(*JUDGED)

    def of_three(self, model):
        cells = self.of(model)
        self.assertEqual(set(cells), {"identity", "onnxruntime", "openvino"})
        return cells

    def test_a_padded_row_is_measured_whatever_the_identity_does_with_it(self):
        cells = self.of_three("padded_row")
        for name in ("onnxruntime", "openvino"):
            self.assertEqual(cells[name]["status"], "measured", cells[name]["failure"])

    def test_a_reference_of_another_shape_than_the_file_declares_blames_no_compiler(self):
        cells = self.of_three("pool_after_loop")
        for name in ("onnxruntime", "openvino"):
            self.assertEqual(cells[name]["status"], "measured", cells[name]["failure"])

    def test_nan_in_the_reference_blames_no_compiler_and_proposes_a_range(self):
        cells = self.of("not_finite")
        self.assert_measured(cells, "identity", "onnxruntime", "openvino")
        for cell in cells.values():
            self.assertIn("not_finite", self.flags(cell))
            self.assertIn('output "y" is nan at [0, 1]', cell["reference_reason"])
            self.assertIn("inputs: {x: {range: [0, 1]}}", cell["reference_reason"])

    def test_outputs_below_the_absolute_tolerance_are_flagged(self):
        for cell in self.of_three("tiny").values():
            self.assertIn("weak_check", self.flags(cell))

    def test_a_mask_of_one_class_is_flagged(self):
        cells = self.of("one_class")
        self.assert_measured(cells, "identity", "onnxruntime", "openvino")
        for cell in cells.values():
            self.assertIn("weak_check", self.flags(cell))

    def test_a_file_in_f16_is_judged_by_the_tolerance_of_f16(self):
        cells = self.of("half")
        self.assert_measured(cells, "identity", "onnxruntime", "openvino")
        for cell in cells.values():
            self.assertEqual(cell["tolerance"], "0.01·largest |reference| + 0.01·|reference| (f16)")

    def test_an_output_that_rounding_decides_is_left_out_and_the_others_are_compared(self):
        cells = self.of_three("steep")
        self.assert_measured(cells, "identity", "onnxruntime", "openvino")
        self.assertRegex(cells["openvino"]["reference"], "^identity ")
        self.assertRegex(cells["openvino"]["reference_reason"],
                         r"^steep differs, and cannot be judged, because a change by 2\^-17 of the inputs, .* changes identity")
        self.assertIn("other_reference", self.flags(cells["openvino"]))
        self.assertEqual(cells["identity"]["reference_reason"], None)  # it gives the same every time

    def test_a_model_that_the_identity_lacks_is_checked_against_unoptimised_onnxruntime(self):
        cells = self.of("fused")
        self.assertEqual(cells["identity"]["failure"]["kind"], "unsupported_operator")
        self.assert_measured({name: cells[name] for name in ("onnxruntime", "openvino")}, "onnxruntime", "openvino")
        for name in ("onnxruntime", "openvino"):
            self.assertEqual(cells[name]["reference"], UNOPTIMISED)
            self.assertRegex(cells[name]["reference_reason"],
                             r"^identity \S+ could not make its outputs \(unsupported_operator\): .*Trilu; "
                             r"log: devices/local/logs/reference-\w+-1\.log$")
            self.assertIn("other_reference", self.flags(cells[name]))
        told = f"outputs compared with those of {UNOPTIMISED}; tolerance 0.0001 + 0.001·|reference|; identity "
        self.assertIn(told, self.ngb("show", "results").stdout)
        self.assertIn(f"2 cells: {told}", (self.folder / "results/report/index.html").read_text())

    def test_with_that_range_all_agree_and_nothing_is_flagged(self):
        cells = self.of("in_range")
        self.assert_measured(cells, "identity", "onnxruntime", "openvino")
        for cell in cells.values():
            self.assertEqual(self.flags(cell) & {"not_finite", "other_reference", "unchecked"}, set())

    def sensitive(self):
        """Returns, for each model whose boxes are chosen by scores, the outputs that its kept reference outputs call sensitive."""
        found = []
        for kept in {path.read_bytes() for path in self.folder.rglob("*.ref")}:
            outputs = json.loads(kept[12:12 + int.from_bytes(kept[8:12], "little")])["outputs"]
            if any(each["name"] == "boxes" for each in outputs):
                found.append({each["name"] for each in outputs if each["is_sensitive"]})
        return sorted(found, key=len)

    def test_boxes_that_are_chosen_by_scores_that_tie_are_left_out_and_the_scores_are_compared(self):
        cells = self.of("tied")
        self.assert_measured(cells, "identity", "onnxruntime")
        self.assertRegex(cells["onnxruntime"]["reference"], "^identity ")
        self.assertRegex(cells["onnxruntime"]["reference_reason"],
                         r"^boxes differs, and cannot be judged, because a change by 2\^-17 of the inputs, or of what TopK,")
        self.assertEqual(self.sensitive(), [set(), {"boxes"}])

    def test_boxes_that_are_chosen_by_scores_that_differ_are_compared(self):
        cells = self.of("untied")
        self.assert_measured(cells, "identity", "onnxruntime")
        for cell in cells.values():
            self.assertIsNone(cell["reference_reason"])
            self.assertRegex(cell["reference"], "^identity ")
        self.assertEqual(self.sensitive(), [set(), {"boxes"}])  # other boxes would be a failure


@unittest.skipIf(WHY_NOT, WHY_NOT)
class Emulated(WithModels):
    """A quantised file, with which users' defaults say how fast the identity's emulation is."""

    def measure(self):
        super().measure()
        self.environment["NGB_TOOLCHAINS"] = str(TOOLCHAINS)
        self.run_study("  - onnx: quantised.onnx", THREE)

    def test_the_identity_judges_and_has_no_speed_up_over_it(self):
        cells = {cell["compiler"]: cell for cell in self.show("results")["cells"]}
        self.assert_measured(cells, "identity", "onnxruntime", "openvino")
        why = "emulates QuantizeLinear 1, QLinearMatMul 1, DequantizeLinear 1 of 3 nodes, so its speed is no compiler's"
        self.assertIn("emulated", self.flags(cells["identity"]))
        self.assertEqual(cells["identity"]["metrics"]["speed_up_ratio"]["reason"], why)
        for name in ("onnxruntime", "openvino"):
            self.assertNotIn("emulated", self.flags(cells[name]))
            self.assertRegex(cells[name]["reference"], "^identity ")
            self.assertIsNone(cells[name]["metrics"]["speed_up_ratio"]["value"])
            self.assertEqual(cells[name]["metrics"]["speed_up_ratio"]["reason"], "PyTorch eager (identity): " + why)

    def test_no_sentence_divides_by_it(self):
        told = self.ngb("show", "results").stdout
        self.assertNotIn("as fast as PyTorch eager (identity)", told)
        self.assertIn("emulated", told)
        self.assertIn("no verdict", self.ngb("compare", "results", "--baseline", "identity", "--candidate",
                                             "onnxruntime").stdout)

    def test_another_baseline_may_be_named(self):
        shown = json.loads(self.ngb("show", "results", "--json", "--baseline", "openvino").stdout)
        cells = {cell["compiler"]: cell for cell in shown["cells"]}
        self.assertIsNotNone(cells["onnxruntime"]["metrics"]["speed_up_ratio"]["value"])
        self.assertIsNone(cells["identity"]["metrics"]["speed_up_ratio"]["value"])


@unittest.skipIf(WHY_NOT, WHY_NOT)
class References(WithModels):
    def test_a_reference_that_is_named_is_asked_first_and_needs_no_other(self):
        self.measure_models("onnx: fused.onnx", reference="openvino")
        cells = self.of("fused")
        self.assertEqual(cells["onnxruntime"]["reference"].partition(" ")[0], "openvino")
        self.assertEqual(cells["onnxruntime"]["reference_reason"], None)

    def test_with_tolerances_that_the_study_sets_the_identity_is_the_outlier_among_three(self):
        # It rounds after each product, which the two others do not.
        self.measure_models("onnx: half.onnx", compilers="[identity, openvino]", tolerances="{absolute: 1e-4, relative: 1e-3}")
        cells = self.of("half")
        self.assertEqual(cells["openvino"]["tolerance"], "0.0001 + 0.001·|reference|")
        self.assertEqual(cells["openvino"]["status"], "measured", cells["openvino"]["failure"])
        self.assertEqual(cells["openvino"]["reference"], UNOPTIMISED)
        self.assertRegex(cells["openvino"]["reference_reason"],
                         r"^identity \S+ is the outlier among three: openvino agrees with onnxruntime ")


@unittest.skipIf(WHY_NOT, WHY_NOT)
class Modules(WithModels):
    """A module that is random and one that keeps state, in one study."""

    def measure(self):
        self.environment["NGB_TOOLCHAINS"] = str(TOOLCHAINS)
        self.write("net.py", MODULES)
        self.measure_models("{pytorch: 'net.py:noisy', shapes: {x: [batch, 64]}}",
                            "{pytorch: 'net.py:remembers', shapes: {x: [batch, 256]}}",
                            compilers="[identity, onnxruntime]", longer_look_s=1, protocol="paper")

    def test_a_random_model_is_called_random_and_is_in_no_verdict(self):
        cells = self.of("net:noisy")
        self.assert_measured(cells, "identity", "onnxruntime")
        for cell in cells.values():
            self.assertEqual(cell["reference"], "none")
            self.assertRegex(cell["reference_reason"],
                             r"^identity \S+: its own outputs differ from one inference to the next .*: the model is random")
            self.assertIn("unchecked", self.flags(cell))
            self.assertIsNone(cell["metrics"]["speed_up_ratio"]["value"])
            self.assertRegex(cell["metrics"]["speed_up_ratio"]["reason"], "unchecked: identity .* the model is random")

    def test_a_model_that_keeps_state_is_flagged_and_in_no_verdict(self):
        cells = self.of("net:remembers")
        flags = self.flags(cells["identity"])
        self.assertIn("outputs_change", flags)
        if not flags & {"waited", "pressure"}:  # other work hides that each inference takes longer
            self.assertIn("speed_changes", flags)
        self.assertRegex(cells["identity"]["output_change"], 'output "output" is .*, the reference is ')
        self.assertEqual(cells["onnxruntime"]["metrics"]["speed_up_ratio"]["reason"],
                         "PyTorch eager (identity): outputs change from one inference to the next")


if __name__ == "__main__":
    unittest.main()
