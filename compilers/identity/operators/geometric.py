# SPDX-License-Identifier: Apache-2.0
"""Operators that read an image at computed places."""
import torch
from ngraphbench import onnx_resize
from torch.nn import functional

from .node import extents, numbers, takes_numbers

_MODES = {"linear": "bilinear", "cubic": "bicubic"}  # names since opset 20


def _grid_sample(node, x, grid):
    mode = node.attribute("mode", "linear")
    return functional.grid_sample(x, grid, _MODES.get(mode, mode), node.attribute("padding_mode", "zeros"),
                                  bool(node.attribute("align_corners", 0)))


@takes_numbers(1, 2, 3)
def _resize(node, x, region=None, scales=None, sizes=None):
    if node.opset < 11:  # scales are the second input
        return _upsample(node, x, region)
    factors = numbers(scales) if scales is not None and len(scales) else None
    usual = _interpolated(node, x, factors, None if sizes is None else numbers(sizes))
    if usual is not None:
        return usual
    bounds = numbers(region) if region is not None and len(region) else None
    kind = x.dtype
    for along in onnx_resize.plan(node, extents(x), factors, None if sizes is None else numbers(sizes), bounds):
        x = _resized(node, x, along)
    return x.to(kind)


def _resized(node, x, along):
    if along.places is not None:
        x = x.index_select(along.axis, torch.from_numpy(along.places).to(x.device))
    else:
        kind = x.dtype if x.dtype.is_floating_point else torch.float32
        weights = torch.from_numpy(along.weights).to(dtype=kind, device=x.device)
        x = torch.matmul(x.to(kind).movedim(along.axis, -1), weights.t()).movedim(-1, along.axis)
    if along.is_outside is None:
        return x
    shape = [-1 if axis == along.axis else 1 for axis in range(x.dim())]
    outside = torch.from_numpy(along.is_outside).to(x.device).reshape(shape)
    return torch.where(outside, torch.as_tensor(node.attribute("extrapolation_value", 0.0), dtype=x.dtype), x)


def _interpolated(node, x, scales, sizes):
    """Return the image as PyTorch's own kernel makes it, if that is one of the forms that it has. None: it is not."""
    if x.dim() != 4 or not x.dtype.is_floating_point or any(
            node.attribute(name) for name in ("antialias", "axes", "exclude_outside")):
        return None
    new = list(sizes) if sizes is not None else [extent * scale for extent, scale in zip(extents(x), scales or ())]
    if len(new) != 4 or new[:2] != list(extents(x)[:2]) or any(size != int(size) for size in new) or \
            node.attribute("keep_aspect_ratio_policy", "stretch") != "stretch":
        return None
    mode, how = node.attribute("mode", "nearest"), node.attribute("coordinate_transformation_mode", "half_pixel")
    size = [int(each) for each in new[2:]]
    if mode == "nearest":
        is_usual = how == "asymmetric" and node.attribute("nearest_mode") == "floor"
        return functional.interpolate(x, size, mode="nearest") if is_usual else None
    if mode not in _MODES or how not in ("half_pixel", "align_corners") or \
            node.attribute("cubic_coeff_a", -0.75) != -0.75:
        return None
    return functional.interpolate(x, size, mode=_MODES[mode], align_corners=how == "align_corners")


@takes_numbers(1)
def _upsample(node, x, scales=None):
    given = node.attribute("scales") if scales is None else numbers(scales)
    for along in onnx_resize.plan(onnx_resize.Asymmetric(node), extents(x), given, None):
        x = _resized(node, x, along)
    return x


def _non_max_suppression(node, boxes, scores, most=None, overlap=None, least=None):
    from torchvision.ops import nms

    count = 0 if most is None else int(most)
    threshold = 0.0 if overlap is None else float(overlap)
    if node.attribute("center_point_box", 0):
        centre, half = boxes[..., :2], boxes[..., 2:] / 2
        low, high = centre - half, centre + half
    else:  # either pair of corners may come first
        low, high = torch.minimum(boxes[..., :2], boxes[..., 2:]), torch.maximum(boxes[..., :2], boxes[..., 2:])
    corners = torch.cat((low, high), -1)
    rows = []
    for batch in range(scores.shape[0]):
        for kind in range(scores.shape[1]):
            of_kind = scores[batch, kind]
            is_high = torch.ones_like(of_kind, dtype=torch.bool) if least is None else of_kind > least
            places = torch.nonzero(is_high).reshape(-1)
            kept = places[nms(corners[batch][places], of_kind[places], threshold)][:count]
            head = torch.tensor([batch, kind], device=boxes.device).expand(kept.shape[0], 2)
            rows.append(torch.cat((head, kept.reshape(-1, 1)), 1))
    return torch.cat(rows)


def _deformed(node, x, weight, offset, bias=None, mask=None):
    from torchvision.ops import deform_conv2d

    pads = node.attribute("pads") or [0, 0, 0, 0]
    if x.dim() != 4 or pads[:2] != pads[2:]:
        raise node.refusal("other than two axes with equal pads on both sides")
    return deform_conv2d(x, offset, weight, bias, node.attribute("strides") or 1, pads[:2],
                         node.attribute("dilations") or 1, mask)


def _roi_align(node, x, regions, batches):
    from torchvision.ops import roi_align

    if node.attribute("mode", "avg") != "avg":
        raise node.refusal(f'mode "{node.attribute("mode")}"')
    is_aligned = node.attribute("coordinate_transformation_mode", "half_pixel" if node.opset >= 16 else
                                "output_half_pixel") == "half_pixel"
    rows = torch.cat((batches.reshape(-1, 1).to(regions.dtype), regions), 1)
    return roi_align(x, rows, (node.attribute("output_height", 1), node.attribute("output_width", 1)),
                     node.attribute("spatial_scale", 1.0), node.attribute("sampling_ratio", 0), is_aligned)


OPERATORS = {"DeformConv": _deformed, "GridSample": _grid_sample, "NonMaxSuppression": _non_max_suppression,
             "Resize": _resize, "RoiAlign": _roi_align, "Upsample": _upsample}
