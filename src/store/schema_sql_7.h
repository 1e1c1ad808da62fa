// SPDX-License-Identifier: Apache-2.0
// The SQL of the step to version 7 of a results file (schema.h).
#pragma once

namespace ngb::store {

// Version 7 keeps the values of cells family by family. What an older file has kept stays there and is out of date:
// nothing says what it was made of. (A bundle's values are compared with what follows from its samples.)
inline constexpr const char* kVersion7 = R"sql(
DROP TABLE series_state;
DROP TABLE derived_state;

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

CREATE TABLE old_derived AS SELECT * FROM derived;
DROP TABLE derived;
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
INSERT INTO derived SELECT cell_key, row_number() OVER (PARTITION BY cell_key ORDER BY position) - 1, metric, value, low,
  high, reason FROM old_derived;
DROP TABLE old_derived;
)sql";

}  // namespace ngb::store
