# SPDX-License-Identifier: Apache-2.0
"""Models that generate tokens: a repetition is a pass of steps, each of which feeds its outputs back."""

import json
import math
import pathlib
import struct
import subprocess
import unittest

from ngb_program import TOOLCHAINS, NgbTest, caching_cxx, toolchain, without_toolchains

HERE = pathlib.Path(__file__).resolve().parent
# The Python with transformers, which scripts/setup tests makes.
MADE_PYTHON = HERE.parents[1] / "build/dependencies/python/bin/python"

STUDY = """\
name: test
models:
  - zoo: {decoder: {width: 32, depth: 2, heads: 4, key_heads: 2, inner: 48, vocabulary: 50, positions: 256}}
    label: tiny
    phase: [prefill, decode]
    context: 20
    cache: %s
    new_tokens: 6
compilers: %s
batch_sizes: [2]
reference: %s
processes: 1
repetitions: 25
turns: 1
longer_look_s: 0
disturbance: {max_wait_percent: 100}
"""
BLOCKS, KEY_HEADS, HEAD_WIDTH, BATCH, FLOAT = 2, 2, 8, 2, 4
ROW_BYTES = 2 * BLOCKS * BATCH * KEY_HEADS * HEAD_WIDTH * FLOAT  # of keys and values


COMPARED = """select model.label, compiler, compared_elements from output_check join process using (process_key)
join cell using (cell_key) join model using (model_key)"""


class DecodingTest(NgbTest):
    def cells(self, cache, compilers, reference, code=0):
        """The cells of a study by model and compiler. Its run ends with this exit code."""
        self.write("study.yaml", STUDY % (cache, compilers, reference))
        ended = self.ngb("run", "study.yaml", "--no-report")
        self.assertEqual(ended.returncode, code, ended.stdout + ended.stderr)
        return {(cell["model"], cell["compiler_label"]): cell for cell in self.show("results/test")["cells"]}


class Decoding(DecodingTest):
    def test_what_a_first_visit_costs_is_in_the_first_pass_and_not_in_the_time_of_a_token(self):
        made_up = '["null": {options: {made_up_ns: 1000000, made_up_first_ns: 5000000}}]'
        cells = self.cells("delta", made_up, "none")
        told = {name: each["value"] for name, each in cells["tiny phase=decode", "null"]["metrics"].items()}
        self.assertAlmostEqual(told["first_pass_ratio"], 6, delta=0.06)  # half a percent of either
        self.assertAlmostEqual(told["time_per_token_s"], 0.001, delta=1e-5)
        self.assertAlmostEqual(told["time_per_token_p90_s"], 0.001, delta=1e-5)
        self.assertAlmostEqual(told["decode_tokens_per_s"], 2000, delta=20)
        self.assertEqual(told["cache_bytes"], 64 * ROW_BYTES)
        prompt = {name: each["value"] for name, each in cells["tiny phase=prefill", "null"]["metrics"].items()}
        self.assertAlmostEqual(prompt["prefill_tokens_per_s"], 2 * 20 / 0.001, delta=400)
        self.assertIsNone(prompt["time_per_token_s"])

    def test_the_best_form_of_a_cache_is_the_one_of_most_tokens(self):
        made_up = '["null": {options: {made_up_ns: 1000000}}]'
        cells = self.cells("best", made_up, "none")
        self.assertEqual({model.rpartition("=")[2] for model, _ in cells if "cache=" in model}, {"delta", "static", "scatter", "growing"})
        rows = [each for each in self.show("results/test")["series"]["values"] if each["series"] == "best_cache_ratio"]
        self.assertEqual(len(rows), 1)  # which of four alike is the first is chance
        self.assertAlmostEqual(rows[0]["value"], 1, delta=0.02)

    def test_what_a_cache_has_no_room_for_is_refused_before_anything_runs(self):
        self.write("study.yaml", (STUDY % ("static", '["null"]', "none")).replace("context: 20", "context: 20\n    capacity: 25"))
        ended = self.ngb("plan", "study.yaml")
        self.assertEqual(ended.returncode, 2)
        self.assertIn("a cache of 25 rows has no room for a context of 20 and 6 new tokens", ended.stderr)


@unittest.skipIf(without_toolchains("identity", "onnxruntime", "openvino"),
                 without_toolchains("identity", "onnxruntime", "openvino"))
class DecodingForReal(DecodingTest):
    """Every step's logits, and the rows that a pass adds to the cache, are compared with the identity's."""

    def test_compilers_generate_what_the_identity_generates_whoever_feeds_back(self):
        self.environment["NGB_TOOLCHAINS"] = str(TOOLCHAINS)
        cells = self.cells("[delta, static, scatter, growing]", "[identity, onnxruntime, openvino, onnx]", "identity", code=1)
        compared = {(label, compiler): count for label, compiler, count in self.query("results/test", COMPARED)}
        logits, rows = 6 * BATCH * 50, 6 * ROW_BYTES // FLOAT
        for form, compiler in ((form, compiler) for form in ("delta", "static", "scatter", "growing")
                               for compiler in ("identity", "onnxruntime", "openvino", "onnx")):
            with self.subTest(form=form, compiler=compiler):
                key = (f"tiny phase=decode cache={form}", compiler)
                cell = cells[key]
                if (form, compiler) == ("scatter", "openvino"):
                    self.assertEqual(cell["failure"]["kind"], "unsupported_operator")
                    continue
                self.assertIsNone(cell["failure"], cell["failure"])
                self.assertEqual(compared[key], logits + rows)
                metrics = {name: each["value"] for name, each in cell["metrics"].items()}
                copied = 0 if form != "delta" else ROW_BYTES
                if compiler == "onnx":  # the worker copies a whole cache; after the last step it has 26 rows
                    copied = {"delta": 1, "growing": 26}.get(form, 64) * ROW_BYTES
                self.assertEqual(metrics["copied_bytes_per_token"], copied)
                self.assertLess(metrics["max_absolute_error"], 1e-4)


FAST = """\
name: test
compilers: %s
batch_sizes: [2]
processes: 1
repetitions: 5
turns: 1
longer_look_s: 0
disturbance: {max_wait_percent: 100}
models:
"""
WHY_NOT = without_toolchains("identity", "onnxruntime", "openvino")


class FilesTest(DecodingTest):
    def setUp(self):
        super().setUp()
        self.environment["NGB_TOOLCHAINS"] = str(TOOLCHAINS)

    def identity(self):
        """The interpreter of the identity's toolchain and its packages."""
        return json.loads((TOOLCHAINS / toolchain("identity") / "manifest.json").read_text())["python"], self.site("identity")

    def site(self, name):
        folder = TOOLCHAINS / toolchain(name)
        return str(folder / json.loads((folder / "manifest.json").read_text())["site"])

    def make(self, python, script, *arguments):
        made = subprocess.run([python, "-B", HERE / script, *arguments], cwd=self.folder, timeout=1500, capture_output=True, text=True,
                              env={"HOME": str(self.folder)})
        if made.returncode == 77:
            self.skipTest(made.stdout.strip())
        self.assertEqual(made.returncode, 0, made.stderr)

    def run_files(self, entries, compilers="[identity, onnxruntime, openvino]"):
        """The cells by model and compiler, of entries as a study has them."""
        self.write("study.yaml", FAST % compilers + "".join(f"  - {{{entry}}}\n" for entry in entries))
        ended = self.ngb("run", "study.yaml", "--no-report", timeout=1500)
        self.assertIn(ended.returncode, (0, 1), ended.stdout + ended.stderr)
        self.assertNotIn("the file declares", ended.stdout)
        return {(cell["model"], cell["compiler_label"]): cell for cell in self.show("results/test")["cells"]}

    def refusal(self, entry, compilers="[onnxruntime]"):
        """What `ngb plan` says that it refuses."""
        self.write("study.yaml", FAST % compilers + f"  - {{{entry}}}\n")
        ended = self.ngb("plan", "study.yaml")
        self.assertEqual(ended.returncode, 2, ended.stdout + ended.stderr)
        return ended.stderr


@unittest.skipIf(WHY_NOT, WHY_NOT)
class NamesOfUsersFiles(FilesTest):
    def setUp(self):
        super().setUp()
        self.make(*self.identity()[:1], "decoder_files.py", self.identity()[1])

    def test_the_five_kinds_of_names_are_found_and_generate_the_same(self):
        """As optimum, transformers' exporter, seq2seq, mobius and genai name them. A library that cannot run a file says why."""
        files = ("optimum", "layers", "seq2seq", "mobius", "genai")
        more = {"seq2seq": ", dimensions: {encoder_sequence_length: 6}", "genai": ", dimensions: {kv_heads: 2, kv_cache_dim: 16}"}
        cells = self.run_files([f"onnx: {name}.onnx, context: 20, new_tokens: 8{more.get(name, '')}" for name in files])
        failures = {key: cell["failure"]["kind"] for key, cell in cells.items() if cell["failure"]}
        self.assertEqual({key for key, kind in failures.items() if key[1] == "onnxruntime"}, set())
        self.assertEqual({key for key in failures if key[0] in ("optimum", "layers", "seq2seq")}, set(), failures)
        for (name, compiler), cell in cells.items():
            if cell["failure"]:
                continue
            with self.subTest(name=name, compiler=compiler):
                metrics = {key: each["value"] for key, each in cell["metrics"].items()}
                self.assertGreater(metrics["time_per_token_s"], 0)
                self.assertLess(metrics["max_absolute_error"] or 0, 1e-4)
                self.assertEqual(metrics["copied_bytes_per_token"], 0)
        # Of optimum's: three weights of 32 by 32, the head, a row of the table for each sample, and the context; and a few shapes.
        read = cells["optimum", "onnxruntime"]["metrics"]["bytes_per_token"]["value"]
        self.assertAlmostEqual(read, FLOAT * (3 * 32 * 32 + 32 * 50 + BATCH * 32 + 2 * BATCH * 20 * 32), delta=200)

    def test_a_merged_file_reads_a_prompt_without_its_past_and_generates_with_it(self):
        cells = self.run_files(["onnx: merged.onnx, phase: [prefill, decode], context: 20, new_tokens: 8"], "[onnxruntime, openvino]")
        self.assertEqual({key: cell["failure"] for key, cell in cells.items()}, dict.fromkeys(cells))
        self.assertGreater(cells["merged phase=prefill", "onnxruntime"]["metrics"]["prefill_tokens_per_s"]["value"], 0)
        self.assertGreater(cells["merged phase=decode", "onnxruntime"]["metrics"]["decode_tokens_per_s"]["value"], 0)

    def test_a_file_of_openvino_keeps_its_cache_as_a_state(self):
        """As optimum-intel writes it. Each sample goes on with its own cache; nothing else can judge the file."""
        python, packages = self.identity()
        self.make(python, "stateful_decoder.py", "optimum", self.site("openvino"), packages)
        cells = self.run_files(["file: optimum.xml, context: [20, 40], new_tokens: 8"], "[identity, openvino]")
        self.assertEqual(set(cells), {(f"optimum.xml context={tokens}", "openvino") for tokens in (20, 40)})
        for cell in cells.values():
            self.assertIsNone(cell["failure"])
            metrics = {name: each["value"] for name, each in cell["metrics"].items()}
            self.assertGreater(metrics["decode_tokens_per_s"], 0)
            self.assertEqual(metrics["copied_bytes_per_token"], 0)
            self.assertIsNone(metrics["cache_bytes"])
            self.assertEqual(cell["metrics"]["cache_bytes"]["reason"], "the model does not tell it")
        again = self.ngb("plan", "results/test/study.json")
        self.assertEqual(again.returncode, 0, again.stderr)
        ended = self.ngb("run", "optimum.xml", "--dry-run", "-o", "kept")
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertIn("optimum.xml keeps a cache; chosen: 32 tokens after a context of 128", ended.stderr)
        for entry, why in (("file: optimum.xml, phase: prefill", "each prompt would follow the one before; measure decode only"),
                           ("file: optimum.xml, cache: delta", "so its form is stateful, not delta"),
                           ("file: optimum.xml, shapes: {input_ids: [batch, 4]}", "follow from context; remove the key shapes")):
            self.assertIn(why, self.refusal(entry, "[openvino]"))

    def test_a_study_may_name_the_cache_and_genais_file_may_write_into_one_buffer(self):
        names = "cache: {past: 'memory_{layer}_{part}', present: 'next_{layer}_{part}'}"
        sizes = "dimensions: {kv_heads: 2, kv_cache_dim: 16}, context: 20, new_tokens: 8"
        cells = self.run_files([f"onnx: renamed.onnx, {names}, context: 20, new_tokens: 8",
                                f"onnx: genai.onnx, cache: [growing, static], {sizes}"], "[onnxruntime]")
        self.assertEqual({key: cell["failure"] for key, cell in cells.items()}, dict.fromkeys(cells))
        of_cache = 2 * BATCH * 2 * 16 * FLOAT  # keys and values of a row
        read = {name: cell["metrics"]["cache_bytes"]["value"] for (name, _), cell in cells.items()}
        self.assertEqual(read, {"renamed": 28 * of_cache, "genai cache=growing": 28 * of_cache, "genai cache=static": 64 * of_cache})

    def test_what_cannot_be_is_refused_with_what_to_do(self):
        self.assertIn("its cache does not pair: inputs without an output: past_key_values.0.key, past_key_values.0.value; outputs "
                      "without an input: logits, present.0.key, present.0.value; name them in the model's entry, as in cache: ",
                      self.refusal("onnx: optimum.onnx, cache: {past: 'past_key_values.{layer}.{part}', present: '{part}'}"))
        self.assertIn("no input is a cache; inputs: input_ids, attention_mask, memory_0_a, memory_0_b; outputs: logits, next_0_a, next_0_b; "
                      "name them in the model's entry", self.refusal("onnx: renamed.onnx, cache: auto"))
        self.assertIn("an extent of \"past_key_values.0.key\" is open: kv_heads; give its name a size there",
                      self.refusal("onnx: genai.onnx, cache: auto"))
        self.assertIn("a cache of 64 rows has no room for a context of 60 and 8 new tokens",
                      self.refusal("onnx: mobius.onnx, context: 60, new_tokens: 8"))
        self.assertIn("models[0].new_tokens: expected", self.refusal("onnx: optimum.onnx, new_tokens: 0"))

    def test_a_file_alone_is_measured_as_one_that_generates(self):
        ended = self.ngb("run", "optimum.onnx", "--compiler", "onnxruntime", "--dry-run", "-o", "one")
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertIn("optimum.onnx has a cache; chosen: cache: auto", ended.stderr)

    def test_a_file_alone_that_needs_other_sizes_is_an_inference_by_itself(self):
        ended = self.ngb("run", "seq2seq.onnx", "--compiler", "onnxruntime", "--dry-run", "-o", "other")
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertNotIn("has a cache", ended.stderr)
        self.assertIn("encoder_sequence_length", ended.stderr)


@unittest.skipIf(WHY_NOT, WHY_NOT)
@unittest.skipUnless(MADE_PYTHON.exists(), "scripts/setup tests installs transformers")
class ExportedDecoders(FilesTest):
    """Files that exporters have written, beside what transformers computes of the same tokens."""

    def assert_logits(self, label, name, kind, shape):
        """Those of the reference's outputs with this shape are what transformers has computed."""
        count = math.prod(shape)
        expected = self.floats(f"{name}_{kind}.npy", count)
        errors = [max(abs(a - b) for a, b in zip(values, expected)) for values in self.references()[shape]]
        self.assertLess(min(errors), 1e-4, label)

    def references(self):
        """The first output of each reference file: {shape: [values]}."""
        found = {}
        for path in pathlib.Path(self.environment["HOME"]).rglob("references/*.ref"):
            data = path.read_bytes()
            (length,) = struct.unpack("<I", data[8:12])
            shape = json.loads(data[12:12 + length])["outputs"][0]["shape"]
            count = math.prod(shape)
            found.setdefault(tuple(shape), []).append(struct.unpack(f"<{count}f", data[12 + length:12 + length + 4 * count]))
        return found

    def floats(self, name, count):
        data = (self.folder / name).read_bytes()
        return struct.unpack(f"<{count}f", data[-4 * count:])

    def test_logits_of_a_prompt_and_of_ten_steps_are_those_of_transformers(self):
        self.make(MADE_PYTHON, "exported_decoders.py", self.identity()[1])
        steps, prompt = "context: 20, new_tokens: 10", "phase: prefill, context: 20, inputs: {input_ids: prompt.npy}"
        parts = [f"past_key_values.{layer}.{part}" for layer in (0, 1) for part in ("key", "value")]
        entries = [entry for name in ("gpt2", "llama")
                   for given in [", ".join(f"{each}: {name}_past.npz" for each in ("input_ids", *parts))]
                   for entry in (f"onnx: {name}.onnx, label: {name}, {steps}, inputs: {{{given}}}",
                                 f"onnx: {name}.onnx, label: {name} prompt, {prompt}")]
        entries.append(f"onnx: by_transformers/model.onnx, label: by_transformers, {steps}")
        cells = self.run_files(entries, "[identity, onnxruntime, openvino, xla]")
        wrong = {key: cell["failure"] for key, cell in cells.items() if cell["failure"] and key[1] != "xla"}
        self.assertEqual(wrong, {})
        for key, cell in cells.items():
            if key[1] == "xla" and "prompt" not in key[0]:
                self.assertIn("compiles for one shape, and a growing cache has another one at each step", cell["failure"]["message"])
        for name in ("gpt2", "llama"):
            for kind, shape in (("steps", (10, BATCH, 1, 199)), ("prompt", (BATCH, 20, 199))):
                self.assert_logits(f"{name} {kind}", name, kind, shape)
        self.assertIn("input \"position_ids\" goes to 139, its table has rows 0 to 127; choose a smaller context, fewer new_tokens, "
                      "or other ranges",
                      self.refusal("onnx: gpt2.onnx, context: 120, new_tokens: 20"))

    def run_module(self, name, key_heads, forms, compilers):
        """Measure a module with these forms of its cache, "prompt" being none, and compare it with transformers' own loop."""
        place = next(MADE_PYTHON.parents[1].glob("lib/python3*/site-packages"))
        self.write("networks.py", (HERE / "module_decoders.py").read_text().replace("PLACE OF TRANSFORMERS", str(place)))
        self.make(MADE_PYTHON, self.folder / "networks.py", self.identity()[1])
        parts = ["input_ids", *(f"past_key_values.{layer}.{part}" for layer in (0, 1) for part in ("key", "value"))]
        keys = {form: f"cache: {form}, new_tokens: 10{more}, inputs: {{{', '.join(f'{each}: {name}_{form}.npz' for each in parts)}}}"
                for form, more in (("growing", ""), ("static", ", capacity: 32"))}
        keys["prompt"] = "phase: prefill, inputs: {input_ids: prompt.npy}"
        cells = self.run_files([f"pytorch: networks.py:{name}, label: {form}, context: 20, {keys[form]}, dimensions: "
                                f"{{layers: 2, key_heads: {key_heads}, head_size: 16, vocabulary: 199}}" for form in forms], compilers)
        wrong = {key: cell["failure"]["message"] for key, cell in cells.items() if cell["failure"]}
        self.assertEqual(wrong, {})
        for form in forms:
            kind, shape = ("prompt", (BATCH, 20, 199)) if form == "prompt" else ("steps", (10, BATCH, 1, 199))
            self.assert_logits(f"{name} {form}", name, kind, shape)
        self.assertEqual(sum(len(each) for each in self.references().values()), len(forms))

    def test_a_llama_of_transformers_generates_with_either_cache_as_in_its_own_loop(self):
        self.run_module("llama", 2, ("growing", "static"), "[identity, onnxruntime, openvino]")

    def test_a_gpt2_of_transformers_reads_a_prompt_and_generates_as_in_its_own_loop(self):
        self.run_module("gpt2", 4, ("prompt", "growing"), "[identity, onnxruntime]")

    def test_compilers_of_pytorch_write_a_static_cache_as_transformers_does(self):
        self.environment["CXX"] = caching_cxx(self.folder)
        self.run_module("llama", 2, ("static",), "[identity, torchscript, torch-compile, aotinductor]")

    def test_a_module_that_does_not_decode_so_is_refused_with_what_it_has(self):
        place = next(MADE_PYTHON.parents[1].glob("lib/python3*/site-packages"))
        self.write("networks.py", (HERE / "module_decoders.py").read_text().replace("PLACE OF TRANSFORMERS", str(place)))
        of = "dimensions: {layers: 2, key_heads: 4, head_size: 16, vocabulary: 199}"
        self.assertIn("layers is missing", self.refusal("pytorch: networks.py:gpt2, context: 20"))
        self.assertIn("has no delta cache; write growing", self.refusal(f"pytorch: networks.py:gpt2, {of}, cache: delta"))
        self.assertIn("a cache of 32 rows has no room for a context of 20 and 32 new tokens",
                      self.refusal(f"pytorch: networks.py:gpt2, {of}, context: 20, cache: static, capacity: 32"))
        self.assertIn("follow from context, cache and dimensions",
                      self.refusal(f"pytorch: networks.py:gpt2, {of}, context: 20, shapes: {{input_ids: [batch, 1]}}"))
        cells = self.run_files([f"pytorch: networks.py:linear, label: linear, {of}, context: 20",
                                f"pytorch: networks.py:llama, label: llama, {of}, context: 20",
                                f"pytorch: networks.py:gpt2, label: gpt2, {of}, context: 120, new_tokens: 20"], "[identity]")
        told = {name: cell["failure"]["message"] + " " + cell["failure"]["advice"] for (name, _), cell in cells.items()}
        self.assertIn("networks.py:linear returned a Linear, which is no language model of transformers", told["linear"])
        self.assertIn("write dimensions: {layers: 2, key_heads: 2, head_size: 16, vocabulary: 199}", told["llama"])
        self.assertIn("networks.py:gpt2 has 128 places, and the study needs 140", told["gpt2"])


if __name__ == "__main__":
    unittest.main()
