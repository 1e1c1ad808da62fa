# SPDX-License-Identifier: Apache-2.0
"""Convolutions, pools and products, where onnx2torch has none or not this form."""
import math

import torch
from ngraphbench.onnx_window import Window, transposed_pads
from torch.nn import functional

from .node import extents, numbers, takes_numbers

_CONVOLUTIONS = {1: functional.conv1d, 2: functional.conv2d, 3: functional.conv3d}
_TRANSPOSED = {1: functional.conv_transpose1d, 2: functional.conv_transpose2d, 3: functional.conv_transpose3d}
_MAXIMA = {1: functional.max_pool1d, 2: functional.max_pool2d, 3: functional.max_pool3d}


def _padded(x, pads, value=0):
    """Return x with these pads along its last axes; negative ones cut."""
    flat = [width for pair in reversed(pads) for width in pair]
    return functional.pad(x, flat, value=value) if any(flat) else x


def _conv(node, x, weight, bias=None):
    window = Window(node, extents(x)[2:], extents(weight)[2:])
    return _CONVOLUTIONS[x.dim() - 2](_padded(x, window.pads), weight, bias, window.strides, 0, window.dilations,
                                      node.attribute("group", 1))


def _conv_transpose(node, x, weight, bias=None):
    window = Window(node, extents(x)[2:], extents(weight)[2:])
    rank = len(window.sizes)
    y = _TRANSPOSED[rank](x, weight, None, window.strides, 0, 0, node.attribute("group", 1), window.dilations)
    y = _padded(y, [(-begin, -end) for begin, end in transposed_pads(node, window)])
    return y if bias is None else y + bias.reshape((1, -1) + (1,) * rank)


def _max_pool(node, x):
    window = Window(node, extents(x)[2:], node.attribute("kernel_shape"))
    lowest = -math.inf if x.dtype.is_floating_point else torch.iinfo(x.dtype).min
    kind = x.dtype if x.dtype.is_floating_point else torch.float64
    padded = _padded(x.to(kind), window.padded_to(window.counts()), lowest)
    pool = _MAXIMA[x.dim() - 2]
    if node.outputs == 1:
        return pool(padded, window.kernel, window.strides, 0, window.dilations).to(x.dtype)
    y, places = pool(padded, window.kernel, window.strides, 0, window.dilations, return_indices=True)
    return y.to(x.dtype), _places_in_tensor(node, x, padded, places, window)


def _places_in_tensor(node, x, padded, places, window):
    """Return places in one channel of the padded tensor as places in the whole tensor without its padding."""
    sizes, strides, rest = x.shape[2:], [], places
    for extent, (begin, _) in zip(reversed(padded.shape[2:]), reversed(window.pads)):
        strides.insert(0, rest % extent - begin)
        rest = rest // extent
    order = range(len(sizes)) if node.attribute("storage_order", 0) == 0 else reversed(range(len(sizes)))
    flat = torch.zeros_like(places)
    for axis in order:
        flat = flat * sizes[axis] + strides[axis]
    channels = torch.arange(x.shape[0] * x.shape[1], device=x.device).reshape(x.shape[:2] + (1,) * len(sizes))
    return flat + channels * math.prod(sizes)


def _sums(x, window):
    """Return the sum over each place of the window."""
    channels, rank = x.shape[1], len(window.sizes)
    ones = torch.ones([channels, 1, *window.kernel], dtype=x.dtype, device=x.device)
    padded = _padded(x, window.padded_to(window.counts()))
    return _CONVOLUTIONS[rank](padded, ones, None, window.strides, 0, window.dilations, channels)


def _average_pool(node, x):
    window = Window(node, extents(x)[2:], node.attribute("kernel_shape"))
    return _sums(x, window) / torch.from_numpy(window.taps(bool(node.attribute("count_include_pad", 0)))).to(x)


def _lp_pool(node, x):
    order = node.attribute("p", 2)
    return _sums(x.abs() ** order, Window(node, extents(x)[2:], node.attribute("kernel_shape"))) ** (1 / order)


def _max_unpool(node, x, places, shape=None):
    window = Window(node, extents(x)[2:], node.attribute("kernel_shape"))
    own = [*x.shape[:2]] + [(size - 1) * stride - begin - end + kernel for size, stride, (begin, end), kernel
                            in zip(window.sizes, window.strides, window.pads, window.kernel)]
    y = torch.zeros(math.prod(own), dtype=x.dtype, device=x.device).scatter(0, places.reshape(-1), x.reshape(-1))
    y = y.reshape(own)
    if shape is None:
        return y
    ends = [want - have for want, have in zip(numbers(shape), own)]
    return functional.pad(y, [width for end in reversed(ends) for width in (0, end)])


def _over_all(reduce):
    return lambda node, x: reduce(x, tuple(range(2, x.dim())), keepdim=True)


def _global_lp(node, x):
    return torch.linalg.vector_norm(x, node.attribute("p", 2), tuple(range(2, x.dim())), keepdim=True)


def _gemm(node, a, b, c=None):
    a, b = a.t() if node.attribute("transA", 0) else a, b.t() if node.attribute("transB", 0) else b
    product = torch.matmul(a, b) * node.attribute("alpha", 1.0)
    return (product if c is None else product + c * node.attribute("beta", 1.0)).to(a.dtype)


def _einsum(node, *operands):
    return torch.einsum(node.attribute("equation").replace(" ", ""), *operands)


@takes_numbers(1, 2)
def _col2im(node, x, image, block):
    rank = len(numbers(image))
    window = Window(node, numbers(image), numbers(block))
    if rank != 2:
        raise node.refusal(f"{rank} spatial axes")
    whole = [size + begin + end for size, (begin, end) in zip(window.sizes, window.pads)]
    y = functional.fold(x, whole, window.kernel, window.dilations, 0, window.strides)
    (top, bottom), (left, right) = window.pads
    return y[..., top:whole[0] - bottom, left:whole[1] - right]


OPERATORS = {
    "AveragePool": _average_pool, "Col2Im": _col2im, "Conv": _conv, "ConvTranspose": _conv_transpose,
    "Det": lambda node, x: torch.linalg.det(x), "Einsum": _einsum, "Gemm": _gemm,
    "GlobalAveragePool": _over_all(torch.mean), "GlobalLpPool": _global_lp, "GlobalMaxPool": _over_all(torch.amax),
    "LpPool": _lp_pool, "MatMul": lambda node, a, b: torch.matmul(a, b), "MaxPool": _max_pool,
    "MaxUnpool": _max_unpool,
}
