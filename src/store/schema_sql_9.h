// SPDX-License-Identifier: Apache-2.0
// The SQL of the step to version 9 of a results file (schema.h).
#pragma once

namespace ngb::store {

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

}  // namespace ngb::store
