// SPDX-License-Identifier: Apache-2.0
// What the rows of records in src/work have in common as keys of a study file: names, ranges, and their units.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <type_traits>

#include "config/keys/key.h"
#include "work/protocol.h"

namespace ngb::config {

// Returns the key without its type and its functions.
inline Key key_of_row(const work::StudyKey& row) {
  return {.name = row.name,
          .minimum = row.minimum,
          .maximum = row.maximum,
          .meaning = row.meaning,
          .default_text = row.default_text,
          .is_left_out_at_default = row.is_left_out_at_default};
}

inline bool is_scaled(const work::StudyKey& row) { return row.multiply != 1 || row.divide != 1; }

// Removes the digits that are only an error of multiplication: 0.07 * 100 is 7.000000000000001.
inline double rounded(double value) { return std::strtod(fmt::format("{:.12g}", value).c_str(), nullptr); }

template <class Value>
Value from_key(const work::StudyKey& row, const nlohmann::json& value) {
  if (!is_scaled(row)) return value.get<Value>();
  const double scaled = value.get<double>() * row.multiply / row.divide;
  if constexpr (std::is_integral_v<Value>) return static_cast<Value>(std::llround(scaled));
  return static_cast<Value>(scaled);
}

template <class Value>
nlohmann::json to_key(const work::StudyKey& row, const Value& value) {
  if (!is_scaled(row)) return value;
  return rounded(static_cast<double>(value) * row.divide / row.multiply);
}

}  // namespace ngb::config
