# SPDX-License-Identifier: Apache-2.0
"""Normalisations and softmax."""
import math

import torch
from torch.nn import functional

from .node import TYPES, axis_of


def _per_channel(values, rank):
    return values.reshape((1, -1) + (1,) * (rank - 2))


def _batch(node, x, scale, shift, mean, variance):
    epsilon, rank = node.attribute("epsilon", 1e-5), x.dim()
    if not node.attribute("training_mode", 0):
        return functional.batch_norm(x, mean, variance, scale, shift, False, 0.0, epsilon)
    momentum, axes = node.attribute("momentum", 0.9), [axis for axis in range(rank) if axis != 1]
    here, spread = x.mean(axes), x.var(axes, unbiased=False)
    y = (x - _per_channel(here, rank)) / torch.sqrt(_per_channel(spread, rank) + epsilon)
    return (y * _per_channel(scale, rank) + _per_channel(shift, rank), mean * momentum + here * (1 - momentum),
            variance * momentum + spread * (1 - momentum))


def _layer(node, x, scale, shift=None):
    wide = x.to(TYPES[node.attribute("stash_type", 1)])
    axes = list(range(axis_of(node.attribute("axis", -1), x.dim()), x.dim()))
    mean = wide.mean(axes, keepdim=True)
    inverse = torch.rsqrt((wide - mean).square().mean(axes, keepdim=True) + node.attribute("epsilon", 1e-5))
    y = ((wide - mean) * inverse).to(x.dtype) * scale
    return (y if shift is None else y + shift), mean, inverse


def _rms(node, x, scale):
    wide = x.to(TYPES[node.attribute("stash_type", 1)])
    axes = list(range(axis_of(node.attribute("axis", -1), x.dim()), x.dim()))
    inverse = torch.rsqrt(wide.square().mean(axes, keepdim=True) + node.attribute("epsilon", 1e-5))
    return (wide * inverse).to(x.dtype) * scale


def _instance(node, x, scale, shift):
    return functional.instance_norm(x, weight=scale, bias=shift, eps=node.attribute("epsilon", 1e-5))


def _group(node, x, scale, shift):
    groups, epsilon = node.attribute("num_groups"), node.attribute("epsilon", 1e-5)
    if node.opset < 21:  # scale and shift are per group
        repeats = x.shape[1] // groups
        scale, shift = scale.repeat_interleave(repeats), shift.repeat_interleave(repeats)
    return functional.group_norm(x, groups, scale, shift, epsilon)


def _lp(node, x):
    axis, order = axis_of(node.attribute("axis", -1), x.dim()), node.attribute("p", 2)
    norm = torch.linalg.vector_norm(x, order, axis, keepdim=True)
    return torch.where(norm == 0, 0, x / norm)


def _local_response(node, x):
    return functional.local_response_norm(x, node.attribute("size"), node.attribute("alpha", 1e-4),
                                          node.attribute("beta", 0.75), node.attribute("bias", 1.0))


def _flat_before_13(compute):
    """Return an operator along an axis, which before opset 13 was over that axis and all later ones."""
    def operator(node, x):
        if node.opset >= 13:
            return compute(x, node.attribute("axis", -1))
        axis = axis_of(node.attribute("axis", 1), x.dim())
        return compute(x.reshape(math.prod(x.shape[:axis]), -1), 1).reshape(x.shape)

    return operator


def _hard_max(x, axis):
    axis = axis_of(axis, x.dim())
    places = torch.arange(x.shape[axis], device=x.device).reshape([-1] + [1] * (x.dim() - 1 - axis))
    candidates = torch.where(x == x.amax(axis, keepdim=True), places, x.shape[axis])
    return (places == candidates.amin(axis, keepdim=True)).to(x.dtype)


def _dropout(node, x, ratio=None, training=None):
    if training is not None and bool(training) and (ratio is None or float(ratio) > 0):
        raise node.refusal("training mode, whose outputs are random")
    return x, torch.ones_like(x, dtype=torch.bool)


OPERATORS = {
    "BatchNormalization": _batch, "Dropout": _dropout, "GroupNormalization": _group,
    "Hardmax": _flat_before_13(_hard_max), "InstanceNormalization": _instance, "LRN": _local_response,
    "LayerNormalization": _layer,
    "LogSoftmax": _flat_before_13(torch.log_softmax), "LpNormalization": _lp, "RMSNormalization": _rms,
    "Softmax": _flat_before_13(torch.softmax),
}
