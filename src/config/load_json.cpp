// SPDX-License-Identifier: Apache-2.0
#include "config/load_json.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "config/keys/key.h"
#include "config/keys/value.h"

namespace ngb::config {
namespace {

using nlohmann::json;

json cpu_json(double processors) {
  if (processors == std::trunc(processors)) return static_cast<int>(processors);
  constexpr double kPercent = 100;
  return fmt::format("{:g}%", kPercent * processors);
}

// Returns "4 GB/s": the largest unit of which there is at least one.
std::string rate_text(double bytes_per_s) {
  constexpr std::array<std::pair<const char*, double>, 3> kUnits{{{"GB", 1e9}, {"MB", 1e6}, {"kB", 1e3}}};
  for (const auto& [unit, bytes] : kUnits) {
    if (bytes_per_s >= bytes) return fmt::format("{:.12g} {}/s", bytes_per_s / bytes, unit);
  }
  return fmt::format("{:.12g} B/s", bytes_per_s);
}

// Returns the pairs of a load's keys and values that do not have their defaults, the load's kind first.
std::vector<std::pair<std::string, json>> values_of(const work::Load& load) {
  std::vector<std::pair<std::string, json>> values;
  const std::string kind(name(load.kind));
  if (load.kind == work::LoadKind::cpu) values.emplace_back(kind, cpu_json(load.processors));
  if (load.kind == work::LoadKind::memory) values.emplace_back(kind, rate_text(load.bytes_per_s));
  if (load.kind == work::LoadKind::command) values.emplace_back(kind, load.command);
  if (load.place == work::LoadPlace::listed) {
    values.emplace_back(kProcessorsKey, load.listed);
  } else if (load.place != work::usual_place(load.kind)) {
    values.emplace_back(kProcessorsKey, name(load.place));
  }
  if (load.wait_s != work::Load{}.wait_s) values.emplace_back("wait_s", load.wait_s);
  return values;
}

}  // namespace

json load_json(const work::Load& load) {
  if (load.is_none()) return work::kNoLoad;
  json entry = json::object();
  for (auto& [key, value] : values_of(load)) entry[key] = std::move(value);
  return entry;
}

std::string name_of_load(const work::Load& load) {
  if (load.is_none()) return work::kNoLoad;
  std::string words;
  for (const auto& [key, value] : values_of(load)) {
    words += fmt::format("{}{}: {}", words.empty() ? "" : ", ", key, plain_text(value));
  }
  return words;
}

}  // namespace ngb::config
