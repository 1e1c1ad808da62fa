// SPDX-License-Identifier: Apache-2.0
// Writes JSON for programs to read.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>

#include "report/document.h"

namespace ngb::report {

// Returns the object `extra` of the document with its rows.
std::string to_json(const Document& document);

// Returns a row as an object, {"model": "resnet18", "ratio": {"value", "low", "high"}, "baseline": {"cell_id", …}}, or
// all rows of a table. A number of a column with a reason is {"value", "low", "high"}, of which unknown ends are left
// out, or {"value": null, "reason"}, and is left out if it has neither value nor reason; all else that is unknown is
// null, and so is an object of which nothing is known.
nlohmann::json row_json(std::span<const Column> columns, const Row& row);
nlohmann::json rows_json(const Table& table);

// Returns indented JSON that ends in a line break. All control characters (C0, DEL, C1) in strings are written as JSON
// escapes; bytes that are not UTF-8 become U+FFFD.
std::string json_text(const nlohmann::json& json);

}  // namespace ngb::report
