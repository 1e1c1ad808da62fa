# SPDX-License-Identifier: Apache-2.0
"""Every series of docs/metrics.md from raw samples: {(series, ids of cells): Number or None}."""

import hashlib
import itertools
import json
import re

import numpy
import visits
from by_scipy import Number, contrast, holm, judge, ratio
from scipy import stats
from variants import exact_cells


def series_of(oracle):
    found = {}
    for _, cells in _grouped(oracle, lambda cell: (cell.place, cell.setting, cell.group, _batches(cell.batch))):
        found |= _family(oracle, cells)
    for _, cells in _grouped(oracle, lambda cell: (cell.place, cell.setting, cell.group, cell.batch)):
        found |= _at_a_batch(oracle, cells, "model_group") | _cpu_at_a_batch(oracle, cells)
    for _, cells in _grouped(oracle, lambda cell: cell.model_style and not cell.family.endswith("_block") and (
            cell.place, cell.setting, cell.model_style, cell.batch)):
        found |= _at_a_batch(oracle, cells, "style")
    for _, cells in _grouped(oracle, lambda cell: cell.block and (cell.place, cell.setting, cell.block.name, cell.batch)):
        found |= _over_depth(oracle, cells)
    for _, cells in _grouped(oracle, _stack_of_one_depth):
        found |= _over_width(oracle, cells)
    for _, cells in _grouped(oracle, _cache_of_any_capacity):
        found |= _over_capacity(oracle, cells)
    for _, cells in _grouped(oracle, _decoder_of_any_form):
        found |= _over_forms(oracle, cells)
    found |= _dynamic(oracle) | _compiled_shapes(oracle)
    for key in exact_cells(oracle):
        found |= visits.of_cell(oracle, key)
    for _, cells in _grouped(oracle, lambda cell: (cell.device, cell.model_hash, cell.batch, cell.load)):
        found |= _dominating(oracle, cells)
    return found


def _grouped(oracle, key_of):
    groups = {}
    for key in exact_cells(oracle):
        name = key_of(oracle.cell(key))
        if name:
            groups.setdefault(name, []).append(key)
    return groups.items()


def _batches(batch):
    return next(first for first in (17, 5, 2, 1) if batch >= first)


def _stack_of_one_depth(cell):
    if not cell.block or cell.block.width is None or cell.batch == 1:
        return None
    return cell.place, cell.setting, cell.block.name_sans_width, cell.block.depth, cell.batch


def _capacity(cell):
    return json.loads(cell.recipe_json)["parameters"].get("capacity", 0) if cell.family == "decoder" else 0


def _cache_of_any_capacity(cell):
    if not _capacity(cell):
        return None
    rest = {**json.loads(cell.recipe_json)["parameters"], "capacity": None}
    return cell.place, cell.setting, json.dumps(rest, sort_keys=True), cell.batch


def _decoder_of_any_form(cell):
    rest = json.loads(cell.recipe_json)["parameters"] if cell.family == "decoder" else {}
    if not rest.get("cache"):
        return None
    return cell.place, cell.setting, json.dumps({**rest, "cache": None, "capacity": None}, sort_keys=True), cell.batch


def _ids(oracle, cells):
    return tuple(oracle.id_of(each) for each in cells)


def _family(oracle, cells):
    ids = _ids(oracle, cells)
    values = [oracle.metrics(each) for each in cells]

    def over_cells(metric, combine):
        numbers = [each[metric] for each in values]
        return None if None in numbers else combine([each.value for each in numbers])

    def deviation(numbers):
        return numpy.std(numbers, ddof=1) if len(numbers) > 1 else None

    found = {
        "model_group_throughput_per_s": over_cells("throughput_mean_per_s", numpy.mean),
        "model_group_throughput_std_per_s": over_cells("throughput_std_per_s", numpy.mean),
        "model_group_throughput_between_std_per_s": over_cells("throughput_mean_per_s", deviation),
        "model_group_cpu_percent": over_cells("cpu_percent", numpy.mean),
        "model_group_cpu_std_percent": over_cells("cpu_std_percent", numpy.mean),
        "model_group_gpu_percent": over_cells("gpu_percent", numpy.mean),
    }
    if oracle.relatives.baseline(cells[0]) != cells[0]:
        found["model_group_speed_up_ratio"] = _mean_ratio(oracle.log_speed_up, cells)
        share = _mean_ratio(oracle.log_cpu_ratio, cells)
        ends = (None, None) if share is None or share.low is None else (1 - share.high, 1 - share.low)
        found["model_group_cpu_reduction_ratio"] = None if share is None else Number(1 - share.value, *ends)
    return {(name, ids): value if isinstance(value, Number) or value is None else Number(value)
            for name, value in found.items()}


def _at_a_batch(oracle, cells, name):
    ids, batch = _ids(oracle, cells), oracle.cell(cells[0]).batch
    singles = {each: oracle.relatives.at_batch_1(each) for each in cells}

    def log_rtr(key, weight):
        return oracle.log_ratio(key, singles[key], weight)

    def log_bsr(key, weight):
        parts = singles[key] and [oracle.log_speed_up(key, weight), oracle.log_speed_up(singles[key], -weight)]
        return None if not parts or None in parts else [*parts[0], *parts[1]]

    found = {}
    if batch > 1:
        rtr = _mean_ratio(log_rtr, cells)
        ends = (None, None) if rtr is None or rtr.low is None else (rtr.low / batch, rtr.high / batch)
        found["ase"] = None if rtr is None else Number(rtr.value / batch, *ends)
    if oracle.relatives.baseline(cells[0]) != cells[0]:
        found["speed_up"] = _mean_ratio(oracle.log_speed_up, cells)
        if batch > 1:
            found["bsr"] = _mean_ratio(log_bsr, cells)
    return {(f"{name}_batch_{of}_ratio", ids): value for of, value in found.items()}


def _cpu_at_a_batch(oracle, cells):
    of_groups = _family(oracle, cells)
    return {(name.replace("model_group_", "model_group_batch_"), ids): value for (name, ids), value in of_groups.items()
            if name in ("model_group_cpu_percent", "model_group_cpu_std_percent", "model_group_cpu_reduction_ratio")}


def _mean_ratio(log_of, cells):
    parts = [log_of(each, 1 / len(cells)) for each in cells]
    return None if None in parts else ratio([part for each in parts for part in each])


def _slope(points):
    """Least squares over (coordinate, independent values), by the weights of the design matrix's pseudo-inverse."""
    coordinates = numpy.array([at for at, _ in points], dtype=float)
    weights = numpy.linalg.pinv(numpy.column_stack([numpy.ones_like(coordinates), coordinates]))[1]
    found = contrast(list(zip([values for _, values in points], weights, strict=True)))
    means = [numpy.mean(values) for _, values in points]
    assert numpy.isclose(stats.linregress(coordinates, means).slope, found.value, rtol=1e-9, atol=1e-15)
    return found


def _slope_of_speed_ups(depths, parts):
    """Least squares through the speed-ups as they are printed; what a logarithm of a round adds to the error counts as
    many times as the speed-up."""
    speed_ups = numpy.array([ratio(each).value for each in parts])
    middle = numpy.array(depths, dtype=float) - numpy.mean(depths)
    line = stats.linregress(depths, speed_ups).slope
    errors = contrast([(own, weight * speed_up * step / (middle**2).sum())
                       for speed_up, step, each in zip(speed_ups, middle, parts, strict=True) for own, weight in each])
    if errors.low is None:
        return Number(line)
    half = (errors.high - errors.low) / 2
    return Number(line, line - half, line + half, errors.standard_error, errors.degrees)


def _over_depth(oracle, cells):
    by_depth = sorted({oracle.cell(each).block.depth: each for each in reversed(cells)}.items())
    if len(by_depth) < 2:
        return {}
    single, deepest = by_depth[0][1], by_depth[-1][1]
    ids = _ids(oracle, [each for _, each in by_depth])
    found = {}
    costs = [(depth, oracle.cell(each).batch / oracle.by_process(each).to_numpy()) for depth, each in by_depth]
    found["depth_cost_s_per_block", ids] = _slope(costs) if all(len(each) for _, each in costs) else None
    if oracle.relatives.baseline(single) == single:
        return found
    parts = [oracle.log_speed_up(each) for _, each in by_depth]
    found["depth_slope_per_block", ids] = None if None in parts else _slope_of_speed_ups([depth for depth, _ in by_depth], parts)
    ends = [oracle.log_speed_up(deepest), oracle.log_speed_up(single, -1.0)]
    is_known = by_depth[0][0] == 1 and None not in ends
    found["depth_retention_ratio", _ids(oracle, [single, deepest])] = ratio([*ends[0], *ends[1]]) if is_known else None
    return found


def _over_width(oracle, cells):
    by_width = sorted({oracle.cell(each).block.width: each for each in reversed(cells)}.items())
    if len(by_width) < 2:
        return {}
    narrow, found = by_width[0][1], {}
    for _, wide in by_width[1:]:
        parts = [oracle.log_ratio(each, oracle.relatives.at_batch_1(each), weight) for each, weight in ((wide, 1.0), (narrow, -1.0))]
        value = None if None in parts else ratio([*parts[0], *parts[1]])
        found["batch_width_friction_ratio", _ids(oracle, [narrow, wide])] = value
    return found


def _over_capacity(oracle, cells):
    by_capacity = sorted({_capacity(oracle.cell(each)): each for each in reversed(cells)}.items())
    found = {}
    for _, larger in by_capacity[1:]:
        parts = oracle.log_ratio(larger, by_capacity[0][1])
        found["capacity_ratio", _ids(oracle, [by_capacity[0][1], larger])] = None if parts is None else ratio(parts)
    return found


def _over_forms(oracle, cells):
    """The fastest cell over the next one at each capacity. A growing cache, which has none, takes part at each."""
    capacities = {_capacity(oracle.cell(each)) for each in cells} - {0}
    found = {}
    for capacity in capacities:
        alike = [each for each in cells if _capacity(oracle.cell(each)) in (0, capacity)]
        alike = [each for each in alike if oracle.is_comparable(each)]
        fastest = sorted(alike, key=lambda each: -numpy.log(oracle.by_process(each)).mean())[:2]
        if len(fastest) == 2:
            parts = oracle.log_ratio(*fastest)
            found["best_cache_ratio", _ids(oracle, fastest)] = None if parts is None else ratio(parts)
    return found


def _dynamic(oracle):
    found = {}
    for key in exact_cells(oracle):
        cell = oracle.cell(key)
        content = json.dumps({"content": cell.model_hash, "dynamic_batch": True}, separators=(",", ":"))
        digest = hashlib.sha256(content.encode()).hexdigest()
        twins = [other for other in exact_cells(oracle) if oracle.cell(other).model_hash == digest and all(
            getattr(oracle.cell(other), name) == getattr(cell, name) for name in ("place", "setting", "batch"))]
        if twins:
            parts = oracle.log_ratio(twins[0], key)
            found["dynamic_shapes_ratio", _ids(oracle, [key, twins[0]])] = None if parts is None else ratio(parts)
    return found


def _compiled_shapes(oracle):
    found = {}
    for key in exact_cells(oracle):
        cell = oracle.cell(key)
        own = re.sub(r" dynamic$| pad_to=\d+$", "", cell.label)
        twins = [other for other in exact_cells(oracle) if own != cell.label and oracle.cell(other).label == own and all(
            getattr(oracle.cell(other), name) == getattr(cell, name) for name in ("place", "setting", "batch"))]
        if twins:
            parts = oracle.log_ratio(key, twins[0])
            found["compiled_shapes_ratio", _ids(oracle, [twins[0], key])] = None if parts is None else ratio(parts)
    return found


def _dominating(oracle, cells):
    if len(cells) < 2:
        return {}
    pairs = list(itertools.combinations(cells, 2))
    judged = judge([oracle.log_ratio(*pair) or [] for pair in pairs], [None] * len(pairs), adjust=holm)
    told = {pair if verdict == "faster" else pair[::-1] for pair, (_, verdict) in zip(pairs, judged, strict=True)
            if verdict in ("faster", "slower")}
    return {("dominating_count", (oracle.id_of(key),)):
            Number(sum((other, key) in told and _costs_no_more(oracle, other, key) for other in cells if other != key))
            if oracle.has_speed(key) else None for key in cells}


def _costs_no_more(oracle, other, key):
    theirs, own = oracle.metrics(other), oracle.metrics(key)
    costs = [(theirs[name], own[name]) for name in ("compile_total_s", "timed_peak_bytes")]
    return all(a is not None and b is not None and a.value <= b.value for a, b in costs)
