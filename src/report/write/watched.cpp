// SPDX-License-Identifier: Apache-2.0
#include "report/write/watched.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/json_text.h"
#include "base/text.h"
#include "report/write/json.h"

namespace ngb::report {
namespace {

using nlohmann::json;

std::string watched_text(const json& value) {
  if (value.is_null()) return {};
  return text::visible(value.is_string() ? value.get<std::string>() : json_text::dump(value));
}

// Calls `use(row, column, entry)` with each known number, column by column.
void each_number(const Document& document, const auto& use) {
  const std::vector<Column>& columns = document.table.columns;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (!columns[i].has_reason) continue;
    for (const Section& section : document.table.sections) {
      section.each_row([&](const Row& row) {
        if (row.entries[i].number()) use(row, columns[i], row.entries[i]);
      });
    }
  }
}

// A visible text has no control characters, so its escapes in JSON are those of a label: \" and \\.
std::string labels_of(const std::vector<Column>& columns, const Row& row) {
  std::string labels;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const std::string text = columns[i].has_reason || columns[i].csv.empty() ? "" : watched_text(row.entries[i].value);
    if (!text.empty()) {
      labels += fmt::format("{}{}={}", labels.empty() ? "" : ",", columns[i].csv, json_text::dump(json(text)));
    }
  }
  return labels;
}

}  // namespace

std::string to_bencher(const Document& document) {
  json whole = json::object();
  each_number(document, [&](const Row& row, const Column& column, const Entry& entry) {
    json& told = whole[watched_text(row.entries.front().value)][column.csv];
    told["value"] = *entry.number();
    if (entry.low) told["lower_value"] = *entry.low;
    if (entry.high) told["upper_value"] = *entry.high;
  });
  return json_text(whole);
}

std::string to_action_benchmark(const Document& document) {
  json whole = json::array();
  each_number(document, [&](const Row& row, const Column& column, const Entry& entry) {
    whole.push_back({{"name", fmt::format("{}: {}", watched_text(row.entries.front().value), column.csv)},
                     {"unit", column.unit},
                     {"value", *entry.number()}});
    if (entry.low && entry.high) whole.back()["range"] = fmt::format("{:.6g} to {:.6g}", *entry.low, *entry.high);
  });
  return json_text(whole);
}

std::string to_open_metrics(const Document& document) {
  const Column* last = nullptr;
  std::array<std::string, 3> families;
  std::string text;
  const auto end_of_column = [&] {
    for (std::string& family : families) text += std::exchange(family, {});
  };
  each_number(document, [&](const Row& row, const Column& column, const Entry& entry) {
    if (std::exchange(last, &column) != &column) end_of_column();
    const std::string labels = labels_of(document.table.columns, row);
    const std::array numbers{entry.number(), entry.low, entry.high};
    constexpr std::array kEndings{"", "_low", "_high"};
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const std::string name = fmt::format("ngb_{}{}", column.csv, kEndings.at(i));
      if (!numbers.at(i)) continue;
      if (families.at(i).empty()) families.at(i) = fmt::format("# TYPE {} gauge\n", name);
      families.at(i) += fmt::format("{}{{{}}} {}\n", name, labels, *numbers.at(i));
    }
  });
  end_of_column();
  return text + "# EOF\n";
}

std::string to_badge(const Document& document) {
  bool has_notices = false;
  for (const Section& section : document.table.sections) {
    section.each_row([&](const Row& row) {
      has_notices |= std::ranges::any_of(row.entries, [](const Entry& each) { return each.style == Style::notice; });
    });
  }
  const char* const color = !document.annotations.empty() ? (document.are_errors ? "red" : "orange")
                            : has_notices                 ? "yellow"
                                                          : "brightgreen";
  return json_text({{"schemaVersion", 1},
                    {"label", watched_text(document.command)},
                    {"message", document.summary.empty() ? "nothing measured" : watched_text(document.summary)},
                    {"color", color},
                    {"isError", document.are_errors && !document.annotations.empty()}});
}

}  // namespace ngb::report
