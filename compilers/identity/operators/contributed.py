# SPDX-License-Identifier: Apache-2.0
"""Operators of com.microsoft on real numbers, into which ONNX Runtime's optimiser fuses a file's own. Their definitions
are ONNX Runtime's docs/ContribOperators.md."""
import torch
from torch.nn import functional

from . import window
from .node import axis_of
from .recurrent import ACTIVATIONS

_EPSILON = 1e-12  # the default of SkipLayerNormalization and its kin


def _fused_matmul(node, a, b):
    a, b = (each.movedim(0, -2) if node.attribute(batch, 0) else each
            for each, batch in ((a, "transBatchA"), (b, "transBatchB")))
    a, b = (each.transpose(-1, -2) if node.attribute(last, 0) and each.dim() > 1 else each
            for each, last in ((a, "transA"), (b, "transB")))
    return torch.matmul(a, b) * node.attribute("alpha", 1.0)


def _activated(node, x):
    """Return x after the attribute `activation`, if there is one."""
    kind = node.attribute("activation", "")
    given = node.attribute("activation_params") or [node.attribute("activation_alpha"), node.attribute("activation_beta")]
    if kind in ("", "Clip"):
        return x.clamp(*given) if kind else x
    if kind not in ACTIVATIONS:
        raise node.refusal(f'activation "{kind}"')
    return ACTIVATIONS[kind](x, *(list(given) + [None])[:2])


def _fused_conv(node, x, weight, bias=None, added=None):
    y = window.OPERATORS["Conv"](node, x, weight, bias)
    return _activated(node, y if added is None else y + added)


def _gelu(approximate):
    def operator(node, x, bias=None):
        return functional.gelu(x if bias is None else x + bias, approximate=approximate)

    return operator


def _root_mean_square(x, scale, epsilon):
    """Return the normalised x and the inverse of its root mean square."""
    inverse = torch.rsqrt(x.square().mean(-1, keepdim=True) + epsilon)
    return x * inverse * scale, inverse


def _simplified_layer(node, x, scale):
    if axis_of(node.attribute("axis", -1), x.dim()) != x.dim() - 1:
        raise node.refusal("several axes")
    return _root_mean_square(x, scale, node.attribute("epsilon", 1e-5))


def _skip_layer(node, x, skip, scale, shift=None, bias=None):
    total = x + skip if bias is None else x + skip + bias
    mean = total.mean(-1, keepdim=True)
    inverse = torch.rsqrt(total.var(-1, unbiased=False, keepdim=True) + node.attribute("epsilon", _EPSILON))
    y = (total - mean) * inverse * scale
    return y if shift is None else y + shift, mean, inverse, total


def _skip_simplified_layer(node, x, skip, scale, bias=None):
    total = x + skip if bias is None else x + skip + bias
    y, inverse = _root_mean_square(total, scale, node.attribute("epsilon", _EPSILON))
    return y, torch.zeros_like(inverse), inverse, total


def _embed_layer(node, ids, segments, words, positions, segment_table, scale, shift, mask=None, places=None):
    if places is None:
        places = torch.arange(ids.shape[1], device=ids.device).expand(ids.shape)
    total = functional.embedding(ids, words) + functional.embedding(places, positions)
    if segments is not None:
        total = total + functional.embedding(segments, segment_table)
    y = functional.layer_norm(total, total.shape[-1:], scale, shift, node.attribute("epsilon", _EPSILON))
    counts = torch.zeros_like(ids[:, 0]) if mask is None else (mask == 1).sum(1)
    return y, counts.to(torch.int32), total


_OF_MICROSOFT = {
    "BiasAdd": lambda node, x, bias, skip: x + bias + skip, "BiasGelu": _gelu("none"),
    "EmbedLayerNormalization": _embed_layer, "FastGelu": _gelu("tanh"), "FusedConv": _fused_conv,
    "FusedGemm": lambda node, a, b, c=None: _activated(node, window.OPERATORS["Gemm"](node, a, b, c)),
    "FusedMatMul": _fused_matmul, "Gelu": _gelu("none"),
    "QuickGelu": lambda node, x: x * torch.sigmoid(node.attribute("alpha", 1.702) * x),
    "SimplifiedLayerNormalization": _simplified_layer, "SkipLayerNormalization": _skip_layer,
    "SkipSimplifiedLayerNormalization": _skip_simplified_layer,
}
# ONNX Runtime's optimiser writes this one without a domain.
OPERATORS = {"SimplifiedLayerNormalization": _simplified_layer,
             **{f"com.microsoft.{name}": operator for name, operator in _OF_MICROSOFT.items()}}
