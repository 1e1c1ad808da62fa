# SPDX-License-Identifier: Apache-2.0
"""Cells over time."""

import io
import os

import pandas

from ngraphbench import program


def history(*results: str | os.PathLike[str], by: str = "date", metric: str = "throughput_per_s") -> pandas.DataFrame:
    """Returns a row for each point of each cell of several results folders and bundles, with the columns of
    `ngb history --points --format csv`: `cell`, `point`, `value` with `value_low` and `value_high`, the `change` that begins
    there with its cause, and what else changed there in `with`. `by` is the order: date, version, commit or label. Raises
    ProgramError if the results cannot be compared with each other, or if a bundle does not verify."""
    words = (*map(program.word, results), "--points", "--by", by, "--metric", metric, "--format", "csv")
    return pandas.read_csv(io.StringIO(program.call("history", *words)))
