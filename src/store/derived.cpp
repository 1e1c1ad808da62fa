// SPDX-License-Identifier: Apache-2.0
#include "store/implementation.h"
#include "store/kept_values.h"

namespace ngb::store {

std::vector<DerivedValue> read_derived(const sql::Database& database) {
  std::vector<DerivedValue> values;
  values.reserve(static_cast<std::size_t>(database.integer("SELECT count(*) FROM derived")));
  sql::Statement row = database.statement(
      "SELECT cell_id, metric, value, low, high, reason FROM derived JOIN cell USING (cell_key) ORDER BY position");
  const auto real = [&row](int column) {
    return row.is_null(column) ? std::nullopt : std::optional<double>(row.real(column));
  };
  while (row.step()) values.push_back({row.text(0), row.text(1), real(2), real(3), real(4), row.text(5)});
  return values;
}

Result<std::optional<std::vector<DerivedValue>>> Store::load_derived(std::int64_t revision,
                                                                     const std::string& made_by) {
  using Values = std::optional<std::vector<DerivedValue>>;
  return sql::guarded([&]() -> Result<Values> {
    const sql::Database& database = implementation_->database;
    const std::optional<std::int64_t> counter = database.change_counter();
    if (!counter) return Values{};
    sql::Statement state =
        database.statement("SELECT 1 FROM derived_state WHERE revision = ? AND made_by = ? AND change_counter = ?");
    state.bind(revision, made_by, *counter);
    if (!state.step()) return Values{};
    state.reset();
    return Values(read_derived(database));
  });
}

Status Store::save_derived(std::int64_t revision, const std::vector<DerivedValue>& values, const std::string& made_by) {
  if (const Status flushed = flush(); !flushed) return flushed;
  return implementation_->changing([&]() -> Status {
    sql::Database& database = implementation_->database;
    database.begin();
    const std::optional<std::int64_t> counter = database.change_counter();
    if (!counter || database.integer("SELECT revision FROM revision") != revision) {
      database.roll_back();
      return Done{};
    }
    database.execute("DELETE FROM derived; DELETE FROM derived_state");
    sql::Statement& insert = database.kept(
        "INSERT INTO derived (cell_key, metric, value, low, high, reason) "
        "SELECT cell_key, ?2, ?3, ?4, ?5, ?6 FROM cell WHERE cell_id = ?1");
    for (const DerivedValue& value : values) {
      insert.run(value.cell_id, value.metric, value.value, value.low, value.high, value.reason);
    }
    database.kept("INSERT INTO derived_state VALUES (1, ?, ?, ?)")
        .run(revision, made_by, static_cast<std::int64_t>(static_cast<std::uint32_t>(*counter + 1)));  // by this commit
    database.execute("UPDATE series_state SET change_counter = change_counter + 1");  // this commit changes no result
    database.commit();
    return Done{};
  });
}

}  // namespace ngb::store
