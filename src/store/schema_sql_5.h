// SPDX-License-Identifier: Apache-2.0
// The SQL of the step to version 5 of a results file (schema.h).
#pragma once

namespace ngb::store {

// Version 5 knows the sizes of the samples of models that compress data.
inline constexpr const char* kVersion5 = R"sql(
ALTER TABLE model ADD COLUMN raw_bytes INTEGER;  -- of a model that compresses data: size of one sample before; NULL: not given
ALTER TABLE model ADD COLUMN encoded_bytes INTEGER;  -- the size after; NULL: not given
)sql";

}  // namespace ngb::store
