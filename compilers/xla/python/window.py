# SPDX-License-Identifier: Apache-2.0
"""Convolutions, pools and products, which take most of inference's time."""
import itertools
import math

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from ngraphbench.onnx_window import Window, transposed_pads

F32 = lax.Precision.HIGHEST  # computes products of f32 in f32


def _add_bias(x, bias):
    return x if bias is None else x + bias.reshape((1, -1) + (1,) * (x.ndim - 2))


def _conv(node, x, weight, bias=None):
    window = Window(node, x.shape[2:], weight.shape[2:])
    y = lax.conv_general_dilated(x, weight, window.strides, window.pads, rhs_dilation=window.dilations,
                                 feature_group_count=node.attribute("group", 1), precision=F32)
    return _add_bias(y, bias)


def _conv_transpose(node, x, weight, bias=None):
    groups, kernel = node.attribute("group", 1), weight.shape[2:]
    window = Window(node, x.shape[2:], kernel)
    rank = len(kernel)
    per_group = weight.reshape((groups, weight.shape[0] // groups) + weight.shape[1:])
    swapped = jnp.swapaxes(per_group, 1, 2).reshape((-1, weight.shape[0] // groups) + kernel)
    y = lax.conv_general_dilated(
        x, jnp.flip(swapped, tuple(range(2, 2 + rank))), [1] * rank,
        [(reach - 1 - begin, reach - 1 - end) for reach, (begin, end)
         in zip(window.reach, transposed_pads(node, window))],
        lhs_dilation=window.strides, rhs_dilation=window.dilations, feature_group_count=groups, precision=F32)
    return _add_bias(y, bias)


def _reduce_window(x, window, reduce, start):
    pads = [(0, 0), (0, 0)] + window.padded_to(window.counts())
    # If the last window ends before the last element, the rest is ignored.
    return lax.reduce_window(x, start, reduce, (1, 1, *window.kernel), (1, 1, *window.strides), pads,
                             window_dilation=(1, 1, *window.dilations))


def _max_pool(node, x):
    window = Window(node, x.shape[2:], node.attribute("kernel_shape"))
    lowest = jnp.array(-jnp.inf if jnp.issubdtype(x.dtype, jnp.floating) else jnp.iinfo(x.dtype).min, x.dtype)
    if node.outputs == 1:
        return _reduce_window(x, window, lax.max, lowest)
    places = np.arange(x.size).reshape(x.shape)
    if node.attribute("storage_order", 0):  # the place as if the last axes were stored in the opposite order
        sizes = x.shape[2:]
        places = np.arange(x.size).reshape(x.shape[:2] + sizes[::-1]).transpose(
            (0, 1) + tuple(reversed(range(2, x.ndim))))
    return _reduce_window((x, jnp.asarray(places)), window, _larger, (lowest, jnp.array(x.size, places.dtype)))


def _larger(a, b):
    """Return the larger of two (value, place), and of equal values the first."""
    is_first = (a[0] > b[0]) | ((a[0] == b[0]) & (a[1] <= b[1]))
    return jnp.where(is_first, a[0], b[0]), jnp.where(is_first, a[1], b[1])


def _average_pool(node, x):
    window = Window(node, x.shape[2:], node.attribute("kernel_shape"))
    elements = window.taps(bool(node.attribute("count_include_pad", 0))).astype(x.dtype)
    return _reduce_window(x, window, lax.add, jnp.array(0, x.dtype)) / elements


def _lp_pool(node, x):
    window, order = Window(node, x.shape[2:], node.attribute("kernel_shape")), node.attribute("p", 2)
    return _reduce_window(jnp.abs(x) ** order, window, lax.add, jnp.array(0, x.dtype)) ** (1 / order)


def _max_unpool(node, x, places, shape=None):
    window = Window(node, x.shape[2:], node.attribute("kernel_shape"))
    own = [*x.shape[:2]] + [(size - 1) * stride - begin - end + kernel for size, stride, (begin, end), kernel
                            in zip(window.sizes, window.strides, window.pads, window.kernel)]
    y = jnp.zeros(math.prod(own), x.dtype).at[places.reshape(-1)].set(x.reshape(-1)).reshape(own)
    if shape is None:
        return y
    return jnp.pad(y, [(0, want - have) for want, have in zip(node.integers(shape, "shape"), own)])


def _col2im(node, x, image, block):
    window = Window(node, node.integers(image, "shape"), node.integers(block, "block"))
    rank, counts = len(window.sizes), window.counts()
    columns = x.reshape((x.shape[0], -1, math.prod(window.kernel), *counts))
    whole = [size + begin + end for size, (begin, end) in zip(window.sizes, window.pads)]
    y = jnp.zeros((*columns.shape[:2], *whole), x.dtype)
    for number, tap in enumerate(itertools.product(*map(range, window.kernel))):
        places = tuple(slice(step * dilation, step * dilation + (count - 1) * stride + 1, stride)
                       for step, dilation, count, stride in zip(tap, window.dilations, counts, window.strides))
        y = y.at[(slice(None), slice(None), *places)].add(columns[:, :, number])
    cut = tuple(slice(begin, begin + size) for (begin, _), size in zip(window.pads, window.sizes))
    return y[(slice(None), slice(None), *cut[:rank])]


def _over_all(reduce):
    return lambda node, x: reduce(x, axis=tuple(range(2, x.ndim)), keepdims=True)


def _gemm(node, a, b, c=None):
    product = jnp.matmul(a.T if node.attribute("transA", 0) else a, b.T if node.attribute("transB", 0) else b,
                         precision=F32)
    alpha, beta = node.attribute("alpha", 1.0), node.attribute("beta", 1.0)
    if alpha != 1:
        product = product * alpha
    if c is None or beta == 0:
        return product
    return product + (c if beta == 1 else c * beta)


def _det(node, x):
    """Eliminate one column after another, because a library's factorisation is no part of a portable program."""
    x = jnp.asarray(x)
    size, value = x.shape[-1], jnp.ones(x.shape[:-2], x.dtype)
    for column in range(size):
        pivot = jnp.argmax(jnp.abs(x[..., column:, column]), -1) + column
        order = jnp.arange(size)
        swapped = jnp.where(order == column, pivot[..., None], jnp.where(order == pivot[..., None], column, order))
        x = jnp.take_along_axis(x, swapped[..., None], -2)
        top = x[..., column, column]
        value = value * top * jnp.where(pivot == column, 1, -1)
        factor = jnp.where(top == 0, 0, 1 / top)[..., None] * x[..., column + 1:, column]
        x = x.at[..., column + 1:, :].add(-factor[..., None] * x[..., column:column + 1, :])
    return value


def _global_lp(node, x):
    order = node.attribute("p", 2)
    return jnp.sum(jnp.abs(x) ** order, tuple(range(2, x.ndim)), keepdims=True) ** (1 / order)


def _causal(node, x, weight, bias=None, past=None):
    kept = weight.shape[-1] - 1
    before = jnp.zeros((*x.shape[:2], kept), x.dtype) if past is None else past
    whole = jnp.concatenate((before, x), -1)
    y = _add_bias(lax.conv_general_dilated(whole, weight, [1], [(0, 0)], feature_group_count=x.shape[1],
                                           precision=F32), bias)
    is_swish = node.attribute("activation", "none") in ("silu", "swish")
    return y * jax.nn.sigmoid(y) if is_swish else y, whole[..., whole.shape[-1] - kept:]


OPERATORS = {
    "AveragePool": _average_pool, "CausalConvWithState": _causal, "Col2Im": _col2im, "Conv": _conv,
    "ConvTranspose": _conv_transpose, "Det": _det,
    "Einsum": lambda node, *operands: jnp.einsum(node.attribute("equation").replace(" ", ""), *operands, precision=F32),
    "Gemm": _gemm, "GlobalAveragePool": _over_all(jnp.mean), "GlobalLpPool": _global_lp,
    "GlobalMaxPool": _over_all(jnp.max), "LpPool": _lp_pool,
    "MatMul": lambda node, a, b: jnp.matmul(a, b, precision=F32), "MaxPool": _max_pool, "MaxUnpool": _max_unpool,
}
