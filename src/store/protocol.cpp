// SPDX-License-Identifier: Apache-2.0
#include "store/protocol.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <span>

#include "base/hash.h"
#include "config/keys/key.h"

namespace ngb::store {

using nlohmann::json;

namespace {

void add_rows(const config::Study& study, std::span<const config::Key> keys, const std::string& prefix,
              std::vector<ProtocolKey>& rows) {
  for (const config::Key& key : keys) {
    if (key.type == config::ValueType::section && !key.get) {
      add_rows(study, key.keys, prefix + key.name + ".", rows);
    } else {
      rows.push_back({prefix + key.name, config::value_of(study, key).dump()});
    }
  }
}

}  // namespace

std::vector<ProtocolKey> protocol_of(const config::Study& study) {
  std::vector<ProtocolKey> rows{{"reference", json(study.reference).dump()},
                                {"reference_version", json(study.reference_version).dump()}};
  add_rows(study, config::protocol_keys(), "", rows);
  std::sort(rows.begin(), rows.end(), [](const auto& one, const auto& other) { return one.key < other.key; });
  return rows;
}

std::string study_hash(const plan::Plan& plan) {
  const config::Study& study = plan.study;
  std::string content;
  for (const work::Cell& cell : plan.cells) content += cell.id + '\n';
  for (const ProtocolKey& row : protocol_of(study)) content += row.key + '=' + row.value + '\n';
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
  return hash::sha256(content + limits.dump());
}

}  // namespace ngb::store
