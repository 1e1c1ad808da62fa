# SPDX-License-Identifier: Apache-2.0
"""Operators that enlarge and shrink images."""
import jax.numpy as jnp
import numpy as np


def _sources(node, old, new, scale):
    """Return the old coordinate of each new place along one axis."""
    places = np.arange(new, dtype=np.float64)
    how = node.attribute("coordinate_transformation_mode", "half_pixel")
    if how == "half_pixel":
        return (places + 0.5) / scale - 0.5
    if how == "pytorch_half_pixel":
        return (places + 0.5) / scale - 0.5 if new > 1 else np.zeros(1)
    if how == "align_corners":
        return places * (old - 1) / (new - 1) if new > 1 else np.zeros(1)
    if how == "asymmetric":
        return places / scale
    raise node.refusal(f'coordinates "{how}"')


def _nearest(node, old, sources):
    how = node.attribute("nearest_mode", "round_prefer_floor")
    rounded = {"round_prefer_floor": np.ceil(sources - 0.5), "round_prefer_ceil": np.floor(sources + 0.5),
               "floor": np.floor(sources), "ceil": np.ceil(sources)}[how]
    return np.clip(rounded, 0, old - 1).astype(np.int64)


def _along(node, x, axis, new, scale):
    old, mode = x.shape[axis], node.attribute("mode", "nearest")
    sources = _sources(node, old, new, scale)
    if mode == "nearest":
        return jnp.take(x, _nearest(node, old, sources), axis=axis, mode="clip")
    if mode != "linear" or node.attribute("antialias", 0):
        raise node.refusal(f'mode "{mode}"' + (" with antialias" if node.attribute("antialias", 0) else ""))
    sources = np.clip(sources, 0, old - 1)
    low = np.floor(sources).astype(np.int64)
    high = np.minimum(low + 1, old - 1)
    share = (sources - low).astype(x.dtype).reshape([-1 if each == axis else 1 for each in range(x.ndim)])
    return (jnp.take(x, low, axis=axis, mode="clip") * (1 - share)
            + jnp.take(x, high, axis=axis, mode="clip") * share)


def _scaled(node, x, scales, sizes):
    if scales is None and sizes is None:
        raise node.refusal("neither scales nor sizes")
    axes = node.attribute("axes") or list(range(x.ndim))
    if sizes is None:
        for axis, scale in zip(axes, scales):
            if scale != 1:
                x = _along(node, x, axis, int(np.floor(x.shape[axis] * scale)), scale)
        return x
    if node.attribute("keep_aspect_ratio_policy", "stretch") != "stretch":
        raise node.refusal("a policy that keeps the aspect ratio")
    for axis, size in zip(axes, sizes):
        if size != x.shape[axis]:
            x = _along(node, x, axis, size, size / x.shape[axis])
    return x


def _resize(node, x, region=None, scales=None, sizes=None):
    if node.opset < 11:  # scales are the second input
        return _upsample(node, x, region)
    factors = None if scales is None or scales.size == 0 else [float(each) for each in node.known(scales, "scales")]
    return _scaled(node, x, factors, None if sizes is None else node.integers(sizes, "sizes"))


class _Asymmetric:
    """A node of an opset in which coordinates were asymmetric and rounded down."""

    def __init__(self, node):
        self._node, self.refusal = node, node.refusal

    def attribute(self, name, default=None):
        fixed = {"coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor"}
        return fixed.get(name) or self._node.attribute(name, default)


def _upsample(node, x, scales=None):
    given = node.attribute("scales") if scales is None else node.known(scales, "scales")
    return _scaled(_Asymmetric(node), x, [float(each) for each in given], None)


OPERATORS = {"Resize": _resize, "Upsample": _upsample}
