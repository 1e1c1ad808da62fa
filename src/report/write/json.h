// SPDX-License-Identifier: Apache-2.0
// Writes JSON for programs to read.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>

#include "report/document.h"

namespace ngb::report {

// Prints the object `extra` of the document with its rows.
void print_json(const Document& document, const Print& print);
// Prints an object as json_text does. Its array `name` is printed piece by piece: `each` calls `use` with each element.
using UseJson = std::function<void(const nlohmann::json& element)>;
void print_json(nlohmann::json object, const std::string& name, const std::function<void(const UseJson& use)>& each,
                const Print& print);

// Returns a row as an object, {"model": "resnet18", "ratio": {"value", "low", "high"}, "baseline": {"cell_id", …}}. A
// number of a column with a reason is {"value", "low", "high"}, of which unknown ends are left out, or {"value": null,
// "reason"}, and is left out if it has neither value nor reason; all else that is unknown is null, and so is an object
// of which nothing is known.
nlohmann::json row_json(std::span<const Column> columns, const Row& row);

// Returns indented JSON that ends in a line break. All control characters (C0, DEL, C1) in strings are written as JSON
// escapes; bytes that are not UTF-8 become U+FFFD.
std::string json_text(const nlohmann::json& json);

}  // namespace ngb::report
