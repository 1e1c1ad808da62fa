// SPDX-License-Identifier: Apache-2.0
// Records the environment in which a measurement was made. Results of environments with different hashes are not
// pooled.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "base/result.h"

namespace ngb::samples {

struct EnvironmentEntry {
  std::string name{};  // "cpu_model", "kernel", "boot_id", "governor", "memory_total", "affinity", "agent_version", …
  std::string unit{};  // "" for text
  Known<std::string> value{};
  bool is_identity = true;  // part of the hash; boot_id, for example, is not

  static constexpr auto fields(auto visit) {
    return visit(Field{"name", &EnvironmentEntry::name}, Field{"unit", &EnvironmentEntry::unit},
                 Field{"value", &EnvironmentEntry::value}, Field{"is_identity", &EnvironmentEntry::is_identity});
  }
};

struct Environment {
  std::vector<EnvironmentEntry> entries{};  // sorted by name

  // Returns the SHA-256 over the entries whose `is_identity` is true.
  [[nodiscard]] std::string hash() const;

  static constexpr const char* kType = "environment";
  static constexpr auto fields(auto visit) { return visit(Field{"entries", &Environment::entries}); }
};

}  // namespace ngb::samples
