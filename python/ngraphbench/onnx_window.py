# SPDX-License-Identifier: Apache-2.0
"""Where the window of an ONNX convolution or pool lies, for compilers that NGraphBench translates ONNX for."""
import math
from typing import List, Sequence, Tuple

import numpy as np


class Window:
    """A window's kernel, strides, dilations and pads, per axis. `node` has attribute(name, default=None)."""

    def __init__(self, node, sizes: Sequence[int], kernel: Sequence[int]):
        rank = len(sizes)
        self.sizes, self.kernel = list(sizes), list(kernel)
        self.strides = node.attribute("strides") or [1] * rank
        self.dilations = node.attribute("dilations") or [1] * rank
        self.reach = [d * (k - 1) + 1 for d, k in zip(self.dilations, self.kernel)]
        pads = node.attribute("pads") or [0] * (2 * rank)
        self.pads = list(zip(pads[:rank], pads[rank:]))
        how = node.attribute("auto_pad", "NOTSET")
        if how.startswith("SAME"):
            self.pads = [self._same(axis, how == "SAME_UPPER") for axis in range(rank)]
        elif how == "VALID":
            self.pads = [(0, 0)] * rank
        self._is_ceil = bool(node.attribute("ceil_mode", 0))

    def _same(self, axis: int, is_upper: bool) -> Tuple[int, int]:
        size, stride = self.sizes[axis], self.strides[axis]
        total = max((math.ceil(size / stride) - 1) * stride + self.reach[axis] - size, 0)
        less = total // 2
        return (less, total - less) if is_upper else (total - less, less)

    def counts(self) -> List[int]:
        """Return the number of the window's places along each axis; none begins in the padding at the end."""
        return [self._count(axis) for axis in range(len(self.sizes))]

    def _count(self, axis: int) -> int:
        size, stride, (begin, end) = self.sizes[axis], self.strides[axis], self.pads[axis]
        span = size + begin + end - self.reach[axis]
        if not self._is_ceil:
            return span // stride + 1
        count = -(-span // stride) + 1
        return count - 1 if (count - 1) * stride >= size + begin else count

    def padded_to(self, counts: Sequence[int]) -> List[Tuple[int, int]]:
        """Return the pads with which the window has that many places."""
        return [(begin, max(end, (count - 1) * stride + reach - size - begin))
                for (begin, end), count, stride, reach, size
                in zip(self.pads, counts, self.strides, self.reach, self.sizes)]

    def taps(self, includes_pads: bool) -> np.ndarray:
        """Return how many elements the window holds at each of its places."""
        counts = [self._taps_along(axis, count, includes_pads) for axis, count in enumerate(self.counts())]
        elements = counts[0]
        for each in counts[1:]:
            elements = np.multiply.outer(elements, each)
        return elements

    def _taps_along(self, axis: int, count: int, includes_pads: bool) -> np.ndarray:
        (begin, end), size = self.pads[axis], self.sizes[axis]
        low, high = (-begin, size + end) if includes_pads else (0, size)
        first = np.arange(count) * self.strides[axis] - begin
        places = first[:, None] + np.arange(self.kernel[axis])[None, :] * self.dilations[axis]
        return ((places >= low) & (places < high)).sum(axis=1)


def transposed_pads(node, window: Window) -> List[Tuple[int, int]]:
    """Return how much of a transposed convolution's whole result is cut off, per axis; a negative end adds zeros."""
    rank = len(window.sizes)
    extra = node.attribute("output_padding") or [0] * rank
    whole = [(size - 1) * stride + reach + more for size, stride, reach, more
             in zip(window.sizes, window.strides, window.reach, extra)]
    wanted, how = node.attribute("output_shape"), node.attribute("auto_pad", "NOTSET")
    if wanted is None and how.startswith("SAME"):
        wanted = [size * stride for size, stride in zip(window.sizes, window.strides)]
    pads = window.pads
    if wanted is not None:
        totals = [full - want for full, want in zip(whole, wanted[-rank:])]
        pads = [(total // 2, total - total // 2) if how == "SAME_UPPER" else (total - total // 2, total // 2)
                for total in totals]
    return [(begin, end - more) for (begin, end), more in zip(pads, extra)]
