# SPDX-License-Identifier: Apache-2.0
"""What ONNX's Resize and Upsample read for each place of an axis, for compilers that NGraphBench translates ONNX for.
Everything follows from the node's attributes and from numbers that are known when a model is compiled."""
import math
from dataclasses import dataclass
from typing import List, Optional, Sequence

import numpy as np


@dataclass(frozen=True)
class Along:
    """An axis that is resized. Either `places` gives the old place of each new one, or `weights` ([new, old]) the share
    of each old element in each new one. Where `is_outside` is set, the value is the node's extrapolation_value."""
    axis: int
    places: Optional[np.ndarray]
    weights: Optional[np.ndarray]
    is_outside: Optional[np.ndarray]


class Asymmetric:
    """A node of an opset in which coordinates were asymmetric and rounded down."""

    def __init__(self, node):
        self._node, self.refusal = node, node.refusal

    def attribute(self, name, default=None):
        fixed = {"coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor"}
        return fixed.get(name) or self._node.attribute(name, default)


def plan(node, shape: Sequence[int], scales: Optional[Sequence[float]], sizes: Optional[Sequence[int]],
         region: Optional[Sequence[float]] = None) -> List[Along]:
    """Return the axes that change. `node` has attribute(name, default=None) and refusal(what)."""
    axes = [axis % len(shape) for axis in node.attribute("axes") or range(len(shape))]
    old = [shape[axis] for axis in axes]
    if sizes is not None:
        policy = node.attribute("keep_aspect_ratio_policy", "stretch")
        factors = [size / extent for size, extent in zip(sizes, old)]
        if policy != "stretch":
            factors = [min(factors) if policy == "not_larger" else max(factors)] * len(axes)
            sizes = [math.floor(factor * extent + 0.5) for factor, extent in zip(factors, old)]
    elif scales is not None:
        factors = list(scales)
        sizes = [math.floor(extent * factor) for extent, factor in zip(old, factors)]
    else:
        raise node.refusal("neither scales nor sizes")
    crops = node.attribute("coordinate_transformation_mode") == "tf_crop_and_resize"
    found = []
    for place, axis in enumerate(axes):
        bounds = (region[place], region[place + len(axes)]) if crops and region is not None else (0.0, 1.0)
        if (factors[place], sizes[place]) != (1, old[place]) or bounds != (0.0, 1.0):
            found.append(_along(node, axis, old[place], sizes[place], factors[place], bounds))
    return found


def _along(node, axis, old, new, scale, bounds) -> Along:
    sources = _sources(node, old, new, scale, bounds)
    is_outside = None
    if node.attribute("coordinate_transformation_mode") == "tf_crop_and_resize":
        is_outside = (sources < 0) | (sources > old - 1)
    mode = node.attribute("mode", "nearest")
    if mode == "nearest":
        return Along(axis, _nearest(node, old, sources), None, is_outside)
    if mode not in ("linear", "cubic"):
        raise node.refusal(f'mode "{mode}"')
    return Along(axis, None, _weights(node, old, sources, scale, mode), is_outside)


def _sources(node, old, new, scale, bounds) -> np.ndarray:
    """Return the old coordinate of each new place."""
    places, length = np.arange(new, dtype=np.float64), scale * old
    how = node.attribute("coordinate_transformation_mode", "half_pixel")
    if how == "half_pixel":
        return (places + 0.5) / scale - 0.5
    if how == "half_pixel_symmetric":
        return old / 2 * (1 - new / length) + (places + 0.5) / scale - 0.5
    if how == "pytorch_half_pixel":
        return (places + 0.5) / scale - 0.5 if length > 1 else np.full(new, -0.5)
    if how == "tf_half_pixel_for_nn":
        return (places + 0.5) / scale
    if how == "align_corners":
        return places * (old - 1) / (length - 1) if length != 1 else np.zeros(new)
    if how == "asymmetric":
        return places / scale
    if how == "tf_crop_and_resize":
        begin, end = bounds
        if length == 1:
            return np.full(new, (end - begin) * (old - 1) / 2 + begin * (old - 1))
        return begin * (old - 1) + places * (end - begin) * (old - 1) / (length - 1)
    raise node.refusal(f'coordinates "{how}"')


def _nearest(node, old, sources) -> np.ndarray:
    how = node.attribute("nearest_mode", "round_prefer_floor")
    rounded = {"round_prefer_floor": np.ceil(sources - 0.5), "round_prefer_ceil": np.floor(sources + 0.5),
               "floor": np.floor(sources), "ceil": np.ceil(sources)}[how]
    return np.clip(rounded, 0, old - 1).astype(np.int64)


def _weights(node, old, sources, scale, mode) -> np.ndarray:
    is_smooth = bool(node.attribute("antialias", 0))
    narrow = min(scale, 1.0) if is_smooth else 1.0
    reach = math.ceil((1 if mode == "linear" else 2) / narrow)
    near = np.floor(sources).astype(np.int64)[:, None] + np.arange(-reach, reach + 2)[None, :]
    distance = np.abs((near - sources[:, None]) * narrow)
    if mode == "linear":
        share = np.maximum(1 - distance, 0)
    else:
        share = _cubic(distance, node.attribute("cubic_coeff_a", -0.75))
    if node.attribute("exclude_outside", 0):
        share = np.where((near < 0) | (near >= old), 0, share)
    if is_smooth or node.attribute("exclude_outside", 0):
        share = share / share.sum(axis=1, keepdims=True)
    weights = np.zeros((len(sources), old))
    rows = np.repeat(np.arange(len(sources)), near.shape[1])
    np.add.at(weights, (rows, np.clip(near, 0, old - 1).reshape(-1)), share.reshape(-1))
    return weights


def _cubic(d, a) -> np.ndarray:
    """Return the cubic convolution kernel (Keys 1981) at these distances."""
    inner = ((a + 2) * d - (a + 3)) * d * d + 1
    outer = ((a * d - 5 * a) * d + 8 * a) * d - 4 * a
    return np.where(d <= 1, inner, np.where(d < 2, outer, 0))
