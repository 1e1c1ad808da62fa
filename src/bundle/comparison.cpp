// SPDX-License-Identifier: Apache-2.0
#include "bundle/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <utility>

namespace ngb::bundle {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Returns the length of the number at the beginning of the text, which begins with a digit: "12.5e-3".
std::size_t length_of_number(std::string_view text) {
  const auto digits = [&](std::size_t at) {
    while (at < text.size() && is_digit(text[at])) ++at;
    return at;
  };
  std::size_t end = digits(0);
  if (end + 1 < text.size() && text[end] == '.' && is_digit(text[end + 1])) end = digits(end + 1);
  if (end < text.size() && (text[end] == 'e' || text[end] == 'E')) {
    const std::size_t sign =
        end + 1 < text.size() && (text[end + 1] == '-' || text[end + 1] == '+') ? end + 2 : end + 1;
    if (sign < text.size() && is_digit(text[sign])) end = digits(sign);
  }
  return end;
}

bool are_alike_numbers(std::string_view one, std::string_view other) {
  if (one == other) return true;
  // Whole numbers (counts, times in nanoseconds, seeds) are never rounded.
  const auto is_whole = [](std::string_view text) { return text.find_first_of(".eE") == std::string_view::npos; };
  if (is_whole(one) && is_whole(other)) return false;
  double first = 0;
  double second = 0;
  const auto read = [](std::string_view text, double& value) {
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
    return code == std::errc() && end == text.data() + text.size();
  };
  return read(one, first) && read(other, second) && are_alike(first, second);
}

// Returns the position in `given` from which the texts differ; npos if they do not.
std::size_t first_difference(std::string_view given, std::string_view follows) {
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < given.size() && j < follows.size()) {
    if (is_digit(given[i]) && is_digit(follows[j])) {
      const std::size_t one = length_of_number(given.substr(i));
      const std::size_t other = length_of_number(follows.substr(j));
      if (!are_alike_numbers(given.substr(i, one), follows.substr(j, other))) return i;
      i += one;
      j += other;
    } else if (given[i++] != follows[j++]) {
      return i - 1;
    }
  }
  return i == given.size() && j == follows.size() ? std::string_view::npos : i;
}

// Returns the part of a line around a position, so that a person can find it.
std::string excerpt(std::string_view line, std::size_t at) {
  constexpr std::size_t kBefore = 20;
  constexpr std::size_t kLength = 60;
  const std::size_t begin = std::min(line.size(), at < kBefore ? 0 : at - kBefore);
  return std::string(line.substr(begin, kLength));
}

std::vector<std::string_view> numbers_in(std::string_view text) {
  std::vector<std::string_view> numbers;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = is_digit(text[i]) ? length_of_number(text.substr(i)) : 0;
    if (length > 0) numbers.push_back(text.substr(i, length));
    i += std::max<std::size_t>(length, 1);
  }
  return numbers;
}

}  // namespace

bool are_alike(const std::optional<double>& one, const std::optional<double>& other) {
  if (!one || !other) return !one && !other;
  if (*one == *other) return true;
  return std::fabs(*one - *other) <= kMostRounding * std::max(std::fabs(*one), std::fabs(*other));
}

std::string text_difference(std::string_view given, std::string_view follows) {
  if (given == follows) return {};
  std::size_t line = 0;
  while (!given.empty() || !follows.empty()) {
    ++line;
    const std::string_view one = given.substr(0, given.find('\n'));
    const std::string_view other = follows.substr(0, follows.find('\n'));
    const bool is_in_one_only = given.empty() != follows.empty();
    const std::size_t at = is_in_one_only ? 0 : first_difference(one, other);
    if (at != std::string_view::npos) {
      return fmt::format("line {}: \"{}\" is given, \"{}\" follows", line, excerpt(one, at), excerpt(other, at));
    }
    given.remove_prefix(std::min(given.size(), one.size() + 1));
    follows.remove_prefix(std::min(follows.size(), other.size() + 1));
  }
  return {};
}

bool have_alike_numbers(std::string_view given, std::string_view follows) {
  const std::vector<std::string_view> one = numbers_in(given);
  const std::vector<std::string_view> other = numbers_in(follows);
  return std::equal(one.begin(), one.end(), other.begin(), other.end(), are_alike_numbers);
}

std::string_view data_of_page(std::string_view html) {
  constexpr std::string_view kBegin = R"(<script type="application/json" id="data">)";
  const std::size_t begin = html.find(kBegin);
  if (begin == std::string_view::npos) return {};
  html.remove_prefix(begin + kBegin.size());
  const std::size_t end = html.find("</script>");
  return end == std::string_view::npos ? std::string_view() : html.substr(0, end);
}

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
    if (!stored.emplace(std::pair(value.cell_id.str(), value.metric.str()), &value).second) {
      found.push_back({fmt::format("cell {}, {}", value.cell_id.str(), value.metric.str()), "it is stored twice"});
    }
  }
  for (const DerivedValue& value : follow) {
    const std::string where = fmt::format("cell {}, {}", value.cell_id.str(), value.metric.str());
    const auto place = stored.find(std::pair(value.cell_id.str(), value.metric.str()));
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
