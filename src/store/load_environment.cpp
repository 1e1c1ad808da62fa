// SPDX-License-Identifier: Apache-2.0
#include "store/implementation.h"

namespace ngb::store {

Result<samples::Environment> Store::environment(const std::string& environment_hash) {
  return sql::guarded([&]() -> Result<samples::Environment> {
    samples::Environment environment;
    sql::Statement row = implementation_->database.statement(
        "SELECT name, unit, value, unknown_reason, is_identity FROM environment_entry WHERE environment_key = "
        "(SELECT max(environment_key) FROM environment WHERE environment_hash = ?) ORDER BY name");
    row.bind(environment_hash);
    while (row.step()) {
      using Text = Known<std::string>;
      environment.entries.push_back({row.text(0), row.text(1),
                                     row.is_null(2) ? Text::unknown(row.text(3)) : Text::of(row.text(2)),
                                     row.small(4) != 0});
    }
    return environment;
  });
}

}  // namespace ngb::store
