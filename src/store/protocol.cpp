// SPDX-License-Identifier: Apache-2.0
#include "store/protocol.h"

#include <nlohmann/json.hpp>

#include "base/hash.h"

namespace ngb::store {

using nlohmann::json;

std::vector<ProtocolKey> protocol_of(const config::Study& study) {
  json stop_when = nullptr;
  if (study.stop_when) {
    stop_when = {{"half_width_percent", study.stop_when->half_width_percent},
                 {"max_repetitions", study.stop_when->max_repetitions},
                 {"max_s", study.stop_when->max_s},
                 {"min_repetitions", study.stop_when->min_repetitions}};
  }
  return {{"max_transient_s", json(study.max_transient_s).dump()},
          {"min_repetition_ms", json(study.min_repetition_ms).dump()},
          {"processes", json(study.processes).dump()},
          {"reference", json(study.reference).dump()},
          {"reference_version", json(study.reference_version).dump()},
          {"repetitions", json(study.repetitions).dump()},
          {"seed", json(study.seed).dump()},
          {"stop_when", stop_when.dump()},
          {"tolerances.absolute", json(study.absolute_tolerance).dump()},
          {"tolerances.relative", json(study.relative_tolerance).dump()},
          {"warm_up", study.warm_up ? json(*study.warm_up).dump() : "\"auto\""}};
}

std::string study_hash(const plan::Plan& plan) {
  const config::Study& study = plan.study;
  std::string content;
  for (const plan::Cell& cell : plan.cells) content += cell.id + '\n';
  for (const ProtocolKey& row : protocol_of(study)) content += row.key + '=' + row.value + '\n';
  const json limits{{"attempts", study.attempts},
                    {"compile_timeout_s", study.compile_timeout_s},
                    {"memory_limit_bytes", study.memory_limit_bytes ? json(*study.memory_limit_bytes) : json(nullptr)},
                    {"run_timeout_s", study.run_timeout_s}};
  return hash::sha256(content + limits.dump());
}

}  // namespace ngb::store
