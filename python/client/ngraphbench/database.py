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
VERSION = 14  # the newest version of the tables that this package reads
_KEYS = {  # of the tables that the package's queries read
    "cell": ["cell_key"],
    "environment": ["environment_key"],
    "environment_entry": ["environment_key", "name"],
    "failure": ["process_key"],
    "model": ["model_key"],
    "process": ["process_key"],
    "repetition": ["process_key", "repetition_index"],
    "run": ["run_key"],
}


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
        database.execute(SAMPLE.replace("CREATE VIEW", "CREATE TEMP VIEW"))
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
    """Raises ResultsError unless the tables have a key of their own, as ngb makes them. In place of a table the file may have
    a view, a virtual table or columns that are computed, whose author decides what they hold and when they end; and without
    keys, a few rows that all have one value make a join that never ends."""
    pages = dict(database.execute("SELECT name, rootpage FROM sqlite_master WHERE type = 'table'"))
    for name, key in _KEYS.items():
        columns = [] if not pages.get(name) else _columns(database, name)  # a virtual table has no page
        own_key = [column for _, column, _ in sorted(each for each in columns if each[0] > 0)]
        if own_key != key or any(is_computed for _, _, is_computed in columns):
            raise ResultsError(f"{file}: {name} is not the table that `ngb run` has written; ask for another copy")


def _columns(database: sqlite3.Connection, table: str) -> list[tuple[int, str, bool]]:
    """Returns the place in the primary key, the name, and whether it is computed, of each column."""
    rows = database.execute("SELECT pk, name, hidden <> 0 FROM pragma_table_xinfo(?)", (table,))
    return [(int(place), str(name), bool(is_computed)) for place, name, is_computed in rows]


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
