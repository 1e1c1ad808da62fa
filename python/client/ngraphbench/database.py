# SPDX-License-Identifier: Apache-2.0
"""Opens results files (docs/results.md) to read. Nothing here changes a file."""

import contextlib
import pathlib
import sqlite3
from collections.abc import Iterator

import pandas

from ngraphbench.errors import ResultsError
from ngraphbench.views import ORIGIN, SAMPLE

FILE = "results.db"
APPLICATION_ID = 0x4E474252  # "NGBR", in the file's header
VERSION = 8  # the newest version of the tables that this package reads
_TABLES = ("cell", "environment", "environment_entry", "failure", "model", "process", "repetition", "run")


def results_folder(path: pathlib.Path) -> pathlib.Path:
    """Returns the results folder that `path` names: itself, or the folder of a results.db.

    Raises ResultsError if there are no results, if the file is no results file, or if it is of a newer version.
    """
    folder = path.parent if path.name == FILE and not path.is_dir() else path
    file = folder / FILE
    if not file.is_file():
        raise ResultsError(f"{folder}: there are no results here; name a folder that `ngb run` has written")
    _check(file)
    return folder


def is_current(folder: pathlib.Path) -> bool:
    """Returns whether the folder's tables are those that this package reads."""
    with _connected(folder / FILE) as database:
        return _number(database, "PRAGMA user_version") == VERSION


def query(folder: pathlib.Path, sql: str) -> pandas.DataFrame:
    """Returns the rows of a query in a frame; `sample` and `origin` in it are the views of this package. Raises ResultsError
    if the file cannot be read."""
    with _connected(folder / FILE) as database:
        _require_tables(folder / FILE, database)
        database.execute(f"CREATE TEMP VIEW origin AS {ORIGIN}")
        database.execute(f"CREATE TEMP VIEW sample AS {SAMPLE}")
        return pandas.read_sql_query(sql, database)


def _check(file: pathlib.Path) -> None:
    with _connected(file) as database:
        application = _number(database, "PRAGMA application_id")
        version = _number(database, "PRAGMA user_version")
    if application == 0 and version == 0 and file.stat().st_size == 0:
        raise ResultsError(f"{file}: there are no results in this file yet; run the study first")
    if application != APPLICATION_ID:
        raise ResultsError(f"{file}: this is an SQLite file, but no results file; name a folder that `ngb run` has written")
    if version > VERSION:
        raise ResultsError(
            f"{file}: written by a newer version of ngb: the file has version {version}, and this package reads versions "
            f"up to {VERSION}; install a newer ngraphbench"
        )


def _require_tables(file: pathlib.Path, database: sqlite3.Connection) -> None:
    """In place of a table the file may have a view, whose author decides what it holds and when it ends."""
    kinds = dict(database.execute("SELECT name, type FROM sqlite_master"))
    unlike = [name for name in _TABLES if kinds.get(name) != "table"]
    if unlike:
        raise ResultsError(f"{file}: {unlike[0]} is not the table that `ngb run` has written; ask for another copy")


def _number(database: sqlite3.Connection, sql: str) -> int:
    (value,) = database.execute(sql).fetchone()
    return int(value)


@contextlib.contextmanager
def _connected(file: pathlib.Path) -> Iterator[sqlite3.Connection]:
    try:
        with contextlib.closing(sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True)) as database:
            database.execute("PRAGMA trusted_schema = OFF")  # the file may come from anybody
            yield database
    except (sqlite3.Error, pandas.errors.DatabaseError) as error:
        raise ResultsError(_why(file, error)) from error


def _why(file: pathlib.Path, error: Exception) -> str:
    if "not a database" in str(error):
        return f"{file}: this is no SQLite file; name a folder that `ngb run` has written"
    if "readonly" in str(error) or "read-only" in str(error):
        return (
            f"{file}: a program was killed while it wrote this file; run `ngb show {file.parent}` once, which restores it, "
            "and open it again"
        )
    return f"{file}: {error}; if the file was cut off, copy the whole folder again"
