# SPDX-License-Identifier: Apache-2.0
"""Quantised operators, computed in real numbers or in 32-bit integers as ONNX defines them."""
import jax.numpy as jnp
import window
from onnx import TensorProto, helper


def _spread(values, x, axis, block):
    """Return a scale or zero point in a form that broadcasts with x."""
    if values.size == 1:
        return jnp.reshape(values, ())
    if block:
        return jnp.take(jnp.repeat(values, block, axis), jnp.arange(x.shape[axis]), axis)
    return jnp.reshape(values, [-1 if each == axis else 1 for each in range(x.ndim)])


def _quantize(node, x, scale, zero=None):
    axis = node.axis(node.attribute("axis", 1), max(x.ndim, 2))
    to = zero.dtype if zero is not None else helper.tensor_dtype_to_np_dtype(
        node.attribute("output_dtype") or TensorProto.UINT8)
    if to not in (jnp.uint8, jnp.int8, jnp.uint16, jnp.int16):
        raise node.refusal(f"quantised type {to}")
    block, bounds = node.attribute("block_size", 0), jnp.iinfo(to)
    rounded = jnp.round(x / _spread(scale, x, axis, block).astype(x.dtype))
    if zero is not None:
        rounded = rounded + _spread(zero, x, axis, block).astype(rounded.dtype)
    return jnp.clip(rounded, bounds.min, bounds.max).astype(to)


def _dequantize(node, x, scale, zero=None):
    axis, block = node.axis(node.attribute("axis", 1), max(x.ndim, 2)), node.attribute("block_size", 0)
    wide = x.astype(jnp.float32)
    if zero is not None:
        wide = wide - _spread(zero, x, axis, block).astype(jnp.float32)
    return wide.astype(scale.dtype) * _spread(scale, x, axis, block)


def _centred(x, zero, axis):
    """Return x minus its zero point, as 32-bit integers."""
    wide = x.astype(jnp.int32)
    if zero is None:
        return wide
    zero = zero.astype(jnp.int32)
    if zero.size == 1:
        return wide - zero.reshape(())
    if zero.ndim == 1:
        zero = zero.reshape([-1 if each == axis % x.ndim else 1 for each in range(x.ndim)])
    return wide - zero


def _matmul_integer(node, a, b, a_zero=None, b_zero=None):
    return jnp.matmul(_centred(a, a_zero, -2), _centred(b, b_zero, -1))


def _conv_integer(node, x, weight, x_zero=None, weight_zero=None):
    return window.OPERATORS["Conv"](node, _centred(x, x_zero, 0), _centred(weight, weight_zero, 0))


def _requantized(product, scale, zero):
    bounds = jnp.iinfo(zero.dtype)
    rounded = jnp.round(product.astype(jnp.float64) * scale) + zero.astype(jnp.float64)
    return jnp.clip(rounded, bounds.min, bounds.max).astype(zero.dtype)


def _ratio(a, b, c):
    return a.astype(jnp.float64) * b.astype(jnp.float64) / c.astype(jnp.float64)


def _linear_matmul(node, a, a_scale, a_zero, b, b_scale, b_zero, y_scale, y_zero):
    product = jnp.matmul(_centred(a, a_zero, -2), _centred(b, b_zero, -1))
    return _requantized(product, _ratio(a_scale, b_scale, y_scale), y_zero)


def _linear_conv(node, x, x_scale, x_zero, weight, weight_scale, weight_zero, y_scale, y_zero, bias=None):
    product = window.OPERATORS["Conv"](node, _centred(x, x_zero, 0), _centred(weight, weight_zero, 0), bias)
    scale = _ratio(x_scale, weight_scale, y_scale)
    return _requantized(product, scale.reshape([-1] + [1] * (x.ndim - 2)) if scale.size > 1 else scale, y_zero)


OPERATORS = {"ConvInteger": _conv_integer, "DequantizeLinear": _dequantize, "MatMulInteger": _matmul_integer,
             "QLinearConv": _linear_conv, "QLinearMatMul": _linear_matmul, "QuantizeLinear": _quantize}
