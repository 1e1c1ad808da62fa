// SPDX-License-Identifier: Apache-2.0
#include "store/implementation.h"

namespace ngb::store {
namespace {

// Reads name, unit, value, reason and is_identity from these columns on.
samples::EnvironmentEntry entry_of(const sql::Statement& row, int first) {
  const bool is_unknown = row.is_null(first + 2);
  return {row.text(first), row.text(first + 1),
          is_unknown ? Known<std::string>::unknown(row.text(first + 3)) : Known<std::string>::of(row.text(first + 2)),
          row.small(first + 4) != 0};
}

}  // namespace

Result<samples::Environment> Store::environment(const std::string& environment_hash) {
  return sql::guarded([&]() -> Result<samples::Environment> {
    samples::Environment environment;
    sql::Statement row = implementation_->database.statement(
        "SELECT name, unit, value, unknown_reason, is_identity FROM environment_entry WHERE environment_key = "
        "(SELECT max(environment_key) FROM environment WHERE environment_hash = ?) ORDER BY name");
    row.bind(environment_hash);
    while (row.step()) environment.entries.push_back(entry_of(row, 0));
    return environment;
  });
}

Result<std::vector<MeasuredEnvironment>> Store::measured_environments() {
  return sql::guarded([&]() -> Result<std::vector<MeasuredEnvironment>> {
    std::vector<MeasuredEnvironment> environments;
    sql::Statement row = implementation_->database.statement(
        "SELECT environment_key, device, name, unit, value, unknown_reason, is_identity FROM environment "
        "JOIN environment_entry USING (environment_key) WHERE environment_key IN "
        "(SELECT environment_key FROM process WHERE is_complete = 1) ORDER BY environment_key, name");
    std::int64_t last = 0;
    while (row.step()) {
      if (environments.empty() || last != row.integer(0)) environments.push_back({row.text(1), {}});
      last = row.integer(0);
      environments.back().environment.entries.push_back(entry_of(row, 2));
    }
    return environments;
  });
}

}  // namespace ngb::store
