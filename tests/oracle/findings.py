# SPDX-License-Identifier: Apache-2.0
"""The basis of every finding, reversal and claim of docs/metrics.md, from raw samples."""

import dataclasses
import itertools

import numpy
from by_scipy import RATE, Number, adjusted, judge, p_values, ratio
from variants import exact_cells

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
    for key in exact_cells(oracle):
        if raw.has_failed(key):
            found[_ids(oracle, key)] = Row(None, raw.failed[raw.failed.cell_key == key].kind.iloc[-1])
    return found


def _speed_ups(oracle):
    return [(key, _ids(oracle, key), oracle.log_speed_up(key)) for key in exact_cells(oracle) if _has_other_baseline(oracle, key)]


def _cpu(oracle):
    return [(key, _ids(oracle, key), oracle.log_cpu_ratio(key)) for key in exact_cells(oracle) if _has_other_baseline(oracle, key)]


def _batching(oracle):
    largest = {}
    for key in exact_cells(oracle):
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
    for key in exact_cells(oracle):
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


def sides_of(oracle, *keys):
    """Whose rounds these are: the settings, and where they were measured."""
    return oracle.cell(keys[0]).place, frozenset(oracle.cell(key).setting for key in keys)


def _judged(oracle, asked):
    """The rows of the settings of which a sentence says something."""
    judgements = judge([parts or [] for _, _, parts in asked], [sides_of(oracle, key) for key, *_ in asked])
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
    for key in exact_cells(oracle):
        cell = oracle.cell(key)
        if oracle.is_comparable(key):
            races.setdefault((cell.place, cell.model_hash, cell.batch), []).append(key)
    ranked = [sorted(cells, key=lambda key: -_speed(oracle, key)) for cells in races.values() if len(cells) > 1]
    questions = [(place, oracle.log_ratio(cells[0], other)) for place, cells in enumerate(ranked) for other in cells[1:]]
    weights = [len(ranked[place]) / 2 for place, _ in questions]
    sides = [sides_of(oracle, cells[0], other) for cells in ranked for other in cells[1:]]
    judged = judge([parts for _, parts in questions], sides, weights=weights)
    worst, is_won = [0.0] * len(ranked), [True] * len(ranked)
    for (place, _), (p, verdict) in zip(questions, judged, strict=True):
        worst[place] = max(worst[place], 1.0 if p is None else p)
        is_won[place] &= verdict == "faster"
    if not worst or min(worst) >= SENTENCE_RATE:
        return {}
    by_setting = {}
    for cells, each, won in zip(ranked, worst, is_won, strict=True):
        leader = oracle.cell(cells[0])
        row = Row(_value(oracle.log_ratio(cells[0], cells[1])), "fastest" if won else "not told apart", each)
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
        differ_little(a.parameters, b.parameters) or differ_little(a.macs, b.macs)


def _orders(oracle):
    """{(ranked, pair): {side: {batch: (a, b)}}}: the orders of two models, or of two compilers, by where they appear."""
    orders = {}
    for a, b in itertools.permutations([key for key in exact_cells(oracle) if oracle.is_comparable(key)], 2):
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
        found = p_values(parts, [sides_of(oracle, *pair) for pair in pairs])
        tests |= {pair: (test, each) for pair, test, each in zip(pairs, found, parts, strict=True)}
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
