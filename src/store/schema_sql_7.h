// SPDX-License-Identifier: Apache-2.0
// Contains the SQL of version 7, the oldest that is read (schema.h); schema_sql_after_7.h has the later ones.
// schema_markdown() reads them line by line. A line that opens a table or view ends in "-- what a row is", and a
// column's line ends in "-- what it means"; a line without a comment belongs to no column. A later step adds a column
// in one line (ALTER TABLE … ADD COLUMN …; -- what it means), and removes a column, table or view in one line.
#pragma once

namespace ngb::store {

inline constexpr const char* kVersion7 = R"sql(
CREATE TABLE protocol (  -- The protocol of every process and run of this file: one row for each key.
  key TEXT PRIMARY KEY NOT NULL,  -- as in the study file
  value TEXT NOT NULL  -- JSON text
) STRICT, WITHOUT ROWID;

CREATE TABLE run (  -- One command `ngb run`, with all its continuations after interruptions.
  run_key INTEGER PRIMARY KEY,  -- within this file
  run_id TEXT NOT NULL UNIQUE,  -- 16 hexadecimal digits
  study_name TEXT NOT NULL,  -- name of the study
  study_json TEXT NOT NULL,  -- the study with every default
  study_sha256 TEXT NOT NULL,  -- of the cells, the protocol and the limits: two runs with the same one do the same
  started_unix_ns INTEGER NOT NULL,  -- first start, nanoseconds since 1970-01-01 UTC
  ngb_version TEXT,  -- of the ngb that began it; NULL: not recorded
  ngb_revision TEXT,  -- git commit that it was built from; NULL: unknown
  ngb_is_changed INTEGER,  -- 1: built from sources that differ from that commit; NULL: unknown
  source_key INTEGER REFERENCES source  -- where it was recorded; NULL: in this file
) STRICT;

CREATE TABLE run_device (  -- A device's share of a run.
  run_key INTEGER NOT NULL REFERENCES run,  -- the run
  device TEXT NOT NULL,  -- name in the study
  last_sequence INTEGER NOT NULL DEFAULT 0,  -- last event recorded; 0 for none
  is_finished INTEGER NOT NULL DEFAULT 0 CHECK (is_finished IN (0, 1)),  -- 1: the device has nothing left to do
  PRIMARY KEY (run_key, device)
) STRICT, WITHOUT ROWID;

CREATE TABLE event (  -- An event that a device has sent; each is recorded once.
  run_key INTEGER NOT NULL,  -- the run
  device TEXT NOT NULL,  -- the device
  sequence INTEGER NOT NULL,  -- 1, 2, … without gaps, within a run and device
  kind TEXT NOT NULL,  -- process, duplicate (a process that was recorded already), model, environment, finished
  PRIMARY KEY (run_key, device, sequence),
  FOREIGN KEY (run_key, device) REFERENCES run_device
) STRICT, WITHOUT ROWID;

CREATE TABLE environment (  -- The environment of measurements: one row for each time that a device described itself.
  environment_key INTEGER PRIMARY KEY,  -- within this file
  run_key INTEGER NOT NULL REFERENCES run,  -- the run
  device TEXT NOT NULL,  -- the device
  sequence INTEGER NOT NULL,  -- of its event
  environment_hash TEXT NOT NULL,  -- SHA-256 over the entries that take part; results of different ones are not pooled
  UNIQUE (run_key, device, sequence)
) STRICT;

CREATE TABLE environment_entry (  -- One property that a device reported about itself.
  environment_key INTEGER NOT NULL REFERENCES environment,  -- the environment
  name TEXT NOT NULL,  -- cpu_model, kernel, memory_total, …
  unit TEXT NOT NULL,  -- of the value; empty for text
  value TEXT,  -- NULL: unknown to the device
  unknown_reason TEXT,  -- why it is unknown to the device
  is_identity INTEGER NOT NULL CHECK (is_identity IN (0, 1)),  -- 1: takes part in environment_hash
  PRIMARY KEY (environment_key, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE toolchain (  -- One version of one compiler as it is installed on a device.
  toolchain_key INTEGER PRIMARY KEY,  -- within this file
  device TEXT NOT NULL,  -- the device
  compiler TEXT NOT NULL,  -- name
  compiler_version TEXT NOT NULL,  -- empty for a compiler without versions
  UNIQUE (device, compiler, compiler_version)
) STRICT;

CREATE TABLE model (  -- A model at one batch size.
  model_key INTEGER PRIMARY KEY,  -- within this file
  model_hash TEXT NOT NULL,  -- SHA-256 of its content; the same for all batch sizes
  batch INTEGER NOT NULL,  -- samples per inference
  label TEXT NOT NULL,  -- name in the study
  family TEXT NOT NULL,  -- of a recipe; empty for a file
  recipe_json TEXT NOT NULL,  -- the recipe; of a file, the parameters that the study gives; else empty
  path TEXT NOT NULL,  -- of a file; empty for a recipe
  parameters INTEGER,  -- trainable; NULL for a file
  macs INTEGER,  -- multiply-accumulates of one inference at this batch size; NULL for a file
  macs_torchinfo INTEGER,  -- the same by torchinfo's convention; NULL for a file
  model_group TEXT,  -- models of one kind in several sizes: ResNets; NULL: none
  model_style TEXT,  -- convolutional, transformer or hybrid; NULL: none
  model_size INTEGER,  -- rank of its size in the group, 1 for the smallest; NULL: none
  raw_bytes INTEGER,  -- of a model that compresses data: size of one sample before; NULL: not given
  encoded_bytes INTEGER,  -- the size after; NULL: not given
  UNIQUE (model_hash, batch)
) STRICT;

CREATE TABLE model_input (  -- One input tensor of a model.
  model_key INTEGER NOT NULL REFERENCES model,  -- the model
  position INTEGER NOT NULL,  -- 0, 1, … in the order of the model
  name TEXT NOT NULL,  -- of the tensor
  element_type TEXT NOT NULL,  -- f32, i64, …
  shape_json TEXT NOT NULL,  -- JSON array, batch first
  PRIMARY KEY (model_key, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE cell (  -- A cell: device × compiler, version, options, threads, precision × model × batch size.
  cell_key INTEGER PRIMARY KEY,  -- within this file; in the order of the study
  cell_id TEXT NOT NULL UNIQUE,  -- 16 hexadecimal digits over all of the above; the same in every file
  device TEXT NOT NULL,  -- name in the study
  model_key INTEGER NOT NULL REFERENCES model,  -- the model at its batch size
  toolchain_key INTEGER NOT NULL REFERENCES toolchain,  -- the compiler and its version
  compiler TEXT NOT NULL,  -- name
  compiler_label TEXT NOT NULL,  -- name in the study, unique there
  compiler_version TEXT NOT NULL,  -- empty for a compiler without versions
  options_json TEXT NOT NULL,  -- JSON object
  precision TEXT NOT NULL,  -- f32, …
  planned_processes INTEGER NOT NULL,  -- fresh worker processes to be measured
  load TEXT NOT NULL DEFAULT 'none',  -- what ran beside it while it was timed, as in the study
  threads_asked TEXT,  -- all, physical: the device decides how many; NULL: the study did
  threads INTEGER,  -- threads that the compiler may use; NULL: no process has reported them yet
  settings_json TEXT NOT NULL DEFAULT '{}',  -- JSON object: properties of the compiler's own library that the study hands on
  in_flight TEXT NOT NULL DEFAULT '1',  -- inferences at a time: a number, or auto (the fact in_flight says how many)
  instances INTEGER NOT NULL DEFAULT 1  -- sessions at once, each in a process with threads and processors of its own
) STRICT;
CREATE INDEX cell_of_model ON cell (model_key);

CREATE TABLE run_cell (  -- The cells that a run planned.
  run_key INTEGER NOT NULL REFERENCES run,  -- the run
  cell_key INTEGER NOT NULL REFERENCES cell,  -- the cell
  PRIMARY KEY (run_key, cell_key)
) STRICT, WITHOUT ROWID;

CREATE TABLE process (  -- One worker process: completed, or failed (then it has a row in failure).
  process_key INTEGER PRIMARY KEY,  -- within this file
  cell_key INTEGER NOT NULL REFERENCES cell,  -- the cell
  run_key INTEGER NOT NULL,  -- the run
  device TEXT NOT NULL,  -- the device
  sequence INTEGER NOT NULL,  -- of its event
  process_index INTEGER NOT NULL,  -- 0 … planned_processes - 1
  attempt INTEGER NOT NULL,  -- 1, 2, …; a repeated process keeps its index
  is_complete INTEGER NOT NULL CHECK (is_complete IN (0, 1)),  -- 0: failed
  environment_key INTEGER REFERENCES environment,  -- NULL: the device had not described itself
  environment_hash TEXT NOT NULL,  -- as in environment
  started_unix_ns INTEGER NOT NULL,  -- nanoseconds since 1970-01-01 UTC
  wall_ns INTEGER NOT NULL,  -- from before its start until it had ended
  stop_reason TEXT NOT NULL,  -- why repetitions ended: repetitions, half_width, max_repetitions, max_time; empty: failed
  is_steady INTEGER NOT NULL CHECK (is_steady IN (0, 1)),  -- 0: no steady part was found within the bound
  threads_used INTEGER,  -- threads that used processor time in the timed phase; NULL: unknown
  threads_used_unknown_reason TEXT,  -- why it is unknown
  log_path TEXT NOT NULL,  -- file of what the compiler printed, relative to the results folder; may be empty
  made_with_key INTEGER REFERENCES made_with,  -- NULL: recorded before this was known
  origin TEXT NOT NULL DEFAULT '',  -- over build, model file and environment
  threads INTEGER,  -- threads that its inference was allowed; NULL: no worker was started
  source_key INTEGER NOT NULL DEFAULT 0,  -- where it was recorded; 0: in this file
  UNIQUE (run_key, device, sequence),
  FOREIGN KEY (run_key, device) REFERENCES run_device
) STRICT;
CREATE INDEX process_of_cell ON process (cell_key);
CREATE UNIQUE INDEX process_completed_once ON process (cell_key, process_index, origin, source_key)
  WHERE is_complete = 1;

CREATE TABLE phase (  -- A part of a process's life that it reached.
  process_key INTEGER NOT NULL REFERENCES process,  -- the process
  position INTEGER NOT NULL,  -- 0, 1, … in the order of time
  phase TEXT NOT NULL,  -- start, open, compile, load, check, warm_up, timed, alone
  wall_ns INTEGER NOT NULL,  -- duration
  cpu_ns INTEGER,  -- user and system time of the worker's process tree; NULL: unknown
  cpu_ns_unknown_reason TEXT,  -- why it is unknown
  peak_rss_bytes INTEGER,  -- highest resident memory within the phase; NULL: unknown
  peak_rss_bytes_unknown_reason TEXT,  -- why it is unknown
  started_ns INTEGER,  -- start, after that of the process; NULL: recorded by a program that did not say it
  PRIMARY KEY (process_key, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE repetition (  -- One timed repetition.
  process_key INTEGER NOT NULL REFERENCES process,  -- the process
  repetition_index INTEGER NOT NULL,  -- 0, 1, … in the order run, warm-up first
  wall_ns INTEGER NOT NULL,  -- around all its inferences
  inferences INTEGER NOT NULL,  -- inferences in this repetition, one after the other
  is_warm_up INTEGER NOT NULL CHECK (is_warm_up IN (0, 1)),  -- 1: before the steady part, or while not all instances ran; counts in no metric
  started_ns INTEGER,  -- start, after that of the process; NULL: recorded by a program that did not say it
  instance INTEGER NOT NULL DEFAULT 0,  -- 0 … instances - 1: which of them ran it
  PRIMARY KEY (process_key, repetition_index)
) STRICT, WITHOUT ROWID;

CREATE TABLE output_check (  -- The differences between a process's outputs and the reference outputs.
  process_key INTEGER PRIMARY KEY REFERENCES process,  -- the process
  reference TEXT NOT NULL,  -- compiler that made the reference outputs; none: they were not compared
  compared_elements INTEGER NOT NULL,  -- numbers compared
  max_absolute_error REAL,  -- NULL: unknown
  max_absolute_error_unknown_reason TEXT,  -- why it is unknown
  max_relative_error REAL,  -- over elements whose reference is not 0; NULL: unknown
  max_relative_error_unknown_reason TEXT,  -- why it is unknown
  finite_elements INTEGER  -- of those compared, numbers in both; NULL: not counted
) STRICT;

CREATE TABLE failure (  -- The reason why a process has no result.
  process_key INTEGER PRIMARY KEY REFERENCES process,  -- the process
  kind TEXT NOT NULL,  -- crash, exit, timeout, out_of_memory, unsupported_operator, inaccurate, …
  phase TEXT NOT NULL,  -- where it failed
  message TEXT NOT NULL,  -- what failed
  advice TEXT NOT NULL,  -- what to do next; may be empty
  signal INTEGER,  -- of a crash
  exit_code INTEGER  -- of an exit
) STRICT;

CREATE TABLE reading (  -- One value that the device reported around the timed phase.
  process_key INTEGER NOT NULL REFERENCES process,  -- the process
  position INTEGER NOT NULL,  -- 0, 1, … in the order reported
  quantity TEXT NOT NULL,  -- steal, pressure_cpu_some, page_faults, frequency, temperature, power, gpu_utilisation, load_1min, …
  unit TEXT NOT NULL,  -- percent, hz, celsius, watt, bytes, 1, …
  moment TEXT NOT NULL,  -- start, end: of the timed phase; timed, alone: over that phase; during; after; mark; session; shape
  value REAL,  -- NULL: unknown
  unknown_reason TEXT,  -- why it is unknown
  at_ns INTEGER,  -- when, after the start of the process; only of moments `during`, `mark` and `session`
  PRIMARY KEY (process_key, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE fact (  -- A fact that a compiler reported about itself in a process.
  process_key INTEGER NOT NULL REFERENCES process,  -- the process
  name TEXT NOT NULL,  -- of the fact
  value TEXT NOT NULL,  -- as the compiler wrote it
  PRIMARY KEY (process_key, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE revision (  -- One row.
  id INTEGER PRIMARY KEY CHECK (id = 1),  -- 1
  revision INTEGER NOT NULL  -- grows whenever something is recorded
) STRICT;

CREATE TABLE manifest (  -- The packages of a toolchain: one row for each build that was ever recorded.
  manifest_sha256 TEXT PRIMARY KEY NOT NULL,  -- over compiler, version and packages: the same wheels give the same one
  manifest_json TEXT NOT NULL  -- packages with versions, sizes and hashes
) STRICT, WITHOUT ROWID;

CREATE TABLE toolchain_manifest (  -- The builds of a toolchain that were seen on its device.
  toolchain_key INTEGER NOT NULL REFERENCES toolchain,  -- the toolchain
  position INTEGER NOT NULL,  -- 0, 1, … in the order in which they were first seen
  manifest_sha256 TEXT NOT NULL REFERENCES manifest,  -- the build
  PRIMARY KEY (toolchain_key, manifest_sha256)
) STRICT, WITHOUT ROWID;

CREATE TABLE made_with (  -- The parts that processes were made with, each by SHA-256; empty text: not used.
  made_with_key INTEGER PRIMARY KEY,  -- within this file
  build_sha256 TEXT NOT NULL,  -- over manifest, worker, package, plugin and exporter
  manifest_sha256 TEXT NOT NULL,  -- the toolchain's, as in manifest
  worker_sha256 TEXT NOT NULL,  -- the program ngb-worker, which also makes the models of recipes
  package_sha256 TEXT NOT NULL,  -- the Python package ngraphbench
  plugin_sha256 TEXT NOT NULL,  -- the compiler's folder: plugin or adaptor
  exporter_sha256 TEXT NOT NULL,  -- folder and toolchain of the compiler that exports PyTorch modules
  files_sha256 TEXT NOT NULL,  -- the user's files: model, module, weights, inputs
  model_sha256 TEXT NOT NULL,  -- the model file, with the weights beside it
  reference_key TEXT NOT NULL,  -- hash of everything the reference outputs depend on
  reference_sha256 TEXT NOT NULL,  -- the data of the reference outputs
  UNIQUE (build_sha256, files_sha256, model_sha256, reference_key, reference_sha256)
) STRICT;

CREATE TABLE presence (  -- Devices that may still have something of a run: the teardown is not verified, or not all is recorded.
  run_key INTEGER NOT NULL,  -- the run
  device TEXT NOT NULL,  -- the device
  PRIMARY KEY (run_key, device),
  FOREIGN KEY (run_key, device) REFERENCES run_device
) STRICT, WITHOUT ROWID;

CREATE TABLE model_file (  -- A model file as it was made on a device.
  run_key INTEGER NOT NULL,  -- the run
  device TEXT NOT NULL,  -- the device
  sequence INTEGER NOT NULL,  -- of its event
  model_key INTEGER NOT NULL REFERENCES model,  -- the model at its batch size
  file_sha256 TEXT NOT NULL,  -- of the file
  file_bytes INTEGER NOT NULL,  -- its size
  wall_ns INTEGER NOT NULL,  -- time to make it
  exporter TEXT,  -- which of PyTorch's exporters wrote it: `tracing`, `dynamo`; NULL: not a module's file
  no_file_reason TEXT,  -- why a module has no ONNX file, its hash and size then being '' and 0; NULL: it has one
  is_kept INTEGER,  -- 1: an earlier run on the device exported the module, and wall_ns is from then; NULL: not recorded
  PRIMARY KEY (run_key, device, sequence),
  FOREIGN KEY (run_key, device) REFERENCES run_device
) STRICT, WITHOUT ROWID;

CREATE TABLE neighbour (  -- A program that used processors while a disturbed process ran: the three busiest ones.
  process_key INTEGER NOT NULL REFERENCES process,  -- the process
  position INTEGER NOT NULL,  -- 0, 1, …, the busiest first
  name TEXT NOT NULL,  -- the kernel's name: at most 15 bytes
  pid INTEGER NOT NULL,  -- its number on the device
  cpu_ns INTEGER NOT NULL,  -- processor time that it used while the process ran
  PRIMARY KEY (process_key, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE rounds_ended (  -- Cells that need no more processes, because what the study asks of them is decided.
  cell_key INTEGER NOT NULL REFERENCES cell,  -- the cell
  run_key INTEGER NOT NULL REFERENCES run,  -- the run that decided it
  PRIMARY KEY (cell_key, run_key)
) STRICT, WITHOUT ROWID;

CREATE TABLE series_part (  -- A part of the results that numbers span: the cells of one group of models on a device, or all.
  part_key INTEGER PRIMARY KEY,  -- within this file
  part TEXT NOT NULL UNIQUE,  -- name: device and group of models; empty for all cells together
  made_of TEXT NOT NULL  -- SHA-256 over formulas and processes; once it differs, the rows of this part are out of date
) STRICT;

CREATE TABLE series (  -- Numbers that span cells; docs/metrics.md has the formulas.
  position INTEGER PRIMARY KEY,  -- within a part in the order of series and cells
  part_key INTEGER NOT NULL REFERENCES series_part,  -- the part
  series TEXT NOT NULL,  -- name with unit
  device TEXT NOT NULL,  -- name in the study, with the compute device unless that is the CPU
  compiler TEXT NOT NULL,  -- label and version
  subject TEXT NOT NULL,  -- what it is about: a group of models, a stack of blocks, a model
  batch_sizes TEXT NOT NULL,  -- one batch size, or the smallest and the largest: 2-4
  value REAL,  -- NULL: there is none
  low REAL,  -- 95 % interval; NULL: the series has none
  high REAL,  -- 95 % interval; NULL: the series has none
  standard_error REAL,  -- of a slope
  degrees REAL,  -- of freedom, of the standard error
  reason TEXT NOT NULL  -- why there is no value; empty when there is one
) STRICT;
CREATE INDEX series_by_part ON series (part_key);

CREATE TABLE series_cell (  -- A cell that a row of series is about.
  position INTEGER NOT NULL REFERENCES series,  -- the row
  cell_position INTEGER NOT NULL,  -- 0, 1, …
  cell_key INTEGER NOT NULL REFERENCES cell,  -- the cell
  PRIMARY KEY (position, cell_position)
) STRICT, WITHOUT ROWID;

CREATE TABLE conclusion (  -- What the results as a whole say.
  position INTEGER PRIMARY KEY,  -- in the order in which `ngb show --findings` prints them
  part_key INTEGER NOT NULL REFERENCES series_part,  -- the part: all cells together
  kind TEXT NOT NULL,  -- finding, reversal, claim
  sentence TEXT NOT NULL,  -- for people
  rows_json TEXT NOT NULL  -- JSON object with the numbers behind it
) STRICT;

CREATE TABLE source (  -- A results folder that `ngb merge` read; without a row, everything was measured into this file.
  source_key INTEGER PRIMARY KEY,  -- 1, 2, … in the order in which they were named
  folder TEXT NOT NULL  -- as it was named
) STRICT;

CREATE TABLE source_cell (  -- A cell as it was in its results folder.
  source_key INTEGER NOT NULL REFERENCES source,  -- the results folder
  cell_id TEXT NOT NULL,  -- its id there; it has another one here if the device was renamed
  cell_key INTEGER NOT NULL REFERENCES cell,  -- the cell in this file
  device TEXT NOT NULL,  -- name of its device there
  model_label TEXT NOT NULL,  -- name of its model there
  compiler_label TEXT NOT NULL,  -- name of its compiler there
  PRIMARY KEY (source_key, cell_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE latency (  -- The time from the start to the end of one inference, of several in flight.
  process_key INTEGER NOT NULL REFERENCES process,  -- the process
  repetition_index INTEGER NOT NULL,  -- the repetition in which it ended
  position INTEGER NOT NULL,  -- 0, 1, … in the order in which inferences ended; of a long repetition every so-many-th is kept
  latency_ns INTEGER NOT NULL,  -- the time
  PRIMARY KEY (process_key, repetition_index, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE kept_state (  -- The state of the file in which derived and series were saved last; no row: they are empty or out of date.
  id INTEGER PRIMARY KEY CHECK (id = 1),  -- 1
  revision INTEGER NOT NULL,  -- of the results
  change_counter INTEGER NOT NULL  -- of the file's header; if it grew otherwise than the revision, all that is kept is out of date
) STRICT;

CREATE TABLE derived_family (  -- The cells of one device and model whose values are kept.
  device TEXT NOT NULL,  -- name in the study
  model_hash TEXT NOT NULL,  -- of the model, at all its batch sizes
  made_of TEXT NOT NULL,  -- SHA-256 over formulas, baseline and processes; once it differs, the family's rows of derived are out of date
  PRIMARY KEY (device, model_hash)
) STRICT, WITHOUT ROWID;

CREATE TABLE derived (  -- Metrics of cells; docs/metrics.md has the formulas.
  cell_key INTEGER NOT NULL REFERENCES cell,  -- the cell
  position INTEGER NOT NULL,  -- 0, 1, … in the order of metrics
  metric TEXT NOT NULL,  -- name with unit; flag_…: a reason to check the number, with the value that raised it
  value REAL,  -- NULL: there is none
  low REAL,  -- 95 % interval; NULL: the metric has none
  high REAL,  -- 95 % interval; NULL: the metric has none
  reason TEXT NOT NULL,  -- why there is no value; empty when there is one
  PRIMARY KEY (cell_key, position)
) STRICT, WITHOUT ROWID;

CREATE VIEW origin AS  -- Completed processes of a cell, by origin. Metrics count those of rank 1; no others are pooled.
SELECT
  cell_key AS cell_key,  -- the cell
  origin AS origin,  -- as in process
  count(DISTINCT process_index) AS processes,  -- completed ones
  row_number() OVER (
    PARTITION BY cell_key
    ORDER BY min(count(DISTINCT process_index), planned_processes) DESC, max(process_key) DESC
  ) AS rank  -- 1: the newest origin with all planned processes, else the one with the most processes
FROM process
JOIN cell USING (cell_key)
WHERE is_complete = 1
GROUP BY cell_key, origin;

INSERT INTO revision VALUES (1, 0);
)sql";

}  // namespace ngb::store
