# SPDX-License-Identifier: Apache-2.0
"""What the tests of claims have in common: quantities of cells, with a bound on one side."""

import dataclasses

import numpy
from by_scipy import RATE, Number, contrast, ratio
from findings import _parts

@dataclasses.dataclass
class Test:
    """The claim that `quantity` is on the side of each bound that its sign says: -1 below, 1 above."""

    cells: list
    quantity: list
    bounds: list  # (sign, bound)
    premise: list | None = None  # another ratio, which must be below 1
    others: list = dataclasses.field(default_factory=list)  # quantities of which the same is claimed, beside the lowest
    largest_of: list = dataclasses.field(default_factory=list)

    @property
    def has_premise(self):
        return self.premise is not None

    def ratios(self):
        """Ratios that are claimed to be below 1."""
        own = [_times([(values, -sign * weight) for values, weight in quantity], bound**sign)
               for quantity in (self.quantity, *self.others) for sign, bound in self.bounds]
        return own + ([self.premise] if self.has_premise else [])

    def value(self):
        if not self.largest_of:
            return ratio(self.quantity)
        rate = RATE / len(self.largest_of)
        ends = [contrast(parts, rate) for parts in self.largest_of]
        return Number(ratio(self.quantity).value, *(numpy.exp(max(getattr(each, end) for each in ends)) for end in ("low", "high")))


def _below(bound, cells, quantity):
    return Test(cells, quantity, [(-1, bound)])


def _above(bound, cells, quantity):
    return Test(cells, quantity, [(1, bound)])


def _times(parts, factor):
    """The parts of a ratio that is `factor` times as large."""
    (values, weight), *others = parts
    return [(numpy.asarray(values) + numpy.log(factor) / weight, weight), *others]


def _mean_over(log_of, cells, weight=1.0):
    return [part for key in cells for part in log_of(key, weight / len(cells))]


def _styled(oracle, cells, style):
    return [key for key in cells if oracle.cell(key).model_style == style and not oracle.cell(key).family.endswith("_block")
            and oracle.log_speed_up(key) is not None]


def _bsr(oracle):
    def log_of(key, weight=1.0):
        single = oracle.relatives.at_batch_1(key)
        return None if single is None else _parts(oracle.log_speed_up(key, weight), oracle.log_speed_up(single, -weight))
    return log_of


def _rtr(oracle):
    return lambda key, weight=1.0: oracle.log_ratio(key, oracle.relatives.at_batch_1(key), weight)


def _at_largest_batch(oracle, cells, log_of):
    largest = {}
    for key in cells:
        name, batch = oracle.cell(key).model_hash, oracle.cell(key).batch
        if batch > 1 and log_of(key) is not None and (name not in largest or oracle.cell(largest[name]).batch < batch):
            largest[name] = key
    return [largest[name] for name in sorted(largest)]
