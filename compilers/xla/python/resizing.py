# SPDX-License-Identifier: Apache-2.0
"""Operators that enlarge and shrink images."""
import jax.numpy as jnp
from ngraphbench import onnx_resize
from window import F32


def _along(node, x, along):
    if along.places is not None:
        x = jnp.take(x, along.places, axis=along.axis, mode="clip")
    else:
        weights = along.weights.astype(x.dtype if jnp.issubdtype(x.dtype, jnp.floating) else "float32")
        moved = jnp.matmul(jnp.moveaxis(x.astype(weights.dtype), along.axis, -1), weights.T, precision=F32)
        x = jnp.moveaxis(moved, -1, along.axis)
    if along.is_outside is None:
        return x
    outside = along.is_outside.reshape([-1 if axis == along.axis else 1 for axis in range(x.ndim)])
    return jnp.where(outside, jnp.asarray(node.attribute("extrapolation_value", 0.0), x.dtype), x)


def _planned(node, x, scales, sizes, region=None):
    kind = x.dtype
    for along in onnx_resize.plan(node, x.shape, scales, sizes, region):
        x = _along(node, x, along)
    return x.astype(kind)


def _numbers(node, value, what):
    if value is None or value.size == 0:
        return None
    return [float(each) for each in node.known(value, what).reshape(-1)]


def _resize(node, x, region=None, scales=None, sizes=None):
    if node.opset < 11:  # scales are the second input
        return _upsample(node, x, region)
    return _planned(node, x, _numbers(node, scales, "scales"), None if sizes is None else node.integers(sizes, "sizes"),
                    _numbers(node, region, "region"))


def _upsample(node, x, scales=None):
    given = node.attribute("scales") if scales is None else _numbers(node, scales, "scales")
    return _planned(onnx_resize.Asymmetric(node), x, given, None)


OPERATORS = {"Resize": _resize, "Upsample": _upsample}
