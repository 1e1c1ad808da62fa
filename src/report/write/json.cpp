// SPDX-License-Identifier: Apache-2.0
#include "report/write/json.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "base/json_text.h"
#include "work/codec.h"

namespace ngb::report {
namespace {

using nlohmann::json;

// {"value", "low", "high", "over"}, or {"value": null, "reason"}; what is not known of a number is left out.
json with_reason(const Entry& entry) {
  if (entry.is_empty()) return {{"value", nullptr}, {"reason", entry.reason}};
  json object{{"value", entry.value}};
  if (entry.low && entry.high) {
    object["low"] = *entry.low;
    object["high"] = *entry.high;
  }
  if (!entry.over.empty()) object["over"] = entry.over;
  return object;
}

json entry_json(const Column& column, const Entry& entry) {
  if (column.has_reason) return with_reason(entry);
  if (!column.has_interval || entry.is_empty()) return entry.value;
  return {{"value", entry.value}, {"low", work::write_json(entry.low)}, {"high", work::write_json(entry.high)}};
}

// Returns whether it is an object of which nothing is known.
bool is_unknown(const json& value) {
  return value.is_object() && !value.empty() &&
         std::all_of(value.begin(), value.end(), [](const json& member) { return member.is_null(); });
}

}  // namespace

json row_json(std::span<const Column> columns, const Row& row) {
  json object = json::object();
  std::set<std::string> parents;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const std::string& place = columns[i].json;
    if (place.empty()) continue;
    const std::size_t dot = place.find('.');
    const Entry& entry = row.entries[i];
    const bool is_left_out = columns[i].has_reason && entry.is_empty() && entry.reason.empty();
    if (dot == std::string::npos) {
      if (!is_left_out) object[place] = entry_json(columns[i], entry);
      continue;
    }
    const std::string parent = place.substr(0, dot);
    json& members = object.emplace(parent, json::object()).first.value();
    if (!is_left_out) members[place.substr(dot + 1)] = entry_json(columns[i], entry);
    parents.insert(parent);
  }
  for (const std::string& parent : parents) {
    if (is_unknown(object[parent])) object[parent] = nullptr;
  }
  return object;
}

namespace {

// Returns indented JSON. All lines but the first begin with so many blanks more.
std::string indented(const json& value, std::size_t blanks) {
  const std::string text = json_text::dump(value, 2);
  std::string escaped;
  escaped.reserve(text.size() + 1);
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const auto next = static_cast<unsigned char>(i + 1 < text.size() ? text[i + 1] : 0);
    if (byte == 0x7F) {
      escaped += "\\u007f";
    } else if (byte == 0xC2 && next >= 0x80 && next < 0xA0) {
      escaped += fmt::format("\\u{:04x}", next);
      ++i;
    } else {
      escaped += text[i];
      if (byte == '\n') escaped.append(blanks, ' ');
    }
  }
  return escaped;
}

}  // namespace

std::string json_text(const nlohmann::json& json) { return indented(json, 0) + '\n'; }

void print_json(nlohmann::json object, const std::string& name, const std::function<void(const UseJson& use)>& each,
                const Print& print) {
  object[name] = json::array();
  const std::string text = json_text(object);
  const std::string begin = fmt::format("\n  {}: [", indented(name, 0));
  const std::size_t at = text.find(begin) + begin.size();
  print(text.substr(0, at));
  bool has_none = true;
  each([&](const json& element) {
    print((std::exchange(has_none, false) ? "\n    " : ",\n    ") + indented(element, 4));
  });
  print((has_none ? "" : "\n  ") + text.substr(at));
}

void print_json(const Document& document, const Print& print) {
  const auto each_row = [&document](const UseJson& use) {
    const Table& table = document.table;
    for (const Section& section : table.sections) {
      section.each_row([&](const Row& row) { use(row_json(table.columns, row)); });
    }
  };
  print_json(document.extra, document.json_rows, each_row, print);
}

}  // namespace ngb::report
