// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "bundle/comparison.h"

namespace ngb::bundle {
namespace {

using store::Conclusion;
using store::DerivedValue;
using store::SeriesPart;
using store::SeriesValue;

std::string shown_value(const std::optional<double>& value) { return value ? fmt::format("{}", *value) : "no value"; }

void compare_number(const std::string& where, const char* what, const std::optional<double>& given,
                    const std::optional<double>& follows, std::vector<Problem>& found) {
  if (are_alike(given, follows)) return;
  found.push_back({where, fmt::format("{}{} is stored, {} follows", what, shown_value(given), shown_value(follows))});
}

void compare_reason(const std::string& where, const std::string& given, const std::string& follows,
                    std::vector<Problem>& found) {
  if (const std::string difference = text_difference(given, follows); !difference.empty()) {
    found.push_back({where, "its reason: " + difference});
  }
}

std::string place_of(const SeriesValue& value) {
  return fmt::format("{}, {}, {}, {}, batch {}", value.series, value.device, value.compiler, value.subject,
                     value.batch_sizes);
}

void compare_series(const SeriesValue& given, const SeriesValue& follows, std::vector<Problem>& found) {
  const std::string where = place_of(follows);
  if (place_of(given) != where || given.cell_ids != follows.cell_ids) {
    found.push_back({where, fmt::format("a number of another place is stored: {}", place_of(given))});
    return;
  }
  compare_number(where, "", given.value, follows.value, found);
  compare_number(where, "low: ", given.low, follows.low, found);
  compare_number(where, "high: ", given.high, follows.high, found);
  compare_number(where, "standard error: ", given.standard_error, follows.standard_error, found);
  compare_number(where, "degrees of freedom: ", given.degrees, follows.degrees, found);
  compare_reason(where, given.reason, follows.reason, found);
}

// Calls `compare` with each pair of parts of one name. Reports parts that only one side has.
template <class Compare>
std::vector<Problem> compare_parts(const std::vector<SeriesPart>& given, const std::vector<SeriesPart>& follow,
                                   Compare&& compare) {
  std::vector<Problem> found;
  std::map<std::string, const SeriesPart*> by_name;
  for (const SeriesPart& part : given) by_name.emplace(part.part, &part);
  for (const SeriesPart& part : follow) {
    const auto place = by_name.find(part.part);
    const std::string name = part.part.empty() ? "all cells" : part.part;
    if (place == by_name.end()) {
      found.push_back({name, "nothing is stored"});
      continue;
    }
    compare(name, *place->second, part, found);
    by_name.erase(place);
  }
  for (const auto& [name, part] : by_name) found.push_back({name, "it is stored and does not follow"});
  return found;
}

}  // namespace

std::vector<Problem> differences(const std::vector<DerivedValue>& given, const std::vector<DerivedValue>& follow) {
  std::vector<Problem> found;
  std::map<std::pair<std::string, std::string>, const DerivedValue*> stored;
  for (const DerivedValue& value : given) {
    if (!stored.emplace(std::pair(value.cell_id, value.metric), &value).second) {
      found.push_back({fmt::format("cell {}, {}", value.cell_id, value.metric), "it is stored twice"});
    }
  }
  for (const DerivedValue& value : follow) {
    const std::string where = fmt::format("cell {}, {}", value.cell_id, value.metric);
    const auto place = stored.find(std::pair(value.cell_id, value.metric));
    if (place == stored.end()) {
      found.push_back({where, fmt::format("nothing is stored, {} follows", shown_value(value.value))});
      continue;
    }
    compare_number(where, "", place->second->value, value.value, found);
    compare_number(where, "low: ", place->second->low, value.low, found);
    compare_number(where, "high: ", place->second->high, value.high, found);
    compare_reason(where, place->second->reason, value.reason, found);
    stored.erase(place);
  }
  for (const auto& [key, value] : stored) {
    found.push_back({fmt::format("cell {}, {}", key.first, key.second),
                     fmt::format("{} is stored and does not follow", shown_value(value->value))});
  }
  return found;
}

std::vector<Problem> value_differences(const std::vector<SeriesPart>& given, const std::vector<SeriesPart>& follow) {
  return compare_parts(
      given, follow,
      [](const std::string& name, const SeriesPart& stored, const SeriesPart& made, std::vector<Problem>& found) {
        if (stored.values.size() != made.values.size()) {
          found.push_back(
              {name, fmt::format("{} numbers are stored, {} follow", stored.values.size(), made.values.size())});
        }
        for (std::size_t i = 0; i < std::min(stored.values.size(), made.values.size()); ++i) {
          compare_series(stored.values[i], made.values[i], found);
        }
      });
}

std::vector<Problem> conclusion_differences(const std::vector<SeriesPart>& given,
                                            const std::vector<SeriesPart>& follow) {
  return compare_parts(
      given, follow,
      [](const std::string& name, const SeriesPart& stored, const SeriesPart& made, std::vector<Problem>& found) {
        if (stored.conclusions.size() != made.conclusions.size()) {
          found.push_back({name, fmt::format("{} conclusions are stored, {} follow", stored.conclusions.size(),
                                             made.conclusions.size())});
        }
        for (std::size_t i = 0; i < std::min(stored.conclusions.size(), made.conclusions.size()); ++i) {
          const Conclusion& one = stored.conclusions[i];
          const Conclusion& other = made.conclusions[i];
          const std::string difference = text_difference(one.kind + '\n' + one.sentence + '\n' + one.json,
                                                         other.kind + '\n' + other.sentence + '\n' + other.json);
          if (!difference.empty()) found.push_back({fmt::format("{} {}", other.kind, i + 1), difference});
        }
      });
}

}  // namespace ngb::bundle
