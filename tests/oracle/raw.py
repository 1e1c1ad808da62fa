# SPDX-License-Identifier: Apache-2.0
"""Reads the raw samples of a results file, and what docs/metrics.md says about which of them belong together."""

import contextlib
import functools
import json
import sqlite3
from typing import NamedTuple

import pandas

TABLES = ("cell", "model", "process", "repetition", "phase", "reading", "fact", "output_check", "latency", "failure",
          "environment_entry", "agreement")
FULL = "f32"


class Block(NamedTuple):
    """A stack of equal blocks. The names have its other parameters, in the order of their names."""

    name: str
    width: float | None
    name_sans_width: str
    depth: int


class Raw:
    """The tables of a results file. `cells` has a row for each cell, by cell_key, in the order of the study; the processes
    of `counted` make numbers."""

    def __init__(self, folder):
        with contextlib.closing(sqlite3.connect(f"file:{folder}/results.db?mode=ro", uri=True)) as database:
            has_variants = database.execute("PRAGMA user_version").fetchone()[0] >= 10
            self._tables = {name: pandas.read_sql(f"SELECT * FROM {name}", database)
                            for name in TABLES if has_variants or name != "agreement"}
        if not has_variants:  # kept results of an older version
            self._tables["agreement"] = pandas.DataFrame(columns=["process_key", "label_rank"])
            self._tables["model"]["exact_hash"] = ""
        if "is_not_finite" not in self._tables["agreement"]:
            self._tables["agreement"]["is_not_finite"] = 0
        cells = self._tables["cell"].merge(self._tables["model"], on="model_key").sort_values("cell_key")
        process = self._tables["process"]
        completed = process[process.is_complete == 1]
        origins = completed.groupby(["cell_key", "origin"]).agg(
            count=("process_index", "nunique"), last=("process_key", "max")).reset_index()
        origins["planned"] = origins.cell_key.map(cells.set_index("cell_key").planned_processes)
        origins["full"] = origins[["count", "planned"]].min(axis=1)
        best = origins.sort_values(["full", "last"]).groupby("cell_key").origin.last()
        is_counted = completed.origin == completed.cell_key.map(best)
        self.counted = completed[is_counted].sort_values(["cell_key", "process_index"])
        self._measured = set(self.counted.cell_key)
        self.set_aside = completed[~is_counted]
        self.failed = process[process.is_complete == 0].merge(self._tables["failure"], on="process_key")
        self._by_cell = {name: self._grouped(name) for name in TABLES if "process_key" in self._tables[name] and name != "process"}
        self.cells = self._with_places(cells)

    def _grouped(self, table):
        merged = self.counted.merge(self._tables[table], on="process_key", suffixes=("_of_process", ""))
        return merged.iloc[:0], dict(iter(merged.groupby("cell_key")))

    def of_processes(self, table, cell_key):
        """The rows of a table that belong to the cell's processes that count, with their process."""
        none, by_cell = self._by_cell[table]
        return by_cell.get(cell_key, none)

    def of_all_attempts(self, table, cell_key):
        process = self._tables["process"]
        return process[process.cell_key == cell_key].merge(self._tables[table], on="process_key")

    def is_emulated(self, cell_key):
        """Whether the cell's compiler says that it computes operators for their value alone."""
        return (self.of_processes("fact", cell_key).name == "emulated").any()

    @functools.cache
    def facts(self, name):
        fact = self._tables["fact"]
        return fact[fact.name == name].set_index("process_key").value

    @functools.cache
    def processors(self, cell_key):
        """Logical processors of the cell's device; None if it did not report them."""
        process, entries = self._tables["process"], self._tables["environment_entry"]
        keys = process[process.cell_key == cell_key].environment_key.dropna()
        told = entries[entries.environment_key.isin(keys) & (entries.name == "cpu_threads")].value.dropna()
        return int(told.iloc[0]) if len(told) else None

    @functools.cache
    def highest_frequency_hz(self, device):
        rows = self.counted.merge(self._tables["reading"], on="process_key")
        return rows[(rows.device == device) & (rows.quantity == "frequency")].value.max()

    def has_failed(self, cell_key):
        return (self.failed.cell_key == cell_key).any() and not self.is_measured(cell_key)

    def is_measured(self, cell_key):
        return cell_key in self._measured

    def _with_places(self, cells):
        kinds = self.facts("device").map(_kind_of)
        computes = self.counted.assign(kind=self.counted.process_key.map(kinds)).groupby("cell_key").kind.first()
        cells = cells.astype(object).where(cells.notna(), None)
        devices = [computes.get(key) for key in cells.cell_key]
        cells = cells.assign(compute_device=pandas.Series(devices, index=cells.index, dtype=object))  # None, not NaN
        cells["place"] = [(cell.device, cell.compute_device or "?", cell.load) for cell in cells.itertuples()]
        cells["setting"] = [(cell.compiler, cell.compiler_version, cell.options_json, cell.settings_json, cell.in_flight,
                             cell.instances, cell.threads, cell.precision, _label_among_equals(cells, cell))
                            for cell in cells.itertuples()]
        cells["group"] = [cell.model_group or cell.family or cell.label.removesuffix(" dynamic_batch")
                          for cell in cells.itertuples()]
        cells["block"] = [_block(cell.family or cell.group, cell.recipe_json) for cell in cells.itertuples()]
        return {cell.cell_key: cell for cell in cells.itertuples(index=False)}


def _label_among_equals(cells, cell):
    """The label of a cell beside which an equal one was measured under another label; else ""."""
    names = ["compiler", "compiler_version", "options_json", "settings_json", "in_flight", "instances", "threads", "precision"]
    alike = cells[(cells[names].fillna(-1) == pandas.Series({name: getattr(cell, name) for name in names}).fillna(-1)).all(axis=1)]
    several = alike.groupby(["device", "model_hash", "batch", "load"]).compiler_label.nunique().max() > 1
    return cell.compiler_label if several else ""


def _kind_of(word):
    name = word.lower().split(":")[0].split(".")[0]
    return {"cuda": "gpu", "gpu": "gpu", "npu": "npu"}.get(name, "cpu")


def _block(kind, recipe):
    content = json.loads(recipe) if recipe else {}
    parameters = content.get("module", content).get("parameters", {})
    if not isinstance(parameters.get("depth"), int):
        return None
    key = next((name for name in ("width", "embed") if name in parameters), None)

    def name_without(*left_out):
        return " ".join([kind, *(f"{name}={value}" for name, value in sorted(parameters.items()) if name not in left_out)])

    return Block(name_without("depth"), parameters.get(key), name_without("depth", key), parameters["depth"])


class Relatives:
    """Which cells a cell is compared with, by their keys; None: there is none."""

    def __init__(self, raw, is_baseline):
        self._raw = raw
        self.baseline = functools.cache(lambda key: self._of_compiler(key, is_baseline))
        self.identity = functools.cache(lambda key: self._of_compiler(key, lambda cell: cell.compiler == "identity"))
        self.without_python = functools.cache(
            lambda key: self._of_compiler(key, lambda cell: cell.compiler == "eager-cpp"))
        self.at_batch_1 = functools.cache(lambda key: self._of_setting(key, batch=1))
        self.without_load = functools.cache(lambda key: self._of_setting(key, load="none"))
        self.one_instance = functools.cache(self._of_one_instance)
        self.exact = functools.cache(lambda key: self._of_setting(key, model_hash=raw.cells[key].exact_hash or None))

    def _alike(self, key, **changed):
        """Cells with the same device, model, batch size, load, threads and compute device; `changed` overrides some. A
        cell without processes may have computed anywhere."""
        own = self._raw.cells[key]
        wanted = {name: getattr(own, name) for name in ("device", "model_hash", "batch", "load", "threads")} | changed
        for cell in self._raw.cells.values():
            is_near = None in (own.compute_device, cell.compute_device) or own.compute_device == cell.compute_device
            if is_near and all(getattr(cell, name) == value for name, value in wanted.items()):
                yield cell

    def _of_compiler(self, key, is_called):
        """The first cell in f32 whose compiler fits and emulates nothing, else in the precision of the cell itself; one with
        as many instances comes first."""
        own = self._raw.cells[key]
        found = [cell for cell in self._alike(key, model_hash=own.exact_hash or own.model_hash)
                 if is_called(cell) and not self._raw.is_emulated(cell.cell_key)]
        for precision in (FULL, self._raw.cells[key].precision):
            at = [cell for cell in found if cell.precision == precision]
            for cell in [*(cell for cell in at if cell.instances == self._raw.cells[key].instances), *at]:
                return cell.cell_key
        return None

    def _of_one_instance(self, key):
        own = self._raw.cells[key]
        names = ("compiler", "compiler_version", "options_json", "settings_json", "in_flight", "precision", "batch")
        return next((cell.cell_key for cell in self._alike(key, instances=1)
                     if all(getattr(cell, name) == getattr(own, name) for name in names)), None)

    def _of_setting(self, key, **changed):
        setting = self._raw.cells[key].setting
        return next((cell.cell_key for cell in self._alike(key, **changed) if cell.setting == setting), None)

    def settings_of_compiler(self, key):
        """The measured cells of the same compiler with any settings, the cell itself among them."""
        own = self._raw.cells[key]
        return [cell.cell_key for cell in self._raw.cells.values() if self._raw.is_measured(cell.cell_key) and all(
            getattr(cell, name) == getattr(own, name) for name in ("place", "model_hash", "batch", "precision", "compiler"))]
