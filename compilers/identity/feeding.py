# SPDX-License-Identifier: Apache-2.0
"""Feeds a module's outputs back into its inputs, as a loop in Python does that generates tokens: a cache that a step returns
is what the next step receives, and rows are written into the cache where it lies."""
import math

import torch


class Feeding:
    """A pass. `inputs` are the tensors that the module is called with, in a list that is changed; `given` are the host's, in
    the same order. A pair is the place of an input, that of an output, and the axis of rows or -1. Without an output, the
    input is one longer along the axis in each step."""

    def __init__(self, inputs, given, pairs, row: int, copied_from):
        self._inputs, self._given, self._row = inputs, given, row
        self._pairs = [pair for pair in pairs if pair[1] is not None]
        self._lengthened = [(place, axis) for place, output, axis in pairs if output is None]
        self._copied_from = copied_from  # returns a tensor with the host's present values
        fed = [place for place, _, _ in pairs]
        self._others = [place for place in range(len(inputs)) if place not in fed]
        for place in range(len(inputs)):
            inputs[place] = copied_from(given[place])

    @property
    def copied_bytes(self) -> int:
        """Bytes of the rows that a step of one token copies."""
        return sum(math.prod(extent for axis, extent in enumerate(self._inputs[place].shape) if axis != along)
                   * self._inputs[place].element_size() for place, _, along in self._pairs if along >= 0)

    def around(self, infer, outputs):
        """Return a call that runs `infer` on the host's inputs and feeds back what `outputs` then returns."""
        def step():
            for place in self._others:
                self._inputs[place].copy_(self._copied_from(self._given[place]))
            infer()
            returned = outputs()
            rows = 0
            for place, output, axis in self._pairs:
                value = returned[output]
                if axis < 0:
                    self._inputs[place] = value
                else:
                    rows = value.shape[axis]
                    self._inputs[place].narrow(axis, self._row, rows).copy_(value)
            for place, axis in self._lengthened:
                value = self._inputs[place]
                self._inputs[place] = torch.cat([value, value.narrow(axis, 0, 1)], axis)
            self._row += rows

        return step
