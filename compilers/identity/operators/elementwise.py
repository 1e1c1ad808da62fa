# SPDX-License-Identifier: Apache-2.0
"""Operators that compute each element on its own, with numpy's broadcasting."""
import functools

import torch
from torch.nn import functional

from .node import TYPES


def _plain(function):
    """Return an operator without attributes."""
    return lambda node, *operands: function(*operands)


def _widened(x):
    """Return integers that PyTorch cannot compute with in a type that it can."""
    return x.to(torch.int64) if x.dtype in (torch.uint16, torch.uint32, torch.uint64) else x


def _folded(function):
    """Return an operator of any number of operands."""
    def operator(node, *operands):
        return functools.reduce(lambda a, b: function(_widened(a), _widened(b)), operands).to(operands[0].dtype)

    return operator


def _mean(node, *operands):
    return functools.reduce(torch.add, operands) / len(operands)


def _clip(node, x, low=None, high=None):
    if node.opset < 11:
        low, high = node.attribute("min"), node.attribute("max")
    if low is not None:
        x = torch.maximum(x, torch.as_tensor(low, dtype=x.dtype))
    return x if high is None else torch.minimum(x, torch.as_tensor(high, dtype=x.dtype))


def _cast(node, x, like=None):
    to = TYPES.get(node.attribute("to")) if like is None else like.dtype
    if to is None:
        raise node.refusal("an element type that PyTorch lacks")
    return x.to(to)


def _bit_cast(node, x):
    to = TYPES.get(node.attribute("to"))
    if to is None:
        raise node.refusal("an element type that PyTorch lacks")
    return x.view(to)


def _bit_shift(node, x, by):
    wide, places = x.to(torch.int64), by.to(torch.int64)
    shifted = wide << places if node.attribute("direction") == "LEFT" else wide >> places
    return shifted.to(x.dtype)


def _div(node, a, b):
    return torch.div(a, b) if a.dtype.is_floating_point else torch.div(a, b, rounding_mode="trunc")


def _mod(node, a, b):
    return (torch.fmod if node.attribute("fmod", 0) else torch.remainder)(a, b)


def _pow(node, a, b):
    return torch.pow(a, b).to(a.dtype)


def _elu(node, x):
    return torch.where(x > 0, x, node.attribute("alpha", 1.0) * torch.expm1(x))


def _celu(node, x):
    return functional.celu(x, node.attribute("alpha", 1.0))


def _selu(node, x):
    alpha, gamma = node.attribute("alpha", 1.6732631921768188), node.attribute("gamma", 1.0507010221481323)
    return gamma * torch.where(x > 0, x, alpha * torch.expm1(x))


def _shrink(node, x):
    bias, bound = node.attribute("bias", 0.0), node.attribute("lambd", 0.5)
    return torch.where(x < -bound, x + bias, torch.where(x > bound, x - bias, torch.zeros_like(x))).to(x.dtype)


def _thresholded(node, x):
    return torch.where(x > node.attribute("alpha", 1.0), x, torch.zeros_like(x))


def _is_inf(node, x):
    found = torch.zeros_like(x, dtype=torch.bool)
    if node.attribute("detect_positive", 1):
        found = found | torch.isposinf(x)
    return found | torch.isneginf(x) if node.attribute("detect_negative", 1) else found


def _gelu(node, x):
    return functional.gelu(x, approximate=node.attribute("approximate", "none"))


def _swish(node, x):
    return x * torch.sigmoid(node.attribute("alpha", 1.0) * x)


def _hard_sigmoid(node, x):
    return torch.clamp(x * node.attribute("alpha", 0.2) + node.attribute("beta", 0.5), 0, 1)


OPERATORS = {
    "Abs": _plain(torch.abs), "Acos": _plain(torch.acos), "Acosh": _plain(torch.acosh), "Add": _plain(torch.add),
    "And": _plain(torch.logical_and), "Asin": _plain(torch.asin), "Asinh": _plain(torch.asinh),
    "Atan": _plain(torch.atan), "Atanh": _plain(torch.atanh), "BitCast": _bit_cast, "BitShift": _bit_shift,
    "BitwiseAnd": _plain(torch.bitwise_and), "BitwiseNot": _plain(torch.bitwise_not),
    "BitwiseOr": _plain(torch.bitwise_or), "BitwiseXor": _plain(torch.bitwise_xor), "Cast": _cast, "CastLike": _cast,
    "Ceil": _plain(torch.ceil), "Celu": _celu, "Clip": _clip, "Cos": _plain(torch.cos), "Cosh": _plain(torch.cosh),
    "Div": _div, "Elu": _elu, "Equal": _plain(torch.eq), "Erf": _plain(torch.erf), "Exp": _plain(torch.exp),
    "Floor": _plain(torch.floor), "Gelu": _gelu, "Greater": _plain(torch.gt), "GreaterOrEqual": _plain(torch.ge),
    "HardSigmoid": _hard_sigmoid, "HardSwish": _plain(functional.hardswish), "Identity": lambda node, x: x,
    "IsInf": _is_inf, "IsNaN": _plain(torch.isnan),
    "LeakyRelu": lambda node, x: functional.leaky_relu(x, node.attribute("alpha", 0.01)), "Less": _plain(torch.lt),
    "LessOrEqual": _plain(torch.le), "Log": _plain(torch.log), "Max": _folded(torch.maximum), "Mean": _mean,
    "Min": _folded(torch.minimum), "Mish": _plain(functional.mish), "Mod": _mod, "Mul": _plain(torch.mul),
    "Neg": _plain(torch.neg), "Not": _plain(torch.logical_not), "Or": _plain(torch.logical_or), "Pow": _pow,
    "PRelu": lambda node, x, slope: torch.where(x >= 0, x, x * slope), "Reciprocal": _plain(torch.reciprocal),
    "Relu": _plain(torch.relu), "Round": _plain(torch.round), "Selu": _selu, "Shrink": _shrink,
    "Sigmoid": _plain(torch.sigmoid), "Sign": _plain(torch.sign), "Sin": _plain(torch.sin), "Sinh": _plain(torch.sinh),
    "Softplus": _plain(functional.softplus), "Softsign": _plain(functional.softsign), "Sqrt": _plain(torch.sqrt),
    "Sub": _plain(torch.sub), "Sum": _folded(torch.add), "Swish": _swish, "Tan": _plain(torch.tan),
    "Tanh": _plain(torch.tanh), "ThresholdedRelu": _thresholded, "Where": _plain(torch.where),
    "Xor": _plain(torch.logical_xor),
}
