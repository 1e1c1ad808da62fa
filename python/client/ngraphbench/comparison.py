# SPDX-License-Identifier: Apache-2.0
"""Verdicts: whether one side is faster, slower or the same."""

import dataclasses
import os
import pathlib
from collections.abc import Mapping, Sequence
from typing import Any

import pandas

from ngraphbench import database, program


@dataclasses.dataclass(frozen=True)
class Comparison:
    """Two sides, compared cell by cell by `ngb compare`.

    `summary` counts the verdicts in words. `verdicts` has a row for each pair, the worst first, with the columns of
    `ngb compare --format csv`; `ratio` is the candidate's throughput over the baseline's, with its 95 % interval in
    `ratio_low` and `ratio_high`; a metric that has no ratio has its `difference` instead. `noise` says for each device how
    far pairs of the same build differ. `rules` has the error rate and the margin. `baseline_only` and `candidate_only` count
    cells without a partner.
    """

    summary: str
    verdicts: pandas.DataFrame
    noise: pandas.DataFrame
    rules: Mapping[str, Any]
    baseline_only: int
    candidate_only: int

    def __str__(self) -> str:
        return self.summary


def compare(
    baseline: str | os.PathLike[str],
    candidate: str | os.PathLike[str],
    *,
    across_environments: bool = False,
    across_protocols: bool = False,
    metrics: Sequence[str] = (),
) -> Comparison:
    """Returns the comparison of two results folders.

    `metrics` are those to judge by instead of the speed, each as `ngb compare --metric` reads it: "timed_peak_bytes:5%".
    Raises ResultsError if a folder has no results, and ProgramError if the sides cannot be compared: a device was not the
    same on both sides (unless `across_environments`), or they were measured under different protocols (unless
    `across_protocols`).
    """
    folders = [program.word(database.results_folder(pathlib.Path(each))) for each in (baseline, candidate)]
    flags = {"--across-environments": across_environments, "--across-protocols": across_protocols}
    chosen = [name for name, on in flags.items() if on]
    return _comparison(program.call_json("compare", *folders, "--json", *chosen, *_asked(metrics)))


def compare_sides(
    sources: Sequence[str], baseline: str, candidate: str, by: str | None, metrics: Sequence[str]
) -> Comparison:
    """Returns the comparison of two sides of the results that the arguments `sources` name. Raises ProgramError."""
    axis = [] if by is None else ["--by", by]
    sides = ["--baseline", baseline, "--candidate", candidate]
    return _comparison(program.call_json("compare", *sources, *axis, *sides, "--json", *_asked(metrics)))


def _asked(metrics: Sequence[str]) -> list[str]:
    return [part for each in metrics for part in ("--metric", each)]


def _comparison(told: Mapping[str, Any]) -> Comparison:
    return Comparison(
        summary=told["summary"],
        verdicts=pandas.DataFrame([_row(pair) for pair in told["pairs"]]),
        noise=pandas.DataFrame(told["noise"]),
        rules=told["rules"],
        baseline_only=told["baseline_only"],
        candidate_only=told["candidate_only"],
    )


def _row(pair: Mapping[str, Any]) -> dict[str, Any]:
    row = {name: pair[name] for name in ("outcome", "status", "verdict", "metric", "model", "batch")}
    for side in ("baseline", "candidate"):
        row |= {f"{side}_{name}": value for name, value in pair[side].items()}
    for name in ("ratio", "difference"):
        told = pair[name] or {}
        row |= {name: told.get("value"), f"{name}_low": told.get("low"), f"{name}_high": told.get("high")}
    more = pair["more_rounds"] or {}
    row |= {name: pair[name] for name in ("adjusted_p", "is_paired", "is_same_build", "reason")}
    return row | {"more_rounds": more.get("count"), "more_rounds_s": more.get("seconds")}
