# SPDX-License-Identifier: Apache-2.0
"""Operators that reduce elements along axes."""
import jax
import jax.numpy as jnp
from jax import lax


def _axes(node, x, given):
    """Return a reduction's axes, from its attribute or, in later opsets, its second input. None means none."""
    by_attribute = node.attribute("axes")
    axes = by_attribute if by_attribute is not None else None if given is None else node.integers(given, "axes")
    if axes:
        return tuple(node.axis(axis, x.ndim) for axis in axes)
    return None if node.attribute("noop_with_empty_axes", 0) else tuple(range(x.ndim))


def _reduction(reduce, before=lambda x: x, after=lambda x: x):
    def operator(node, x, given_axes=None):
        axes = _axes(node, x, given_axes)
        if axes is None:
            return after(before(x))
        return after(reduce(before(x), axis=axes, keepdims=bool(node.attribute("keepdims", 1)))).astype(x.dtype)

    return operator


def _extreme(reduce, is_largest):
    """Return a reduction to the largest or smallest element, which of no elements is the least or greatest value."""
    def over(x, axis, keepdims):
        if jnp.issubdtype(x.dtype, jnp.floating):
            none = -jnp.inf if is_largest else jnp.inf
        elif x.dtype == bool:
            none = not is_largest
        else:
            none = jnp.iinfo(x.dtype).min if is_largest else jnp.iinfo(x.dtype).max
        return reduce(x, axis=axis, keepdims=keepdims, initial=none)

    return over


def _arg(find):
    def operator(node, x):
        axis = node.axis(node.attribute("axis", 0), x.ndim)
        if node.attribute("select_last_index", 0):
            found = x.shape[axis] - 1 - find(jnp.flip(x, axis), axis=axis)
        else:
            found = find(x, axis=axis)
        found = found.astype(jnp.int64)
        return jnp.expand_dims(found, axis) if node.attribute("keepdims", 1) else found

    return operator


def _accumulated(accumulate, neutral):
    def operator(node, x, axis):
        along, is_reverse = node.axis(node.known(axis, "axis").reshape(-1)[0], x.ndim), node.attribute("reverse", 0)
        if node.attribute("exclusive", 0):
            pads = [(0, 0, 0)] * x.ndim
            pads[along] = (-1, 1, 0) if is_reverse else (1, -1, 0)
            x = lax.pad(x, jnp.array(neutral, x.dtype), pads)
        return accumulate(x, axis=along, reverse=bool(is_reverse))

    return operator


def _top_k(node, x, k=None):
    count = node.attribute("k") if node.opset < 10 else node.integers(k, "k")[0]
    axis = node.axis(node.attribute("axis", -1), x.ndim)
    moved = jnp.moveaxis(x, axis, -1)
    if node.attribute("largest", 1):
        values, places = lax.top_k(moved, count)
    else:
        places = jnp.argsort(moved, axis=-1, stable=True)[..., :count]
        values = jnp.take_along_axis(moved, places, axis=-1)
    return jnp.moveaxis(values, -1, axis), jnp.moveaxis(places, -1, axis).astype(jnp.int64)


OPERATORS = {
    "ArgMax": _arg(jnp.argmax), "ArgMin": _arg(jnp.argmin), "CumProd": _accumulated(lax.cumprod, 1),
    "CumSum": _accumulated(lax.cumsum, 0),
    "ReduceL1": _reduction(jnp.sum, before=jnp.abs),
    "ReduceL2": _reduction(jnp.sum, before=jnp.square, after=jnp.sqrt),
    "ReduceLogSum": _reduction(jnp.sum, after=jnp.log),
    "ReduceLogSumExp": _reduction(jax.nn.logsumexp),
    "ReduceMax": _reduction(_extreme(jnp.max, True)), "ReduceMean": _reduction(jnp.mean),
    "ReduceMin": _reduction(_extreme(jnp.min, False)),
    "ReduceProd": _reduction(jnp.prod), "ReduceSum": _reduction(jnp.sum),
    "ReduceSumSquare": _reduction(jnp.sum, before=jnp.square), "TopK": _top_k,
}
