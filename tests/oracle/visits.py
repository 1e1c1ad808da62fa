# SPDX-License-Identifier: Apache-2.0
"""Shapes that processes visit by turns: made-up results, and what is computed of each from raw samples."""

import numpy
from by_scipy import contrast, log_ratio, ratio
from made_up import Model


def add_to(make, settings):
    """A model that is run in two shapes by turns, compiled for each and for any."""
    for label, slowed in (("encoder in one session", 1), ("encoder in one session dynamic", 0.8)):
        for setting in settings:
            make.cell(setting, Model(label, 1, "", {}, None, "encoders"), 50 * slowed, change=_visiting)


def _visiting(processes):
    """A pass visits 16 twice and 128 once, which takes six times as long; the first visits of all take much longer."""
    for number, process in enumerate(processes):
        passes = [[1.0 * each, 1.1 * each, 6.3 * each] for each in process.repetitions]
        process.latencies_ms = [[40.0 + number, 3.0 + 0.1 * number, 90.0 + 2 * number] for _ in process.warm_up] + passes
        process.repetitions = [(sum(each), 3) for each in passes]
        process.facts = {**process.facts, "sessions_of_shapes": "1"}
        process.readings += [("sequence=16", "shape", 2), (("sequence=16", "byte"), "shape", 1e6 + 1e4 * number),
                             ("sequence=128", "shape", 1), (("sequence=128", "byte"), "shape", 7e6 + 3e4 * number)]
    return processes


def _times_of_shapes(oracle, key):
    """{shape: pandas frame of its visits: round, number in the process, counts in the speed, seconds}, and their gains."""
    readings, kept = (oracle.raw.of_processes(table, key) for table in ("reading", "latency"))
    readings = readings[readings.moment == "shape"].sort_values(["process_key", "position"])
    counts = readings[(readings.unit == "1") & (readings.process_key == readings.process_key.min())]
    if not len(counts):
        return {}
    repetitions = oracle.raw.of_processes("repetition", key)[["process_key", "repetition_index", "is_warm_up"]]
    kept = kept.merge(repetitions, on=["process_key", "repetition_index"]).sort_values(["repetition_index", "position"])
    places = numpy.repeat(counts.quantity.to_numpy(), counts.value.astype(int))
    kept = kept.assign(shape=[places[each] for each in kept.position], s=kept.latency_ns * 1e-9)
    gains = readings[readings.unit == "byte"]
    return {shape: (kept[kept["shape"] == shape], gains[gains.quantity == shape]) for shape in counts.quantity}


def _by_round(rows, values):
    """The values by process as a series by (run, round, environment)."""
    rows = rows.drop_duplicates("process_key").set_index("process_key")
    return values.rename(index={key: (rows.run_key[key], rows.process_index[key], rows.environment_hash[key]) for key in values.index})


def of_cell(oracle, key):
    """The series of each shape of the cell: {(series, (id of the cell, shape)): Number or None}."""
    baseline = oracle.relatives.baseline(key)
    of_baseline = _later(oracle, baseline) if baseline is not None else {}
    found = {}
    for shape, (visits, gains) in _times_of_shapes(oracle, key).items():
        ids = (oracle.id_of(key), shape)
        by_process = visits.groupby("process_key").s
        later = _later(oracle, key)[shape]
        for name, values in (("first", by_process.nth(0)), ("second", by_process.nth(1)), ("later", later)):
            of = f"shape_{name}_visit_s" if name != "later" else "shape_later_visits_s"
            found[of, ids] = ratio([(numpy.log(values.to_numpy()), 1.0)])
        found["shape_memory_bytes", ids] = contrast([(gains.value.to_numpy(), 1.0)])
        over = of_baseline.get(shape)
        shares = over is not None and all(getattr(oracle.cell(key), name) == getattr(oracle.cell(baseline), name)
                                          for name in ("device", "model_hash", "batch"))
        found["shape_speed_up_ratio", ids] = None if over is None else ratio(log_ratio(over, later, shares))
    return found


def _later(oracle, key):
    return {shape: _by_round(visits, visits[visits.is_warm_up == 0].groupby("process_key").s.median())
            for shape, (visits, _) in _times_of_shapes(oracle, key).items()}
