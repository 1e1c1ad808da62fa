// SPDX-License-Identifier: Apache-2.0
// Writes CSV as in RFC 4180: a line of column names, then a line for each row. Numbers are unrounded, in the unit that
// the column's name ends in; an unknown value is an empty field. After a column come NAME_low and NAME_high, if it has
// an interval, and NAME_unknown_reason, if it has a reason.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>

#include "report/document.h"

namespace ngb::report {

void print_csv(const Document& document, const Print& print);

// The parts of it.
std::string csv_header(std::span<const Column> columns);
std::string csv_line(std::span<const Column> columns, const Row& row);

// Returns a field's text, quoted if necessary. Control characters, which could command a terminal, are made visible.
std::string csv_text(const std::string& unchecked);

// Returns text as it is, numbers unrounded, a mapping as JSON text, and "" for null.
std::string csv_field(const nlohmann::json& value);

}  // namespace ngb::report
