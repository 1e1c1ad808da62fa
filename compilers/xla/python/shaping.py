# SPDX-License-Identifier: Apache-2.0
"""Operators that move elements, and those that return or make shapes."""
import math

import jax.numpy as jnp
import numpy as np
from jax import lax
from node import is_known
from onnx import helper, numpy_helper


def _reshape(node, x, shape):
    target = node.integers(shape, "shape")
    if not node.attribute("allowzero", 0):
        target = [x.shape[axis] if extent == 0 else extent for axis, extent in enumerate(target)]
    return jnp.reshape(x, target)


def _transpose(node, x):
    return jnp.transpose(x, node.attribute("perm"))


def _axes(node, given, rank):
    axes = node.attribute("axes") if given is None else node.integers(given, "axes")
    return None if axes is None else tuple(node.axis(axis, rank) for axis in axes)


def _squeeze(node, x, axes=None):
    return jnp.squeeze(x, _axes(node, axes, x.ndim))


def _unsqueeze(node, x, axes=None):
    count = len(node.attribute("axes") if axes is None else node.integers(axes, "axes"))
    return jnp.expand_dims(x, _axes(node, axes, x.ndim + count))


def _flatten(node, x):
    axis = node.attribute("axis", 1)
    axis = axis + x.ndim if axis < 0 else axis
    return jnp.reshape(x, (math.prod(x.shape[:axis]), math.prod(x.shape[axis:])))


def _split(node, x, lengths=None):
    axis = node.axis(node.attribute("axis", 0), x.ndim)
    sizes = node.attribute("split") if lengths is None else node.integers(lengths, "split")
    if sizes is None:
        part = -(-x.shape[axis] // node.outputs)
        sizes = [part] * (node.outputs - 1)
        sizes.append(x.shape[axis] - sum(sizes))
    ends = np.cumsum(sizes)
    return tuple(lax.slice_in_dim(x, int(end - size), int(end), axis=axis) for size, end in zip(sizes, ends))


def _slice(node, x, starts=None, ends=None, axes=None, steps=None):
    if node.opset < 10:
        starts, ends, axes = node.attribute("starts"), node.attribute("ends"), node.attribute("axes")
    else:
        starts, ends = node.integers(starts, "starts"), node.integers(ends, "ends")
        axes = None if axes is None else node.integers(axes, "axes")
    axes = list(range(len(starts))) if axes is None else axes
    steps = [1] * len(starts) if steps is None else node.integers(steps, "steps")
    for start, end, axis, step in zip(starts, ends, axes, steps):
        along = node.axis(axis, x.ndim)
        places = range(*slice(start, end, step).indices(x.shape[along]))
        if not places:
            x = lax.slice_in_dim(x, 0, 0, axis=along)
            continue
        x = lax.slice_in_dim(x, min(places), max(places) + 1, stride=abs(step), axis=along)
        x = lax.rev(x, (along,)) if step < 0 else x
    return x


def _from_start(indices, extent):
    """Return indices counted from the start; negative ones count from the end."""
    where = np.where if is_known(indices) else jnp.where
    return where(indices < 0, indices + extent, indices)


def _gather(node, x, indices):
    axis = node.axis(node.attribute("axis", 0), x.ndim)
    if is_known(indices) and indices.ndim == 0:
        return lax.index_in_dim(jnp.asarray(x), int(indices), axis, keepdims=False)
    return jnp.take(jnp.asarray(x), _from_start(indices, x.shape[axis]), axis=axis, mode="clip")


def _gather_elements(node, x, indices):
    axis = node.axis(node.attribute("axis", 0), x.ndim)
    places = list(jnp.indices(indices.shape, sparse=True))
    places[axis] = _from_start(indices, x.shape[axis])
    return jnp.asarray(x)[tuple(places)]


def _gather_nd(node, x, indices):
    batch = node.attribute("batch_dims", 0)
    places = list(jnp.indices(indices.shape[:-1], sparse=True)[:batch])
    for part in range(indices.shape[-1]):
        places.append(_from_start(indices[..., part], x.shape[batch + part]))
    return jnp.asarray(x)[tuple(places)]


_UPDATES = {"none": "set", "add": "add", "mul": "multiply", "max": "max", "min": "min"}


def _update(node, x, places, updates):
    return getattr(jnp.asarray(x).at[places], _UPDATES[node.attribute("reduction", "none")])(updates)


def _scatter_elements(node, x, indices, updates):
    axis = node.axis(node.attribute("axis", 0), x.ndim)
    places = list(jnp.indices(indices.shape, sparse=True))
    places[axis] = _from_start(indices, x.shape[axis])
    return _update(node, x, tuple(places), updates)


def _scatter_nd(node, x, indices, updates):
    places = tuple(_from_start(indices[..., part], x.shape[part]) for part in range(indices.shape[-1]))
    return _update(node, x, places, updates)


def _expand(node, x, shape):
    return jnp.broadcast_to(x, np.broadcast_shapes(x.shape, tuple(node.integers(shape, "shape"))))


def _pad(node, x, pads=None, value=None, axes=None):
    given = node.attribute("pads") if node.opset < 11 else node.integers(pads, "pads")
    value = node.attribute("value", 0.0) if node.opset < 11 else value
    which = range(x.ndim) if axes is None else [node.axis(axis, x.ndim) for axis in node.integers(axes, "axes")]
    widths = [(0, 0)] * x.ndim
    for place, axis in enumerate(which):
        widths[axis] = (given[place], given[place + len(given) // 2])
    mode = node.attribute("mode", "constant")
    if mode == "constant":
        fill = jnp.asarray(0 if value is None else value, x.dtype).reshape(())
        return lax.pad(x, fill, [(begin, end, 0) for begin, end in widths])
    if any(width < 0 for pair in widths for width in pair):
        raise node.refusal(f'negative pads in mode "{mode}"')
    return jnp.pad(x, widths, mode=mode)


def _shape(node, x):
    return np.array(x.shape[slice(node.attribute("start"), node.attribute("end"))], np.int64)


def _constant_of_shape(node, shape):
    value = node.attribute("value")
    fill = np.zeros(1, np.float32) if value is None else numpy_helper.to_array(value)
    return np.broadcast_to(fill, node.integers(shape, "shape"))


def _range(node, start, limit, delta):
    bounds = [node.known(each, "bounds").reshape(()) for each in (start, limit, delta)]
    return np.arange(*bounds, dtype=bounds[0].dtype)


def _trilu(node, x, diagonal=None):
    k = 0 if diagonal is None else node.integers(diagonal, "k")[0]
    return jnp.triu(x, k) if node.attribute("upper", 1) else jnp.tril(x, k)


def _depth_to_space(node, x):
    n, c, h, w = x.shape
    size = node.attribute("blocksize")
    if node.attribute("mode", "DCR") == "DCR":
        split = x.reshape(n, size, size, c // size**2, h, w).transpose(0, 3, 4, 1, 5, 2)
    else:
        split = x.reshape(n, c // size**2, size, size, h, w).transpose(0, 1, 4, 2, 5, 3)
    return split.reshape(n, c // size**2, h * size, w * size)


def _space_to_depth(node, x):
    n, c, h, w = x.shape
    size = node.attribute("blocksize")
    order = (0, 1, 3, 5, 2, 4) if node.attribute("mode", "DCR") == "CRD" else (0, 3, 5, 1, 2, 4)
    split = x.reshape(n, c, h // size, size, w // size, size).transpose(order)
    return split.reshape(n, c * size**2, h // size, w // size)


def _one_hot(node, indices, depth, values):
    count = node.integers(depth, "depth")[0]
    axis = node.axis(node.attribute("axis", -1), indices.ndim + 1)
    places = jnp.expand_dims(_from_start(indices, count), axis)
    shape = [count if each == axis else 1 for each in range(indices.ndim + 1)]
    return jnp.where(places == np.arange(count).reshape(shape), values[1], values[0])


def _eye_like(node, x):
    to = node.attribute("dtype")
    return jnp.eye(*x.shape, k=node.attribute("k", 0), dtype=helper.tensor_dtype_to_np_dtype(to) if to else x.dtype)


def _compress(node, x, condition):
    axis, wanted = node.attribute("axis"), node.known(condition, "condition")
    x, axis = (jnp.reshape(x, -1), 0) if axis is None else (x, node.axis(axis, x.ndim))
    return jnp.take(x, np.flatnonzero(wanted), axis=axis)


def _reverse_sequence(node, x, lengths):
    batch, time = node.attribute("batch_axis", 1), node.attribute("time_axis", 0)
    places, ends = jnp.arange(x.shape[time])[None, :], jnp.reshape(lengths, (-1, 1))
    places = jnp.where(places < ends, ends - 1 - places, places)  # [batch, time]
    places = places if batch < time else places.T
    shape = [extent if axis in (batch, time) else 1 for axis, extent in enumerate(x.shape)]
    return jnp.take_along_axis(jnp.asarray(x), places.reshape(shape), axis=time)


def _tensor_scatter(node, past, update, starts=None):
    axis = node.axis(node.attribute("axis", -2), past.ndim)
    places = jnp.arange(update.shape[axis])[None, :]
    places = places if starts is None else jnp.reshape(starts, (-1, 1)) + places
    if node.attribute("mode", "linear") == "circular":
        places = places % past.shape[axis]
    places = jnp.broadcast_to(places, (past.shape[0], update.shape[axis]))
    rows = [jnp.moveaxis(old, axis - 1, 0).at[place].set(jnp.moveaxis(new, axis - 1, 0))
            for old, new, place in zip(jnp.asarray(past), update, places)]
    return jnp.stack([jnp.moveaxis(row, 0, axis - 1) for row in rows])


def _of_data(node, *operands):
    """Refuse an operator whose result has as many elements as the data happens to select."""
    raise node.refusal("the size of its result depends on data, and XLA's shapes are static")


OPERATORS = {
    "Compress": _compress, "Concat": lambda node, *parts: jnp.concatenate(parts, node.attribute("axis")),
    "ConstantOfShape": _constant_of_shape, "DepthToSpace": _depth_to_space, "Expand": _expand, "EyeLike": _eye_like,
    "Flatten": _flatten,
    "Gather": _gather, "GatherElements": _gather_elements, "GatherND": _gather_nd, "NonMaxSuppression": _of_data,
    "NonZero": _of_data, "OneHot": _one_hot, "Pad": _pad,
    "Range": _range, "Reshape": _reshape, "ReverseSequence": _reverse_sequence,
    "Scatter": _scatter_elements, "ScatterElements": _scatter_elements, "ScatterND": _scatter_nd,
    "Shape": _shape, "Size": lambda node, x: np.array(x.size, np.int64), "Slice": _slice,
    "SpaceToDepth": _space_to_depth, "Split": _split, "Squeeze": _squeeze,
    "TensorScatter": _tensor_scatter,
    "Tile": lambda node, x, repeats: jnp.tile(x, node.integers(repeats, "repeats")), "Transpose": _transpose,
    "Trilu": _trilu, "Unique": _of_data, "Unsqueeze": _unsqueeze,
}
