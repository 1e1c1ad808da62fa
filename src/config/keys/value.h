// SPDX-License-Identifier: Apache-2.0
// Checks one value of a study file against the row of its key, and writes the same row as JSON Schema.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "config/document.h"
#include "config/keys/key.h"
#include "config/problems.h"
#include "config/study.h"

namespace ngb::config {

// Returns a scalar or null as JSON, by YAML 1.2's core schema without octal and hexadecimal numbers. Without
// quotes 1.5, true and null are a number, a boolean and null; everything else is text. Infinite numbers, not-a-number
// and numbers beyond a double become infinity. Precondition: `node` is neither a list nor a map.
nlohmann::json scalar_json(const DocumentNode& node);

// Returns the value in the form that Key::set expects. If the value is not accepted, returns nothing and adds a problem
// that says what was expected. Precondition: the key is neither a section nor structured.
std::optional<nlohmann::json> read_value(const Key& key, const DocumentNode& node, const std::string& path,
                                         Problems& problems);

// Returns whether a value is the list of processors of one choice, [0, 2, 4], and not a list of choices.
bool is_one_list_of_processors(const DocumentNode& node);

// Describes the values of a key: "an integer from 1 to 4096".
std::string expected(const Key& key);

// Returns the JSON Schema of the values that read_value accepts.
nlohmann::json value_schema(const Key& key);

// Parses JSON text. "" becomes null; other text that is not JSON becomes a string.
nlohmann::json json_of(const std::string& text);
// Returns the JSON text by which Parameters keep a value. Whole numbers below 9e15 have no fraction.
std::string json_text(const nlohmann::json& value);
// Returns a value as text for people: a string without quotes, any other value as json_text.
std::string plain_text(const nlohmann::json& value);

// Returns the bytes that a text such as "4 GB" (4000000000) means, or nothing if it has another form. Units: B kB MB GB
// TB (powers of 1000), KiB MiB GiB TiB (powers of 1024).
std::optional<double> parse_bytes(const std::string& text);

}  // namespace ngb::config
