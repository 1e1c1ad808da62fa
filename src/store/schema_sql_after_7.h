// SPDX-License-Identifier: Apache-2.0
// The SQL of the steps to versions 8 and later of a results file (schema.h).
#pragma once

namespace ngb::store {

// Version 8 says more of a check: by which tolerance, why by this reference, and whether outputs changed later. Before,
// a tolerance that is not set was recorded as the number that it then was for every file.
inline constexpr const char* kVersion8 = R"sql(
ALTER TABLE output_check ADD COLUMN small_elements INTEGER;  -- of those compared, reference at most the absolute tolerance: 0 would pass; NULL: not counted
ALTER TABLE output_check ADD COLUMN tolerance TEXT NOT NULL DEFAULT '';  -- how far outputs could differ; empty: nothing was compared, or by an older version
ALTER TABLE output_check ADD COLUMN reference_reason TEXT NOT NULL DEFAULT '';  -- why the first reference did not judge, or what is wrong with this one; empty: nothing
ALTER TABLE output_check ADD COLUMN output_change TEXT NOT NULL DEFAULT '';  -- how outputs after the timed phase differ from the first ones; empty: they agree
UPDATE protocol SET value = 'null' WHERE (key, value) IN (VALUES ('tolerances.absolute', '0.0001'), ('tolerances.relative', '0.001'));
)sql";

// Version 9 has where the time of an inference went, in the results of studies with `profile`.
inline constexpr const char* kVersion9 = R"sql(
CREATE TABLE graph (  -- The graph of a model's file, to which profiles refer.
  graph_key INTEGER PRIMARY KEY,  -- within this file
  graph_sha256 TEXT NOT NULL UNIQUE,  -- of the JSON text
  nodes_zlib BLOB NOT NULL,  -- JSON array, compressed by zlib: of each node name, operator, inputs, outputs, multiply-adds, bytes of its weights, and those of each input and output
  nodes_bytes INTEGER NOT NULL  -- of the JSON text
) STRICT;

CREATE TABLE kernels (  -- The kernels that a compiler calls in an inference, as it tells of them.
  kernels_key INTEGER PRIMARY KEY,  -- within this file
  kernels_sha256 TEXT NOT NULL UNIQUE,  -- of the JSON text
  kernels_zlib BLOB NOT NULL,  -- JSON array, compressed by zlib: name, kind, nodes, outputs and how these were found, of each call in order
  kernels_bytes INTEGER NOT NULL  -- of the JSON text
) STRICT;

CREATE TABLE profile (  -- Where the time of an inference went in a process. All times are means over the same inferences.
  process_key INTEGER PRIMARY KEY REFERENCES process,  -- the process
  graph_key INTEGER NOT NULL REFERENCES graph,  -- the model's graph
  kernels_key INTEGER NOT NULL REFERENCES kernels,  -- the kernels
  times_zlib BLOB NOT NULL,  -- JSON array, compressed by zlib: of each kernel call the tenths of a nanosecond that it took
  times_bytes INTEGER NOT NULL,  -- of the JSON text
  profiled_ns REAL NOT NULL,  -- an inference whose kernels were timed
  plain_ns REAL NOT NULL,  -- an inference whose kernels were not, in the same process
  inferences INTEGER NOT NULL  -- that the times of kernels are means of
) STRICT;
)sql";

// Version 10 has variants of models, and how their outputs agree with those of their exact models.
inline constexpr const char* kVersion10 = R"sql(
ALTER TABLE model ADD COLUMN variant_of TEXT NOT NULL DEFAULT '';  -- label of the exact model that it makes cheaper; empty: it is an exact model
ALTER TABLE model ADD COLUMN exact_hash TEXT NOT NULL DEFAULT '';  -- model_hash of the exact model; empty: it is one
CREATE TABLE agreement (  -- How the outputs for one input agree: of a variant with its exact model's, of several outputs the worst; and with the input's label.
  process_key INTEGER NOT NULL REFERENCES process,  -- the process, the first of its cell
  position INTEGER NOT NULL,  -- 0, 1, … in the order of inputs
  decides_alike INTEGER,  -- 1: outputs of classes have the highest score at the same class, outputs of integers are equal; NULL: there are none
  sqnr_db REAL,  -- 10·log10(Σ b² / Σ (a - b)²); NULL: the outputs are equal, or b is 0 everywhere
  cosine REAL,  -- Σ a·b / (|a|·|b|); NULL: b is 0 everywhere
  max_absolute_error REAL,  -- largest |a - b|; NULL: an exact model
  label_rank INTEGER,  -- of the label's class among the scores, the highest being 1; NULL: the study gives no labels
  PRIMARY KEY (process_key, position)
) STRICT, WITHOUT ROWID;
)sql";

// Version 11 tells inputs without a finite score, and the least times of kernels.
inline constexpr const char* kVersion11 = R"sql(
ALTER TABLE agreement ADD COLUMN is_not_finite INTEGER NOT NULL DEFAULT 0;  -- 1: no score of this input is finite, so the others say nothing; before version 11 nobody looked
ALTER TABLE profile ADD COLUMN least_zlib BLOB;  -- as times_zlib, of each kernel call in the turn in which it took least; NULL: not kept before version 11
ALTER TABLE profile ADD COLUMN least_bytes INTEGER;  -- of the JSON text; NULL: there is none
)sql";

// Version 12 has the columns of the key first: SQLite 3.40.0 to 3.41.0 find NULLs that are not there in a STRICT table
// without rowid whose key has another order than its columns.
inline constexpr const char* kVersion12 = R"sql(
CREATE TEMP TABLE former AS SELECT toolchain_key, manifest_sha256, position FROM toolchain_manifest;
DROP TABLE toolchain_manifest;
CREATE TABLE toolchain_manifest (  -- The builds of a toolchain that were seen on its device.
  toolchain_key INTEGER NOT NULL REFERENCES toolchain,  -- the toolchain
  manifest_sha256 TEXT NOT NULL REFERENCES manifest,  -- the build
  position INTEGER NOT NULL,  -- 0, 1, … in the order in which they were first seen
  PRIMARY KEY (toolchain_key, manifest_sha256)
) STRICT, WITHOUT ROWID;
INSERT INTO toolchain_manifest SELECT * FROM former;
DROP TABLE temp.former;
)sql";

// Version 13 does not say what each part of the values was computed from: they are all there and current, or none is.
inline constexpr const char* kVersion13 = R"sql(
DROP TABLE derived_family;
DROP TABLE kept_state;
PRAGMA defer_foreign_keys = ON;
CREATE TEMP TABLE former AS SELECT part_key, part FROM series_part;
DROP TABLE series_part;
CREATE TABLE series_part (  -- A part of the results that numbers span: the cells of one group of models on a device, or all.
  part_key INTEGER PRIMARY KEY,  -- within this file
  part TEXT NOT NULL UNIQUE  -- name: device and group of models; empty for all cells together
) STRICT;
INSERT INTO series_part SELECT * FROM former;
DROP TABLE temp.former;
)sql";

// Version 14 says on which processors a cell runs.
inline constexpr const char* kVersion14 = R"sql(
ALTER TABLE cell ADD COLUMN processors TEXT NOT NULL DEFAULT 'auto';  -- on which it runs, and where its memory is; auto: as many as its threads, which the device chooses
)sql";

}  // namespace ngb::store
