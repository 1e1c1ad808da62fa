// SPDX-License-Identifier: Apache-2.0
// The SQL of the steps to versions 3 and 4 of a results file (schema.h).
#pragma once

namespace ngb::store {

// Version 3 says when things happened and what else the machine did. Times are relative to process.started_unix_ns.
inline constexpr const char* kVersion3 = R"sql(
ALTER TABLE phase ADD COLUMN started_ns INTEGER;  -- start, after that of the process; NULL: before version 3
ALTER TABLE repetition ADD COLUMN started_ns INTEGER;  -- start, after that of the process; NULL: before version 3
ALTER TABLE reading ADD COLUMN at_ns INTEGER;  -- when, after the start of the process; only of moment `during`

CREATE TABLE neighbour (  -- A program that used processors while a disturbed process ran: the three busiest ones.
  process_key INTEGER NOT NULL REFERENCES process,  -- the process
  position INTEGER NOT NULL,  -- 0, 1, …, the busiest first
  name TEXT NOT NULL,  -- the kernel's name: at most 15 bytes
  pid INTEGER NOT NULL,  -- its number on the device
  cpu_ns INTEGER NOT NULL,  -- processor time that it used while the process ran
  PRIMARY KEY (process_key, position)
) STRICT, WITHOUT ROWID;
)sql";

// Version 4 knows rounds that end when they have decided something, how a module's ONNX file was made, loads, threads
// that the device decides, what models belong to, numbers that span cells, results that were merged from other files,
// settings of compilers' own libraries, and several inferences in flight.
inline constexpr const char* kVersion4 = R"sql(
ALTER TABLE cell ADD COLUMN load TEXT NOT NULL DEFAULT 'none';  -- what ran beside it while it was timed, as in the study

DROP VIEW sample;
ALTER TABLE process ADD COLUMN threads INTEGER;  -- threads that its inference was allowed; NULL: no worker was started
UPDATE process SET threads = (SELECT threads FROM cell WHERE cell.cell_key = process.cell_key);
ALTER TABLE cell ADD COLUMN threads_asked TEXT;  -- all, physical: the device decides how many; NULL: the study did
ALTER TABLE cell ADD COLUMN threads_before INTEGER;
UPDATE cell SET threads_before = threads;
ALTER TABLE cell DROP COLUMN threads;
ALTER TABLE cell ADD COLUMN threads INTEGER;  -- threads that the compiler may use; NULL: no process has reported them yet
UPDATE cell SET threads = threads_before;
ALTER TABLE cell DROP COLUMN threads_before;

CREATE TABLE rounds_ended (  -- Cells that need no more processes, because what the study asks of them is decided.
  cell_key INTEGER NOT NULL REFERENCES cell,  -- the cell
  run_key INTEGER NOT NULL REFERENCES run,  -- the run that decided it
  PRIMARY KEY (cell_key, run_key)
) STRICT, WITHOUT ROWID;

ALTER TABLE model_file ADD COLUMN exporter TEXT;  -- which of PyTorch's exporters wrote it: `tracing`, `dynamo`; NULL: not a module's file, or before version 4
ALTER TABLE model_file ADD COLUMN no_file_reason TEXT;  -- why a module has no ONNX file, its hash and size then being '' and 0; NULL: it has one
ALTER TABLE model_file ADD COLUMN is_kept INTEGER;  -- 1: an earlier run on the device exported the module, and wall_ns is from then; NULL: before version 4
ALTER TABLE model ADD COLUMN model_group TEXT;  -- models of one kind in several sizes: ResNets; NULL: none
ALTER TABLE model ADD COLUMN model_style TEXT;  -- convolutional, transformer or hybrid; NULL: none
ALTER TABLE model ADD COLUMN model_size INTEGER;  -- rank of its size in the group, 1 for the smallest; NULL: none

CREATE TABLE series_state (  -- The state in which the tables series_part to conclusion were saved last; no row: they are empty.
  id INTEGER PRIMARY KEY CHECK (id = 1),  -- 1
  revision INTEGER NOT NULL,  -- of the results
  change_counter INTEGER NOT NULL  -- of the file's header; if it grew otherwise than the revision, all is out of date
) STRICT;

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

ALTER TABLE run ADD COLUMN source_key INTEGER REFERENCES source;  -- where it was recorded; NULL: in this file
ALTER TABLE process ADD COLUMN source_key INTEGER NOT NULL DEFAULT 0;  -- where it was recorded; 0: in this file
DROP INDEX process_completed_once;
CREATE UNIQUE INDEX process_completed_once ON process (cell_key, process_index, origin, source_key)
  WHERE is_complete = 1;
ALTER TABLE cell ADD COLUMN settings_json TEXT NOT NULL DEFAULT '{}';  -- JSON object: properties of the compiler's own library that the study hands on
ALTER TABLE cell ADD COLUMN in_flight TEXT NOT NULL DEFAULT '1';  -- inferences at a time: a number, or auto (the fact in_flight says how many)

CREATE TABLE latency (  -- The time from the start to the end of one inference, of several in flight.
  process_key INTEGER NOT NULL REFERENCES process,  -- the process
  repetition_index INTEGER NOT NULL,  -- the repetition in which it ended
  position INTEGER NOT NULL,  -- 0, 1, … in the order in which inferences ended; of a long repetition every so-many-th is kept
  latency_ns INTEGER NOT NULL,  -- the time
  PRIMARY KEY (process_key, repetition_index, position)
) STRICT, WITHOUT ROWID;
)sql";

}  // namespace ngb::store
