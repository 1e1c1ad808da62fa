// SPDX-License-Identifier: Apache-2.0
#include "store/implementation.h"
#include "store/rows.h"

namespace ngb::store {

using Entry = samples::EnvironmentEntry;
Result<samples::Environment> Store::environment(const std::string& environment_hash) {
  return sql::guarded([&]() -> Result<samples::Environment> {
    samples::Environment environment;
    sql::Statement row = implementation_->database.statement(
        "SELECT " + sql::names_of_columns<Entry>() +
        " FROM environment_entry WHERE environment_key = "
        "(SELECT max(environment_key) FROM environment WHERE environment_hash = ?) ORDER BY name");
    row.bind(environment_hash);
    while (row.step()) environment.entries.push_back(sql::read_record<Entry>(row));
    return environment;
  });
}

Result<std::vector<MeasuredEnvironment>> Store::measured_environments() {
  return sql::guarded([&]() -> Result<std::vector<MeasuredEnvironment>> {
    std::vector<MeasuredEnvironment> environments;
    sql::Statement row = implementation_->database.statement(
        "SELECT environment_key, device, " + sql::names_of_columns<Entry>() +
        " FROM environment "
        "JOIN environment_entry USING (environment_key) WHERE environment_key IN "
        "(SELECT environment_key FROM process WHERE is_complete = 1) ORDER BY environment_key, name");
    std::int64_t last = 0;
    while (row.step()) {
      if (environments.empty() || last != row.integer(0)) environments.push_back({row.text(1), {}});
      last = row.integer(0);
      environments.back().environment.entries.push_back(sql::read_record<Entry>(row, 2));
    }
    return environments;
  });
}

}  // namespace ngb::store
