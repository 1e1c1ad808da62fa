# SPDX-License-Identifier: Apache-2.0
"""The recipe `decoder` against transformers' GPT2LMHeadModel and LlamaForCausalLM with the same weights: logits of a prefill
and of the 32 steps after it, two samples, in each form of the cache.

decoder_against_transformers.py WRITE_RECIPE   Exit code 77: transformers or the toolchains are not installed (the reason is
printed).
"""
import sys
import tempfile
from pathlib import Path

import real_modules as real
import numpy as np
import onnx
import onnxruntime
import openvino
import torch
from onnx.reference import ReferenceEvaluator

try:
    import transformers
except ImportError as missing:
    print(f"skipped: {missing}; scripts/setup tests installs transformers")
    sys.exit(77)

BATCH, PREFILL, STEPS, CAPACITY = 2, 17, 32, 64
LIMIT = 1e-5  # of the largest logit
SIZE = dict(width=64, depth=2, heads=4, key_heads=2, inner=96, vocabulary=199, positions=80)
ARCHITECTURES = {"llama": SIZE, "gpt": {**SIZE, "key_heads": 4}}
FORMS = ("delta", "growing", "static", "scatter")
# OpenVINO 2026.4 reads no TensorScatter.
RUNNERS = {"module": FORMS, "onnxruntime": FORMS, "openvino": ("delta", "growing", "static")}


def llama(size, weight):
    model = transformers.LlamaForCausalLM(transformers.LlamaConfig(
        vocab_size=size["vocabulary"], hidden_size=size["width"], num_hidden_layers=size["depth"],
        num_attention_heads=size["heads"], num_key_value_heads=size["key_heads"], intermediate_size=size["inner"],
        max_position_embeddings=size["positions"], rms_norm_eps=1e-6, rope_theta=10000.0, tie_word_embeddings=False))
    names = {"input_layernorm": "norm1", "post_attention_layernorm": "norm2", "self_attn.q_proj": "attn.q",
             "self_attn.k_proj": "attn.k", "self_attn.v_proj": "attn.v", "self_attn.o_proj": "attn.proj",
             "mlp.gate_proj": "mlp.gate", "mlp.up_proj": "mlp.up", "mlp.down_proj": "mlp.down"}
    weights = {"model.embed_tokens.weight": weight["embed.weight"], "model.norm.weight": weight["norm.weight"],
               "lm_head.weight": weight["head.weight"]}
    for i in range(size["depth"]):
        for theirs, ours in names.items():
            weights[f"model.layers.{i}.{theirs}.weight"] = weight[f"blocks.{i}.{ours}.weight"]
    model.load_state_dict(weights, strict=True)
    return model.eval()


def gpt(size, weight):
    model = transformers.GPT2LMHeadModel(transformers.GPT2Config(
        vocab_size=size["vocabulary"], n_embd=size["width"], n_layer=size["depth"], n_head=size["heads"],
        n_inner=size["inner"], n_positions=size["positions"]))
    weights = {"transformer.wte.weight": weight["embed.weight"], "lm_head.weight": weight["embed.weight"],
               "transformer.wpe.weight": weight["places.weight"]}
    for part in ("weight", "bias"):
        weights[f"transformer.ln_f.{part}"] = weight[f"norm.{part}"]
        for i in range(size["depth"]):
            ours = {name: weight[f"blocks.{i}.{name}.{part}"] for name in
                    ("norm1", "norm2", "attn.q", "attn.k", "attn.v", "attn.proj", "mlp.up", "mlp.down")}
            theirs = {"ln_1": ours["norm1"], "ln_2": ours["norm2"],
                      "attn.c_attn": torch.cat([ours["attn.q"], ours["attn.k"], ours["attn.v"]]),
                      "attn.c_proj": ours["attn.proj"], "mlp.c_fc": ours["mlp.up"], "mlp.c_proj": ours["mlp.down"]}
            for name, value in theirs.items():  # theirs are [in, out], except those of the norms
                weights[f"transformer.h.{i}.{name}.{part}"] = value.T if value.dim() > 1 else value
    model.load_state_dict(weights, strict=True)
    return model.eval()


class Steps:
    """Generates with one form of the cache: a prefill, then a token at a time. Each step is a file of its own."""

    def __init__(self, write_recipe, folder, architecture, form):
        self._write_recipe, self._folder = write_recipe, folder
        self._architecture, self._form = architecture, form
        self.size = ARCHITECTURES[architecture]
        self._made = {}

    def file(self, tokens, context):
        """Return what runs a step: its path and what write_recipe said of it."""
        parameters = {**self.size, "architecture": self._architecture, "cache": self._form, "tokens": tokens}
        if self._form == "growing":
            parameters["context"] = context
        elif not (self._form == "delta" and context == 0):
            parameters.update(capacity=CAPACITY, context=0)
        else:
            parameters["context"] = 0
        key = (tokens, parameters.get("context"), parameters.get("capacity"))
        if key not in self._made:
            path = self._folder / f"{self._architecture}-{self._form}-{'-'.join(map(str, key))}.onnx"
            self._made[key] = path, real.write(self._write_recipe, "decoder", parameters, 3, BATCH, path)
        return self._made[key]

    def logits(self, ids, make_runner):
        """Return the logits of all tokens. The rows of a cache that are not filled yet hold 1e3."""
        shape = (BATCH, self.size["key_heads"], CAPACITY, self.size["width"] // self.size["heads"])
        cache = [np.full(shape, 1e3, np.float32) for _ in range(2 * self.size["depth"])]
        runners, found = {}, []
        for first, last in [(0, PREFILL), *((i, i + 1) for i in range(PREFILL, PREFILL + STEPS))]:
            path, told = self.file(last - first, first)
            if path not in runners:
                runners[path] = make_runner(path, told)
            past = [] if first == 0 and self._form in ("delta", "growing") else cache
            logits, *rows = runners[path]([ids[:, first:last], np.full(BATCH, first), *past])
            found.append(logits)
            if self._form == "delta":
                for whole, new in zip(cache, rows):
                    whole[:, :, first:last] = new
            else:
                cache = rows
        return np.concatenate(found, 1)


def of_module(path, told):
    module = real.module_of(told, path)

    def run(inputs):
        with torch.no_grad():
            return [output.numpy() for output in module(*map(torch.from_numpy, inputs))]
    return run


def of_onnxruntime(path, _told):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3  # TensorScatter warns that it copies the cache, which is not bound as its output here
    session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    names = [each.name for each in session.get_inputs()]
    return lambda inputs: session.run(None, dict(zip(names, inputs)))


def of_openvino(path, _told):
    compiled = openvino.Core().compile_model(str(path), "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
    return lambda inputs: [np.array(each) for each in compiled(inputs).values()]


def of_reference(path, _told):
    evaluator = ReferenceEvaluator(onnx.load(str(path)))
    return lambda inputs: evaluator.run(None, dict(zip(evaluator.input_names, inputs)))


MAKE = {"module": of_module, "onnxruntime": of_onnxruntime, "openvino": of_openvino, "reference": of_reference}


def input_shapes(path):
    graph = onnx.load(str(path), load_external_data=False).graph
    return [[extent.dim_value for extent in each.type.tensor_type.shape.dim] for each in graph.input]


def compare(label, found, expected):
    error = np.abs(found - expected).max() / np.abs(expected).max()
    print(f"{label:40s} {error:.1e} of the largest logit")
    assert found.shape == expected.shape, f"{label}: {found.shape}, not {expected.shape}"
    assert error <= LIMIT, f"{label} differs from transformers"


def check(steps, architecture, form, ids):
    path, told = steps.file(1, PREFILL)
    real.check_onnx(path)
    module = real.module_of(told, path)
    assert told["parameters"] == sum(value.numel() for value in module.parameters())
    step = [np.zeros(shape, np.int64 if i < 2 else np.float32) for i, shape in enumerate(input_shapes(path))]
    assert told["macs"] == real.counted_macs(module, *step), f"{told['macs']} MACs, not what torch counts"
    teacher = (llama if architecture == "llama" else gpt)(steps.size, module.state_dict())
    assert told["parameters"] == teacher.num_parameters(), f"{told['parameters']}, not {teacher.num_parameters()}"
    with torch.no_grad():
        expected = teacher(torch.from_numpy(ids)).logits.numpy()
    for runner, forms in RUNNERS.items():
        if form in forms:
            compare(f"{architecture}, {form}, {runner}", steps.logits(ids, MAKE[runner]), expected)
    return expected


def main():
    torch.set_num_threads(1)
    torch.set_grad_enabled(False)
    ids = np.random.default_rng(1).integers(0, SIZE["vocabulary"], (BATCH, PREFILL + STEPS))
    for architecture in ARCHITECTURES:
        for form in FORMS:
            with tempfile.TemporaryDirectory() as folder:
                steps = Steps(Path(sys.argv[1]), Path(folder), architecture, form)
                expected = check(steps, architecture, form, ids)
                compare(f"{architecture}, {form}, onnx's reference", steps.logits(ids, of_reference), expected)
    print("all equal")


main()
