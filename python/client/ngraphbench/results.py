# SPDX-License-Identifier: Apache-2.0
"""Results folders as pandas frames."""

import functools
import json
import os
import pathlib
import shutil
import tempfile
import weakref
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pandas

from ngraphbench import database, program
from ngraphbench.comparison import Comparison, compare_sides
from ngraphbench.errors import ResultsError
from ngraphbench.notebook import html_of

_INTERVAL = ("low", "high")

_NUMBER = ["value", *_INTERVAL, "reason"]
_FINDINGS = ["kind", "sentence", "to_act_on", "is_difference", "device", "compiler", "model", "batch_sizes", "against",
             "metric", *_NUMBER, "outcome", "adjusted_p", "cell_ids"]
_REVERSALS = ["reversal", "ranked", "between", "adjusted_p", "device", "compiler_a", "compiler_b", "model_a", "model_b",
              "batch", *_NUMBER, "cell_ids"]
_CLAIMS = ["claim", "sentence", "quantity", "source", "device", "compiler", "status", *_NUMBER, "adjusted_p", "cell_ids"]

_BEST = ["device", "model", "batch", "compiler", "compiler_version", "options_json", "settings_json", "throughput_per_s",
         "speed_up_ratio", "speed_up_ratio_low", "speed_up_ratio_high"]

_OPERATORS = ["model", "batch", "compiler", "call", "name", "kind", "start_ns", "duration_ns", "nodes", "found_by"]

_FAILURES = """
SELECT cell_id, cell.device, label AS model, batch, load, compiler, compiler_label, compiler_version, options_json,
  process_index, attempt, kind, phase, message, advice, signal, exit_code, log_path
FROM failure JOIN process USING (process_key) JOIN cell USING (cell_key) JOIN model USING (model_key)
ORDER BY process_key
"""
_ENVIRONMENTS = """
SELECT DISTINCT environment.device, environment_hash, name, value, unit, unknown_reason, is_identity
FROM environment_entry JOIN environment USING (environment_key)
ORDER BY environment.device, environment_hash, name
"""


class Results:
    """What was measured, as pandas frames. `ngb.open` makes it.

    Each frame is made when it is first asked for, and is the caller's own copy. The program `ngb` computes all frames but
    `samples`, `failures` and `environments`; they raise ProgramMissingError without it, and ProgramError with its text if
    it cannot read the results. `samples` and the other two read the file, and raise ResultsError.
    """

    def __init__(
        self, folders: tuple[pathlib.Path, ...], renamings: tuple[str, ...], baseline: str | None, metric: str | None = None
    ) -> None:
        self._folders = folders
        self._renamings = renamings
        self._baseline = baseline
        self._metric = metric

    def __repr__(self) -> str:
        return f"Results({', '.join(map(str, self._folders))})"

    @property
    def folders(self) -> tuple[pathlib.Path, ...]:
        """The results folders, as they were named."""
        return self._folders

    @property
    def source_arguments(self) -> list[str]:
        """The arguments by which every command of `ngb` reads these results: the folders, and `--as` for new names."""
        return [*map(program.word, self._folders), *(part for each in self._renamings for part in ("--as", each))]

    @property
    def baseline_arguments(self) -> list[str]:
        """The arguments by which `ngb show` and `ngb report` relate speed-ups to the baseline, and answer by the metric, that
        were given to `ngb.open`."""
        asked = {"--baseline": self._baseline, "--metric": self._metric}
        return [part for name, value in asked.items() if value is not None for part in (name, value)]

    @property
    def baseline(self) -> str:
        """The compiler to which speed-ups refer: the study's baseline, or the one that was given to `ngb.open`."""
        return str(self._shown["baseline"])

    @property
    def cells(self) -> pandas.DataFrame:
        """One row for each cell, in the order of the study: what it is, and every metric of docs/metrics.md in a column of
        its own, with the ends of its 95 % interval in `…_low` and `…_high`. A value that does not exist is NaN; `derived`
        has the reason."""
        return self._cells.copy()

    @property
    def derived(self) -> pandas.DataFrame:
        """One row for each cell and metric, as the table `derived`: `cell_id`, `metric`, `value` in the metric's unit,
        `low`, `high`, and in `reason` why there is no value. A raised flag is a row `flag_NAME` with the value that raised
        it."""
        return self._derived.copy()

    @property
    def samples(self) -> pandas.DataFrame:
        """One row for each repetition that counts, as the view `sample`. `wall_ns` is the time of all inferences of the
        repetition in nanoseconds; rows with `is_warm_up` count in no metric. Group by `cell_id` to tell cells apart. Of
        several instances, each row is one of one `instance`."""
        return self._samples.copy()

    @property
    def series(self) -> pandas.DataFrame:
        """Numbers that span cells, as the table `series`, with the `cell_ids` of the cells that each is about. `value`,
        `low` and `high` are in the unit that `formulas` has for the series."""
        return self._series.copy()

    @property
    def answer(self) -> list[str]:
        """Which compiler is the fastest, or which may be, by how much at least, what is open, and what has no result: at most
        five sentences, those that `ngb show` begins with. With a `metric` of `ngb.open`, which is the best by that."""
        return list(self._shown["conclusions"]["answer"]["sentences"])

    def best(self) -> pandas.DataFrame:
        """Returns which compiler is the fastest of each workload, or has the highest speed of those that may be: a row for
        each `device`, `model` and `batch`, with `compiler`, `compiler_version`, `options_json`, `settings_json`,
        `throughput_per_s` and `speed_up_ratio` with the ends of its interval. `is_decided` says whether all others are told
        slower, and `may_be_fastest` names those that are not."""
        races = self._shown["conclusions"]["answer"]["rows"]
        made = self._cells.set_index("cell_id").loc[[race["cell_ids"][0] for race in races]].reset_index()[_BEST]
        made["is_decided"] = [race["is_decided"] for race in races]
        made["may_be_fastest"] = [tuple(race["may_be_fastest"]) for race in races]
        return made

    def _repr_html_(self) -> str | None:
        """Called by notebooks: the answer, the table with a bar for each speed, and what is to be acted on."""
        if self._shown["conclusions"] is None:  # of results too many for a page
            return None
        acts = [each["sentence"] for each in self._shown["conclusions"]["findings"] if each["to_act_on"]]
        table = program.call("show", *self.source_arguments, *self.baseline_arguments, "--format", "markdown")
        return html_of(self.answer, table, self._cells, acts)

    @property
    def findings(self) -> pandas.DataFrame:
        """What the results say, in sentences: one row for each row behind a sentence, which its `sentence` repeats."""
        rows = [
            {name: each[name] for name in ("kind", "sentence", "to_act_on", "is_difference")} | _flat(row)
            for each in self._shown["conclusions"]["findings"]
            for row in each["rows"]
        ]
        return pandas.DataFrame(rows, columns=_FINDINGS)

    @property
    def reversals(self) -> pandas.DataFrame:
        """Reversed orders: two rows for each, its two sides; `reversal` numbers them. `value` is T_a / T_b."""
        rows = [
            {"reversal": number, "ranked": each["ranked"], "between": each["between"], "adjusted_p": each["adjusted_p"]}
            | _flat(side)
            for number, each in enumerate(self._shown["conclusions"]["reversals"])
            for side in each["sides"]
        ]
        return pandas.DataFrame(rows, columns=_REVERSALS)

    @property
    def claims(self) -> pandas.DataFrame:
        """The paper's claims: for each device and compiler its `status` (`holds`, `does_not`, `undecided`,
        `not_measured`) and the `value` of the ratio that is tested, with its 95 % interval."""
        return pandas.DataFrame([_flat(each) for each in self._shown["conclusions"]["claims"]], columns=_CLAIMS)

    @property
    def failures(self) -> pandas.DataFrame:
        """One row for each failed attempt of a process, as the table `failure`, with the cell that it belongs to. `kind`
        says what happened, `message` what failed, `advice` what to do next; `log_path` is relative to the folder."""
        return database.query(self._file_folder, _FAILURES)

    @property
    def operators(self) -> pandas.DataFrame:
        """One row for each kernel call of an inference of each profiled cell, in the order of calls, as `ngb explain
        --kernels` lists them: `model`, `batch`, `compiler`, `call`, `name`, `kind`, `start_ns`, `duration_ns`, `nodes` (a
        tuple of names of the model's nodes) and how they were found.

        Raises ProgramError if the results have no profiles: they are those of `ngb explain`, or of a study with `profile`.
        """
        rows = program.call_json("explain", *self.source_arguments, "--kernels", "--json")["kernels"]
        made = pandas.DataFrame(rows, columns=_OPERATORS)
        made["nodes"] = [tuple(names.split(" ")) if names else () for names in made["nodes"].fillna("")]
        return made

    @property
    def environments(self) -> pandas.DataFrame:
        """What the devices reported about themselves, one row for each entry: `device`, `name`, `value`, `unit`."""
        return database.query(self._file_folder, _ENVIRONMENTS)

    @property
    def formulas(self) -> pandas.DataFrame:
        """The metrics and series with their `unit`, `formula` and `source`, indexed by `name`."""
        return pandas.DataFrame([*self._shown["metrics"], *self._shown["series"]["table"]]).set_index("name")

    def verdicts(
        self,
        candidate: str | None = None,
        baseline: str | None = None,
        by: str | None = None,
        metrics: Sequence[str] = (),
    ) -> pandas.DataFrame:
        """Returns whether each cell of the candidate is faster, slower or the same as its partner of the baseline.

        One row for each pair, the worst first; columns as those of `ngb compare --format csv`. `ratio` is the candidate's
        throughput over the baseline's. `candidate` and `baseline` are compilers (a label, NAME or NAME@VERSION), or
        values on the axis `by` (version, options, device, compute_device, threads, precision, load, model). Without
        `baseline`, it is that of the results. Without `candidate`, each other compiler is compared, one comparison after
        the other: at most 5 % of the verdicts of each are false. `metrics` are those to judge by instead of the speed, each
        as `ngb compare --metric` reads it: "timed_peak_bytes:5%".

        Raises ProgramError if the sides have no cells, or cannot be compared.
        """
        against = baseline or self.baseline
        if candidate is not None:
            return self.compare(candidate, against, by, metrics).verdicts
        others = [label for label in self._cells["compiler_label"].unique() if not self._is_called(label, against)]
        made = [self.compare(label, against, by, metrics).verdicts for label in others]
        return pandas.concat(made, ignore_index=True) if made else pandas.DataFrame()

    def compare(
        self, candidate: str, baseline: str | None = None, by: str | None = None, metrics: Sequence[str] = ()
    ) -> Comparison:
        """Returns the comparison of two sides of these results; the arguments and errors are those of `verdicts`."""
        return compare_sides(
            [*self.source_arguments, *(["--join"] if len(self._folders) == 2 else [])],
            baseline or self.baseline,
            candidate,
            by,
            metrics,
        )

    def export(self, output: str | os.PathLike[str], cell: str | None = None) -> pathlib.Path:
        """Writes a measured cell as a program that needs nothing of `ngb`, into the new folder `output`. Returns its path.

        `cell` is a `cell_id` of these results; without it, the fastest cell of the first model and batch size is written.
        Raises ProgramError if the cell cannot be exported, and ResultsError if the results are of several folders.
        """
        if len(self._folders) > 1:
            raise ResultsError("cells are exported from one results folder: open it alone")
        program.call("export", self._folders[0], *(["--fastest"] if cell is None else [cell]), "-o", pathlib.Path(output))
        return pathlib.Path(output)

    def _is_called(self, label: str, words: str) -> bool:
        cells = self._cells[self._cells["compiler_label"] == label]
        names = {label, *cells["compiler"], *(cells["compiler"] + "@" + cells["compiler_version"])}
        return words in names

    @functools.cached_property
    def _shown(self) -> Any:
        return program.call_json("show", *self.source_arguments, *self.baseline_arguments, "--json")

    @functools.cached_property
    def _cells(self) -> pandas.DataFrame:
        with_interval = [each["name"] for each in self._shown["metrics"] if each["has_interval"]]
        return pandas.DataFrame([_row_of_cell(cell, with_interval) for cell in self._shown["cells"]])

    @functools.cached_property
    def _derived(self) -> pandas.DataFrame:
        rows = [row for cell in self._shown["cells"] for row in _derived_of(cell)]
        return pandas.DataFrame(rows, columns=["cell_id", "metric", "value", *_INTERVAL, "reason"]).astype(
            {"value": float, "low": float, "high": float}
        )

    @functools.cached_property
    def _samples(self) -> pandas.DataFrame:
        return database.query(self._file_folder, "SELECT * FROM sample")

    @functools.cached_property
    def _series(self) -> pandas.DataFrame:
        names = ["series", "device", "compiler", "subject", "batch_sizes", "value", *_INTERVAL]
        rows = [_flat(each) for each in self._shown["series"]["values"]]
        made = pandas.DataFrame(rows, columns=[*names, "standard_error", "degrees", "reason", "cell_ids"])
        made["reason"] = made["reason"].fillna("")
        return made

    @functools.cached_property
    def _file_folder(self) -> pathlib.Path:
        """The folder with one results file that has all of these results: theirs, or a copy that `ngb merge` has made of
        several folders, of renamed devices, or of a file of an older version. The copy vanishes with this object."""
        if len(self._folders) == 1 and not self._renamings and database.is_current(self._folders[0]):
            return self._folders[0]
        scratch = pathlib.Path(tempfile.mkdtemp(prefix="ngraphbench-"))
        weakref.finalize(self, shutil.rmtree, scratch, ignore_errors=True)
        program.call("merge", *self.source_arguments, "-o", scratch / "merged")
        return scratch / "merged"


def open_results(
    folder: str | os.PathLike[str],
    *more: str | os.PathLike[str],
    rename: Mapping[str, str] | None = None,
    baseline: str | None = None,
    metric: str | None = None,
) -> Results:
    """Returns the results in a folder, or in several that are read as one.

    `rename` gives devices other names, as `--as` does: `{"local": "xeon"}`, or `{"results/a:local": "xeon"}` for one
    folder only. `baseline` is the compiler to which speed-ups refer: a label, NAME@VERSION or NAME; without it, it is the
    study's. `metric` is that by which `answer` says what is best, as `ngb show --metric` reads it; without it, it is the
    study's, or the speed. The results are not changed, except that `ngb` may keep computed values in a
    file that it may write.

    Raises ResultsError if a folder has no results, or results of a newer version.
    """
    folders = tuple(database.results_folder(pathlib.Path(each)) for each in (folder, *more))
    return Results(folders, tuple(f"{before}={after}" for before, after in (rename or {}).items()), baseline, metric)


def _text(value: Any) -> Any:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False) if isinstance(value, dict) else value


def _flat(row: Mapping[str, Any]) -> dict[str, Any]:
    return {name: tuple(value) if isinstance(value, list) else value for name, value in row.items()}


def _row_of_cell(cell: Mapping[str, Any], with_interval: Sequence[str]) -> dict[str, Any]:
    row: dict[str, Any] = {}
    for name, value in cell.items():
        if name in ("metrics", "flags", "failure", "baseline"):
            continue
        row[f"{name}_json" if name in ("options", "settings") else name] = _text(value)
    failure = cell["failure"] or {}
    row |= {f"failure_{name}": failure.get(name) for name in ("kind", "phase", "message", "advice")}
    row["baseline_cell_id"] = (cell["baseline"] or {}).get("cell_id")
    for name, value in cell["metrics"].items():
        row[name] = value["value"]
        row |= {f"{name}_{end}": value.get(end) for end in _INTERVAL if name in with_interval}
    return row


def _derived_of(cell: Mapping[str, Any]) -> Iterable[dict[str, Any]]:
    for name, value in cell["metrics"].items():
        ends = {end: value.get(end) for end in _INTERVAL}
        yield {"cell_id": cell["cell_id"], "metric": name, "value": value["value"], **ends, "reason": value.get("reason", "")}
    for name, raised in cell["flags"].items():
        yield {"cell_id": cell["cell_id"], "metric": f"flag_{name}", "value": raised, "low": None, "high": None, "reason": ""}
