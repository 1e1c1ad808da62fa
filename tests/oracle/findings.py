# SPDX-License-Identifier: Apache-2.0
"""The basis of every finding, reversal and claim of docs/metrics.md, from raw samples."""

import dataclasses
import itertools

import numpy
from by_scipy import RATE, Number, adjusted, judge, p_values, ratio

KINDS = 7
SENTENCE_RATE = 0.01 / KINDS


@dataclasses.dataclass
class Row:
    """What a row behind a sentence says. `value` None: there is no number."""

    value: Number | None
    outcome: str
    adjusted_p: float | None = None


def _parts(*terms):
    return None if None in terms else [part for each in terms for part in each]


def _value(parts):
    return None if parts is None else ratio(parts)


def _ids(oracle, *cells):
    return tuple(oracle.id_of(each) for each in cells)


def findings_of(oracle):
    """{kind: {ids of cells: Row}} of all sentences that the results bear, without those about reversed orders."""
    found = {"failures": _failures(oracle), "fastest": _fastest(oracle)}
    for kind, asked in (("speed_up", _speed_ups(oracle)), ("batching", _batching(oracle)), ("depth", _depth(oracle)),
                        ("cpu", _cpu(oracle))):
        found[kind] = _judged(oracle, asked)
    return found


def _has_other_baseline(oracle, key):
    return oracle.relatives.baseline(key) not in (None, key)


def _failures(oracle):
    raw, found = oracle.raw, {}
    for key in oracle.cells():
        if raw.has_failed(key):
            found[_ids(oracle, key)] = Row(None, raw.failed[raw.failed.cell_key == key].kind.iloc[-1])
    return found


def _speed_ups(oracle):
    return [(key, _ids(oracle, key), oracle.log_speed_up(key)) for key in oracle.cells() if _has_other_baseline(oracle, key)]


def _cpu(oracle):
    return [(key, _ids(oracle, key), oracle.log_cpu_ratio(key)) for key in oracle.cells() if _has_other_baseline(oracle, key)]


def _batching(oracle):
    largest = {}
    for key in oracle.cells():
        cell, single = oracle.cell(key), oracle.relatives.at_batch_1(key)
        if not _has_other_baseline(oracle, key) or single in (None, key):
            continue
        name = cell.place, cell.setting, cell.model_hash
        if name not in largest or oracle.cell(largest[name]).batch < cell.batch:
            largest[name] = key
    return [(key, _ids(oracle, key), _parts(oracle.log_speed_up(key), oracle.log_speed_up(oracle.relatives.at_batch_1(key), -1.0)))
            for key in sorted(largest.values())]


def _stacks(oracle):
    """{stack: {depth: cell}} of cells that have another baseline."""
    stacks = {}
    for key in oracle.cells():
        cell = oracle.cell(key)
        if cell.block and _has_other_baseline(oracle, key):
            stacks.setdefault((cell.place, cell.setting, cell.block.name, cell.batch), {}).setdefault(cell.block.depth, key)
    return stacks


def _depth(oracle):
    asked = []
    for depths in _stacks(oracle).values():
        deepest, single = depths[max(depths)], depths.get(1)
        if single is not None and max(depths) > 1:
            parts = _parts(oracle.log_speed_up(deepest), oracle.log_speed_up(single, -1.0))
            asked.append((deepest, _ids(oracle, single, deepest), parts))
    return asked


def _judged(oracle, asked):
    """The rows of the settings of which a sentence says something."""
    judgements = judge([parts or [] for _, _, parts in asked])
    may_differ = min((p for p, _ in judgements if p is not None), default=1) < SENTENCE_RATE
    by_setting = {}
    for (key, ids, parts), (p, verdict) in zip(asked, judgements, strict=True):
        cell = oracle.cell(key)
        is_told = verdict in ("faster", "slower") and may_differ
        outcome = "unknown" if parts is None else verdict if verdict == "same" or is_told else "undecided"
        by_setting.setdefault((cell.place, cell.setting), {})[ids] = Row(_value(parts), outcome, p)
    found = {}
    for rows in by_setting.values():
        outcomes = {row.outcome for row in rows.values()}
        if outcomes & {"faster", "slower"} or outcomes == {"same"}:
            found |= rows
    return found


def _fastest(oracle):
    races = {}
    for key in oracle.cells():
        cell = oracle.cell(key)
        if oracle.is_comparable(key):
            races.setdefault((cell.place, cell.model_hash, cell.batch), []).append(key)
    ranked = [sorted(cells, key=lambda key: -_speed(oracle, key)) for cells in races.values() if len(cells) > 1]
    questions = [(place, oracle.log_ratio(cells[0], other)) for place, cells in enumerate(ranked) for other in cells[1:]]
    worst = [0.0] * len(ranked)
    for (place, _), test in zip(questions, p_values([parts for _, parts in questions]), strict=True):
        worst[place] = max(worst[place], 1.0 if test is None else test.p)
    p = adjusted([min(1.0, each * len(cells) / 2) for each, cells in zip(worst, ranked, strict=True)])
    if not p or min(p) >= SENTENCE_RATE:
        return {}
    by_setting = {}
    for cells, each in zip(ranked, p, strict=True):
        leader = oracle.cell(cells[0])
        row = Row(_value(oracle.log_ratio(cells[0], cells[1])), "fastest" if each < RATE else "not told apart", each)
        by_setting.setdefault((leader.place, leader.setting), {})[_ids(oracle, *cells[:2])] = row
    won = [rows for rows in by_setting.values() if any(row.outcome == "fastest" for row in rows.values())]
    return {ids: row for rows in won for ids, row in rows.items()}


def _speed(oracle, key):
    return numpy.log(oracle.by_process(key)).mean()


# Reversed orders.


def _are_alike_in_size(a, b):
    def differ_little(one, other):
        return None not in (one, other) and max(one, other) <= 1.5 * min(one, other)

    return (a.model_size is not None and a.model_size == b.model_size) or \
        differ_little(a.parameters, b.parameters)


def _orders(oracle):
    """{(ranked, pair): {side: {batch: (a, b)}}}: the orders of two models, or of two compilers, by where they appear."""
    orders = {}
    for a, b in itertools.permutations([key for key in oracle.cells() if oracle.is_comparable(key)], 2):
        one, other = oracle.cell(a), oracle.cell(b)
        if one.place != other.place or one.batch != other.batch:
            continue
        if one.setting == other.setting and one.model_hash < other.model_hash and _are_alike_in_size(one, other):
            name, side = ("models", one.model_hash, other.model_hash), (one.place, one.setting)
        elif one.model_hash == other.model_hash and one.setting < other.setting:
            name, side = ("compilers", one.model_hash, one.setting, other.setting), one.place
        else:
            continue
        orders.setdefault(name, {}).setdefault(side, {})[one.batch] = (a, b)
    return orders


def _compared(orders):
    """Each two orders that are compared with each other."""
    for (ranked, *_), sides in orders.items():
        for one, other in itertools.combinations(sides.values(), 2):
            yield from ((ranked, one[batch], other[batch]) for batch in one if batch in other)
        for batches in sides.values():
            yield from ((ranked, *pair) for pair in itertools.combinations(batches.values(), 2))


def reversals_of(oracle):
    """([(kind of rank, {ids: Row})], how many orders were compared)."""
    orders = _orders(oracle)
    tests = {}
    for ranked in ("models", "compilers"):
        pairs = [pair for (kind, *_), sides in orders.items() if kind == ranked for side in sides.values() for pair in side.values()]
        parts = [oracle.log_ratio(*pair) for pair in pairs]
        tests |= {pair: (test, each) for pair, test, each in zip(pairs, p_values(parts), parts, strict=True)}
    compared = [each for each in _compared(orders) if tests[each[1]][0] is not None and tests[each[2]][0] is not None]
    p = adjusted([_p_of_opposites(tests[one][0], tests[other][0]) for _, one, other in compared])
    found = []
    for (ranked, *sides), each in zip(compared, p, strict=True):
        if each < RATE:
            found.append((ranked, {_ids(oracle, *pair): Row(_value(tests[pair][1]),
                                                            "faster" if tests[pair][0].estimate > 0 else "slower", each)
                                   for pair in sides}))
    return found, len(compared)


def _p_of_opposites(one, other):
    return max(one.p, other.p) if one.estimate * other.estimate < 0 else 1.0


# The paper's claims.


def claims_of(oracle):
    """{(claim, ids of cells): (Number, status, adjusted p)}."""
    settings = {}
    for key in oracle.cells():
        if _has_other_baseline(oracle, key):
            cell = oracle.cell(key)
            settings.setdefault((cell.place, cell.setting), []).append(key)
    asked = [(claim.__name__.lstrip("_"), *test) for claim in _CLAIMS for cells in settings.values()
             for test in [claim(oracle, cells)] if test is not None]
    questions = [parts for _, _, ratios in asked for parts in ratios]
    judgements = iter(judge(questions))
    found = {}
    for name, cells, ratios in asked:
        own = [next(judgements) for _ in ratios]
        statuses = [_status(verdict, parts) for (_, verdict), parts in zip(own, ratios, strict=True)]
        status = statuses[0] if all(each == "holds" for each in statuses[1:]) else "undecided"
        found[name, frozenset(_ids(oracle, *cells))] = (_value(ratios[0]), status, own[0][0])
    return found


def _status(verdict, parts):
    """A ratio that is told to be below 1, but all of whose interval is within 3 % of 1, bears no claim."""
    if verdict == "slower":
        value = _value(parts)
        return "does_not" if value.low > 1 / 1.03 and value.high < 1.03 else "holds"
    return "undecided" if verdict == "undecided" else "does_not"


def _mean_over(log_of, cells, weight=1.0):
    return [part for key in cells for part in log_of(key, weight / len(cells))]


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
    return [*keys, *singles], [_mean_over(oracle.log_speed_up, keys) + _mean_over(oracle.log_speed_up, singles, -1.0)]


def _styled(oracle, cells, style):
    return [key for key in cells if oracle.cell(key).model_style == style and not oracle.cell(key).family.endswith("_block")
            and oracle.log_speed_up(key) is not None]


def _convnext_among_transformers(oracle, cells):
    convolutional, transformer, hybrid = (_styled(oracle, cells, style) for style in ("convolutional", "transformer", "hybrid"))
    if not convolutional or not transformer or not hybrid:
        return None
    gains = oracle.log_speed_up
    apart = ratio(_mean_over(gains, transformer) + _mean_over(gains, convolutional, -1.0))
    sign = 1.0 if apart.value < 1 else -1.0
    middle = _mean_over(gains, convolutional, -sign / 2) + _mean_over(gains, transformer, -sign / 2)
    return [*hybrid, *convolutional, *transformer], [
        _mean_over(gains, hybrid, sign) + middle,
        _mean_over(gains, transformer, sign) + _mean_over(gains, convolutional, -sign)]


def _tvm_weak_on_transformers(oracle, cells):
    if oracle.cell(cells[0]).compiler != "tvm":
        return None
    convolutional, transformer = _styled(oracle, cells, "convolutional"), _styled(oracle, cells, "transformer")
    if not convolutional or not transformer:
        return None
    gains = oracle.log_speed_up
    return [*transformer, *convolutional], [_mean_over(gains, transformer) + _mean_over(gains, convolutional, -1.0)]


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
    return used, [parts]


def _cpu_relief(oracle, cells):
    known = [key for key in cells if oracle.log_cpu_ratio(key) is not None]
    return (known, [_mean_over(oracle.log_cpu_ratio, known)]) if known else None


def _times(parts, factor):
    """The parts of a ratio that is `factor` times as large."""
    (values, weight), *others = parts
    return [(numpy.asarray(values) + numpy.log(factor) / weight, weight), *others]


def _bsr(oracle):
    def log_of(key, weight=1.0):
        single = oracle.relatives.at_batch_1(key)
        return None if single is None else _parts(oracle.log_speed_up(key, weight), oracle.log_speed_up(single, -weight))
    return log_of


def _rtr(oracle):
    return lambda key, weight=1.0: oracle.log_ratio_of_batches(key, oracle.relatives.at_batch_1(key), weight)


def _at_largest_batch(oracle, cells, log_of):
    largest = {}
    for key in cells:
        name, batch = oracle.cell(key).model_hash, oracle.cell(key).batch
        if batch > 1 and log_of(key) is not None and (name not in largest or oracle.cell(largest[name]).batch < batch):
            largest[name] = key
    return [largest[name] for name in sorted(largest)]


def _small_batches_gain_two_to_six(oracle, cells):
    used = [key for key in cells if oracle.cell(key).batch <= 2 and oracle.log_speed_up(key) is not None]
    gains = oracle.log_speed_up
    return (used, [_times(_mean_over(gains, used, -1.0), 2), _times(_mean_over(gains, used), 1 / 6)]) if used else None


def _only_vendors_gain_at_16(oracle, cells):
    used = [key for key in cells if oracle.cell(key).batch == 16 and oracle.log_speed_up(key) is not None]
    sign = -1.0 if oracle.cell(cells[0]).compiler in ("openvino", "tensorrt", "tensorrt-cpp") else 1.0
    return (used, [_mean_over(oracle.log_speed_up, used, sign)]) if used else None


def _torchscript_gains_little(oracle, cells):
    used = [key for key in cells if oracle.log_speed_up(key) is not None]
    if oracle.cell(cells[0]).compiler != "torchscript" or not used:
        return None
    return used, [_times(_mean_over(oracle.log_speed_up, used), 1 / 1.25)]


def _openvino_gains_five_times(oracle, cells):
    used = [key for key in cells if oracle.log_speed_up(key) is not None]
    if oracle.cell(cells[0]).compiler != "openvino" or not used:
        return None
    best = max(used, key=lambda key: ratio(oracle.log_speed_up(key)).value)
    return [best], [_times(oracle.log_speed_up(best, -1.0), 5)]


def _batching_raises_throughput(oracle, cells):
    used = _at_largest_batch(oracle, cells, _rtr(oracle))
    return (used, [_mean_over(_rtr(oracle), used, -1.0)]) if used else None


def _throughput_saturates(oracle, cells):
    models = {}
    for key in cells:
        if oracle.is_comparable(key):
            models.setdefault(oracle.cell(key).model_hash, {}).setdefault(oracle.cell(key).batch, key)
    steps = [[batches[each] for each in sorted(batches)[-2:]] for _, batches in sorted(models.items()) if len(batches) > 1]
    if not steps:
        return None
    parts = [part for before, last in steps for part in oracle.log_ratio_of_batches(last, before, 1 / len(steps))]
    return [key for step in steps for key in step], [_times(parts, 1 / 1.1)]


def _bsr_above_one(oracle, cells):
    used = _at_largest_batch(oracle, cells, _bsr(oracle))
    return (used, [_mean_over(_bsr(oracle), used, -1.0)]) if used else None


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
    return [*singles, *deepest], [_mean_over(log_of, singles) + _mean_over(log_of, deepest, -1.0)]


def _compile_time_grows(oracle, cells):
    def logs(key, weight):
        rows = oracle.raw.of_processes("phase", key)
        seconds = rows[rows["phase"] == "compile"]["wall_ns"]
        return [(numpy.log(seconds.to_numpy(dtype=float)), weight)] if len(seconds) else None

    def shrinks(key, weight=1.0):
        single = oracle.relatives.at_batch_1(key)
        return None if single is None else _parts(logs(single, weight), logs(key, -weight))

    used = _at_largest_batch(oracle, cells, shrinks)
    return (used, [_mean_over(shrinks, used)]) if used else None


def _cpu_use_rises_on_cpu(oracle, cells):
    used = [key for key in cells if (oracle.cell(key).compute_device or "cpu") == "cpu" and oracle.log_cpu_ratio(key) is not None]
    return (used, [_mean_over(oracle.log_cpu_ratio, used, -1.0)]) if used else None


_CLAIMS = (_small_batch_gains, _convnext_among_transformers, _tvm_weak_on_transformers, _mha_retains_less_than_conv,
           _cpu_relief, _small_batches_gain_two_to_six, _only_vendors_gain_at_16, _torchscript_gains_little,
           _openvino_gains_five_times, _batching_raises_throughput, _throughput_saturates, _bsr_above_one,
           _depth_raises_bsr, _compile_time_grows, _cpu_use_rises_on_cpu)
