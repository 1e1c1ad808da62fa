# SPDX-License-Identifier: Apache-2.0
"""The paper's claims about the design of networks, by scipy."""

import dataclasses
import itertools

import numpy
from by_scipy import log_ratio, ratio
from claim_parts import _above, _at_largest_batch, _below, _bsr, _mean_over, _rtr, _styled, _times

VENDORS = ("openvino", "tensorrt", "tensorrt-cpp")


def _apart(log_of, high, low):
    """The geometric mean of high / low."""
    return _mean_over(log_of, high) + _mean_over(log_of, low, -1.0)


def _ends(oracle, cells, group_of, value_of):
    """([the cell of the highest value of each group of several], [that of the lowest])."""
    groups = {}
    for key in cells:
        groups.setdefault(group_of(oracle.cell(key)), {}).setdefault(value_of(oracle.cell(key)), key)
    in_order = sorted(groups.items(), key=lambda each: "\n".join(map(str, each[0])))
    several = [values for _, values in in_order if len(values) > 1]
    return [values[max(values)] for values in several], [values[min(values)] for values in several]


def _small_and_styled(oracle, cells, style):
    return [key for key in _styled(oracle, cells, style) if oracle.cell(key).batch <= 2]


def _convolutions_gain(oracle, cells):
    used = _small_and_styled(oracle, cells, "convolutional")
    return _above(1, used, _mean_over(oracle.log_speed_up, used)) if used else None


def _transformers_gain_less(oracle, cells):
    low, high = _small_and_styled(oracle, cells, "convolutional"), _small_and_styled(oracle, cells, "transformer")
    if oracle.cell(cells[0]).compiler in VENDORS or not low or not high:
        return None
    return _below(1, [*high, *low], _apart(oracle.log_speed_up, high, low))


def _vendors_gain_over_depth(oracle, cells):
    compiler = oracle.cell(cells[0]).compiler
    if compiler not in (*VENDORS, "onnxruntime"):
        return None
    blocks = [key for key in cells if oracle.cell(key).family == "conv_block" and oracle.cell(key).block
              and oracle.log_speed_up(key) is not None]
    high, low = _ends(oracle, blocks, lambda cell: (cell.block.name, cell.batch), lambda cell: cell.block.depth)
    claimed, bound = (_above, 1) if compiler in VENDORS else (_below, 1.1)
    return claimed(bound, [*high, *low], _apart(oracle.log_speed_up, high, low)) if high else None


def _ends_of_width(oracle, cells):
    wide = [key for key in cells if oracle.cell(key).block and oracle.cell(key).block.width is not None]
    return _ends(oracle, wide, lambda cell: (cell.block.name_sans_width, cell.block.depth, cell.batch), lambda cell: cell.block.width)


def _width_costs_efficiency(oracle, cells):
    high, low = _ends_of_width(oracle, _at_largest_batch(oracle, cells, _rtr(oracle)))
    return _below(1, [*high, *low], _apart(_rtr(oracle), high, low)) if high else None


def _width_is_mitigated(oracle, cells):
    high, low = _ends_of_width(oracle, [key for key in cells if oracle.log_speed_up(key) is not None])
    return _above(1, [*high, *low], _apart(oracle.log_speed_up, high, low)) if high else None


def _convolutions_keep_efficiency(oracle, cells):
    if oracle.cell(cells[0]).compiler != "openvino":
        return None
    used = _at_largest_batch(oracle, cells, _bsr(oracle))
    high, low = ([key for key in used if oracle.cell(key).family == family] for family in ("conv_block", "mha_block"))
    return _above(1, [*high, *low], _apart(_bsr(oracle), high, low)) if high and low else None


def _bsr_consistently_above_one(oracle, cells):
    log_of = _bsr(oracle)
    used = [key for key in cells if oracle.cell(key).batch > 1 and log_of(key) is not None]
    if not used:
        return None
    lowest = min(used, key=lambda key: ratio(log_of(key)).value)
    return dataclasses.replace(_above(1, used, log_of(lowest)), others=[log_of(key) for key in used if key != lowest])


def _scarce_devices_keep_efficiency(oracle, cells):
    log_of = _bsr(oracle)
    high = _at_largest_batch(oracle, cells, log_of)

    def baselines(keys):
        speeds = [oracle.by_process(oracle.relatives.baseline(key)) for key in keys]
        return numpy.mean([numpy.log(of_each).mean() for of_each in speeds])

    def like(key):
        cell = oracle.cell(key)
        return cell.model_hash, cell.batch, cell.load, cell.setting

    devices = {oracle.cell(key).device: {} for key in oracle.cells() if high and oracle.cell(key).device != oracle.cell(high[0]).device}
    for key in oracle.cells():
        if oracle.cell(key).device in devices and log_of(key) is not None:
            devices[oracle.cell(key).device].setdefault(like(key), key)
    there = [[found[like(key)] for key in high] for found in devices.values() if all(like(key) in found for key in high)]
    faster = [keys for keys in there if baselines(keys) > baselines(high)]
    if not faster:
        return None
    low = max(faster, key=baselines)
    return _above(1, [*high, *low], _apart(log_of, high, low))


def _ase_steps(oracle, cells):
    """[(key, the same model at the next smaller batch size, how ASE changes from that one)]: T / T there, over the ratio of batches."""
    models = {}
    for key in cells:
        if len(oracle.by_process(key)):
            models.setdefault(oracle.cell(key).model_hash, {}).setdefault(oracle.cell(key).batch, key)
    steps = []
    for _, batches in sorted(models.items()):
        for small, large in itertools.pairwise(sorted(batches)):
            change = oracle.log_ratio(batches[large], batches[small], 1.0)
            if change is not None:
                steps.append((batches[large], batches[small], _times(change, small / large)))
    return steps


def _vendors_ase_falls(oracle, cells):
    if oracle.cell(cells[0]).compiler not in VENDORS:
        return None
    steps = _ase_steps(oracle, cells)
    if not steps:
        return None
    largest, *others = sorted((change for *_, change in steps), key=lambda parts: -ratio(parts).value)
    return dataclasses.replace(_below(1, [key for large, small, _ in steps for key in (large, small)], largest), others=others)


def _tvm_ase_rises(oracle, cells):
    steps = _ase_steps(oracle, cells)
    if oracle.cell(cells[0]).compiler != "tvm" or not steps:
        return None
    changes = [change for *_, change in steps]
    largest = max(changes, key=lambda parts: ratio(parts).value)
    return dataclasses.replace(_above(1, [key for large, small, _ in steps for key in (large, small)], largest), largest_of=changes)


def _cpu_use_falls_with_batch(oracle, cells):
    def log_of(key, weight=1.0):
        single = oracle.relatives.at_batch_1(key)
        if single is None or not len(oracle.busy_cpus(key)) or not len(oracle.busy_cpus(single)):
            return None
        own, other = oracle.busy_cpus(key), oracle.busy_cpus(single)
        return log_ratio(own, other, key == single, weight) if (own > 0).all() and (other > 0).all() else None

    used = [key for key in _at_largest_batch(oracle, cells, log_of) if (oracle.cell(key).compute_device or "cpu") != "cpu"]
    return _below(1, used, _mean_over(log_of, used)) if used else None


def _load_hurts_larger_models(oracle, cells):
    def log_of(key, weight=1.0):
        alone = oracle.relatives.without_load(key)
        return None if oracle.cell(key).load == "none" else oracle.log_ratio(key, alone, weight)

    loaded = [key for key in cells if oracle.cell(key).parameters is not None and log_of(key) is not None]
    high, low = _ends(oracle, loaded, lambda cell: (cell.group, cell.batch), lambda cell: cell.parameters)
    return _below(1, [*high, *low], _apart(log_of, high, low)) if high else None
