# SPDX-License-Identifier: Apache-2.0
"""The report's figures as Altair charts."""

import io
import json
import os
import pathlib
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import altair
import pandas

from ngraphbench import program
from ngraphbench.results import Results, open_results

_SPECIFICATION = ".vl.json"
_FILTERS = ("device", "compiler", "model", "batch", "group", "style")


class Figures(Mapping[str, Any]):
    """The figures of results, by name (docs/report.md lists them, with other names). A value is an Altair chart with its data: a notebook
    draws it, and `chart.save("figure.html")` writes it. `remarks` says which figures have no data, and why."""

    def __init__(self, specifications: Mapping[str, str], tables: Mapping[str, str], remarks: Sequence[str]) -> None:
        self._specifications = specifications
        self._tables = tables
        self.remarks = tuple(remarks)

    def __getitem__(self, name: str) -> Any:
        return altair.Chart.from_json(self.specification(name))

    def __iter__(self) -> Iterator[str]:
        return iter(self._specifications)

    def __len__(self) -> int:
        return len(self._specifications)

    def __repr__(self) -> str:
        return f"Figures({', '.join(self._specifications)})"

    def specification(self, name: str) -> str:
        """Returns the Vega-Lite specification of a figure as JSON text, as `ngb report` writes it. Raises KeyError."""
        return self._specifications[self._called(name)]

    def data(self, name: str) -> pandas.DataFrame:
        """Returns the data of a figure; its columns are named as in docs/metrics.md. Raises KeyError."""
        return pandas.read_csv(io.StringIO(self._tables[self._called(name)]))

    def _called(self, name: str) -> str:
        """Returns the name of the figure that has this one as its own or as another one. Raises KeyError."""
        for own, text in self._specifications.items():
            if name == own or (name not in self._specifications and name in json.loads(text)["usermeta"].get("also", ())):
                return own
        raise KeyError(f"{name}: there is no such figure of these results; there are: {', '.join(self._specifications)}")


def figures(
    results: Results | str | os.PathLike[str],
    *,
    device: str | Sequence[str] = (),
    compiler: str | Sequence[str] = (),
    model: str | Sequence[str] = (),
    batch: int | Sequence[int] = (),
    group: str | Sequence[str] = (),
    style: str | Sequence[str] = (),
) -> Figures:
    """Returns the figures of results, as `ngb report` makes them.

    `results` is what `ngb.open` returned, or a results folder. The filters are those of `ngb report`: a cell is shown if
    it fits one word of each. Raises ProgramMissingError, ResultsError, and ProgramError if a filter fits nothing.
    """
    opened = results if isinstance(results, Results) else open_results(results)
    chosen = zip(_FILTERS, (device, compiler, model, batch, group, style), strict=True)
    arguments = [part for name, words in chosen for word in _listed(words) for part in (f"--{name}", str(word))]
    with tempfile.TemporaryDirectory(prefix="ngraphbench-") as scratch:
        folder = pathlib.Path(scratch) / "report"
        told = program.call("report", *opened.source_arguments, "--join", *opened.baseline_arguments, "-o", folder, *arguments)
        specifications = _texts(folder / "figures", _SPECIFICATION)
        tables = _texts(folder / "figures", ".csv")
    return Figures(specifications, tables, [line for line in told.splitlines() if line.startswith("Left out: ")])


def _listed(words: str | int | Sequence[str] | Sequence[int]) -> Sequence[str | int]:
    return [words] if isinstance(words, str | int) else words


def _texts(folder: pathlib.Path, ending: str) -> dict[str, str]:
    files = sorted(folder.glob(f"*{ending}"))
    return {file.name.removesuffix(ending): file.read_text(encoding="utf-8") for file in files}
