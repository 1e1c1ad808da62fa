# SPDX-License-Identifier: Apache-2.0
"""Operators that move elements, and those that return or make shapes."""
import math

import torch
from onnx import numpy_helper
from torch.nn import functional

from .node import TYPES, axis_of, numbers, takes_numbers


@takes_numbers(1)
def _reshape(node, x, shape):
    target = numbers(shape)
    if not node.attribute("allowzero", 0):
        target = [x.shape[axis] if extent == 0 else extent for axis, extent in enumerate(target)]
    return x.reshape(target)


def _axes(node, given, rank):
    axes = node.attribute("axes") if given is None else numbers(given)
    return None if axes is None else [axis_of(axis, rank) for axis in axes]


@takes_numbers(1)
def _squeeze(node, x, axes=None):
    which = _axes(node, axes, x.dim())
    return x.squeeze() if which is None else x.squeeze(tuple(which))


@takes_numbers(1)
def _unsqueeze(node, x, axes=None):
    count = len(node.attribute("axes") if axes is None else numbers(axes))
    for axis in sorted(_axes(node, axes, x.dim() + count)):
        x = x.unsqueeze(axis)
    return x


def _flatten(node, x):
    axis = node.attribute("axis", 1)
    axis = axis + x.dim() if axis < 0 else axis
    return x.reshape(math.prod(x.shape[:axis]), math.prod(x.shape[axis:]))


@takes_numbers(1)
def _split(node, x, lengths=None):
    axis = axis_of(node.attribute("axis", 0), x.dim())
    sizes = node.attribute("split") if lengths is None else numbers(lengths)
    if sizes is None:
        part = -(-x.shape[axis] // node.outputs)
        sizes = [part] * (node.outputs - 1)
        sizes.append(x.shape[axis] - sum(sizes))
    return torch.split(x, sizes, axis)


@takes_numbers(1, 2, 3, 4)
def _slice(node, x, starts=None, ends=None, axes=None, steps=None):
    if node.opset < 10:
        starts, ends, axes = node.attribute("starts"), node.attribute("ends"), node.attribute("axes")
    starts, ends = numbers(starts), numbers(ends)
    axes = range(len(starts)) if axes is None else numbers(axes)
    steps = [1] * len(starts) if steps is None else numbers(steps)
    for start, end, axis, step in zip(starts, ends, axes, steps):
        along = axis_of(axis, x.dim())
        places = range(*slice(start, end, step).indices(x.shape[along]))
        if step > 0:
            x = x[(slice(None),) * along + (slice(places.start, max(places.stop, places.start), step),)]
        else:
            x = x.index_select(along, torch.tensor(list(places), dtype=torch.int64, device=x.device))
    return x


def _from_start(indices, extent):
    """Return indices counted from the start; negative ones count from the end."""
    wide = indices.to(torch.int64)
    return torch.where(wide < 0, wide + extent, wide)


def _gather(node, x, indices):
    axis = axis_of(node.attribute("axis", 0), x.dim())
    places = _from_start(indices, x.shape[axis])
    picked = x.index_select(axis, places.reshape(-1))
    return picked.reshape(*x.shape[:axis], *places.shape, *x.shape[axis + 1:])


def _gather_elements(node, x, indices):
    axis = axis_of(node.attribute("axis", 0), x.dim())
    return torch.gather(x, axis, _from_start(indices, x.shape[axis]))


def _gather_nd(node, x, indices):
    batch = node.attribute("batch_dims", 0)
    places = []
    for axis in range(batch):
        shape = [-1 if each == axis else 1 for each in range(indices.dim() - 1)]
        places.append(torch.arange(x.shape[axis], device=x.device).reshape(shape))
    for part in range(indices.shape[-1]):
        places.append(_from_start(indices[..., part], x.shape[batch + part]))
    return x[tuple(places)]


_REDUCTIONS = {"add": "sum", "mul": "prod", "max": "amax", "min": "amin"}


def _scatter_elements(node, x, indices, updates):
    axis = axis_of(node.attribute("axis", 0), x.dim())
    places, how = _from_start(indices, x.shape[axis]), node.attribute("reduction", "none")
    if how == "none":
        return torch.scatter(x, axis, places, updates)
    return torch.scatter_reduce(x, axis, places, updates, _REDUCTIONS[how])


def _scatter_nd(node, x, indices, updates):
    how, depth = node.attribute("reduction", "none"), indices.shape[-1]
    rest = x.shape[depth:]
    flat = torch.zeros(indices.shape[:-1], dtype=torch.int64, device=x.device)
    for part in range(depth):
        flat = flat * x.shape[part] + _from_start(indices[..., part], x.shape[part])
    within = torch.arange(math.prod(rest), device=x.device)
    places = (flat.reshape(-1, 1) * math.prod(rest) + within).reshape(-1)
    if how == "none":
        return x.reshape(-1).scatter(0, places, updates.reshape(-1)).reshape(x.shape)
    return x.reshape(-1).scatter_reduce(0, places, updates.reshape(-1), _REDUCTIONS[how]).reshape(x.shape)


@takes_numbers(1)
def _expand(node, x, shape):
    return x.expand(torch.broadcast_shapes(x.shape, tuple(numbers(shape))))


@takes_numbers(1)
def _tile(node, x, repeats):
    return x.repeat(numbers(repeats))


def _pad_places(mode, begin, extent, end, device):
    """Return the place of each element along an axis that is padded without a constant."""
    places = torch.arange(-begin, extent + end, device=device)
    if mode == "edge":
        return places.clamp(0, extent - 1)
    if mode == "wrap":
        return places % extent
    period = max(2 * (extent - 1), 1)  # "reflect"
    places = places % period
    return torch.where(places < extent, places, period - places)


def _usual_pads(x, widths, mode):
    """Return PyTorch's list of pads. None: it does not pad these axes in this mode."""
    if mode == "wrap" or x.dim() < 3 or not x.dtype.is_floating_point:
        return None
    inner = range(2, x.dim())
    is_usual = len(inner) <= 3 and all(not any(pair) or axis in inner for axis, pair in widths.items()) and all(
        min(widths.get(axis, (0, 0))) >= 0 and (mode == "edge" or max(widths.get(axis, (0, 0))) < x.shape[axis])
        for axis in inner)
    return [width for axis in reversed(inner) for width in widths.get(axis, (0, 0))] if is_usual else None


@takes_numbers(1, 3)
def _pad(node, x, pads=None, value=None, axes=None):
    given = node.attribute("pads") if node.opset < 11 else numbers(pads)
    fill = node.attribute("value", 0.0) if node.opset < 11 else value
    which = range(x.dim()) if axes is None else [axis_of(axis, x.dim()) for axis in numbers(axes)]
    widths = {axis: (given[place], given[place + len(given) // 2]) for place, axis in enumerate(which)}
    mode = node.attribute("mode", "constant")
    if mode == "constant":
        flat = [width for axis in reversed(range(x.dim())) for width in widths.get(axis, (0, 0))]
        return functional.pad(x, flat, value=0 if fill is None else torch.as_tensor(fill).item())
    usual = _usual_pads(x, widths, mode)
    if usual is not None:
        return functional.pad(x, usual, "reflect" if mode == "reflect" else "replicate")
    for axis, (begin, end) in widths.items():
        if begin or end:
            x = x.index_select(axis, _pad_places(mode, begin, x.shape[axis], end, x.device))
    return x


def _shape(node, x):
    return torch.tensor(list(x.shape)[slice(node.attribute("start"), node.attribute("end"))], dtype=torch.int64,
                        device=x.device)


@takes_numbers(0)
def _constant_of_shape(node, shape):
    value = node.attribute("value")
    fill = torch.zeros(1) if value is None else torch.from_numpy(numpy_helper.to_array(value).copy())
    return fill.reshape(()).expand(numbers(shape)).clone()


def _range(node, start, limit, delta):
    first, last, step = (each.item() for each in (start, limit, delta))
    count = max(math.ceil((last - first) / step), 0)
    wide = torch.float64 if start.dtype.is_floating_point else torch.int64
    return (first + torch.arange(count, dtype=wide, device=start.device) * step).to(start.dtype)


@takes_numbers(1)
def _trilu(node, x, diagonal=None):
    k = 0 if diagonal is None else numbers(diagonal)[0]
    return torch.triu(x, k) if node.attribute("upper", 1) else torch.tril(x, k)


def _eye_like(node, x):
    eye = torch.zeros_like(x, dtype=TYPES[node.attribute("dtype")] if node.attribute("dtype") else x.dtype)
    torch.diagonal(eye, node.attribute("k", 0)).fill_(1)
    return eye


def _depth_to_space(node, x):
    n, c, h, w = x.shape
    size = node.attribute("blocksize")
    if node.attribute("mode", "DCR") == "DCR":
        split = x.reshape(n, size, size, c // size**2, h, w).permute(0, 3, 4, 1, 5, 2)
    else:
        split = x.reshape(n, c // size**2, size, size, h, w).permute(0, 1, 4, 2, 5, 3)
    return split.reshape(n, c // size**2, h * size, w * size)


def _space_to_depth(node, x):
    n, c, h, w = x.shape
    size = node.attribute("blocksize")
    split = x.reshape(n, c, h // size, size, w // size, size)
    # Opset 28 adds a mode, of which the older form is the default.
    order = (0, 1, 3, 5, 2, 4) if node.attribute("mode", "DCR") == "CRD" else (0, 3, 5, 1, 2, 4)
    return split.permute(order).reshape(n, c * size**2, h // size, w // size)


@takes_numbers(1)
def _one_hot(node, indices, depth, values):
    count = int(numbers(depth)[0])
    axis = axis_of(node.attribute("axis", -1), indices.dim() + 1)
    places = _from_start(indices, count).unsqueeze(axis)
    shape = [count if each == axis else 1 for each in range(indices.dim() + 1)]
    return torch.where(places == torch.arange(count, device=indices.device).reshape(shape), values[1], values[0])


def _compress(node, x, condition):
    axis = node.attribute("axis")
    x, axis = (x.reshape(-1), 0) if axis is None else (x, axis_of(axis, x.dim()))
    return x.index_select(axis, torch.nonzero(condition).reshape(-1))


def _reverse_sequence(node, x, lengths):
    batch, time = node.attribute("batch_axis", 1), node.attribute("time_axis", 0)
    places = torch.arange(x.shape[time], device=x.device)
    ends = lengths.reshape(-1, 1)
    places = torch.where(places < ends, ends - 1 - places, places)  # [batch, time]
    places = places if batch < time else places.t()
    shape = [extent if axis in (batch, time) else 1 for axis, extent in enumerate(x.shape)]
    return torch.gather(x, time, places.reshape(shape).expand(x.shape))


def _tensor_scatter(node, past, update, starts=None):
    axis = axis_of(node.attribute("axis", -2), past.dim())
    places = torch.arange(update.shape[axis], device=past.device)
    places = places.expand(past.shape[0], -1) if starts is None else starts.reshape(-1, 1) + places
    if node.attribute("mode", "linear") == "circular":
        places = places % past.shape[axis]
    shape = [extent if each in (0, axis) else 1 for each, extent in enumerate(update.shape)]
    return past.scatter(axis, places.reshape(shape).expand(update.shape), update)


OPERATORS = {
    "Compress": _compress, "Concat": lambda node, *parts: torch.cat(parts, node.attribute("axis")),
    "ConstantOfShape": _constant_of_shape, "DepthToSpace": _depth_to_space, "Expand": _expand, "EyeLike": _eye_like,
    "Flatten": _flatten, "Gather": _gather, "GatherElements": _gather_elements, "GatherND": _gather_nd,
    "NonZero": lambda node, x: torch.nonzero(x).t(), "OneHot": _one_hot, "Pad": _pad, "Range": _range,
    "Reshape": _reshape, "ReverseSequence": _reverse_sequence, "Scatter": _scatter_elements,
    "ScatterElements": _scatter_elements, "ScatterND": _scatter_nd, "Shape": _shape,
    "Size": lambda node, x: torch.tensor(x.numel(), device=x.device), "Slice": _slice, "SpaceToDepth": _space_to_depth,
    "Split": _split, "Squeeze": _squeeze, "TensorScatter": _tensor_scatter, "Tile": _tile,
    "Transpose": lambda node, x: x.permute(node.attribute("perm") or list(reversed(range(x.dim())))),
    "Trilu": _trilu, "Unsqueeze": _unsqueeze,
}
