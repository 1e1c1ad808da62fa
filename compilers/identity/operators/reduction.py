# SPDX-License-Identifier: Apache-2.0
"""Operators that reduce, accumulate or order elements along axes."""
import math

import torch

from .node import axis_of, numbers, takes_numbers


def _axes(node, x, given):
    """Return a reduction's axes, from its attribute or, in later opsets, its second input. None means none."""
    by_attribute = node.attribute("axes")
    axes = by_attribute if by_attribute is not None else None if given is None else numbers(given)
    if axes:
        return tuple(axis_of(axis, x.dim()) for axis in axes)
    return None if node.attribute("noop_with_empty_axes", 0) else tuple(range(x.dim()))


def _reduction(reduce, before=None, after=None):
    @takes_numbers(1)
    def operator(node, x, given_axes=None):
        axes = _axes(node, x, given_axes)
        y = before(x) if before else x
        if axes is not None and (axes or x.dim() == 0):
            y = reduce(y, axes, bool(node.attribute("keepdims", 1))) if axes else y
        return (after(y) if after else y).to(x.dtype)

    return operator


def _extreme(reduce, last):
    """Return a reduction to the largest or smallest element, which is `last` of no elements."""
    def over(x, axes, keeps):
        if all(x.shape[axis] for axis in axes):
            return reduce(x.to(torch.uint8) if x.dtype == torch.bool else x, axes, keeps)
        shape = [1 if axis in axes else extent for axis, extent in enumerate(x.shape) if keeps or axis not in axes]
        return torch.full(shape, last(x.dtype), dtype=x.dtype, device=x.device)

    return over


def _bound(sign):
    def last(dtype):
        if dtype.is_floating_point:
            return sign * math.inf
        if dtype == torch.bool:
            return sign > 0
        return torch.iinfo(dtype).max if sign > 0 else torch.iinfo(dtype).min

    return last


def _product(x, axes, keeps):
    for axis in sorted(axes, reverse=True):
        x = torch.prod(x, axis, keeps)
    return x


def _sum(x, axes, keeps):
    return torch.sum(x, axes, keeps)


def _arg(find):
    def operator(node, x):
        axis, keeps = axis_of(node.attribute("axis", 0), x.dim()), bool(node.attribute("keepdims", 1))
        # PyTorch does not say which of equal elements it finds; among positions it finds the largest.
        is_last = node.attribute("select_last_index", 0)
        best = find(x, axis, True)
        places = torch.arange(x.shape[axis], device=x.device).reshape([-1] + [1] * (x.dim() - 1 - axis))
        rank = places if is_last else x.shape[axis] - 1 - places
        found = torch.argmax(torch.where(x == best, rank, -1), axis, keeps)
        return found

    return operator


def _accumulated(accumulate, neutral):
    @takes_numbers(1)
    def operator(node, x, axis):
        along = axis_of(numbers(axis)[0], x.dim())
        y = torch.flip(x, (along,)) if node.attribute("reverse", 0) else x
        if node.attribute("exclusive", 0):
            first = torch.full_like(y.narrow(along, 0, min(1, y.shape[along])), neutral)
            y = torch.cat((first, y.narrow(along, 0, max(y.shape[along] - 1, 0))), along)
        y = accumulate(y, along).to(x.dtype)
        return torch.flip(y, (along,)) if node.attribute("reverse", 0) else y

    return operator


@takes_numbers(1)
def _top_k(node, x, k=None):
    count = node.attribute("k") if node.opset < 10 else numbers(k)[0]
    axis = axis_of(node.attribute("axis", -1), x.dim())
    # Equal elements keep their order, which torch.topk does not promise.
    order = torch.sort(x, dim=axis, descending=bool(node.attribute("largest", 1)), stable=True)
    return order.values.narrow(axis, 0, count), order.indices.narrow(axis, 0, count)


def _unique(node, x):
    axis = node.attribute("axis")
    values, inverse, counts = torch.unique(x, sorted=True, return_inverse=True, return_counts=True, dim=axis)
    places = inverse.reshape(-1)
    first = torch.full((counts.shape[0],), places.shape[0], dtype=torch.int64, device=x.device).scatter_reduce(
        0, places, torch.arange(places.shape[0], device=x.device), "amin")
    if node.attribute("sorted", 1) == 0:
        order = torch.argsort(first)
        values = values.index_select(0 if axis is None else axis, order)
        inverse, first, counts = torch.argsort(order)[places], first[order], counts[order]
    return values, first, inverse.reshape(-1), counts


def _mean(x, axes, keeps):
    return torch.mean(x if x.is_floating_point() else x.to(torch.float64), axes, keeps)


def _log_sum_exp(x, axes, keeps):
    return torch.logsumexp(x, axes, keeps)


OPERATORS = {
    "ArgMax": _arg(torch.amax), "ArgMin": _arg(torch.amin), "CumProd": _accumulated(torch.cumprod, 1),
    "CumSum": _accumulated(torch.cumsum, 0), "ReduceL1": _reduction(_sum, before=torch.abs),
    "ReduceL2": _reduction(_sum, before=torch.square, after=torch.sqrt),
    "ReduceLogSum": _reduction(_sum, after=torch.log),
    "ReduceLogSumExp": _reduction(_log_sum_exp), "ReduceMax": _reduction(_extreme(torch.amax, _bound(-1))),
    "ReduceMean": _reduction(_mean), "ReduceMin": _reduction(_extreme(torch.amin, _bound(1))),
    "ReduceProd": _reduction(_product), "ReduceSum": _reduction(_sum),
    "ReduceSumSquare": _reduction(_sum, before=torch.square), "TopK": _top_k, "Unique": _unique,
}
