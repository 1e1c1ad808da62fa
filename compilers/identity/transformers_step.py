# SPDX-License-Identifier: Apache-2.0
"""A language model of transformers as one step over a flat cache: what every compiler starts from.

Inputs: input_ids [batch, tokens], position_ids [batch, tokens] and, of a step, past_key_values.0.key, past_key_values.0.value, …,
each [batch, key heads, rows, head size]. Outputs: logits and, of a step, present.0.key, present.0.value, …"""
import functools
import inspect

import torch
from ngraphbench.adaptor import CompilerError

PAST, PRESENT = "past_key_values", "present"
ROWS_AXIS = 2
_PARTS = ("key", "value")


def wrap(network, decoder, name: str) -> torch.nn.Module:
    """Return the step. `decoder` is as the plan has it: {"form": "none", "growing" or "static", "tokens": places that are needed,
    "layers", "key_heads", "head_size", "vocabulary"}. `name` is that of the user's function. Raises CompilerError:
    invalid_model."""
    config = getattr(network, "config", None)
    if config is None or not hasattr(config, "num_hidden_layers") or "input_ids" not in _arguments(network):
        raise CompilerError("invalid_model", f"{name} returned a {type(network).__name__}, which is no language model of "
                                             "transformers", "return one, such as LlamaForCausalLM, or remove phase, context, "
                                                             "cache and new_tokens")
    places = getattr(config, "max_position_embeddings", None)
    if places is not None and places < decoder["tokens"]:
        raise CompilerError("invalid_model", f"{name} has {places} places, and the study needs {decoder['tokens']}",
                            "choose a smaller context, fewer new_tokens, or more max_position_embeddings")
    heads = config.num_attention_heads
    has = {"layers": config.num_hidden_layers, "key_heads": getattr(config, "num_key_value_heads", None) or heads,
           "head_size": getattr(config, "head_dim", None) or config.hidden_size // heads, "vocabulary": config.vocab_size}
    if any(has[key] != decoder[key] for key in has):
        told = ", ".join(f"{key}: {value}" for key, value in has.items())
        raise CompilerError("invalid_model", f"{name} has other dimensions than the study says", f"write dimensions: {{{told}}}")
    return Step(network, decoder["form"])


def _arguments(network):
    return inspect.signature(network.forward).parameters


class Step(torch.nn.Module):
    """`form`: "none" reads a prompt; "growing" is DynamicCache, whose rows each step copies; "static" is StaticCache, into which
    rows are written where it lies, except in what a tracer or exporter makes of it."""

    def __init__(self, network, form: str):
        super().__init__()
        self.network, self.form = network, form
        if form != "none":
            from transformers.cache_utils import Cache, DynamicLayer

            self._cache_of, self._layer = Cache, DynamicLayer if form == "growing" else _whole_layer()
        self._argument = "cache" if "cache" in _arguments(network) else "past_key_values"  # its name before 5.24

    def forward(self, input_ids, position_ids, *past):
        given = {"input_ids": input_ids, "position_ids": position_ids, "use_cache": self.form != "none",
                 "attention_mask": self._mask(position_ids, past)}
        if self.form == "none":
            return {"logits": self.network(**given).logits}
        layers = [self._layer_of(past[place], past[place + 1], position_ids) for place in range(0, len(past), 2)]
        made = self.network(**given, **{self._argument: self._cache_of(layers=layers)})
        rows = {f"{PRESENT}.{place}.{part}": tensor for place, layer in enumerate(layers)
                for part, tensor in zip(_PARTS, (layer.keys, layer.values))}
        return {"logits": made.logits, **rows}

    def _layer_of(self, keys, values, places):
        layer = self._layer()
        layer.keys, layer.values, layer.places, layer.is_initialized = keys, values, places, True
        return layer

    def _mask(self, position_ids, past):
        """Return what is added to scores, [batch, 1, tokens, rows], or None where transformers' own mask is right. The latter is
        made of Python's numbers, which an exported graph would keep."""
        if self.form != "static" and not _is_exported():
            return None
        dtype, device = self.network.dtype, position_ids.device
        samples, tokens = position_ids.shape
        if self.form == "growing":  # one token, which sees every row
            return torch.zeros(1, 1, 1, 1, dtype=dtype, device=device).expand(samples, 1, tokens, past[0].shape[ROWS_AXIS] + tokens)
        rows = torch.arange(past[0].shape[ROWS_AXIS] if past else tokens, device=device)
        unseen = rows > position_ids[:, None, :, None]
        return torch.zeros(unseen.shape, dtype=dtype, device=device).masked_fill(unseen, torch.finfo(dtype).min)


def _is_exported() -> bool:
    return torch.jit.is_tracing() or torch.compiler.is_exporting()


@functools.cache
def _whole_layer():
    from transformers.cache_utils import DynamicLayer

    class WholeLayer(DynamicLayer):
        """Rows that are there from the beginning, and are written at the tokens' places, which are the same for all samples."""

        def update(self, key_states, value_states, *_, **__):
            self.keys, self.values = self._written(self.keys, key_states), self._written(self.values, value_states)
            return self.keys, self.values

        def _written(self, rows, new):
            if _is_exported():
                return rows.scatter(ROWS_AXIS, self.places[:, None, :, None].expand(new.shape), new)
            return rows.index_copy_(ROWS_AXIS, self.places[0], new)

    return WholeLayer
