# SPDX-License-Identifier: Apache-2.0
"""Exports a GPT-2 and a llama of transformers with random weights as optimum (by TorchScript), PyTorch's dynamo and transformers'
own exporter write them, into the working folder, with what transformers computes: NAME.onnx, NAME_past.npz (the cache after a
prompt, and the token of each step), NAME_steps.npy and NAME_prompt.npy (logits). prompt.npy has the prompt's tokens.

exported_decoders.py SITE   SITE: a folder with torch, onnx and numpy. Exit code 77: transformers is not installed."""
import sys

sys.path.append(sys.argv[1])
import numpy as np  # noqa: E402
import torch  # noqa: E402

try:
    import transformers
except ImportError as missing:
    print(f"skipped: {missing}; scripts/setup tests installs transformers")
    sys.exit(77)
BATCH, CONTEXT, STEPS, LAYERS, WORDS, TOKEN = 2, 20, 10, 2, 199, 7
PARTS = [f"{layer}.{part}" for layer in range(LAYERS) for part in ("key", "value")]
ROWS = "past_sequence_length"


def networks():
    torch.manual_seed(1)
    common = dict(vocab_size=WORDS, bos_token_id=0, eos_token_id=0)
    gpt2 = transformers.GPT2LMHeadModel(transformers.GPT2Config(n_embd=64, n_layer=LAYERS, n_head=4, n_positions=128, **common))
    llama = transformers.LlamaForCausalLM(transformers.LlamaConfig(
        hidden_size=64, num_hidden_layers=LAYERS, num_attention_heads=4, num_key_value_heads=2, intermediate_size=96,
        max_position_embeddings=128, **common))
    return {"gpt2": gpt2.eval().requires_grad_(False), "llama": llama.eval().requires_grad_(False)}


def cache_of(tensors):
    cache = transformers.DynamicCache()
    for layer in range(LAYERS):
        cache.update(tensors[2 * layer], tensors[2 * layer + 1], layer)
    return cache


def tensors_of(cache):
    return [tensor for layer in cache.layers for tensor in (layer.keys, layer.values)]


class Step(torch.nn.Module):
    """A step with the arguments that optimum gives its files."""

    def __init__(self, network):
        super().__init__()
        self.network = network

    def forward(self, input_ids, attention_mask, position_ids, *past):
        made = self.network(input_ids=input_ids, attention_mask=attention_mask, position_ids=position_ids,
                            past_key_values=cache_of(past), use_cache=True)
        return (made.logits, *tensors_of(made.past_key_values))


def zeros(network, rows):
    heads = getattr(network.config, "num_key_value_heads", network.config.num_attention_heads)
    return [torch.zeros(2, heads, rows, 16) for _ in PARTS]


def export(network, path, how):
    arguments = (torch.zeros(2, 3, dtype=torch.int64), torch.ones(2, 8, dtype=torch.int64),
                 torch.arange(5, 8).expand(2, 3).contiguous(), *zeros(network, 5))
    names = dict(input_names=["input_ids", "attention_mask", "position_ids", *(f"past_key_values.{part}" for part in PARTS)],
                 output_names=["logits", *(f"present.{part}" for part in PARTS)])
    if how == "dynamo":
        free = torch.export.Dim.DYNAMIC
        tokens = {0: free, 1: free}
        torch.onnx.export(Step(network), arguments, path, dynamo=True, external_data=False, opset_version=20, verbose=False,
                          dynamic_shapes=(tokens, tokens, tokens, tuple({0: free, 2: free} for _ in PARTS)), **names)
        return
    tokens, whole = {0: "batch_size", 1: "sequence_length"}, f"{ROWS} + sequence_length"
    axes = {"input_ids": tokens, "position_ids": tokens, "logits": tokens, "attention_mask": {0: "batch_size", 1: whole}}
    axes.update({f"past_key_values.{part}": {0: "batch_size", 2: ROWS} for part in PARTS})
    axes.update({f"present.{part}": {0: "batch_size", 2: whole} for part in PARTS})
    torch.onnx.export(Step(network), arguments, path, dynamo=False, opset_version=18, dynamic_axes=axes, **names)


def export_by_transformers(network, folder):
    from transformers.exporters.exporter_onnx import OnnxConfig, OnnxExporter
    given = dict(input_ids=torch.zeros(2, 1, dtype=torch.int64), attention_mask=torch.ones(2, 6, dtype=torch.int64),
                 past_key_values=cache_of(zeros(network, 5)), use_cache=True)
    OnnxExporter().export(network, given, config=OnnxConfig(dynamic=True)).save_pretrained(folder)


def compute(name, network, ids):
    """Write what transformers computes of the prompt and of the steps after it."""
    made = network(input_ids=ids, use_cache=True)
    np.save(f"{name}_prompt.npy", made.logits.numpy())
    tokens = torch.full((BATCH, 1), TOKEN)
    past = {f"past_key_values.{part}": tensor.numpy() for part, tensor in zip(PARTS, tensors_of(made.past_key_values))}
    np.savez(f"{name}_past.npz", input_ids=tokens.numpy(), **past)
    logits = []
    for _ in range(STEPS):
        made = network(input_ids=tokens, past_key_values=made.past_key_values, use_cache=True)
        logits.append(made.logits.numpy())
    np.save(f"{name}_steps.npy", np.stack(logits))


ids = torch.randint(0, WORDS, (BATCH, CONTEXT), generator=torch.Generator().manual_seed(2))
np.save("prompt.npy", ids.numpy())
for name, network in networks().items():
    compute(name, network, ids)
    export(network, f"{name}.onnx", {"gpt2": "script", "llama": "dynamo"}[name])
export_by_transformers(networks()["llama"], "by_transformers")
