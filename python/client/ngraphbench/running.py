# SPDX-License-Identifier: Apache-2.0
"""Runs studies."""

import contextlib
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Iterator, Mapping
from typing import IO, Any

from ngraphbench import program
from ngraphbench.errors import CellsFailedWarning, ProgramError
from ngraphbench.progress import Progress
from ngraphbench.results import Results, open_results

_SUCCESS, _SOME_CELLS_FAILED = 0, 1  # exit codes of `ngb run`


def run(
    study: Mapping[str, Any] | str | os.PathLike[str],
    output: str | os.PathLike[str] | None = None,
    *,
    budget: str | None = None,
    retry_failed: bool = False,
    report: bool = False,
    progress: bool = True,
) -> Results:
    """Measures a study and returns its results. An interrupted study resumes where it stopped.

    `study` is the path of a study file, or a dict with the keys of docs/study.md; paths in a dict are relative to the
    working folder. `output` is the results folder; without it, it is the study's own (`results/NAME`). `budget` is a time
    after which the run stops, such as "10m". `report` also writes the page RESULTS/report/index.html. `progress` shows a
    bar of finished processes, with the time left, on stderr or in the notebook, and the program's remarks.

    Cells that fail do not end a run: a CellsFailedWarning says that there are some, and `Results.failures` has the
    reasons. Raises ProgramError with the program's text and exit code if the study is wrong (2) or the run could not
    continue (3), and ProgramMissingError without the program. A KeyboardInterrupt ends the run as Ctrl-C does; everything
    measured so far is kept.
    """
    with _study_file(study) as file:
        folder = pathlib.Path(output) if output is not None else _output_of(file)
        arguments: list[str | os.PathLike[str]] = ["run", file, "--output", folder]
        arguments += [] if budget is None else ["--budget", budget]
        arguments += ["--retry-failed"] * retry_failed + ["--no-report"] * (not report)
        code = _measure(program.command_of(*arguments), progress)
    if code == _SOME_CELLS_FAILED:
        warnings.warn(
            f"some cells have no result; see ngb.open({str(folder)!r}).failures, and call ngb.run with retry_failed=True "
            "to try them again",
            CellsFailedWarning,
            stacklevel=2,
        )
    return open_results(folder)


@contextlib.contextmanager
def _study_file(study: Mapping[str, Any] | str | os.PathLike[str]) -> Iterator[pathlib.Path]:
    """A dict becomes a file of the working folder, because paths in a study are relative to its file."""
    if not isinstance(study, Mapping):
        yield pathlib.Path(study)
        return
    content = json.dumps({"name": "study", **study}, indent=1, default=_plain, ensure_ascii=False)
    handle, name = tempfile.mkstemp(dir=os.getcwd(), prefix=".study-", suffix=".json", text=True)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(content)
        yield pathlib.Path(name)
    except ProgramError as error:
        raise ProgramError(error.command, error.exit_code, error.text.replace(name, "study")) from None
    finally:
        os.unlink(name)


def _plain(value: Any) -> Any:
    """Returns a path as text and a number of numpy as Python's own. Raises TypeError for anything else."""
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if hasattr(value, "item"):
        return value.item()
    raise TypeError(f"a study has texts, numbers, lists and dicts only, and {value!r} is none of them")


def _output_of(study: pathlib.Path) -> pathlib.Path:
    return pathlib.Path(program.call_json("plan", study, "--json")["study"]["output"])


def _measure(command: list[str], shows_progress: bool) -> int:
    """Returns the exit code: 0 or 1. Raises ProgramError for any other."""
    with tempfile.TemporaryFile() as printed, Progress(sys.stderr if shows_progress else None) as progress:
        try:
            process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=printed,
                stderr=subprocess.PIPE,
                encoding="utf-8",
                errors="replace",
            )
        except OSError as error:
            raise program.cannot_start(command, error) from error
        with process:
            _follow(process, progress)
    if process.returncode not in (_SUCCESS, _SOME_CELLS_FAILED):
        raise ProgramError(command, process.returncode, "\n".join(progress.remarks))
    return process.returncode


def _follow(process: subprocess.Popen[str], progress: Progress) -> None:
    lines: IO[str] | None = process.stderr
    assert lines is not None
    try:
        for line in lines:
            progress.take(line.rstrip("\n"))
        process.wait()
    except KeyboardInterrupt:
        process.send_signal(signal.SIGINT)  # the program ends what it measures and keeps what it has
        for line in lines:
            progress.take(line.rstrip("\n"))
        process.wait()
        raise
