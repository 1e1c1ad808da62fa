# SPDX-License-Identifier: Apache-2.0
"""The metrics of variants and of labels, from the rows of the table agreement, by pandas, scipy and Wilson's formula."""

import numpy
from by_scipy import Number, contrast, ratio
from scipy import stats

NAMES = ("agreement_ratio", "top1_agreement_ratio", "sqnr_db", "cosine_ratio", "input_error_mean", "agreement_input_count")


def share(right):
    """The share of true values with Wilson's interval."""
    interval = stats.binomtest(int(right.sum()), len(right)).proportion_ci(method="wilson")
    return Number(right.mean(), interval.low, interval.high)


def mean(values):
    values = values.dropna().to_numpy(float)
    return contrast([(values, 1)]) if len(values) else None


def metrics_of(oracle, key):
    """{name: Number or None} of the cell."""
    rows = oracle.raw.of_processes("agreement", key)
    if not len(rows):
        rows = oracle.raw.of_all_attempts("agreement", key)
    rows = rows[rows.process_key == rows.process_key.min()]
    ranks = rows.label_rank.dropna()
    is_finite = not (rows.is_not_finite == 1).any()
    found = {f"top{most}_accuracy_ratio": share(ranks <= most) if len(ranks) and is_finite else None for most in (1, 5)}
    over_exact = oracle.log_ratio(key, oracle.relatives.exact(key))
    found["speed_up_over_exact_ratio"] = None if over_exact is None else ratio(over_exact)
    if not oracle.cell(key).exact_hash or not len(rows):
        return found | dict.fromkeys(NAMES)
    if not is_finite:
        return found | dict.fromkeys(NAMES) | {"agreement_input_count": Number(len(rows))}
    top1 = share(rows.decides_alike == 1) if rows.decides_alike.notna().all() else None
    cosine = mean(rows.cosine)
    return found | {
        "agreement_ratio": top1 or cosine, "top1_agreement_ratio": top1, "sqnr_db": mean(rows.sqnr_db), "cosine_ratio": cosine,
        "input_error_mean": mean(rows.max_absolute_error), "agreement_input_count": Number(len(rows))}


def not_finite(raw, key, checked):
    """The keys of processes with finite numbers in at most half of the outputs, or with an input without any."""
    inputs = raw.of_processes("agreement", key)
    return {*checked[checked.finite_elements * 2 <= checked.compared_elements].process_key,
            *inputs[inputs.is_not_finite == 1].process_key}


def on_disk(found):
    model, artifact, runtime = (found[f"{name}_size_bytes"] for name in ("model", "artifact", "runtime"))
    shipped = model if artifact is None or numpy.isnan(artifact) else artifact
    whole = None if shipped is None or runtime is None else shipped + runtime
    return {"shipped_size_bytes": shipped, "disk_size_bytes": whole}


def exact_cells(oracle):
    """The keys of the cells that are of no variant: numbers that span models are theirs."""
    return [key for key in oracle.cells() if not oracle.cell(key).exact_hash]


def made_up_inputs(random, classes=True, labels=False):
    """Rows of 64 inputs: decides_alike, sqnr_db, cosine, max_absolute_error, label_rank."""
    for place in range(64):
        alike = int(place % 9 > 0) if classes else None
        sqnr = None if place == 7 else random.uniform(20, 40)
        yield alike, sqnr, 1 - random.uniform(0, 0.02), random.uniform(0, 1), place % 11 + 1 if labels else None


assert numpy.isclose(share(numpy.array([True] * 9 + [False])).low, 0.5958499732)
