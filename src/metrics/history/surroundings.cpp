// SPDX-License-Identifier: Apache-2.0
// Tells in what surrounds a cell two of its points differ, and which of two versions is older.
#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <filesystem>
#include <set>
#include <tuple>
#include <utility>

#include "metrics/history/history.h"

namespace ngb::metrics::history {
namespace {

constexpr std::size_t kShownOfHash = 8;

using Entries = std::vector<samples::EnvironmentEntry>;

const samples::EnvironmentEntry* entry_called(const Entries& entries, const std::string& name) {
  const auto found = std::ranges::find(entries, name, &samples::EnvironmentEntry::name);
  return found == entries.end() ? nullptr : &*found;
}

std::string value_of(const samples::EnvironmentEntry* entry) {
  return entry == nullptr ? "not recorded" : entry->value.value.value_or("unknown");
}

void add_entries(const Entries& before, const Entries& after, std::vector<Difference>& found) {
  for (const samples::EnvironmentEntry& entry : after) {
    if (!entry.is_identity) continue;
    const std::string was = value_of(entry_called(before, entry.name));
    const std::string now = value_of(&entry);
    if (was != now) found.push_back({entry.name, was, now});
  }
  for (const samples::EnvironmentEntry& entry : before) {
    if (!entry.is_identity || entry_called(after, entry.name) != nullptr) continue;
    found.push_back({entry.name, value_of(&entry), value_of(nullptr)});
  }
}

// Adds a difference of hashes by their first digits. One that is not known says nothing.
void add_hashes(const std::string& entry, const std::string& before, const std::string& after,
                std::vector<Difference>& found) {
  if (before == after || before.empty() || after.empty()) return;
  found.push_back({entry, before.substr(0, kShownOfHash), after.substr(0, kShownOfHash)});
}

bool is_digit(char letter) { return std::isdigit(static_cast<unsigned char>(letter)) != 0; }

// Returns the digits, or the other characters, with which the text begins, and removes them from it.
std::string_view next_part(std::string_view& text) {
  const bool is_number = is_digit(text.front());
  const auto* const end = std::ranges::find_if(text, [&](char letter) { return is_digit(letter) != is_number; });
  const std::string_view part = text.substr(0, static_cast<std::size_t>(end - text.begin()));
  text.remove_prefix(part.size());
  return part;
}

// Whether what follows a version makes it an earlier one: "rc1", ".dev3", "b2" and "a0" do, ".1" and ".post1" do not.
bool is_before_release(std::string_view rest) {
  constexpr std::array<std::string_view, 6> kEarlier{"a", "b", "rc", "dev", "pre", "alpha"};
  while (!rest.empty() && (rest.front() == '.' || rest.front() == '-')) rest.remove_prefix(1);
  return std::ranges::any_of(kEarlier, [&](std::string_view word) { return rest.starts_with(word); });
}

}  // namespace

std::vector<Difference> differences(const History& history, const Point& before, const Point& after) {
  std::vector<Difference> found;
  if (before.origin == after.origin) return found;
  const Origin& was = history.origin(before);
  const Origin& now = history.origin(after);
  if (was.environment_hash.empty() || now.environment_hash.empty()) return found;
  if (was.version != now.version && history.order != Order::version)
    found.push_back({"version", was.version, now.version});
  if (was.version == now.version) add_hashes("toolchain", was.toolchain_sha256, now.toolchain_sha256, found);
  add_hashes("ngb", was.ngb_sha256, now.ngb_sha256, found);
  const auto environment = history.environments.find(was.environment_hash);
  const auto later = history.environments.find(now.environment_hash);
  if (environment == history.environments.end() || later == history.environments.end()) return found;
  add_entries(environment->second.entries, later->second.entries, found);
  return found;
}

std::vector<ChangeOfSurroundings> changes_of_surroundings(const History& history) {
  std::vector<ChangeOfSurroundings> found;
  std::set<std::tuple<std::size_t, std::uint32_t, std::uint32_t>> seen;           // at, origins
  std::set<std::tuple<std::size_t, std::string, std::string, std::string>> told;  // at, of, entry, after
  for (const Line& line : history.lines) {
    const Point* last = nullptr;
    for (std::size_t i = 0; line.is_shown && i < line.points.size(); ++i) {
      const Point& point = line.points[i];
      if (history.origin(point).environment_hash.empty() || !point.is_there) continue;
      const Point* const before = std::exchange(last, &point);
      if (before == nullptr || !seen.emplace(i, before->origin, point.origin).second) continue;
      for (Difference& each : differences(history, *before, point)) {
        const bool is_of_compiler = each.entry == "version" || each.entry == "toolchain";
        const std::string& of = is_of_compiler ? line.cell.of.compiler.name : line.cell.of.device;
        if (told.emplace(i, of, each.entry, each.after).second) found.push_back({i, point.source, of, std::move(each)});
      }
    }
  }
  std::ranges::stable_sort(found, {}, &ChangeOfSurroundings::at);
  return found;
}

bool tells_machines_apart(std::string_view entry) {
  constexpr std::array<std::string_view, 7> kOfMachine{"cpu_model", "cpu_cores",  "cpu_threads",    "machine",
                                                       "gpu",       "slurm_node", "kubernetes_node"};
  return std::ranges::find(kOfMachine, entry) != kOfMachine.end();
}

std::string commit_of(const std::string& results) {
  const std::filesystem::path path = std::filesystem::path(results).lexically_normal();
  const std::filesystem::path name = path.has_filename() ? path.filename() : path.parent_path().filename();
  return name.extension() == ".zip" ? name.stem().string() : name.string();
}

bool is_older_version(std::string_view a, std::string_view b) {
  while (!a.empty() && !b.empty()) {
    const std::string_view ours = next_part(a);
    const std::string_view theirs = next_part(b);
    if (ours == theirs) continue;
    std::uint64_t number = 0;
    std::uint64_t other = 0;
    const bool are_numbers = is_digit(ours.front()) && is_digit(theirs.front());
    if (are_numbers && std::from_chars(ours.data(), ours.data() + ours.size(), number).ec == std::errc{} &&
        std::from_chars(theirs.data(), theirs.data() + theirs.size(), other).ec == std::errc{}) {
      if (number != other) return number < other;
      continue;
    }
    const bool is_earlier = is_before_release(ours);
    if (is_earlier != is_before_release(theirs)) return is_earlier;
    return ours < theirs;
  }
  if (a.empty() && b.empty()) return false;
  return a.empty() ? !is_before_release(b) : is_before_release(a);
}

}  // namespace ngb::metrics::history
