# SPDX-License-Identifier: Apache-2.0
"""Users' own models in studies: modules, files with data beside them, input values."""

import json
import os
import pathlib
import shutil
import sqlite3
import struct
import subprocess
import unittest

from ngb_program import OWNER, TOOLCHAINS, NgbTest, toolchain, without_toolchains

STUDIES = pathlib.Path(__file__).resolve().parents[2] / "studies"
FAST = "disturbance: {max_wait_percent: 100}\nprocesses: 1\nwarm_up: 1\nrepetitions: 3\nmin_repetition_ms: 0\n"
SMALL = "{vocabulary: 200, width: 16, layers: 1, heads: 2, positions: 16}"
EVERY = ("aotinductor", "eager-cpp", "identity", "onnxruntime", "openvino", "torch-compile", "torchscript", "tvm")
IDS = "{type: i64, range: [0, 199]}"


def npy(path, code, shape, values):
    """Writes an array like numpy.save."""
    header = f"{{'descr': '<{code}', 'fortran_order': False, 'shape': {shape}, }}"
    header = header.ljust(117) + "\n"
    kind = {"i8": "q", "i4": "i", "f4": "f"}[code]
    path.write_bytes(b"\x93NUMPY\1\0" + struct.pack("<H", len(header)) + header.encode() +
                     struct.pack(f"<{len(values)}{kind}", *values))


class Planning(NgbTest):
    """Errors in a model are reported before anything runs."""

    def plan(self, model, **keys):
        shutil.copy(STUDIES / "text_encoder.py", self.folder)
        text = f"models:\n  - {model}\ncompilers: ['null']\nreference: none\n"
        study = self.write("study.yaml", text + "".join(f"{key}: {value}\n" for key, value in keys.items()))
        return self.ngb("plan", study)

    def assert_refused(self, model, said, **keys):
        planned = self.plan(model, **keys)
        self.assertEqual(planned.returncode, 2, planned.stdout + planned.stderr)
        self.assertIn(said, planned.stderr)

    def test_values_that_do_not_fit_the_inputs(self):
        model = "{pytorch: 'text_encoder.py:encoder', shapes: {input_ids: [batch, 2]}, inputs: {input_ids: %s}}"
        npy(self.folder / "ids.npy", "i8", "(4, 2)", range(8))
        npy(self.folder / "short.npy", "i4", "(4, 2)", range(8))
        self.assertEqual(self.plan(model % "{type: i64, file: ids.npy}", batch_sizes="[1, 4]").returncode, 0)
        self.assert_refused(model % "{type: i64, file: ids.npy}", "holds 4 samples, the batch is 8", batch_sizes="8")
        self.assert_refused(model % "{type: i64, file: short.npy}", "holds i32, the input is i64")
        self.assert_refused(model % "{type: i64, file: gone.npy}", "gone.npy: no such file")
        self.assert_refused(model % "{type: i64, file: text_encoder.py}", "neither an .npy nor an .npz file")
        self.assert_refused(model % "{type: i64, range: [0, 0.5]}", "0.5 is not a value of type i64")
        self.assert_refused(model.replace("inputs: {input_ids", "inputs: {input_id") % "{range: [0, 1]}",
                            'input "input_id": no such input, did you mean input_ids?')

    def test_plan_names_the_files_whose_code_runs(self):
        planned = self.plan("{pytorch: 'text_encoder.py:encoder', shapes: {input_ids: [batch, 2]}}")
        self.assertIn("This study runs its author's code, on every device and with your rights: ", planned.stdout)
        self.assertIn("text_encoder.py (docs/security.md)", planned.stdout)
        self.assertIn("to call it now, run: ngb plan --try ", planned.stdout)
        self.assertNotIn("author's code", self.plan("{zoo: mlp}").stdout)

    def test_plan_says_of_a_list_among_a_modules_parameters_that_it_is_one_argument(self):
        planned = self.plan("{pytorch: 'text_encoder.py:encoder', shapes: {input_ids: [batch, 2]}, parameters: {width: [16, 32]}}")
        self.assertIn("Note: text_encoder:encoder: width is a list of 2, which the function receives as one argument; for a model "
                      "with each of them, write width: {each: [...]}\n", planned.stdout)

    def test_files_of_one_pattern_are_one_group_with_parameters_as_a_recipe_has_them(self):
        for depth in (1, 2):
            block = json.dumps({"depth": depth, "width": 4, "image_size": 8})
            written = self.ngb("models", "write", "conv_block", "--parameters", block, "-o", f"enc_{depth}.onnx")
            self.assertEqual(written.returncode, 0, written.stderr)
        study = self.write("files.yaml", "models:\n  - {onnx: 'enc_{depth}.onnx', parameters: {depth: {each: [1, 2]}}}\n"
                           "compilers: ['null']\nreference: none\n" + FAST)
        ran = self.ngb("run", study, "-q", "--no-report")
        self.assertEqual(ran.returncode, 0, ran.stderr)
        with sqlite3.connect(self.folder / "results/files/results.db") as database:
            rows = database.execute("SELECT label, model_group, recipe_json FROM model ORDER BY label").fetchall()
        self.assertEqual(rows, [("enc_1", "enc", '{"parameters":{"depth":1}}'), ("enc_2", "enc", '{"parameters":{"depth":2}}')])
        series = self.ngb("show", "results/files", "--series", "--baseline", "null").stdout
        self.assertIn("cost of a block, s [95 %]: depth_cost_s_per_block\n  enc ", series)  # which needs each depth

    def test_names_that_the_file_does_not_have(self):
        written = self.ngb("models", "write", "mlp", "--batch", "dynamic", "-o", "mlp.onnx")
        self.assertEqual(written.returncode, 0, written.stderr)
        self.assertEqual(self.plan("onnx: mlp.onnx", batch_sizes="[1, 8]").returncode, 0)
        self.assert_refused("{onnx: mlp.onnx, dimensions: {sequence: 8}}",
                            'dimension "sequence": no such open dimension, expected one of batch')
        self.assert_refused("{onnx: mlp.onnx, shapes: {inputs: [batch, 8]}}", "no such input, did you mean input?")
        self.assert_refused("{onnx: mlp.onnx, dimensions: {batch: 4}}", "made for batch 4, not 8", batch_sizes="8")


WHY_NOT = without_toolchains("identity", "onnxruntime")


class UsersModelsTest(NgbTest):
    """A test that makes models with the identity's toolchain and measures them."""
    maxDiff = None

    def setUp(self):
        super().setUp()
        self.environment["NGB_TOOLCHAINS"] = str(TOOLCHAINS)

    def run_study(self, models, compilers="[identity, onnxruntime]", **keys):
        """Returns {(model, compiler, batch): (failure kind, message, reference that it was compared with)}."""
        keys = {"batch_sizes": "2", **keys}
        study = self.write("study.yaml", f"models:\n{models}\ncompilers: {compilers}\n{FAST}" +
                           "".join(f"{key}: {value}\n" for key, value in keys.items()))
        done = self.ngb("run", study, "-o", "results", timeout=1800)
        self.assertIn(done.returncode, (0, 1), done.stderr)
        rows = self.query("results", "SELECT label, compiler_label, batch, kind, message, reference FROM cell "
                                     "JOIN model USING (model_key) LEFT JOIN process USING (cell_key) "
                                     "LEFT JOIN failure USING (process_key) LEFT JOIN output_check USING (process_key)")
        return {row[:3]: row[3:] for row in rows}

    def python(self, program):
        """Runs a script in the identity's toolchain."""
        manifest = json.loads((TOOLCHAINS / toolchain("identity") / "manifest.json").read_text())
        site = TOOLCHAINS / toolchain("identity") / manifest["site"]
        subprocess.run([manifest["python"], "-c", program], cwd=self.folder, check=True, timeout=1500,
                       env={"PATH": os.environ["PATH"], "PYTHONPATH": str(site), "HOME": str(self.folder)})


@unittest.skipIf(WHY_NOT, WHY_NOT)
class Running(UsersModelsTest):
    def setUp(self):
        super().setUp()
        shutil.copy(STUDIES / "text_encoder.py", self.folder)

    def assert_all_right(self, outcomes, count):
        self.assertEqual({key: value for key, value in outcomes.items() if value[0]}, {})
        self.assertEqual(len(outcomes), count)
        for outcome in outcomes.values():
            self.assertTrue(outcome[2].startswith("identity "), outcome)

    def test_a_module_and_a_file_with_data_beside_it_are_measured_on_real_tokens(self):
        self.python(f"""
import numpy, onnx, torch, text_encoder, warnings
module = text_encoder.encoder(**dict(vocabulary=200, width=16, layers=1, heads=2, positions=16)).eval()
ids, mask = torch.zeros(2, 8, dtype=torch.int64), torch.ones(2, 8, dtype=torch.int64)
warnings.simplefilter("ignore")
torch.onnx.export(module, (ids, mask), "whole.onnx", opset_version=17, dynamo=False,
                  input_names=["input_ids", "attention_mask"],
                  dynamic_axes={{"input_ids": {{0: "n", 1: "tokens"}}, "attention_mask": {{0: "n", 1: "tokens"}}}})
onnx.save_model(onnx.load("whole.onnx"), "encoder.onnx", save_as_external_data=True, location="encoder.bin",
                size_threshold=0)
numpy.savez("tokens.npz", input_ids=numpy.arange(16).reshape(2, 8), attention_mask=numpy.ones((2, 8), numpy.int64))
""")
        outcomes = self.run_study(f"""\
  - pytorch: text_encoder.py:encoder
    parameters: {SMALL}
    shapes: {{input_ids: [batch, 8], attention_mask: [batch, 8]}}
    inputs: {{input_ids: {IDS}, attention_mask: {{type: i64, range: [1, 1]}}}}
  - {{onnx: encoder.onnx, dimensions: {{tokens: 8}}, inputs: tokens.npz}}
  - pytorch: text_encoder.py:absent
    shapes: {{x: [batch, 8]}}""")
        broken = {key: outcomes.pop(key) for key in list(outcomes) if key[0] == "text_encoder:absent"}
        self.assertEqual({outcome[:2] for outcome in broken.values()},
                         {("invalid_model", "text_encoder.py has no function absent")})
        self.assert_all_right(outcomes, 4)
        shapes = self.query("results", "SELECT name, element_type, shape_json FROM model_input JOIN model "
                                       "USING (model_key) WHERE label = 'text_encoder:encoder' ORDER BY position")
        self.assertEqual(shapes, [("attention_mask", "i64", "[2,8]"), ("input_ids", "i64", "[2,8]")])
        self.assertEqual(list((self.folder / "results/devices/local/models").glob("*")), [])

    def test_a_module_without_onnx_runs_and_a_file_without_identity_is_checked(self):
        self.write("net.py", NO_ONNX)
        self.python(NO_IDENTITY)
        outcomes = self.run_study("  - {pytorch: 'net.py:net', shapes: {x: [batch, 3, 3], scale: [batch, 1, 1]}}\n"
                                  "  - {onnx: grams.onnx, inputs: {x: {range: [0, 5]}}}")
        module = {key[1]: row for key, row in outcomes.items() if key[0] == "net:net"}
        self.assertEqual(module["identity 2.15.0" if "identity 2.15.0" in module else "identity"][0], None)
        kind, message, _ = next(row for name, row in module.items() if name.startswith("onnxruntime"))
        self.assertEqual(kind, "unsupported_operator")
        self.assertRegex(message, "torch.onnx.export cannot export this module; tracing: .*; dynamo: ")
        file = {key[1]: row for key, row in outcomes.items() if key[0] == "grams"}
        kind, _, reference = next(row for name, row in file.items() if name.startswith("onnxruntime"))
        self.assertEqual((kind, reference.partition(" ")[0]), (None, "onnxruntime"))
        self.assertEqual(next(row[0] for name, row in file.items() if name.startswith("identity")),
                         "unsupported_operator")

    @unittest.skipUnless(os.environ.get("NGB_ALL_CASES"), "NGB_ALL_CASES is not set")
    def test_every_compiler_runs_a_text_encoder_and_a_timm_model(self):
        compilers = sorted(name for name in EVERY if not without_toolchains(OWNER.get(name, name)))
        outcomes = self.run_study(f"""\
  - pytorch: text_encoder.py:encoder
    parameters: {SMALL}
    shapes: {{input_ids: [batch, 8], attention_mask: [batch, 8]}}
    inputs: {{input_ids: {IDS}, attention_mask: {{type: i64, range: [1, 1]}}}}
  - {{timm: test_resnet}}""", f"[{', '.join(compilers)}]", batch_sizes="[1, 2]")
        self.assert_all_right(outcomes, 4 * len(compilers))

    @unittest.skipUnless(os.environ.get("NGB_ALL_CASES"), "NGB_ALL_CASES is not set")
    def test_compiled_for_any_batch_is_measured_beside_compiled_for_each(self):
        outcomes = self.run_study("""\
  - zoo: {conv_block: {width: 8, image_size: 16}}
  - {zoo: {conv_block: {width: 8, image_size: 16}}, dynamic_batch: true}
  - {timm: test_resnet, dynamic_batch: true}""", "[identity, onnxruntime, openvino, torch-compile, aotinductor, tvm]",
                                  batch_sizes="[1, 3]")
        static = {key: value[0] for key, value in outcomes.items() if "dynamic_batch" not in key[0]}
        self.assertEqual(set(static.values()), {None})
        for (model, compiler, batch), (kind, message, _) in outcomes.items():
            if "dynamic_batch" not in model:
                continue
            with self.subTest(model=model, compiler=compiler, batch=batch):
                expected = {"tvm": "invalid_option"}.get(compiler)
                if compiler == "torch-compile" and batch == 1:
                    expected = "fallback"
                self.assertEqual(kind, expected, message)
        labels = {row["model"] for row in self.show("results")["cells"]}
        self.assertEqual(len(labels), 3)

    @unittest.skipUnless(os.environ.get("NGB_ALL_CASES"), "NGB_ALL_CASES is not set")
    def test_the_light_models_of_the_onnx_package_agree_in_their_logits(self):
        names = ("densenet121", "inception_v1", "inception_v2", "resnet50", "shufflenet", "squeezenet")
        self.python(LIGHT.format(names=names))
        outcomes = self.run_study("\n".join(f"  - onnx: {name}.onnx" for name in names),
                                  "[identity, onnxruntime, openvino]", batch_sizes="1", reference="onnxruntime",
                                  tolerances="{absolute: 1e-3}")
        kinds = (None, "unsupported_operator", "internal")  # onnx2torch does not support all of them
        for (name, compiler, _), (kind, message, reference) in outcomes.items():
            with self.subTest(name=name, compiler=compiler):
                self.assertIn(kind, kinds if compiler == "identity" else (None,), message)
                if kind is None:
                    self.assertTrue(reference.startswith("onnxruntime "), reference)


    def test_the_first_line_of_a_failure_has_the_cause_and_the_users_own_line(self):
        self.write("nets.py", BROKEN)
        given = "shapes: {x: [batch, 4]}"
        outcomes = self.run_study(f"  - {{pytorch: 'nets.py:never', {given}}}\n  - {{pytorch: 'nets.py:late', {given}}}")
        self.assertEqual({(model, message.splitlines()[0]) for (model, _, _), (_, message, _) in outcomes.items()}, {
            ("nets:never", "nets.py:never failed: ZeroDivisionError: division by zero (nets.py, line 9: return Late(1 / 0))"),
            ("nets:late", "nets.py:late cannot be run on its example inputs: ValueError: no such head: 3 (nets.py, line 6: "
                          'raise ValueError("no such head:\\n3"))')})


BROKEN = """
import torch

class Late(torch.nn.Module):
    def forward(self, x):
        raise ValueError("no such head:\\n3")

def never():
    return Late(1 / 0)

def late():
    return Late()
"""
NO_ONNX = """
import torch

class Net(torch.nn.Module):
    def forward(self, x, *, scale):
        return {"values": torch.linalg.eigvalsh(x @ x.transpose(1, 2) * scale.abs()), "rest": (x + 1, [x.sum(), None])}

def net():
    return Net()
"""
# An operator that the identity lacks.
NO_IDENTITY = """
import onnx
from onnx import TensorProto, helper
node = helper.make_node("TfIdfVectorizer", ["x"], ["y"], mode="TF", min_gram_length=1, max_gram_length=1,
                        max_skip_count=0, ngram_counts=[0], ngram_indexes=[0, 1, 2], pool_int64s=[1, 2, 3])
graph = helper.make_graph([node], "grams", [helper.make_tensor_value_info("x", TensorProto.INT64, ["n", 6])],
                          [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["n", 3])])
onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9), "grams.onnx")
"""
# Weights are random instead of constant, and the softmax, which would then be nearly uniform, is removed.
LIGHT = """
import os, numpy, onnx
from onnx import numpy_helper
folder = os.path.join(os.path.dirname(onnx.__file__), "backend/test/data/light")
for name in {names}:
    model = onnx.load(os.path.join(folder, f"light_{{name}}.onnx"))
    graph, random = model.graph, numpy.random.default_rng(1)
    shapes = {{each.name: numpy_helper.to_array(each) for each in graph.initializer}}
    role = {{}}
    for node in graph.node:
        if node.op_type == "BatchNormalization":
            role.update(zip(node.input[1:5], ("scale", "bias", "mean", "var")))
    for node in [node for node in graph.node if node.op_type == "ConstantOfShape" and node.input[0] in shapes]:
        shape = [int(extent) for extent in shapes[node.input[0]]]
        values = random.standard_normal(shape) * (numpy.sqrt(2 / numpy.prod(shape[1:])) if len(shape) > 1 else 0.01)
        if role.get(node.output[0]) in ("scale", "var"):
            values = 1 + 0.1 * numpy.abs(random.standard_normal(shape))
        graph.initializer.append(numpy_helper.from_array(values.astype(numpy.float32), node.output[0]))
        graph.node.remove(node)
    last = graph.node[-1]
    if last.op_type == "Softmax":
        graph.output[0].name = last.input[0]
        graph.node.remove(last)
    given = {{each.name for each in graph.initializer}}
    for value in [value for value in graph.input if value.name in given]:
        graph.input.remove(value)
    model.ir_version = 8  # in version 3, initializers would have to be inputs
    onnx.save(model, f"{{name}}.onnx")
"""


if __name__ == "__main__":
    unittest.main()
