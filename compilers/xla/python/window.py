# SPDX-License-Identifier: Apache-2.0
"""Convolutions, pools and products, which take most of inference's time."""
import functools
import math

import jax.numpy as jnp
import numpy as np
from jax import lax

F32 = lax.Precision.HIGHEST  # computes products of f32 in f32


class _Window:
    """A window's kernel, strides, dilations and pads, per axis."""

    def __init__(self, node, sizes, kernel):
        rank = len(sizes)
        self.sizes, self.kernel = sizes, list(kernel)
        self.strides = node.attribute("strides") or [1] * rank
        self.dilations = node.attribute("dilations") or [1] * rank
        self.reach = [d * (k - 1) + 1 for d, k in zip(self.dilations, self.kernel)]
        pads = node.attribute("pads") or [0] * (2 * rank)
        self.pads = list(zip(pads[:rank], pads[rank:]))
        how = node.attribute("auto_pad", "NOTSET")
        if how.startswith("SAME"):
            self.pads = [self._same(axis, how == "SAME_UPPER") for axis in range(rank)]
        elif how == "VALID":
            self.pads = [(0, 0)] * rank

    def _same(self, axis, is_upper):
        size, stride = self.sizes[axis], self.strides[axis]
        total = max((math.ceil(size / stride) - 1) * stride + self.reach[axis] - size, 0)
        less = total // 2
        return (less, total - less) if is_upper else (total - less, less)

    def count(self, axis, is_ceil):
        """Return the number of the window's places along an axis; none begins in the padding at the end."""
        size, stride, (begin, end) = self.sizes[axis], self.strides[axis], self.pads[axis]
        span = size + begin + end - self.reach[axis]
        if not is_ceil:
            return span // stride + 1
        count = -(-span // stride) + 1
        return count - 1 if (count - 1) * stride >= size + begin else count

    def padded_to(self, counts):
        """Return the pads with which the window has that many places."""
        return [(begin, max(end, (count - 1) * stride + reach - size - begin))
                for (begin, end), count, stride, reach, size
                in zip(self.pads, counts, self.strides, self.reach, self.sizes)]

    def taps(self, axis, count, includes_pads):
        """Return how many elements the window holds at each place along an axis."""
        (begin, end), size = self.pads[axis], self.sizes[axis]
        low, high = (-begin, size + end) if includes_pads else (0, size)
        first = np.arange(count) * self.strides[axis] - begin
        places = first[:, None] + np.arange(self.kernel[axis])[None, :] * self.dilations[axis]
        return ((places >= low) & (places < high)).sum(axis=1)


def _add_bias(x, bias):
    return x if bias is None else x + bias.reshape((1, -1) + (1,) * (x.ndim - 2))


def _conv(node, x, weight, bias=None):
    window = _Window(node, x.shape[2:], weight.shape[2:])
    y = lax.conv_general_dilated(x, weight, window.strides, window.pads, rhs_dilation=window.dilations,
                                 feature_group_count=node.attribute("group", 1), precision=F32)
    return _add_bias(y, bias)


def _conv_transpose(node, x, weight, bias=None):
    groups, kernel = node.attribute("group", 1), weight.shape[2:]
    window = _Window(node, x.shape[2:], kernel)
    rank = len(kernel)
    extra = node.attribute("output_padding") or [0] * rank
    whole = [(size - 1) * stride + reach + more for size, stride, reach, more
             in zip(window.sizes, window.strides, window.reach, extra)]
    wanted = node.attribute("output_shape")
    is_same = node.attribute("auto_pad", "NOTSET").startswith("SAME")
    if wanted is None and is_same:
        wanted = [size * stride for size, stride in zip(window.sizes, window.strides)]
    pads = window.pads
    if wanted is not None:
        totals = [max(full - want, 0) for full, want in zip(whole, wanted[-rank:])]
        is_upper = node.attribute("auto_pad", "NOTSET") == "SAME_UPPER"
        pads = [(total // 2, total - total // 2) if is_upper else (total - total // 2, total // 2) for total in totals]
    per_group = weight.reshape((groups, weight.shape[0] // groups) + weight.shape[1:])
    swapped = jnp.swapaxes(per_group, 1, 2).reshape((-1, weight.shape[0] // groups) + kernel)
    y = lax.conv_general_dilated(
        x, jnp.flip(swapped, tuple(range(2, 2 + rank))), [1] * rank,
        [(reach - 1 - begin, reach - 1 - end + more) for reach, (begin, end), more in zip(window.reach, pads, extra)],
        lhs_dilation=window.strides, rhs_dilation=window.dilations, feature_group_count=groups, precision=F32)
    return _add_bias(y, bias)


def _reduce_window(x, window, counts, reduce, start):
    pads = [(0, 0), (0, 0)] + window.padded_to(counts)
    # If the last window ends before the last element, the rest is ignored.
    return lax.reduce_window(x, start, reduce, (1, 1, *window.kernel), (1, 1, *window.strides), pads,
                             window_dilation=(1, 1, *window.dilations))


def _pool(node, x):
    window = _Window(node, x.shape[2:], node.attribute("kernel_shape"))
    is_ceil = bool(node.attribute("ceil_mode", 0))
    return window, [window.count(axis, is_ceil) for axis in range(x.ndim - 2)]


def _max_pool(node, x):
    if node.outputs > 1:
        raise node.refusal("the places of the maxima as a second output")
    window, counts = _pool(node, x)
    lowest = -jnp.inf if jnp.issubdtype(x.dtype, jnp.floating) else jnp.iinfo(x.dtype).min
    return _reduce_window(x, window, counts, lax.max, jnp.array(lowest, x.dtype))


def _average_pool(node, x):
    window, counts = _pool(node, x)
    includes_pads = bool(node.attribute("count_include_pad", 0))
    taps = [window.taps(axis, count, includes_pads) for axis, count in enumerate(counts)]
    elements = functools.reduce(np.multiply.outer, taps).astype(x.dtype)
    return _reduce_window(x, window, counts, lax.add, jnp.array(0, x.dtype)) / elements


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


OPERATORS = {
    "AveragePool": _average_pool, "Conv": _conv, "ConvTranspose": _conv_transpose,
    "Einsum": lambda node, *operands: jnp.einsum(node.attribute("equation").replace(" ", ""), *operands, precision=F32),
    "Gemm": _gemm, "GlobalAveragePool": _over_all(jnp.mean), "GlobalMaxPool": _over_all(jnp.max),
    "MatMul": lambda node, a, b: jnp.matmul(a, b, precision=F32), "MaxPool": _max_pool,
}
