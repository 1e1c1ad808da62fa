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


def _cum_sum(node, x, axis):
    along = node.axis(node.known(axis, "axis").reshape(-1)[0], x.ndim)
    is_reverse = bool(node.attribute("reverse", 0))
    summed = lax.cumsum(x, axis=along, reverse=is_reverse)
    return summed - x if node.attribute("exclusive", 0) else summed


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
    "ArgMax": _arg(jnp.argmax), "ArgMin": _arg(jnp.argmin), "CumSum": _cum_sum,
    "ReduceL1": _reduction(jnp.sum, before=jnp.abs),
    "ReduceL2": _reduction(jnp.sum, before=jnp.square, after=jnp.sqrt),
    "ReduceLogSum": _reduction(jnp.sum, after=jnp.log),
    "ReduceLogSumExp": _reduction(jax.nn.logsumexp),
    "ReduceMax": _reduction(jnp.max), "ReduceMean": _reduction(jnp.mean), "ReduceMin": _reduction(jnp.min),
    "ReduceProd": _reduction(jnp.prod), "ReduceSum": _reduction(jnp.sum),
    "ReduceSumSquare": _reduction(jnp.sum, before=jnp.square), "TopK": _top_k,
}
