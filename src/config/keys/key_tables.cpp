// SPDX-License-Identifier: Apache-2.0
#include "config/keys/key_tables.h"

#include <fmt/format.h>

#include "base/json_text.h"
#include "config/keys/key.h"
#include "config/keys/value.h"

namespace ngb::config {
namespace {

using nlohmann::json;

std::string cell(std::string text) {
  for (std::size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2) text.replace(at, 1, "\\|");
  return text;
}

std::string default_of(const Key& key) {
  if (!key.default_text.empty()) return key.default_text;
  if (key.get == nullptr) return key.type == ValueType::section ? "" : "none: must be given";
  const json value = key.get(Study{});
  return value.is_null() ? "none" : fmt::format("`{}`", value.is_array() ? json_text::dump(value) : plain_text(value));
}

std::string value_of(const Key& key) {
  if (key.type == ValueType::section) return "a mapping";
  if (key.type == ValueType::structured) return "see below";
  return expected(key) + (key.is_axis ? ", or a list of such values" : "");
}

void add_rows(std::span<const Key> keys, const std::string& prefix, bool are_optional, std::string& out) {
  for (const Key& key : keys) {
    const bool is_optional = are_optional || !(key.name == "models" || key.name == "compilers");
    const std::string defaults = key.type == ValueType::structured && is_optional && key.default_text.empty()
                                     ? std::string("none")
                                     : default_of(key);
    out += fmt::format("| `{}{}` | {} | {} | {} |\n", prefix, key.name, cell(value_of(key)), cell(defaults),
                       cell(key.meaning));
    add_rows(key.keys, prefix + key.name + ".", are_optional, out);
  }
}

}  // namespace

std::string key_table(const std::string& name) {
  std::string out = "| key | value | default | meaning |\n| --- | --- | --- | --- |\n";
  if (name == kModelTable) {
    add_rows(model_keys(), "", true, out);
  } else if (name == kCompilerTable) {
    add_rows(compiler_keys(), "", true, out);
  } else if (name == kDeviceTable) {
    add_rows(device_keys(), "", true, out);
  } else if (name == kLoadTable) {
    add_rows(load_keys(), "", true, out);
  } else {
    add_rows(study_keys(), "", false, out);
  }
  return out;
}

std::string with_key_tables(const std::string& document) {
  std::string out = document;
  for (const char* const name : {kStudyTable, kModelTable, kCompilerTable, kDeviceTable, kLoadTable}) {
    const std::string begin_mark = fmt::format("<!-- keys of {}: generated -->\n", name);
    const std::size_t begin = out.find(begin_mark);
    if (begin == std::string::npos) continue;
    const std::size_t first = begin + begin_mark.size();
    const std::size_t end = out.find("<!-- end -->", first);
    if (end != std::string::npos) out.replace(first, end - first, key_table(name));
  }
  return out;
}

}  // namespace ngb::config
