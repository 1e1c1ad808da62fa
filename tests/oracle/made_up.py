# SPDX-License-Identifier: Apache-2.0
"""Writes results files by hand: rows of docs/results.md, without a program of NGraphBench."""

import contextlib
import dataclasses
import hashlib
import itertools
import json
import pathlib
import sqlite3

APPLICATION_ID = 0x4E474252
FIRST_NS = 1_800_000_000_000_000_000


@dataclasses.dataclass(frozen=True)
class Model:
    label: str
    batch: int
    family: str = ""
    parameters: dict = dataclasses.field(default_factory=dict, hash=False)  # of the recipe
    parameter_count: int | None = None
    group: str | None = None
    style: str | None = None
    size: int | None = None
    raw_bytes: int | None = None  # of a sample, before and after compressing it
    encoded_bytes: int | None = None
    content: str = ""  # of which the hash is made; "": the label
    macs: int | None = None
    variant_of: str = ""  # label of the exact model
    exact_hash: str = ""

    @property
    def hash(self):
        return self.content or sha256(self.label)


@dataclasses.dataclass(frozen=True)
class Setting:
    compiler: str
    label: str
    version: str = "1.0"
    options: str = "{}"
    in_flight: str = "1"
    instances: int = 1
    computes_on: str = "cpu"  # the fact `device`
    settings: str = "{}"
    threads: int | None = 2
    threads_asked: str | None = None  # a word that means 3 threads, if `threads` is None


@dataclasses.dataclass
class Process:
    """One attempt. Times in ms; a repetition is a time or (time, inferences)."""

    repetitions: list  # of the first instance
    of_others: list = dataclasses.field(default_factory=list)  # a list of repetitions for each further instance
    warm_up: list = dataclasses.field(default_factory=lambda: [50.0])
    attempt: int = 1
    busy_cpus: float = 1.5
    compile_s: float | None = 2.0  # None: it loaded what another process had compiled
    compile_cpu_s: float = 3.0
    compile_peak_bytes: int = 70_000_000
    timed_peak_bytes: int = 90_000_000
    error: float = 1e-6
    reference: str = "identity 2.15.0"
    compared: int = 1000
    finite: int = 1000
    small: int = 0  # of those compared, with a reference of at most the absolute tolerance
    reference_reason: str = ""
    output_change: str = ""
    is_steady: bool = True
    threads_used: int = 2
    environment: str = "here"
    build: str = "one"
    facts: dict = dataclasses.field(default_factory=dict)
    # (quantity, moment, value[, seconds after the start]); a quantity may be (quantity, unit)
    readings: list = dataclasses.field(default_factory=list)
    latencies_ms: list = dataclasses.field(default_factory=list)  # a list for each repetition, warm-up first
    agreement: list = dataclasses.field(default_factory=list)  # a row for each input, as variants.made_up_inputs
    failure: str = ""  # kind; "": it completed
    index: int | None = None  # of the process; None: its place among those that completed

    def timed_ns(self):
        return sum(round(1e6 * _time_of(each)) for each in self.repetitions)


def _time_of(repetition):
    return repetition[0] if isinstance(repetition, tuple) else repetition


def _inferences_of(repetition):
    return repetition[1] if isinstance(repetition, tuple) else 1


def sha256(text):
    return hashlib.sha256(text.encode()).hexdigest()


class ResultsFile:
    """A new results.db with the tables of an existing one, to which cells are added in the order of a study."""

    def __init__(self, folder, like, baseline="identity", goal=None):
        folder.mkdir()
        self._database = sqlite3.connect(folder / "results.db")
        with contextlib.closing(sqlite3.connect(f"file:{like}/results.db?mode=ro", uri=True)) as model:
            version = model.execute("PRAGMA user_version").fetchone()[0]
            tables = [sql for sql, in model.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY rowid")]
        self._database.execute("PRAGMA synchronous = OFF")  # a test that is cut short makes the file again
        for sql in tables:
            self._database.execute(sql)
        self._database.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        self._database.execute(f"PRAGMA user_version = {version}")
        self._insert("revision", id=1, revision=1)
        study = {"name": "made up", "baseline": baseline, "goal": goal}
        self._insert("run", run_key=1, run_id="0" * 16, study_name="made up", study_json=json.dumps(study),
                     study_sha256="0" * 64, started_unix_ns=FIRST_NS)
        self._keys = {}
        self._sequence = 0

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self._database.commit()
        self._database.close()

    def add_cell(self, setting, model, processes, device="xeon", load="none", precision="f32", planned=None):
        """Adds a cell with its attempts; returns its id."""
        self._add_once("run_device", device, run_key=1, device=device, last_sequence=0, is_finished=1)
        model_key = self._add_once(
            "model", (model.hash, model.batch), model_hash=model.hash, batch=model.batch, label=model.label,
            family=model.family, recipe_json=_recipe(model), path="" if model.family else "m.onnx",
            parameters=model.parameter_count, macs=model.macs, model_group=model.group, model_style=model.style, model_size=model.size,
            raw_bytes=model.raw_bytes, encoded_bytes=model.encoded_bytes, variant_of=model.variant_of, exact_hash=model.exact_hash)
        toolchain_key = self._add_once("toolchain", (device, setting.compiler, setting.version),
                                       device=device, compiler=setting.compiler, compiler_version=setting.version)
        cell_key = len([key for key in self._keys if key[0] == "cell"]) + 1
        cell_id = sha256(f"{device} {setting} {model.hash} {model.batch} {load} {precision}")[:16]
        completed = [each for each in processes if not each.failure and each.environment == processes[0].environment]
        self._add_once("cell", cell_id, cell_key=cell_key, cell_id=cell_id, device=device, model_key=model_key,
                       toolchain_key=toolchain_key, compiler=setting.compiler, compiler_label=setting.label,
                       compiler_version=setting.version, options_json=setting.options, settings_json=setting.settings,
                       threads=setting.threads, threads_asked=setting.threads_asked, precision=precision,
                       planned_processes=planned or max(len(completed), 1), load=load, in_flight=setting.in_flight,
                       instances=setting.instances)
        self._insert("run_cell", run_key=1, cell_key=cell_key)
        for place, process in enumerate(processes):
            self._add_process(cell_key, device, process, setting, place)
        return cell_id

    def _add_process(self, cell_key, device, process, setting, place):
        self._sequence += 1
        environment_key = self._environment(device, process.environment)
        made_with_key = self._add_once(
            "made_with", process.build, build_sha256=sha256(process.build), manifest_sha256=process.build,
            worker_sha256="worker", package_sha256="", plugin_sha256="", exporter_sha256="", files_sha256="", model_sha256="",
            reference_key="", reference_sha256="")
        index = place if process.index is None else process.index
        key = self._insert(
            "process", cell_key=cell_key, run_key=1, device=device, sequence=self._sequence, process_index=index,
            attempt=process.attempt, is_complete=int(not process.failure), environment_key=environment_key,
            environment_hash=f"{device} {process.environment}", started_unix_ns=FIRST_NS + self._sequence, wall_ns=10**9,
            stop_reason="" if process.failure else "repetitions", is_steady=int(process.is_steady),
            threads_used=process.threads_used, log_path="", made_with_key=made_with_key,
            origin=sha256(f"{process.build} {process.environment}")[:16], threads=setting.threads or 3)
        for position, row in enumerate(process.agreement):
            self._insert("agreement", process_key=key, position=position, decides_alike=row[0], sqnr_db=row[1], cosine=row[2],
                         max_absolute_error=row[3], label_rank=row[4])
        if process.failure:
            self._insert("failure", process_key=key, kind=process.failure, phase="compile", message="it failed",
                         advice="", signal=None, exit_code=None)
            return
        self._add_measured(key, process)
        for name, value in {"device": setting.computes_on, **process.facts}.items():
            self._insert("fact", process_key=key, name=name, value=value)

    def _add_measured(self, key, process):
        compiled = ([] if process.compile_s is None else
                    [("compile", process.compile_s, process.compile_cpu_s, process.compile_peak_bytes)])
        loaded = [("load", 0.25, 0.25, 1)] if process.compile_s is None else []
        timed_s = process.timed_ns() * 1e-9
        phases = [*compiled, *loaded, ("timed", timed_s, process.busy_cpus * timed_s, process.timed_peak_bytes)]
        begin_ns = 0
        for position, (phase, wall_s, cpu_s, peak) in enumerate(phases):
            if phase == "timed":
                begin_ns += 10**9 * len(process.warm_up)  # longer than any repetition of a warm-up here
            self._insert("phase", process_key=key, position=position, phase=phase, wall_ns=round(wall_s * 1e9),
                         cpu_ns=round(cpu_s * 1e9), peak_rss_bytes=peak, started_ns=begin_ns)
            timed_from_ns, begin_ns = begin_ns, begin_ns + round(wall_s * 1e9)
        rows = [(each, is_warm_up, instance)
                for instance, repetitions in enumerate([process.repetitions, *process.of_others])
                for is_warm_up, list_of_them in ((1, process.warm_up), (0, repetitions)) for each in list_of_them]
        for index, (repetition, is_warm_up, instance) in enumerate(rows):
            self._insert("repetition", process_key=key, repetition_index=index, wall_ns=round(1e6 * _time_of(repetition)),
                         inferences=_inferences_of(repetition), is_warm_up=is_warm_up, instance=instance,
                         started_ns=timed_from_ns - 1 if is_warm_up else timed_from_ns)
        self._insert("output_check", process_key=key, reference=process.reference, compared_elements=process.compared,
                     max_absolute_error=process.error, max_relative_error=0.0, finite_elements=process.finite,
                     small_elements=process.small, tolerance="", reference_reason=process.reference_reason,
                     output_change=process.output_change)
        inferences = sum(map(_inferences_of, itertools.chain(process.repetitions, *process.of_others)))
        readings = [*process.readings, ("inferences", "timed", inferences)]
        for position, (quantity, moment, value, *at_s) in enumerate(readings):
            name, unit = quantity if isinstance(quantity, tuple) else (quantity, "1")
            self._insert("reading", process_key=key, position=position, quantity=name, unit=unit, moment=moment,
                         value=value, at_ns=round(1e9 * at_s[0]) if at_s else None)
        for index, latencies in enumerate(process.latencies_ms):
            for position, latency in enumerate(latencies):
                self._insert("latency", process_key=key, repetition_index=index, position=position,
                             latency_ns=round(1e6 * latency))

    def _environment(self, device, name):
        known = ("environment", (device, name))
        if known not in self._keys:
            self._sequence += 1
            self._keys[known] = self._insert("environment", run_key=1, device=device, sequence=self._sequence,
                                             environment_hash=f"{device} {name}")
            for entry, value, is_identity in (("cpu_threads", "8", 1), ("kernel", name, 1)):
                self._insert("environment_entry", environment_key=self._keys[known], name=entry, unit="", value=value,
                             is_identity=is_identity)
        return self._keys[known]

    def _add_once(self, table, name, **values):
        if (table, name) not in self._keys:
            self._keys[table, name] = self._insert(table, **values)
        return self._keys[table, name]

    def _insert(self, table, **values):
        names, marks = ", ".join(values), ", ".join("?" * len(values))
        return self._database.execute(f"INSERT INTO {table} ({names}) VALUES ({marks})", tuple(values.values())).lastrowid


def _recipe(model):
    recipe = {"family": model.family, "parameters": model.parameters, "revision": 1, "seed": 1}
    return json.dumps(recipe) if model.family else ""


def with_dynamic_batch(model):
    """The same model with a dynamic batch size; its hash is made as plan/make_model.cpp makes it."""
    content = sha256(json.dumps({"content": model.hash, "dynamic_batch": True}, separators=(",", ":")))
    return dataclasses.replace(model, label=model.label + " dynamic_batch", content=content)
