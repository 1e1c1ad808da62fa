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

// Version 4 knows rounds that end when they have decided something, settings of compilers' own libraries, and several
// inferences in flight.
inline constexpr const char* kVersion4 = R"sql(
CREATE TABLE rounds_ended (  -- Cells that need no more processes, because what the study asks of them is decided.
  cell_key INTEGER NOT NULL REFERENCES cell,  -- the cell
  run_key INTEGER NOT NULL REFERENCES run,  -- the run that decided it
  PRIMARY KEY (cell_key, run_key)
) STRICT, WITHOUT ROWID;

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
