// SPDX-License-Identifier: Apache-2.0
#include "probe/tree.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "base/file.h"
#include "base/text.h"

namespace ngb::probe {

namespace {

template <class T>
std::optional<T> parse(std::string_view text) {
  T value{};
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

std::optional<std::uint64_t> parse_unsigned(std::string_view text) { return parse<std::uint64_t>(text); }

std::optional<double> parse_real(std::string_view text) { return parse<double>(text); }

std::vector<std::string> words(std::string_view line) {
  std::vector<std::string> found;
  constexpr std::string_view kBlank = " \t";
  for (std::size_t begin = line.find_first_not_of(kBlank); begin != std::string_view::npos;) {
    const std::size_t end = line.find_first_of(kBlank, begin);
    found.emplace_back(line.substr(begin, end - begin));
    begin = line.find_first_not_of(kBlank, end);
  }
  return found;
}

Tree::Tree(std::string root) : root_(std::move(root)) {
  while (root_.ends_with('/')) root_.pop_back();
}

std::string Tree::real(std::string_view path) const { return root_ + std::string(path); }

bool Tree::has(std::string_view path) const {
  std::error_code ignored;
  return std::filesystem::exists(real(path), ignored);
}

Known<std::string> Tree::text(std::string_view path) const {
  using Text = Known<std::string>;
  if (!has(path)) return Text::unknown(fmt::format("no {} on this machine", path));
  const Result<std::string> content = file::read(real(path), 64U << 20U);
  if (!content) return Text::unknown(fmt::format("{}: {}", path, content.error().what));
  return Text::of(text::to_utf8(text::trim(*content)));
}

Known<std::uint64_t> Tree::number(std::string_view path) const {
  using Number = Known<std::uint64_t>;
  const Known<std::string> content = text(path);
  if (!content.value) return Number::unknown(content.reason);
  const std::optional<std::uint64_t> value = parse_unsigned(*content.value);
  return value ? Number::of(*value) : Number::unknown(fmt::format("{} holds no number: {}", path, *content.value));
}

std::vector<std::string> Tree::names(std::string_view folder, std::string_view prefix) const {
  std::vector<std::string> found;
  std::error_code code;
  for (std::filesystem::directory_iterator it(real(folder), code), end; !code && it != end; it.increment(code)) {
    const std::string name = it->path().filename().string();
    if (name.starts_with(prefix)) found.push_back(name);
  }
  std::sort(found.begin(), found.end());
  return found;
}

namespace {

enum Column { kUser, kNice, kSystem, kIdle, kIowait, kIrq, kSoftirq, kSteal, kColumns };

}  // namespace

Known<Ticks> parse_ticks(std::string_view line) {
  const std::vector<std::string> fields = words(line);
  if (fields.size() < kColumns + 1) return Known<Ticks>::unknown("/proc/stat: too few columns");
  Ticks ticks;
  std::uint64_t columns[kColumns];
  for (std::size_t column = 0; column < kColumns; ++column) {
    const auto value = parse_unsigned(fields[column + 1]);
    if (!value) return Known<Ticks>::unknown("/proc/stat: not a number: " + fields[column + 1]);
    ticks.total += columns[column] = *value;
  }
  ticks.steal = columns[kSteal];
  ticks.busy = ticks.total - columns[kIdle] - columns[kIowait];
  return Known<Ticks>::of(ticks);
}

std::int64_t tick_ns() {
  static const std::int64_t kTick = 1'000'000'000 / ::sysconf(_SC_CLK_TCK);
  return kTick;
}

}  // namespace ngb::probe
