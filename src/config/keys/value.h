// SPDX-License-Identifier: Apache-2.0
// One value of a study file against the row of its key: accepted, or told what was expected. The same rows as schema.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "config/document.h"
#include "config/keys/key.h"
#include "config/problems.h"
#include "config/study.h"

namespace ngb::config {

// A scalar or null as JSON, by YAML 1.2's core schema without octal and hexadecimal numbers: 1.5, true and null where
// they are plain, else text. Infinite numbers and numbers beyond a double become infinity. Precondition: no list or
// map.
nlohmann::json scalar_json(const DocumentNode& node);

// The value in the form that Key::set takes, or nothing and a problem that says what was expected.
// Not for sections and structured keys.
std::optional<nlohmann::json> read_value(const Key& key, const DocumentNode& node, const std::string& path,
                                         Problems& problems);

// "an integer from 1 to 4096"
std::string expected(const Key& key);

// What read_value accepts, as JSON Schema.
nlohmann::json value_schema(const Key& key);

// JSON text -> value; text that is not JSON stands for itself. "" -> null.
nlohmann::json json_of(const std::string& text);
// Parameters as one object.
nlohmann::json object_of(const Parameters& parameters);
// The JSON text under which a value is kept in Parameters; numbers without a needless fraction.
std::string json_text(const nlohmann::json& value);
// For people: without the quotes of a plain word.
std::string plain_text(const nlohmann::json& value);

// "4 GB" -> 4000000000. Units: B kB MB GB TB (1000), KiB MiB GiB TiB (1024). Nothing when it is not such a text.
std::optional<double> parse_bytes(const std::string& text);

}  // namespace ngb::config
