// SPDX-License-Identifier: Apache-2.0
#include "toolchain/version.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "base/text.h"

namespace ngb::toolchain {
namespace {

// What follows the release numbers, in an order that compares as PEP 440 asks: 1.0.dev1 < 1.0a1 < 1.0b1 < 1.0rc1 < 1.0
// < 1.0.post1. `rank` of a pre-release is that of its letter.
struct Suffix {
  int rank = 0;
  std::int64_t number = 0;
};
constexpr int kFinal = 4;

struct Version {
  std::int64_t epoch = 0;
  std::vector<std::int64_t> release{};
  Suffix pre{kFinal, 0};
  std::int64_t post = -1;
  std::int64_t dev = INT64_MAX;
};

std::optional<std::int64_t> take_number(std::string_view& text) {
  std::int64_t value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc{} || text.empty() || text.front() == '-') return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

bool take_word(std::string_view& text, std::string_view word) {
  std::string_view rest = text;
  if (!rest.empty() && (rest.front() == '.' || rest.front() == '-' || rest.front() == '_')) rest.remove_prefix(1);
  if (!rest.starts_with(word)) return false;
  text = rest.substr(word.size());
  return true;
}

bool take_release(std::string_view& text, Version& version) {
  for (;;) {
    const auto number = take_number(text);
    if (!number) return false;
    version.release.push_back(*number);
    const bool goes_on = text.size() > 1 && text[0] == '.' && text[1] >= '0' && text[1] <= '9';
    if (!goes_on) return true;
    text.remove_prefix(1);
  }
}

void take_suffixes(std::string_view& text, Version& version) {
  constexpr std::pair<std::string_view, int> kPreReleases[] = {{"alpha", 1}, {"beta", 2}, {"preview", 3}, {"pre", 3},
                                                               {"rc", 3},    {"a", 1},    {"b", 2},       {"c", 3}};
  for (const auto& [word, rank] : kPreReleases) {
    if (!take_word(text, word)) continue;
    version.pre = {rank, take_number(text).value_or(0)};
    break;
  }
  if (take_word(text, "post")) version.post = take_number(text).value_or(0);
  if (take_word(text, "dev")) version.dev = take_number(text).value_or(0);
  // "1.0.dev1" comes before every pre-release of 1.0.
  if (version.dev != INT64_MAX && version.pre.rank == kFinal && version.post < 0) version.pre.rank = 0;
}

std::optional<Version> parse(std::string_view text) {
  text = public_version(text::trim(text));
  if (text.starts_with('v')) text.remove_prefix(1);
  Version version;
  if (const std::size_t mark = text.find('!'); mark != std::string_view::npos) {
    const auto epoch = take_number(text);
    if (!epoch || text.front() != '!') return std::nullopt;
    version.epoch = *epoch;
    text.remove_prefix(1);
  }
  if (!take_release(text, version)) return std::nullopt;
  take_suffixes(text, version);
  if (!text.empty()) return std::nullopt;
  return version;
}

int sign(const auto& a, const auto& b) { return a < b ? -1 : b < a ? 1 : 0; }

int compare_releases(const std::vector<std::int64_t>& a, const std::vector<std::int64_t>& b, std::size_t length) {
  for (std::size_t i = 0; i < length; ++i) {
    const std::int64_t left = i < a.size() ? a[i] : 0;
    const std::int64_t right = i < b.size() ? b[i] : 0;
    if (left != right) return sign(left, right);
  }
  return 0;
}

int compare(const Version& a, const Version& b) {
  if (a.epoch != b.epoch) return sign(a.epoch, b.epoch);
  const int by_release = compare_releases(a.release, b.release, std::max(a.release.size(), b.release.size()));
  if (by_release != 0) return by_release;
  return sign(std::tie(a.pre.rank, a.pre.number, a.post, a.dev), std::tie(b.pre.rank, b.pre.number, b.post, b.dev));
}

bool has_prefix(const Version& version, const std::vector<std::int64_t>& prefix) {
  return compare_releases(version.release, prefix, prefix.size()) == 0;
}

bool meets(std::string_view version_text, std::string_view condition) {
  condition = text::trim(condition);
  const std::size_t end = condition.find_first_not_of("=<>!~");
  if (condition.empty() || end == std::string_view::npos) return true;
  const std::string_view relation = condition.substr(0, end);
  std::string_view wanted_text = text::trim(condition.substr(end));
  if (relation == "===") return version_text == wanted_text;
  const bool is_prefix = wanted_text.ends_with(".*");
  if (is_prefix) wanted_text.remove_suffix(2);
  const std::optional<Version> version = parse(version_text);
  std::optional<Version> wanted = parse(wanted_text);
  if (!version || !wanted) return false;
  const int order = compare(*version, *wanted);
  const bool is_equal = is_prefix ? has_prefix(*version, wanted->release) : order == 0;
  if (relation == "==") return is_equal;
  if (relation == "!=") return !is_equal;
  if (relation == ">=") return order >= 0;
  if (relation == "<=") return order <= 0;
  if (relation == ">") return order > 0;
  if (relation == "<") return order < 0;
  if (relation != "~=") return false;
  wanted->release.pop_back();
  return order >= 0 && has_prefix(*version, wanted->release);
}

}  // namespace

bool is_version(std::string_view text) { return parse(text).has_value(); }

std::string_view public_version(std::string_view version) { return version.substr(0, version.find('+')); }

int compare_versions(std::string_view a, std::string_view b) {
  const std::optional<Version> left = parse(a);
  const std::optional<Version> right = parse(b);
  if (left && right) return compare(*left, *right);
  if (left.has_value() != right.has_value()) return left ? 1 : -1;
  return a.compare(b);
}

bool satisfies(std::string_view version, std::string_view specifier) {
  const std::vector<std::string> conditions = text::split(specifier, ',');
  return std::all_of(conditions.begin(), conditions.end(),
                     [&](const std::string& condition) { return meets(version, condition); });
}

}  // namespace ngb::toolchain
