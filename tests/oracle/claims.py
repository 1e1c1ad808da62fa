# SPDX-License-Identifier: Apache-2.0
"""The paper's claims on results, by scipy."""

import dataclasses

import numpy
from by_scipy import judge, ratio
from claim_parts import Test, _above, _at_largest_batch, _below, _bsr, _mean_over, _rtr, _styled
from design_claims import (
    _bsr_consistently_above_one,
    _convolutions_gain,
    _convolutions_keep_efficiency,
    _cpu_use_falls_with_batch,
    _load_hurts_larger_models,
    _scarce_devices_keep_efficiency,
    _transformers_gain_less,
    _tvm_ase_rises,
    _vendors_ase_falls,
    _vendors_gain_over_depth,
    _width_costs_efficiency,
    _width_is_mitigated,
)
from findings import _has_other_baseline, _ids, _parts, _value, sides_of
from variants import exact_cells


def claims_of(oracle):
    """{(claim, ids of cells): (Number, status, adjusted p)}."""
    settings = {}
    for key in exact_cells(oracle):
        if _has_other_baseline(oracle, key):
            cell = oracle.cell(key)
            settings.setdefault((cell.place, cell.setting), []).append(key)
    asked = [(claim.__name__.lstrip("_"), test, sides_of(oracle, cells[0])) for claim in _CLAIMS for cells in settings.values()
             for test in [claim(oracle, cells if claim in _OF_BLOCKS else _networks(oracle, cells))] if test is not None]
    questions = [parts for _, test, _ in asked for parts in test.ratios()]
    judgements = iter(judge(questions, [sides for _, test, sides in asked for _ in test.ratios()],
                            weights=[max(1, len(test.largest_of)) for _, test, _ in asked for _ in test.ratios()]))
    found = {}
    for name, test, _ in asked:
        own = [(*next(judgements), parts) for parts in test.ratios()]
        value = test.value()
        statuses = [_status(verdict, parts) for _, verdict, parts in own]
        status, p = _together(test, statuses, [p for p, _, _ in own])
        if test.largest_of and statuses[0] == "does_not" and value.high >= test.bounds[0][1]:
            status = "undecided"
        found[name, frozenset(_ids(oracle, *test.cells))] = (value, status, p)
    return found


def _together(test, statuses, p):
    for status, own in zip(statuses, p, strict=True):
        if status == "does_not" and not test.has_premise:
            return status, own
    undecided = "undecided" if test.has_premise or statuses[0] == "holds" else statuses[0]
    return (statuses[0] if all(each == "holds" for each in statuses[1:]) else undecided), p[0]


def _networks(oracle, cells):
    """Whole networks, or all cells if there are none."""
    return [key for key in cells if not oracle.cell(key).family.endswith("_block")] or cells


def _status(verdict, parts):
    """A ratio that is told to be below 1, but all of whose interval is within 3 % of 1, bears no claim."""
    if verdict == "slower":
        value = _value(parts)
        return "does_not" if value.low > 1 / 1.03 and value.high < 1.03 else "holds"
    return "undecided" if verdict == "undecided" else "does_not"


def _small_batch_gains(oracle, cells):
    largest = {}
    for key in cells:
        single = oracle.relatives.at_batch_1(key)
        if single in (None, key) or oracle.log_speed_up(key) is None or oracle.log_speed_up(single) is None:
            continue
        name = oracle.cell(key).model_hash
        if name not in largest or oracle.cell(largest[name]).batch < oracle.cell(key).batch:
            largest[name] = key
    if not largest:
        return None
    keys = [key for _, key in sorted(largest.items())]
    singles = [oracle.relatives.at_batch_1(key) for key in keys]
    return _below(1, [*keys, *singles], _mean_over(oracle.log_speed_up, keys) + _mean_over(oracle.log_speed_up, singles, -1.0))


def _convnext_among_transformers(oracle, cells):
    convolutional, transformer, hybrid = (_styled(oracle, cells, style) for style in ("convolutional", "transformer", "hybrid"))
    if not convolutional or not transformer or not hybrid:
        return None
    gains = oracle.log_speed_up
    apart = ratio(_mean_over(gains, transformer) + _mean_over(gains, convolutional, -1.0))
    sign = 1.0 if apart.value < 1 else -1.0
    beside = (_mean_over(gains, hybrid, sign) + _mean_over(gains, convolutional, -sign / 2)
              + _mean_over(gains, transformer, -sign / 2))
    return Test([*hybrid, *convolutional, *transformer], beside, [(-1, 1)],
                premise=_mean_over(gains, transformer, sign) + _mean_over(gains, convolutional, -sign))


def _tvm_weak_on_transformers(oracle, cells):
    if oracle.cell(cells[0]).compiler != "tvm":
        return None
    convolutional, transformer = _styled(oracle, cells, "convolutional"), _styled(oracle, cells, "transformer")
    if not convolutional or not transformer:
        return None
    gains = oracle.log_speed_up
    return _below(1, [*transformer, *convolutional], _mean_over(gains, transformer) + _mean_over(gains, convolutional, -1.0))


def _mha_retains_less_than_conv(oracle, cells):
    stacks = {}
    for key in cells:
        cell = oracle.cell(key)
        if cell.block and oracle.log_speed_up(key) is not None:
            stacks.setdefault((cell.family, f"{cell.block.name}\n{cell.batch}"), {})[cell.block.depth] = key
    ends = {family: [(depths[max(depths)], depths[1]) for (of, _), depths in sorted(stacks.items())
                     if of == family and 1 in depths and max(depths) > 1] for family in ("mha_block", "conv_block")}
    if not all(ends.values()):
        return None
    parts, used = [], []
    for family, sign in (("mha_block", 1.0), ("conv_block", -1.0)):
        weight = sign / len(ends[family])
        for deepest, single in ends[family]:
            parts += oracle.log_speed_up(deepest, weight) + oracle.log_speed_up(single, -weight)
            used += [deepest, single]
    return _below(1, used, parts)


def _cpu_relief(oracle, cells):
    known = [key for key in cells if (oracle.cell(key).compute_device or "cpu") != "cpu" and oracle.log_cpu_ratio(key) is not None]
    return _below(1, known, _mean_over(oracle.log_cpu_ratio, known)) if known else None


def _small_batches_gain_two_to_six(oracle, cells):
    used = [key for key in cells if oracle.cell(key).batch <= 2 and oracle.log_speed_up(key) is not None]
    return Test(used, _mean_over(oracle.log_speed_up, used), [(1, 2), (-1, 6)]) if used else None


def _only_vendors_gain_at_16(oracle, cells):
    used = [key for key in cells if oracle.cell(key).batch == 16 and oracle.log_speed_up(key) is not None]
    claimed = _above if oracle.cell(cells[0]).compiler in ("openvino", "tensorrt", "tensorrt-cpp") else _below
    return claimed(1, used, _mean_over(oracle.log_speed_up, used)) if used else None


def _torchscript_gains_little(oracle, cells):
    used = [key for key in cells if oracle.log_speed_up(key) is not None]
    if oracle.cell(cells[0]).compiler != "torchscript" or not used:
        return None
    return _below(1.25, used, _mean_over(oracle.log_speed_up, used))


def _openvino_gains_five_times(oracle, cells):
    used = [key for key in cells if oracle.log_speed_up(key) is not None]
    if oracle.cell(cells[0]).compiler != "openvino" or not used:
        return None
    best = max(used, key=lambda key: ratio(oracle.log_speed_up(key)).value)
    return dataclasses.replace(_above(5, used, oracle.log_speed_up(best)), largest_of=[oracle.log_speed_up(key) for key in used])


def _batching_raises_throughput(oracle, cells):
    used = _at_largest_batch(oracle, cells, _rtr(oracle))
    return _above(1, used, _mean_over(_rtr(oracle), used)) if used else None


def _families_scale_alike(oracle, cells):
    families, log_of = {}, _rtr(oracle)
    for key in cells:
        cell = oracle.cell(key)
        if cell.batch > 1 and not cell.family.endswith("_block") and log_of(key) is not None:
            families.setdefault(cell.group, {}).setdefault(cell.batch, []).append(key)
    largest = [batches[max(batches)] for _, batches in sorted(families.items())]
    ranked = [sorted(keys, key=lambda key: ratio(log_of(key)).value) for keys in largest if len(keys) > 1]
    if not ranked:
        return None
    best, worst = [keys[-1] for keys in ranked], [keys[0] for keys in ranked]
    return _below(1.25, [*best, *worst], _mean_over(log_of, best) + _mean_over(log_of, worst, -1.0))


def _throughput_saturates(oracle, cells):
    models = {}
    for key in cells:
        if oracle.is_comparable(key):
            models.setdefault(oracle.cell(key).model_hash, {}).setdefault(oracle.cell(key).batch, key)
    steps = [[batches[each] for each in sorted(batches)[-2:]] for _, batches in sorted(models.items()) if len(batches) > 1]
    if not steps:
        return None
    parts = [part for before, last in steps for part in oracle.log_ratio(last, before, 1 / len(steps))]
    return _below(1.1, [key for step in steps for key in step], parts)


def _bsr_above_one(oracle, cells):
    used = _at_largest_batch(oracle, cells, _bsr(oracle))
    return _above(1, used, _mean_over(_bsr(oracle), used)) if used else None


def _depth_raises_bsr(oracle, cells):
    stacks, log_of = {}, _bsr(oracle)
    for key in cells:
        cell = oracle.cell(key)
        if cell.block and cell.batch > 1 and log_of(key) is not None:
            stacks.setdefault((cell.block.name, cell.batch), {}).setdefault(cell.block.depth, key)
    ends = [(depths[1], depths[max(depths)]) for _, depths in sorted(stacks.items(), key=lambda each: "\n".join(map(str, each[0])))
            if 1 in depths and len(depths) > 1]
    if not ends:
        return None
    singles, deepest = ([pair[place] for pair in ends] for place in (0, 1))
    parts = _mean_over(log_of, deepest) + _mean_over(log_of, singles, -1.0)
    return _above(1, [*singles, *deepest], _each_once(parts))


def _each_once(parts):
    """Parts of the same numbers as one part: the cells at batch 1 are those of all batch sizes of their stack."""
    weights = {}
    for values, weight in parts:
        weights[tuple(values)] = weights.get(tuple(values), 0.0) + weight
    return [(numpy.asarray(values), weight) for values, weight in weights.items()]


def _only_tvm_compiles_longer(oracle, cells):
    def logs(key, weight):
        rows = oracle.raw.of_processes("phase", key)
        seconds = rows[rows["phase"] == "compile"]["wall_ns"]
        return [(numpy.log(seconds.to_numpy(dtype=float)), weight)] if len(seconds) else None

    def growths(key, weight=1.0):
        single = oracle.relatives.at_batch_1(key)
        return None if single is None else _parts(logs(key, weight), logs(single, -weight))

    used = _at_largest_batch(oracle, cells, growths)
    if not used:
        return None
    claimed, bound = (_above, 1) if oracle.cell(cells[0]).compiler == "tvm" else (_below, 1.1)
    return claimed(bound, used, _mean_over(growths, used))


def _cpu_use_rises_on_cpu(oracle, cells):
    used = [key for key in cells if (oracle.cell(key).compute_device or "cpu") == "cpu" and oracle.log_cpu_ratio(key) is not None]
    return _above(1, used, _mean_over(oracle.log_cpu_ratio, used)) if used else None


_CLAIMS = (_small_batch_gains, _convnext_among_transformers, _tvm_weak_on_transformers, _mha_retains_less_than_conv,
           _cpu_relief, _small_batches_gain_two_to_six, _only_vendors_gain_at_16, _torchscript_gains_little,
           _openvino_gains_five_times, _batching_raises_throughput, _families_scale_alike, _throughput_saturates, _bsr_above_one,
           _depth_raises_bsr, _only_tvm_compiles_longer, _cpu_use_rises_on_cpu, _convolutions_gain, _transformers_gain_less,
           _vendors_gain_over_depth, _width_costs_efficiency, _width_is_mitigated, _convolutions_keep_efficiency,
           _bsr_consistently_above_one, _scarce_devices_keep_efficiency, _vendors_ase_falls, _tvm_ase_rises,
           _cpu_use_falls_with_batch, _load_hurts_larger_models)
_OF_BLOCKS = (_mha_retains_less_than_conv, _depth_raises_bsr, _vendors_gain_over_depth, _width_costs_efficiency, _width_is_mitigated,
              _convolutions_keep_efficiency)
