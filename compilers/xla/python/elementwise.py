# SPDX-License-Identifier: Apache-2.0
"""Operators that compute each element on its own, with numpy's broadcasting."""
import functools

import jax
import jax.numpy as jnp
from jax import lax
from onnx import TensorProto, helper


def _plain(function):
    """Return an operator without attributes."""
    return lambda node, *operands: function(*operands)


def _folded(function):
    """Return an operator of any number of operands."""
    return lambda node, *operands: functools.reduce(function, operands)


def _div(node, a, b):
    if jnp.issubdtype(a.dtype, jnp.integer):
        return lax.div(*jnp.broadcast_arrays(a, b))  # rounds towards zero
    return jnp.divide(a, b)


def _mod(node, a, b):
    return jnp.fmod(a, b) if node.attribute("fmod", 0) else jnp.mod(a, b)


def _pow(node, a, b):
    return jnp.power(a, b).astype(a.dtype)


def _mean(node, *operands):
    return functools.reduce(jnp.add, operands) / len(operands)


def _clip(node, x, low=None, high=None):
    if node.opset < 11:
        low, high = node.attribute("min"), node.attribute("max")
    if low is not None:
        x = jnp.maximum(x, low)
    return x if high is None else jnp.minimum(x, high)


def _cast(node, x):
    to = node.attribute("to")
    if to == TensorProto.STRING:
        raise node.refusal("strings")
    return jnp.asarray(x).astype(helper.tensor_dtype_to_np_dtype(to))


def _gelu(node, x):
    return jax.nn.gelu(x, approximate=node.attribute("approximate", "none") == "tanh")


def _hard_sigmoid(x, alpha, beta):
    return jnp.clip(x * alpha + beta, 0, 1)


def _leaky(node, x):
    return jnp.where(x >= 0, x, x * node.attribute("alpha", 0.01))


def _elu(node, x):
    return jnp.where(x >= 0, x, node.attribute("alpha", 1.0) * jnp.expm1(x))


def _selu(node, x):
    alpha = node.attribute("alpha", 1.6732631921768188)
    return node.attribute("gamma", 1.0507010221481323) * jnp.where(x > 0, x, alpha * jnp.expm1(x))


def _celu(node, x):
    alpha = node.attribute("alpha", 1.0)
    return jnp.maximum(x, 0) + jnp.minimum(alpha * jnp.expm1(x / alpha), 0)


def _is_inf(node, x):
    found = jnp.zeros(x.shape, bool)
    if node.attribute("detect_positive", 1):
        found = found | jnp.isposinf(x)
    return found | jnp.isneginf(x) if node.attribute("detect_negative", 1) else found


def _bit_cast(node, x):
    x = x.astype(jnp.uint8) if x.dtype == bool else x
    return lax.bitcast_convert_type(x, helper.tensor_dtype_to_np_dtype(node.attribute("to")))


def _bit_shift(node, x, by):
    return (jnp.left_shift if node.attribute("direction") == "LEFT" else jnp.right_shift)(x, by)


def _shrink(node, x):
    bias, bound = node.attribute("bias", 0.0), node.attribute("lambd", 0.5)
    return jnp.where(x < -bound, x + bias, jnp.where(x > bound, x - bias, 0)).astype(x.dtype)


def _swish(node, x):
    return x * jax.nn.sigmoid(node.attribute("alpha", 1.0) * x)


OPERATORS = {
    "Abs": _plain(jnp.abs), "Acos": _plain(jnp.arccos), "Acosh": _plain(jnp.arccosh), "Add": _plain(jnp.add),
    "And": _plain(jnp.logical_and), "Asin": _plain(jnp.arcsin), "Asinh": _plain(jnp.arcsinh),
    "Atan": _plain(jnp.arctan), "Atanh": _plain(jnp.arctanh), "BitCast": _bit_cast, "BitShift": _bit_shift,
    "BitwiseAnd": _plain(jnp.bitwise_and),
    "BitwiseNot": _plain(jnp.bitwise_not), "BitwiseOr": _plain(jnp.bitwise_or), "BitwiseXor": _plain(jnp.bitwise_xor),
    "Cast": _cast, "CastLike": lambda node, x, like: jnp.asarray(x).astype(like.dtype), "Ceil": _plain(jnp.ceil),
    "Celu": _celu, "Clip": _clip, "Cos": _plain(jnp.cos), "Cosh": _plain(jnp.cosh), "Div": _div, "Elu": _elu,
    "Equal": _plain(jnp.equal), "Erf": _plain(lax.erf), "Exp": _plain(jnp.exp), "Floor": _plain(jnp.floor),
    "Gelu": _gelu, "Greater": _plain(jnp.greater), "GreaterOrEqual": _plain(jnp.greater_equal),
    "HardSigmoid": lambda node, x: _hard_sigmoid(x, node.attribute("alpha", 0.2), node.attribute("beta", 0.5)),
    "HardSwish": lambda node, x: x * _hard_sigmoid(x, 1 / 6, 0.5), "Identity": lambda node, x: x, "IsInf": _is_inf,
    "IsNaN": _plain(jnp.isnan), "LeakyRelu": _leaky, "Less": _plain(jnp.less), "LessOrEqual": _plain(jnp.less_equal),
    "Log": _plain(jnp.log), "Max": _folded(jnp.maximum), "Mean": _mean, "Min": _folded(jnp.minimum),
    "Mish": lambda node, x: x * jnp.tanh(jax.nn.softplus(x)), "Mod": _mod, "Mul": _plain(jnp.multiply),
    "Neg": _plain(jnp.negative), "Not": _plain(jnp.logical_not), "Or": _plain(jnp.logical_or), "Pow": _pow,
    "PRelu": lambda node, x, slope: jnp.where(x >= 0, x, x * slope), "Reciprocal": lambda node, x: 1 / x,
    "Relu": lambda node, x: jnp.maximum(x, 0), "Round": _plain(jnp.round), "Selu": _selu, "Shrink": _shrink,
    "Sigmoid": _plain(jax.nn.sigmoid), "Sign": _plain(jnp.sign), "Sin": _plain(jnp.sin), "Sinh": _plain(jnp.sinh),
    "Softplus": _plain(jax.nn.softplus), "Softsign": _plain(jax.nn.soft_sign), "Sqrt": _plain(jnp.sqrt),
    "Sub": _plain(jnp.subtract), "Sum": _folded(jnp.add), "Swish": _swish, "Tan": _plain(jnp.tan),
    "Tanh": _plain(jnp.tanh),
    "ThresholdedRelu": lambda node, x: jnp.where(x > node.attribute("alpha", 1.0), x, 0),
    "Where": _plain(jnp.where), "Xor": _plain(jnp.logical_xor),
}
