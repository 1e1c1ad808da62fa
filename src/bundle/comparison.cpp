// SPDX-License-Identifier: Apache-2.0
#include "bundle/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "base/record.h"
#include "base/text.h"

namespace ngb::bundle {

namespace {

constexpr double kMostRounding = 1e-9;  // relative to the larger number

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
  return read(one, first) && read(other, second) &&
         std::fabs(first - second) <= kMostRounding * std::max(std::fabs(first), std::fabs(second));
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

namespace {

void add(std::string& line, const char* name, const std::optional<double>& number) {
  if (number) line += fmt::format("{} {:#}, ", name, *number);
}
void add(std::string& line, const char* name, const std::string& text) {
  if (!text.empty()) line += fmt::format("{} {}, ", name, text);
}

template <IsRecord Record>
std::string line_of(const Record& record) {
  std::string line;
  for_each_field<Record>([&](const auto& field) { add(line, field.name, record.*field.member); });
  return line + '\n';
}

}  // namespace

// What is kept twice has two lines.

Kept kept_values(const std::vector<store::DerivedValue>& values) {
  Kept kept;
  for (const store::DerivedValue& each : values)
    kept[fmt::format("cell {}, {}", each.cell_id.str(), each.metric.str())] += line_of(each);
  return kept;
}

Kept kept_numbers(const std::vector<store::SeriesPart>& parts) {
  Kept kept;
  for (const store::SeriesPart& part : parts) {
    for (const store::SeriesValue& each : part.values) {
      kept[fmt::format("{}, {}, {}, {}, batch {}", each.series, each.device, each.compiler, each.subject,
                       each.batch_sizes)] += "of " + text::join(each.cell_ids, " ") + ", " + line_of(each);
    }
  }
  return kept;
}

Kept kept_conclusions(const std::vector<store::SeriesPart>& parts) {
  Kept kept;
  std::map<std::string, int> counts;
  for (const store::SeriesPart& part : parts) {
    for (const store::Conclusion& each : part.conclusions)
      kept[fmt::format("{} {}", each.kind, ++counts[each.kind])] = line_of(each);
  }
  return kept;
}

std::vector<Problem> differences(const Kept& given, const Kept& follows) {
  std::vector<Problem> found;
  for (const auto& [where, line] : follows) {
    const auto kept = given.find(where);
    const std::string difference = kept == given.end() ? "nothing is stored" : text_difference(kept->second, line);
    if (!difference.empty()) found.push_back({where, difference});
  }
  for (const auto& [where, line] : given) {
    if (!follows.contains(where)) found.push_back({where, "it is stored and does not follow"});
  }
  return found;
}

}  // namespace ngb::bundle
