# SPDX-License-Identifier: Apache-2.0
"""Normalisations and softmax."""
import jax
import jax.numpy as jnp
import numpy as np
from node import is_known


def _per_channel(values, rank):
    return values.reshape((1, -1) + (1,) * (rank - 2))


def _training(node, x, scale, shift, mean, variance):
    momentum, axes = node.attribute("momentum", 0.9), tuple(axis for axis in range(x.ndim) if axis != 1)
    y = _standard(x, axes, node.attribute("epsilon", 1e-5))
    return (y * _per_channel(scale, x.ndim) + _per_channel(shift, x.ndim),
            mean * momentum + jnp.mean(x, axes) * (1 - momentum),
            variance * momentum + jnp.var(x, axes) * (1 - momentum))


def _batch(node, x, scale, shift, mean, variance):
    if node.attribute("training_mode", 0):
        return _training(node, x, scale, shift, mean, variance)
    if all(map(is_known, (scale, variance))):
        factor = scale / np.sqrt(variance + np.asarray(node.attribute("epsilon", 1e-5), variance.dtype))
    else:
        factor = scale / jnp.sqrt(variance + node.attribute("epsilon", 1e-5))
    return x * _per_channel(factor, x.ndim) + _per_channel(shift - mean * factor, x.ndim)


def _standard(x, axes, epsilon):
    centred = x - jnp.mean(x, axis=axes, keepdims=True)
    return centred / jnp.sqrt(jnp.mean(jnp.square(centred), axis=axes, keepdims=True) + epsilon)


def _layer(node, x, scale, shift=None):
    axes = tuple(range(node.axis(node.attribute("axis", -1), x.ndim), x.ndim))
    mean = jnp.mean(x, axis=axes, keepdims=True)
    inverse = 1 / jnp.sqrt(jnp.mean(jnp.square(x - mean), axis=axes, keepdims=True) + node.attribute("epsilon", 1e-5))
    y = (x - mean) * inverse * scale
    return (y if shift is None else y + shift), mean, inverse


def _rms(node, x, scale):
    axes = tuple(range(node.axis(node.attribute("axis", -1), x.ndim), x.ndim))
    mean_square = jnp.mean(jnp.square(x), axis=axes, keepdims=True)
    return x / jnp.sqrt(mean_square + node.attribute("epsilon", 1e-5)) * scale


def _instance(node, x, scale, shift):
    y = _standard(x, tuple(range(2, x.ndim)), node.attribute("epsilon", 1e-5))
    return y * _per_channel(scale, x.ndim) + _per_channel(shift, x.ndim)


def _group(node, x, scale, shift):
    groups = node.attribute("num_groups")
    grouped = x.reshape((x.shape[0], groups, -1))
    y = _standard(grouped, (2,), node.attribute("epsilon", 1e-5))
    if node.opset < 21:  # scale and shift are per group
        return (y * _per_channel(scale, 3) + _per_channel(shift, 3)).reshape(x.shape)
    return y.reshape(x.shape) * _per_channel(scale, x.ndim) + _per_channel(shift, x.ndim)


def _local_response(node, x):
    size = node.attribute("size")
    before = (size - 1) // 2
    padded = jnp.pad(jnp.square(x), [(0, 0), (before, size - 1 - before)] + [(0, 0)] * (x.ndim - 2))
    squares = sum(padded[:, shift:shift + x.shape[1]] for shift in range(size))
    base = node.attribute("bias", 1.0) + node.attribute("alpha", 1e-4) / size * squares
    return x / jnp.power(base, node.attribute("beta", 0.75))


def _lp(node, x):
    axis, order = node.axis(node.attribute("axis", -1), x.ndim), node.attribute("p", 2)
    norm = jnp.linalg.norm(x, ord=order, axis=axis, keepdims=True)
    return jnp.where(norm == 0, 0, x / norm)


def _softmax(compute):
    def operator(node, x):
        if node.opset >= 13:
            return compute(x, axis=node.attribute("axis", -1))
        axis = node.axis(node.attribute("axis", 1), x.ndim)  # over this axis and all later ones
        return compute(x, axis=tuple(range(axis, x.ndim)))

    return operator


def _dropout(node, x, ratio=None, training=None):
    is_training = training is not None and node.known(training, "mode").reshape(-1)[0]
    if is_training and (ratio is None or node.known(ratio, "ratio").reshape(-1)[0] > 0):
        raise node.refusal("training mode, whose outputs are random")
    return x, jnp.ones(x.shape, bool)


def _hard_max(x, axis):
    axes = axis if isinstance(axis, tuple) else (axis,)
    flat = jnp.moveaxis(x, axes, range(x.ndim - len(axes), x.ndim))
    rows = flat.reshape(flat.shape[:x.ndim - len(axes)] + (-1,))
    hot = jax.nn.one_hot(jnp.argmax(rows, -1), rows.shape[-1], dtype=x.dtype).reshape(flat.shape)
    return jnp.moveaxis(hot, range(x.ndim - len(axes), x.ndim), axes)


OPERATORS = {
    "BatchNormalization": _batch, "Dropout": _dropout, "GroupNormalization": _group, "Hardmax": _softmax(_hard_max),
    "InstanceNormalization": _instance, "LRN": _local_response, "LayerNormalization": _layer,
    "LogSoftmax": _softmax(jax.nn.log_softmax), "LpNormalization": _lp, "RMSNormalization": _rms,
    "Softmax": _softmax(jax.nn.softmax),
}
