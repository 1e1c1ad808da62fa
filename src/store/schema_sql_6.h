// SPDX-License-Identifier: Apache-2.0
// The SQL of the step to version 6 of a results file (schema.h).
#pragma once

namespace ngb::store {

// Version 6 knows several instances at once.
inline constexpr const char* kVersion6 = R"sql(
ALTER TABLE cell ADD COLUMN instances INTEGER NOT NULL DEFAULT 1;  -- sessions at once, each in a process with threads and processors of its own
ALTER TABLE repetition ADD COLUMN instance INTEGER NOT NULL DEFAULT 0;  -- 0 … instances - 1: which of them ran it
)sql";

}  // namespace ngb::store
