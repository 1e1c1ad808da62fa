// SPDX-License-Identifier: Apache-2.0
// The tables of keys in docs/study.md, from the very rows that the parser checks by.
#pragma once

#include <string>

namespace ngb::config {

// The generated parts of docs/study.md stand between the lines "<!-- keys of NAME: generated -->" and "<!-- end -->".
inline constexpr const char* kStudyTable = "study";
inline constexpr const char* kModelTable = "models";
inline constexpr const char* kCompilerTable = "compilers";
inline constexpr const char* kDeviceTable = "devices";

// A Markdown table: key, value, default, meaning. `name`: one of the four above.
std::string key_table(const std::string& name);

// `document` with its generated parts renewed.
std::string with_key_tables(const std::string& document);

}  // namespace ngb::config
