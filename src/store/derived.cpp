// SPDX-License-Identifier: Apache-2.0
#include "store/implementation.h"
#include "store/kept_values.h"
#include "store/rows.h"

namespace ngb::store {
namespace {

std::string select_derived() { return "SELECT cell_id, " + sql::names_of_columns<DerivedValue>() + " FROM derived"; }

// Returns the value of the row, which shares texts with `before`, if there is such a one.
DerivedValue value_in(const sql::Statement& row, const SharedText& cell_id, const DerivedValue* before) {
  DerivedValue value = sql::read_record<DerivedValue>(row, 1);
  value.cell_id = cell_id;
  if (before != nullptr) {
    if (value.metric == before->metric) value.metric = before->metric;
    if (value.reason == before->reason) value.reason = before->reason;
  }
  return value;
}

bool is_kept(sql::Database& database, const FamilyValues& values) {
  sql::Statement& row =
      database.kept("SELECT 1 FROM derived_family WHERE device = ? AND model_hash = ? AND made_of = ?");
  const sql::Resetting resetting(row);
  row.bind(values.family->device, values.family->model_hash, values.made_of);
  return row.step();
}

void load_family_values(sql::Database& database, FamilyValues& values) {
  static const std::string kSelect = select_derived() +
                                     " JOIN cell USING (cell_key) WHERE cell_key = ? "
                                     "ORDER BY derived.position";
  sql::Statement& row = database.kept(kSelect.c_str());
  const sql::Resetting resetting(row);
  for (const ValueFamily::Member& member : values.family->cells) {
    std::vector<DerivedValue> of_cell;
    const std::vector<DerivedValue> none;
    const std::vector<DerivedValue>& before = values.by_cell.empty() ? none : values.by_cell.back();
    row.bind(member.cell_key);
    while (row.step()) {
      const SharedText cell_id = of_cell.empty() ? SharedText(row.text(0)) : of_cell.front().cell_id;
      of_cell.push_back(value_in(row, cell_id, of_cell.size() < before.size() ? &before[of_cell.size()] : nullptr));
    }
    values.by_cell.push_back(std::move(of_cell));
  }
}

void save_family_values(sql::Database& database, const FamilyValues& values) {
  database
      .kept(
          "INSERT INTO derived_family VALUES (?, ?, ?) "
          "ON CONFLICT (device, model_hash) DO UPDATE SET made_of = excluded.made_of")
      .run(values.family->device, values.family->model_hash, values.made_of);
  sql::Statement& remove = database.kept("DELETE FROM derived WHERE cell_key = ?");
  for (std::size_t i = 0; i < values.by_cell.size(); ++i) {
    const std::int64_t cell_key = values.family->cells[i].cell_key;
    remove.run(cell_key);
    sql::insert(database, cell_key, values.by_cell[i]);
  }
}

}  // namespace

std::vector<DerivedValue> read_derived(const sql::Database& database) {
  std::vector<DerivedValue> values;
  values.reserve(static_cast<std::size_t>(database.integer("SELECT count(*) FROM derived")));
  sql::Statement row = database.statement(select_derived() +
                                          " CROSS JOIN cell USING (cell_key) "
                                          "ORDER BY derived.cell_key, derived.position");
  while (row.step()) values.push_back(value_in(row, row.text(0), nullptr));
  return values;
}

Result<bool> Store::keeps_derived() {
  return sql::guarded([&]() -> Result<bool> {
    return implementation_->database.integer("SELECT EXISTS (SELECT 1 FROM derived_family)") != 0;
  });
}

Status Store::load_derived(std::vector<FamilyValues>& families) {
  return sql::guarded([&]() -> Status {
    sql::Database& database = implementation_->database;
    return sql::in_one_state(database, [&]() -> Status {
      for (FamilyValues& each : families) each.by_cell.clear();
      if (!is_kept_by_ngb_only(database)) return Done{};
      for (FamilyValues& each : families) {
        if (is_kept(database, each)) load_family_values(database, each);
      }
      return Done{};
    });
  });
}

Status Store::save_derived(const FileState& state, const std::vector<FamilyValues>& families) {
  if (implementation_->database.is_in_transaction()) return Done{};  // no failure here may cost what was recorded
  return implementation_->changing([&]() -> Status {
    sql::Database& database = implementation_->database;
    if (!begin_keeping(database, state)) return Done{};
    for (const FamilyValues& each : families) save_family_values(database, each);
    database.commit();
    return Done{};
  });
}

}  // namespace ngb::store
