// SPDX-License-Identifier: Apache-2.0
// Makes the tables of keys in docs/study.md from the rows of key.h, by which the parser checks a study.
#pragma once

#include <string>

namespace ngb::config {

// The names of the tables. Each is generated between the lines "<!-- keys of NAME: generated -->" and "<!-- end -->".
inline constexpr const char* kStudyTable = "study";
inline constexpr const char* kModelTable = "models";
inline constexpr const char* kCompilerTable = "compilers";
inline constexpr const char* kDeviceTable = "devices";
inline constexpr const char* kLoadTable = "loads";

// Returns a Markdown table with the columns key, value, default, meaning. `name` is one of the five above.
std::string key_table(const std::string& name);

// Returns `document` with its tables generated anew.
std::string with_key_tables(const std::string& document);

}  // namespace ngb::config
