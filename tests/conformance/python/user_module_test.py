# SPDX-License-Identifier: Apache-2.0
"""Users' PyTorch modules: the exported file and the module itself, compared by numpy's reading of the file
(onnx.reference); and what users do wrong."""
import json
import os
import sys
import tempfile
import unittest

from toolchain import LIB, toolchain_or_skip

FOLDER = os.path.join(LIB, "compilers", "identity")
_, SITE = toolchain_or_skip("identity", "torch")
sys.path.insert(0, SITE)
os.environ["OPENBLAS_NUM_THREADS"] = "1"

import numpy  # noqa: E402
import onnx  # noqa: E402
import torch  # noqa: E402
from onnx.reference import ReferenceEvaluator  # noqa: E402

from ngraphbench.adaptor import CompilerError  # noqa: E402
from ngraphbench.hosting import Host  # noqa: E402

NET = """\
import dataclasses
import torch
from blocks import Residual


class Encoder(torch.nn.Module):
    def __init__(self, width):
        super().__init__()
        self.embed = torch.nn.Embedding(50, width)
        self.block = Residual(width)

    def forward(self, ids, mask, scale=None):
        if ids.shape[1] > 16:
            raise ValueError("sequences of more than 16 tokens")
        hidden = self.block(self.embed(ids)) * mask.unsqueeze(-1)
        return hidden.sum(1), hidden


def encoder(width=4):
    return Encoder(width)


def example_inputs(batch):
    return {"mask": torch.ones(batch, 3), "ids": torch.zeros(batch, 3, dtype=torch.int64)}


def raises():
    return helper()


def helper():
    raise ValueError("no such width")


def returns_nothing():
    pass


def returns_a_loss():
    class Loss(torch.nn.Module):
        def forward(self, ids, mask):
            return {"hidden": mask, "losses": [mask.mean(), float(mask.mean())]}
    return Loss()


@dataclasses.dataclass
class Found:
    boxes: torch.Tensor
    scores: torch.Tensor = None
    count: torch.Tensor = None


class Nested(torch.nn.Module):
    # By keyword: mask, and scale through the dict of all others.

    def forward(self, ids, *, mask, **others):
        hidden = ids.unsqueeze(-1) * mask.unsqueeze(-1) * others["scale"]
        return {"logits": hidden, "states": (hidden + 1, [hidden + 2, None]), "found": Found(hidden * 2, count=ids + 1)}


def nested():
    return Nested()


def needs_dynamo():
    class Rms(torch.nn.Module):
        # Has an operator that only the exporter with dynamo=True knows.
        def forward(self, ids, mask):
            return torch.nn.functional.grid_sample(mask[None, None], torch.stack([mask, mask], -1)[None]).sum(), \
                torch.fft.rfft(mask).abs()
    return Rms()


def without_exporter():
    class Sorted(torch.nn.Module):
        # Has an operator that no exporter knows.
        def forward(self, ids, mask):
            values = torch.linalg.eigvalsh(mask.T @ mask)
            return {"values": values, "mask": mask + 1}
    return Sorted()
"""
BLOCKS = """\
import torch


class Residual(torch.nn.Module):
    def __init__(self, width):
        super().__init__()
        self.linear = torch.nn.Linear(width, width)

    def forward(self, x):
        return x + torch.relu(self.linear(x))
"""
INPUTS = [{"name": "ids", "type": "i64", "shape": [-1, 5]}, {"name": "mask", "type": "f32", "shape": [-1, 5]}]


class UserModule(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.path = os.path.join(self.folder, "model.onnx")
        self.write("blocks.py", BLOCKS)
        self.addCleanup(self.forget)
        self.host = Host(FOLDER)

    def forget(self):
        """What only this test's files are."""
        for name in ("user_model", "blocks"):
            sys.modules.pop(name, None)
        sys.path[:] = [path for path in sys.path if not path.startswith(self.folder)]

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def recipe(self, factory="encoder", source=NET, **changes):
        described = {"file": self.write("net.py", source), "factory": factory, "parameters": {}, "seed": 1,
                     "inputs": INPUTS}
        described.update(changes)
        return {"module": described}

    def export(self, recipe, batch=2, dynamic_batch=False):
        return self.host.module("export").write(recipe, batch, dynamic_batch, 1, self.path)

    def refusal(self, recipe, **arguments):
        with self.assertRaises(CompilerError) as caught:
            self.export(recipe, **arguments)
        return caught.exception

    def infer(self, recipe, signatures, inputs):
        """{output: array} of the identity's session on the module."""
        session = self.host.open(SITE, "cpu", "f32", 1, {})
        try:
            session.compile(self.path, json.dumps(recipe),
                            [(row["name"], row["type"], tuple(row["shape"])) for row in signatures], "")
            session.bind([(row["name"], row["type"], inputs[row["name"]].shape,
                           memoryview(inputs[row["name"]]).cast("B").toreadonly()) for row in signatures])
            session.runner()()
            return {name: numpy.frombuffer(data, numpy.float32).reshape(shape)
                    for name, dtype, shape, data in session.read()}
        finally:
            session.close()

    def inputs(self, batch, length=5):
        random = numpy.random.default_rng(1)
        return {"ids": random.integers(0, 50, (batch, length)),
                "mask": (random.random((batch, length)) > 0.3).astype(numpy.float32)}

    def assert_same(self, recipe, batch, dynamic_batch=False):
        written = self.export(recipe, 2, dynamic_batch)
        model = onnx.load(self.path)
        onnx.checker.check_model(model)
        inputs = self.inputs(batch)
        expected = ReferenceEvaluator(model).run(None, inputs)
        signatures = written["open_inputs"] if dynamic_batch else written["inputs"]
        actual = self.infer(recipe, signatures, inputs)
        self.assertEqual(list(actual), [output.name for output in model.graph.output])
        for output, value in zip(actual.values(), expected):
            numpy.testing.assert_allclose(output, value, rtol=1e-4, atol=1e-5)

    def test_the_file_computes_what_the_module_does(self):
        recipe = self.recipe()
        self.assert_same(recipe, 2)
        self.assertEqual([value.name for value in onnx.load(self.path).graph.input], ["ids", "mask"])

    def test_a_file_for_any_batch_runs_at_each(self):
        for batch in (1, 7):
            self.assert_same(self.recipe(), batch, dynamic_batch=True)

    def test_outputs_are_flattened_in_order_and_inputs_given_by_keyword(self):
        rows = [{"name": name, "type": "f32", "shape": [-1, 3]} for name in ("mask", "scale", "ids")]
        rows[1]["shape"] = [-1, 1, 1]
        recipe = self.recipe("nested", inputs=rows)
        written = self.export(recipe)
        self.assertEqual([row["name"] for row in written["inputs"]], ["ids", "mask", "scale"])
        names = ["logits", "states.0", "states.1.0", "found.boxes", "found.count"]
        self.assertEqual(written["outputs"], names)
        self.assertEqual(written["exporter"], "tracing")
        inputs = {"ids": numpy.full((2, 3), 2, numpy.float32), "mask": numpy.full((2, 3), 3, numpy.float32),
                  "scale": numpy.full((2, 1, 1), 5, numpy.float32)}
        expected = [30, 31, 32, 60, 3]
        exported = ReferenceEvaluator(onnx.load(self.path)).run(None, inputs)
        self.assertEqual([float(each.flat[0]) for each in exported], expected)
        actual = self.infer(recipe, written["inputs"], inputs)
        self.assertEqual(list(actual), names)
        self.assertEqual([float(each.flat[0]) for each in actual.values()], expected)

    def test_a_module_that_cannot_be_traced_is_exported_by_the_other_exporter(self):
        written = self.export(self.recipe("needs_dynamo"))
        self.assertEqual(written["exporter"], "dynamo")
        self.assert_same(self.recipe("needs_dynamo"), 2)

    def test_a_module_that_no_exporter_can_write_runs_all_the_same(self):
        recipe = self.recipe("without_exporter")
        written = self.export(recipe)
        self.assertFalse(os.path.exists(self.path))
        self.assertEqual(written["no_file"]["kind"], "unsupported_operator")
        for said in ("torch.onnx.export cannot export this module; tracing: ", "; dynamo: "):
            self.assertIn(said, written["no_file"]["message"])
        with open(self.path + ".json", encoding="utf-8") as file:
            self.assertEqual(json.load(file), {key: written[key] for key in ("inputs", "open_inputs", "outputs")})
        inputs = self.inputs(2)
        actual = self.infer(recipe, written["inputs"], inputs)
        numpy.testing.assert_allclose(actual["values"], numpy.linalg.eigvalsh(inputs["mask"].T @ inputs["mask"]),
                                      atol=1e-5)

    def test_weights_come_from_the_seed_or_the_state_dict(self):
        make = self.host.module("user_module").make
        first, again, other = (make(self.recipe(seed=seed)["module"]) for seed in (1, 1, 2))
        self.assertTrue(torch.equal(first.embed.weight, again.embed.weight))
        self.assertFalse(torch.equal(first.embed.weight, other.embed.weight))
        path = os.path.join(self.folder, "weights.pt")
        for saved in (other.state_dict(), {"epoch": 3, "state_dict": other.state_dict()}):
            torch.save(saved, path)
            loaded = make(self.recipe(state_dict=path)["module"])
            self.assertTrue(torch.equal(loaded.embed.weight, other.embed.weight))

    def test_the_files_own_example_inputs_give_names_types_and_shapes(self):
        written = self.export(self.recipe(inputs=None), batch=4)
        self.assertEqual(written["inputs"], [{"name": "ids", "type": "i64", "shape": [4, 3]},
                                             {"name": "mask", "type": "f32", "shape": [4, 3]}])

    def test_timms_models_know_their_inputs(self):
        recipe = {"module": {"timm": "resnet10t", "parameters": {"num_classes": 5, "in_chans": 1}, "seed": 1}}
        written = self.export(recipe, 2, True)
        self.assertEqual(written["inputs"], [{"name": "input", "type": "f32", "shape": [2, 1, 176, 176]}])
        self.assertEqual(written["open_inputs"][0]["shape"], [-1, 1, 176, 176])
        error = self.refusal({"module": {"timm": "resnet10tt", "parameters": {}, "seed": 1}})
        self.assertIn("has no model resnet10tt", error.message)
        self.assertIn("resnet10t", error.advice)
        error = self.refusal({"module": {"timm": "resnet10t", "parameters": {"depth": 3}, "seed": 1}})
        self.assertIn("unexpected keyword argument 'depth'", error.message)

    def test_what_the_users_code_raises_is_one_line_with_the_line_of_the_file(self):
        error = self.refusal(self.recipe("raises"))
        self.assertEqual(error.kind, "invalid_model")
        self.assertEqual(error.message, "net.py:raises failed: ValueError: no such width (net.py, line 32: raise "
                                        'ValueError("no such width"))')

    def test_a_file_that_cannot_be_imported_is_shown_likewise(self):
        error = self.refusal(self.recipe(source="import torch\nimport absent_package\n"))
        self.assertEqual(error.message, "net.py cannot be imported: ModuleNotFoundError: No module named 'absent_package' (net.py, "
                                        "line 2: import absent_package)")
        error = self.refusal(self.recipe(source="def f(:\n"))
        self.assertIn("SyntaxError", error.message)
        self.assertIn("(net.py, line 1)", error.message)

    def test_what_is_no_model_is_one_sentence(self):
        absent = os.path.join(self.folder, "w.pt")
        torch.save({"embed.weight": torch.zeros(50, 9)}, absent)
        letter = self.write("letter.pt", "Dear PyTorch\n")
        long = [{"name": "ids", "type": "i64", "shape": [-1, 17]}, {"name": "mask", "type": "f32", "shape": [-1, 17]}]
        for recipe, said in (
                (self.recipe("absent"), "net.py has no function absent"),
                (self.recipe("returns_nothing"), "net.py:returns_nothing returned nothing, not a torch.nn.Module"),
                (self.recipe("returns_a_loss"),
                 'the module returns a float in "losses.1", which is no tensor'),
                (self.recipe(parameters={"depth": 1}), "unexpected keyword argument 'depth'"),
                (self.recipe(state_dict=letter), "letter.pt is not a file of weights"),
                (self.recipe(state_dict=absent), "w.pt does not fit the module"),
                (self.recipe(inputs=[dict(INPUTS[0], name="tokens"), INPUTS[1]]),
                 "takes the arguments ids, mask, scale; given were tokens, mask"),
                (self.recipe(inputs=long), "ValueError: sequences of more than 16 tokens"),
                (self.recipe(source=NET.replace("def example_inputs", "def examples"), inputs=None),
                 "net.py has no function example_inputs")):
            self.forget()
            error = self.refusal(recipe)
            self.assertEqual(error.kind, "invalid_model")
            self.assertIn(said, error.message)
            self.assertNotIn("export.py", error.message)


if __name__ == "__main__":
    unittest.main()
