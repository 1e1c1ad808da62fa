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
// that the device decides, what models belong to, settings of compilers' own libraries, and several inferences in
// flight.
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

CREATE VIEW sample AS  -- Every repetition that counts with what it belongs to: a good start for pandas.
SELECT
  cell.cell_id AS cell_id,  -- the cell
  cell.device AS device,  -- the device
  model.label AS model,  -- name of the model in the study
  model.batch AS batch,  -- samples per inference
  cell.load AS load,  -- what ran beside it while it was timed, as in the study
  cell.compiler_label AS compiler,  -- name of the compiler in the study
  cell.compiler_version AS compiler_version,  -- its version
  process.threads AS threads,  -- threads that the compiler may use
  cell.precision AS precision,  -- f32, …
  process.process_index AS process_index,  -- 0 … planned_processes - 1
  repetition.repetition_index AS repetition_index,  -- 0, 1, … in the order run, warm-up first
  repetition.is_warm_up AS is_warm_up,  -- 1: counts in no metric
  repetition.wall_ns AS wall_ns,  -- around all inferences of the repetition
  repetition.inferences AS inferences,  -- inferences in this repetition
  1e9 * model.batch * repetition.inferences / repetition.wall_ns AS throughput_per_s  -- samples per second
FROM repetition
JOIN process USING (process_key)
JOIN cell USING (cell_key)
JOIN model USING (model_key)
JOIN origin ON origin.cell_key = process.cell_key AND origin.origin = process.origin
WHERE process.is_complete = 1 AND origin.rank = 1;

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
