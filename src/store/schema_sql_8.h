// SPDX-License-Identifier: Apache-2.0
// The SQL of the step to version 8 of a results file (schema.h).
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

}  // namespace ngb::store
