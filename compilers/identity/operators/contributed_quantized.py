# SPDX-License-Identifier: Apache-2.0
"""Quantised operators of com.microsoft, as ONNX Runtime's quantiser writes them. Each is computed in real numbers or in
whole ones, and then rounded as its definition says; ONNX Runtime's kernels may round to a neighbour."""
import torch

from . import quantized, recurrent, window
from .contributed_attention import from_projections
from .node import axis_of


def _real(x, scale, zero):
    """Return the real numbers that a tensor with one scale stands for."""
    return (x.to(torch.float32) - (0 if zero is None else zero.to(torch.float32))) * scale


def _whole(y, scale, zero, like):
    """Return the quantised form of real numbers, in the zero point's type or in that of `like`."""
    zero = torch.zeros((), dtype=like.dtype, device=like.device) if zero is None else zero
    bounds = torch.iinfo(zero.dtype)
    return (torch.round(y / scale) + zero.to(torch.float32)).clamp(bounds.min, bounds.max).to(zero.dtype)


def _of_two(compute):
    def operator(node, a, a_scale, a_zero, b, b_scale, b_zero, y_scale, y_zero=None):
        return _whole(compute(_real(a, a_scale, a_zero), _real(b, b_scale, b_zero)), y_scale, y_zero, a)

    return operator


def _of_one(compute):
    def operator(node, x, x_scale, x_zero, y_scale, y_zero=None):
        return _whole(compute(node, _real(x, x_scale, x_zero)), y_scale, y_zero, x)

    return operator


def _channels_first(compute):
    """Return an operator over [batch, channels, …], which receives and returns the channels last if its node says so.
    """
    def operator(node, x):
        is_last = node.attribute("channels_last", 0)
        y = compute(node, x.movedim(-1, 1) if is_last else x)
        return y.movedim(1, -1) if is_last else y

    return operator


def _softmax(node, x):
    axis = axis_of(node.attribute("axis", -1), x.dim())
    if node.attribute("opset", 13) >= 13:
        return torch.softmax(x, axis)
    return torch.softmax(x.flatten(axis), -1).reshape(x.shape)


def _reduce_mean(node, x):
    axes = node.attribute("axes") or list(range(x.dim()))
    return x.mean([axis_of(axis, x.dim()) for axis in axes], keepdim=bool(node.attribute("keepdims", 1)))


def _concat(node, y_scale, y_zero, *parts):
    """`parts` are tensor, scale and zero point of each."""
    real = [_real(*parts[place:place + 3]) for place in range(0, len(parts), 3)]
    return _whole(torch.cat(real, node.attribute("axis")), y_scale, y_zero, parts[0])


def _where(node, condition, a, a_scale, a_zero, b, b_scale, b_zero, y_scale, y_zero):
    return _whole(torch.where(condition, _real(a, a_scale, a_zero), _real(b, b_scale, b_zero)), y_scale, y_zero, a)


def _columns(values):
    """Return scales or zero points in a form that broadcasts with a product's columns."""
    return values.unsqueeze(-2) if values.dim() > 1 else values


def _product(a, a_zero, b, b_zero):
    """Return the product of whole numbers without their zero points, as f64, which holds it exactly."""
    wide_b = b.to(torch.float64)
    wide_b = wide_b if b_zero is None else wide_b - _columns(b_zero).to(torch.float64)
    wide_a = a.to(torch.float64)
    return torch.matmul(wide_a if a_zero is None else wide_a - a_zero.to(torch.float64), wide_b)


def _matmul_to_float(node, a, b, a_scale, b_scale, a_zero=None, b_zero=None, bias=None):
    y = (_product(a, a_zero, b, b_zero) * (a_scale * _columns(b_scale))).to(a_scale.dtype)
    return y if bias is None else y + bias


def _dynamically_quantized(x):
    """Return x as u8, its scale and zero point, as DynamicQuantizeLinear does."""
    low, high = x.amin().clamp(max=0), x.amax().clamp(min=0)
    scale = torch.where(high == low, 1, (high - low) / 255)
    zero = torch.round((-low / scale).clamp(0, 255))
    return (torch.round(x / scale) + zero).clamp(0, 255).to(torch.uint8), scale, zero.to(torch.uint8)


def _dynamic_matmul(node, a, b, b_scale, b_zero=None, bias=None):
    whole, scale, zero = _dynamically_quantized(a)
    return _matmul_to_float(node, whole, b, scale, b_scale, zero, b_zero, bias)


def _dynamic_lstm(node, x, weight, recurrence, bias, lengths, hidden, cell, peepholes, *of_weights):
    """The LSTM of the standard, whose products are of dynamically quantised values. Weights are [direction, in, out]."""
    w_scale, w_zero, r_scale, r_zero = of_weights

    def multiply(table, scale, zero, values, direction):
        zero = None if zero is None else zero[direction]
        return _dynamic_matmul(node, values, table[direction], scale[direction], zero)

    def make_step(direction, *rest):
        return recurrent.lstm_step(node, lambda state: multiply(recurrence, r_scale, r_zero, state, direction), *rest)

    directions, hidden_size, _ = recurrence.shape
    return recurrent.recurrent_with(
        node, x, (directions, 4, hidden_size), 2, (bias, lengths, hidden, cell, peepholes),
        lambda values, direction: multiply(weight, w_scale, w_zero, values, direction), make_step)


def _gemm(node, a, a_scale, a_zero, b, b_scale, b_zero, c=None, y_scale=None, y_zero=None):
    a, b = a.t() if node.attribute("transA", 0) else a, b.t() if node.attribute("transB", 0) else b
    whole = _product(a, a_zero, b, b_zero)
    y = (whole if c is None else whole + c) * (node.attribute("alpha", 1.0) * a_scale * b_scale)
    return y.to(a_scale.dtype) if y_scale is None else _whole(y, y_scale, y_zero, a)


def _attention(node, x, weight, bias, x_scale, weight_scale, mask=None, x_zero=None, weight_zero=None, past=None):
    if node.attribute("do_rotary", 0):
        raise node.refusal("do_rotary")
    parts = _matmul_to_float(node, x, weight, x_scale, weight_scale, x_zero, weight_zero, bias)
    return from_projections(node, *parts.chunk(3, -1), mask, past)


def _nibbles(packed):
    """Return the 4-bit numbers of bytes along the last axis, the lower half of a byte first."""
    return torch.stack([packed & 15, packed >> 4], -1).flatten(-2)


def _matmul_nbits(node, a, packed, scales, zeros=None, places=None, bias=None):
    """`packed` is [out, blocks, bytes]; each block of the weights has a scale and a zero point, which is 8 if absent."""
    bits, size = node.attribute("bits", 4), node.attribute("block_size")
    rows, columns = node.attribute("K"), node.attribute("N")
    if bits not in (4, 8) or places is not None:
        raise node.refusal(f"{bits} bits, or columns in another order")
    blocks = -(-rows // size)
    whole = (_nibbles(packed) if bits == 4 else packed).reshape(columns, blocks, size).to(scales.dtype)
    if zeros is None:
        zeros = 2 ** (bits - 1)
    elif zeros.dtype == torch.uint8:
        unpacked = (_nibbles(zeros.reshape(columns, -1)) if bits == 4 else zeros.reshape(columns, -1))[:, :blocks]
        zeros = unpacked.reshape(columns, blocks, 1).to(scales.dtype)
    else:
        zeros = zeros.reshape(columns, blocks, 1)
    weight = ((whole - zeros) * scales.reshape(columns, blocks, 1)).reshape(columns, -1)[:, :rows]
    y = torch.matmul(a, weight.t().to(a.dtype))
    return y if bias is None else y + bias


OPERATORS = {f"com.microsoft.{name}": operator for name, operator in {
    "DequantizeLinear": quantized.OPERATORS["DequantizeLinear"], "DynamicQuantizeLSTM": _dynamic_lstm,
    "DynamicQuantizeMatMul": _dynamic_matmul, "MatMulIntegerToFloat": _matmul_to_float, "MatMulNBits": _matmul_nbits,
    "QAttention": _attention, "QGemm": _gemm, "QLinearAdd": _of_two(torch.add),
    "QLinearAveragePool": _of_one(_channels_first(window.OPERATORS["AveragePool"])), "QLinearConcat": _concat,
    "QLinearGlobalAveragePool": _of_one(_channels_first(window.OPERATORS["GlobalAveragePool"])),
    "QLinearLeakyRelu": _of_one(lambda node, x: torch.nn.functional.leaky_relu(x, node.attribute("alpha", 0.01))),
    "QLinearMul": _of_two(torch.mul), "QLinearReduceMean": _of_one(_reduce_mean),
    "QLinearSigmoid": _of_one(lambda node, x: torch.sigmoid(x)), "QLinearSoftmax": _of_one(_softmax),
    "QLinearWhere": _where, "QuantizeLinear": quantized.OPERATORS["QuantizeLinear"]}.items()}
