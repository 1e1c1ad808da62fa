# SPDX-License-Identifier: Apache-2.0
"""Operators that read an image between its elements."""
import functools
import itertools

import jax.numpy as jnp
import numpy as np
from ngraphbench.onnx_window import Window
from window import F32


def _source(x, size, is_aligned):
    """Return the coordinate of a place in [-1, 1]."""
    return (x + 1) / 2 * (size - 1) if is_aligned else ((x + 1) * size - 1) / 2


def _reflected(places, low, high):
    """Return places reflected at the borders until they lie within."""
    span = high - low
    if span == 0:
        return jnp.full_like(places, low)
    there = jnp.mod(places - low, 2 * span)
    return low + jnp.where(there > span, 2 * span - there, there)


def _bounded(node, places, size, is_aligned):
    how = node.attribute("padding_mode", "zeros")
    if how == "border":
        return jnp.clip(places, 0, size - 1)
    if how == "reflection":
        low, high = (0.0, size - 1.0) if is_aligned else (-0.5, size - 0.5)
        return jnp.clip(_reflected(places, low, high), 0, size - 1)
    return places


def _shares(node, places, mode):
    """Return [(place, share), …] of the elements that are read around each place of an axis."""
    if mode == "nearest":
        return [(jnp.round(places), 1)]
    low = jnp.floor(places)
    if mode in ("linear", "bilinear"):
        return [(low, 1 - (places - low)), (low + 1, places - low)]
    if mode not in ("cubic", "bicubic"):
        raise node.refusal(f'mode "{mode}"')
    return [(low + step, _cubic(jnp.abs(places - low - step))) for step in (-1, 0, 1, 2)]


def _cubic(d):
    inner = ((-0.75 + 2) * d - (-0.75 + 3)) * d * d + 1
    outer = -0.75 * (((d - 5) * d + 8) * d - 4)
    return jnp.where(d <= 1, inner, jnp.where(d < 2, outer, 0))


def _read(image, places):
    """Return elements of an image [channels, …] at integer places, 0 outside. The result is [channels, *places]."""
    sizes = image.shape[1:]
    is_inside = functools.reduce(jnp.logical_and, [(place >= 0) & (place < size) for place, size in zip(places, sizes)])
    clipped = tuple(jnp.clip(place, 0, size - 1).astype(jnp.int32) for place, size in zip(places, sizes))
    return jnp.where(is_inside, image[(slice(None), *clipped)], 0)


def _grid_sample(node, x, grid):
    x, grid = jnp.asarray(x), jnp.asarray(grid)
    is_aligned, sizes = bool(node.attribute("align_corners", 0)), x.shape[2:]
    mode, is_cubic = node.attribute("mode", "linear"), "cubic" in node.attribute("mode", "linear")
    images = []
    for image, wanted in zip(x, grid):
        axes = []
        for axis, size in enumerate(sizes):
            places = _source(wanted[..., len(sizes) - 1 - axis], size, is_aligned)
            # Cubic interpolation bounds each element that it reads, the others the place itself.
            places = places if is_cubic else _bounded(node, places, size, is_aligned)
            axes.append([(_bounded(node, place, size, is_aligned) if is_cubic else place, share)
                         for place, share in _shares(node, places, mode)])
        images.append(sum(_read(image, [place for place, _ in taps])
                          * functools.reduce(jnp.multiply, [share for _, share in taps])
                          for taps in itertools.product(*axes)))
    return jnp.stack(images).astype(x.dtype)


def _bilinear(image, rows, columns):
    """Return an image [channels, height, width] at real places, 0 outside."""
    top, left = jnp.floor(rows), jnp.floor(columns)
    down, right = rows - top, columns - left
    return (_read(image, (top, left)) * (1 - down) * (1 - right) + _read(image, (top, left + 1)) * (1 - down) * right
            + _read(image, (top + 1, left)) * down * (1 - right) + _read(image, (top + 1, left + 1)) * down * right)


def _roi_align(node, x, regions, batches):
    ratio = node.attribute("sampling_ratio", 0)
    if ratio <= 0:
        raise node.refusal("a sampling_ratio that follows from the regions")
    x, height, width = jnp.asarray(x), node.attribute("output_height", 1), node.attribute("output_width", 1)
    how = node.attribute("coordinate_transformation_mode", "half_pixel" if node.opset >= 16 else "output_half_pixel")
    offset, scale = 0.5 if how == "half_pixel" else 0.0, node.attribute("spatial_scale", 1.0)
    results = []
    for index in range(regions.shape[0]):
        left, top, right, bottom = (regions[index, side] * scale - offset for side in range(4))
        spans = [bottom - top, right - left]
        if how != "half_pixel":
            spans = [jnp.maximum(span, 1.0) for span in spans]
        steps = [(np.arange(count * ratio) + 0.5) / (count * ratio) for count in (height, width)]
        rows, columns = (begin + step * span for begin, step, span in zip((top, left), steps, spans))
        inside = [(each >= -1) & (each <= size) for each, size in zip((rows, columns), x.shape[2:])]
        rows, columns = (jnp.clip(each, 0, size - 1) for each, size in zip((rows, columns), x.shape[2:]))
        image = jnp.take(x, jnp.asarray(batches)[index], axis=0)
        sampled = _bilinear(image, rows[:, None] + 0 * columns[None, :], 0 * rows[:, None] + columns[None, :])
        sampled = jnp.where(inside[0][:, None] & inside[1][None, :], sampled, 0)
        cells = sampled.reshape(x.shape[1], height, ratio, width, ratio)
        reduce = jnp.mean if node.attribute("mode", "avg") == "avg" else jnp.max
        results.append(reduce(cells, axis=(2, 4)))
    if node.attribute("mode", "avg") != "avg":
        raise node.refusal('mode "max"')
    return jnp.stack(results).astype(x.dtype)


def _deformed(node, x, weight, offset, bias=None, mask=None):
    if x.ndim != 4:
        raise node.refusal("other than two axes")
    x, offset = jnp.asarray(x), jnp.asarray(offset)
    window, groups = Window(node, x.shape[2:], weight.shape[2:]), node.attribute("group", 1)
    parts, (height, width) = node.attribute("offset_group", 1), window.counts()
    taps = list(itertools.product(*map(range, window.kernel)))
    base = [np.arange(count) * stride - begin for count, stride, (begin, _)
            in zip((height, width), window.strides, window.pads)]
    images = []
    for image, shift, factor in zip(x, offset, [None] * x.shape[0] if mask is None else jnp.asarray(mask)):
        shift, columns = shift.reshape(parts, len(taps), 2, height, width), []
        for number, (row, column) in enumerate(taps):
            read = []
            for part, channels in enumerate(jnp.split(image, parts)):
                rows = base[0][:, None] + row * window.dilations[0] + shift[part, number, 0]
                across = base[1][None, :] + column * window.dilations[1] + shift[part, number, 1]
                value = _bilinear(channels, rows, across)
                read.append(value if factor is None else value * factor.reshape(parts, len(taps), height, width)[
                    part, number])
            columns.append(jnp.concatenate(read))
        images.append(jnp.stack(columns, 1))  # [channels, taps, height, width]
    patches = jnp.stack(images).reshape(x.shape[0], groups, x.shape[1] // groups, len(taps), height, width)
    kernel = jnp.asarray(weight).reshape(groups, weight.shape[0] // groups, weight.shape[1], len(taps))
    y = jnp.einsum("ngcthw,gfct->ngfhw", patches, kernel, precision=F32).reshape(x.shape[0], -1, height, width)
    return y if bias is None else y + bias.reshape(1, -1, 1, 1)


OPERATORS = {"DeformConv": _deformed, "GridSample": _grid_sample, "RoiAlign": _roi_align}
