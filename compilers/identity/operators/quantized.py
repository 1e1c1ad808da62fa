# SPDX-License-Identifier: Apache-2.0
"""Quantised operators, computed in real numbers or in 32-bit integers as ONNX defines them."""
import torch

from . import window
from .node import TYPES, axis_of


def _spread(values, x, axis, block):
    """Return a scale or zero point in a form that broadcasts with x."""
    if values.dim() == 0 or (values.dim() == 1 and values.numel() == 1):
        return values.reshape(())
    if block:
        return values.repeat_interleave(block, axis).narrow(axis, 0, x.shape[axis])
    return values.reshape([-1 if each == axis else 1 for each in range(x.dim())])


def _quantize(node, x, scale, zero=None):
    axis = axis_of(node.attribute("axis", 1), max(x.dim(), 2))
    to = zero.dtype if zero is not None else TYPES.get(node.attribute("output_dtype") or 2)
    if to not in (torch.uint8, torch.int8):
        raise node.refusal("quantised types other than 8-bit integers")
    block, bounds = node.attribute("block_size", 0), torch.iinfo(to)
    rounded = torch.round(x / _spread(scale, x, axis, block).to(x.dtype))
    if zero is not None:
        rounded = rounded + _spread(zero, x, axis, block).to(rounded.dtype)
    return rounded.clamp(bounds.min, bounds.max).to(to)


def _dequantize(node, x, scale, zero=None):
    axis, block = axis_of(node.attribute("axis", 1), max(x.dim(), 2)), node.attribute("block_size", 0)
    wide = x.to(torch.float32)
    if zero is not None:
        wide = wide - _spread(zero, x, axis, block).to(torch.float32)
    scale = _spread(scale, x, axis, block)
    return wide.to(scale.dtype) * scale


def _centred(x, zero, axis):
    """Return x minus its zero point, as f64, which holds sums of such products exactly."""
    wide = x.to(torch.float64)
    if zero is None:
        return wide
    zero = zero.to(torch.float64)
    return wide - (zero.reshape([-1 if each == axis % x.dim() else 1 for each in range(x.dim())])
                   if zero.dim() == 1 and zero.numel() > 1 else zero.reshape(()) if zero.numel() == 1 else zero)


def _matmul_integer(node, a, b, a_zero=None, b_zero=None):
    return torch.matmul(_centred(a, a_zero, -2), _centred(b, b_zero, -1)).to(torch.int32)


def _conv_integer(node, x, weight, x_zero=None, weight_zero=None):
    return window.OPERATORS["Conv"](node, _centred(x, x_zero, 0), _centred(weight, weight_zero, 0)).to(torch.int32)


def _requantized(product, scale, zero):
    bounds = torch.iinfo(zero.dtype)
    return (torch.round(product * scale) + zero.to(torch.float64)).clamp(bounds.min, bounds.max).to(zero.dtype)


def _linear_matmul(node, a, a_scale, a_zero, b, b_scale, b_zero, y_scale, y_zero):
    product = torch.matmul(_centred(a, a_zero, -2), _centred(b, b_zero, -1))
    return _requantized(product, a_scale.to(torch.float64) * b_scale.to(torch.float64) / y_scale.to(torch.float64),
                        y_zero)


def _linear_conv(node, x, x_scale, x_zero, weight, weight_scale, weight_zero, y_scale, y_zero, bias=None):
    product = window.OPERATORS["Conv"](node, _centred(x, x_zero, 0), _centred(weight, weight_zero, 0),
                                       None if bias is None else bias.to(torch.float64))
    scale = x_scale.to(torch.float64) * weight_scale.to(torch.float64) / y_scale.to(torch.float64)
    return _requantized(product, scale.reshape([-1] + [1] * (x.dim() - 2)) if scale.numel() > 1 else scale, y_zero)


OPERATORS = {"ConvInteger": _conv_integer, "DequantizeLinear": _dequantize, "MatMulInteger": _matmul_integer,
             "QLinearConv": _linear_conv, "QLinearMatMul": _linear_matmul, "QuantizeLinear": _quantize}
