// SPDX-License-Identifier: Apache-2.0
#include "store/protocol.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <span>

#include "base/hash.h"
#include "base/json_text.h"
#include "config/keys/key.h"

namespace ngb::store {

using nlohmann::json;

namespace {

void add_rows(const config::Study& study, std::span<const config::Key> keys, const std::string& prefix,
              std::vector<ProtocolKey>& rows) {
  for (const config::Key& key : keys) {
    if (key.type == config::ValueType::section && !key.get) {
      add_rows(study, key.keys, prefix + key.name + ".", rows);
      continue;
    }
    const json value = config::value_of(study, key);
    const bool is_left_out = key.is_left_out_at_default && value == config::value_of(config::Study{}, key);
    if (!is_left_out) rows.push_back({prefix + key.name, json_text::dump(value)});
  }
}

// Returns the row as studies are told apart by it: as it was when a tolerance that is not set had a number.
ProtocolKey in_hashes(ProtocolKey row) {
  if (row.value != "null") return row;
  if (row.key == "tolerances.absolute") row.value = "0.0001";
  if (row.key == "tolerances.relative") row.value = "0.001";
  return row;
}

}  // namespace

std::vector<ProtocolKey> protocol_of(const config::Study& study) {
  std::vector<ProtocolKey> rows{{"reference", json_text::dump(json(study.reference))},
                                {"reference_version", json_text::dump(json(study.reference_version))}};
  add_rows(study, config::protocol_keys(), "", rows);
  if (study.allocator != config::Study{}.allocator)
    rows.push_back({"allocator", json_text::dump(json(study.allocator))});
  std::sort(rows.begin(), rows.end(), [](const auto& one, const auto& other) { return one.key < other.key; });
  return rows;
}

std::optional<work::Rounds> rounds_of(const std::string& value_json) {
  const json value = json_text::parse(value_json);
  const auto number = [&](const char* key) {
    return value.is_object() && value.contains(key) && value[key].is_number() ? value[key].get<double>() : 0;
  };
  work::Rounds rounds;
  constexpr double kMost = 1000;
  if (number("min") < 1 || number("max") < number("min") || number("max") > kMost) return std::nullopt;
  rounds.min = static_cast<int>(number("min"));
  rounds.max = static_cast<int>(number("max"));
  if (number("margin_percent") > 0) rounds.margin_ratio = number("margin_percent") / 100;
  if (value.contains("until") && value["until"].is_string()) {
    rounds.until = work::parse_until(value["until"].get<std::string>()).value_or(work::Until::decided);
  }
  if (value.contains("over") && value["over"] == work::name(work::Over::models)) rounds.over = work::Over::models;
  return rounds;
}

std::string study_hash(const plan::Plan& plan) {
  const config::Study& study = plan.study;
  std::string content;
  for (const work::Cell& cell : plan.cells) content += cell.id + '\n';
  for (const ProtocolKey& row : protocol_of(study)) {
    const auto [key, value] = in_hashes(row);
    content += fmt::format("{}={}\n", key, value);
  }
  constexpr double kNanoseconds = 1e9;
  const work::Limits& given = study.limits;
  json limits{{"attempts", given.attempts},
              {"compile_timeout_s", static_cast<double>(given.timeouts.compile_ns) / kNanoseconds},
              {"memory_limit_bytes", given.memory_bytes ? json(*given.memory_bytes) : json(nullptr)},
              {"run_timeout_s", static_cast<double>(given.timeouts.run_ns) / kNanoseconds}};
  // The defaults are left out, so that the hashes of studies from before these keys stay as they were.
  const work::Disturbance usual;
  if (given.disturbance.max_wait_ratio != usual.max_wait_ratio) {
    limits["max_wait_ratio"] = given.disturbance.max_wait_ratio;
  }
  if (given.disturbance.attempts != usual.attempts) limits["disturbed_attempts"] = given.disturbance.attempts;
  return hash::sha256(content + json_text::dump(limits));
}

}  // namespace ngb::store
