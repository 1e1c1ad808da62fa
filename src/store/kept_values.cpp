// SPDX-License-Identifier: Apache-2.0
#include "store/kept_values.h"

#include <algorithm>
#include <unordered_map>

#include "store/implementation.h"
#include "store/rows.h"

namespace ngb::store {
namespace {

// Loads all parts without their values; `place` maps a part's key to its index.
std::vector<SeriesPart> load_parts(const sql::Database& database,
                                   std::unordered_map<std::int64_t, std::size_t>& place) {
  std::vector<SeriesPart> parts;
  sql::Statement row = database.statement("SELECT part_key, part FROM series_part ORDER BY part_key");
  while (row.step()) {
    place.emplace(row.integer(0), parts.size());
    parts.push_back({row.text(1), {}, {}});
  }
  return parts;
}

void load_values(const sql::Database& database, const std::unordered_map<std::int64_t, std::size_t>& place,
                 std::vector<SeriesPart>& parts) {
  std::unordered_map<std::int64_t, std::vector<std::string>> cells;
  sql::Statement link = database.statement(
      "SELECT position, cell_id FROM series_cell JOIN cell USING (cell_key) ORDER BY position, cell_position");
  while (link.step()) cells[link.integer(0)].push_back(link.text(1));
  sql::Statement row = database.statement("SELECT part_key, position, " + sql::names_of_columns<SeriesValue>() +
                                          " FROM series ORDER BY position");
  while (row.step()) {
    const auto part = place.find(row.integer(0));
    if (part == place.end()) continue;
    SeriesValue& value = parts[part->second].values.emplace_back(sql::read_record<SeriesValue>(row, 2));
    value.cell_ids = std::move(cells[row.integer(1)]);
  }
}

void load_conclusions(const sql::Database& database, const std::unordered_map<std::int64_t, std::size_t>& place,
                      std::vector<SeriesPart>& parts) {
  sql::Statement row = database.statement("SELECT part_key, " + sql::names_of_columns<Conclusion>() +
                                          " FROM conclusion ORDER BY position");
  while (row.step()) {
    const auto part = place.find(row.integer(0));
    if (part == place.end()) continue;
    parts[part->second].conclusions.push_back(sql::read_record<Conclusion>(row, 1));
  }
}

void add_derived(sql::Database& database, const std::vector<DerivedValue>& values) {
  sql::Statement& cell = database.kept("SELECT cell_key FROM cell WHERE cell_id = ?");
  for (auto first = values.begin(); first != values.end();) {
    const auto end =
        std::find_if(first, values.end(), [&](const auto& each) { return each.cell_id != first->cell_id; });
    const sql::Resetting resetting(cell);
    cell.bind(first->cell_id.str());
    if (cell.step()) sql::insert(database, cell.integer(0), std::vector<DerivedValue>(first, end));
    first = end;
  }
}

void add_part(sql::Database& database, const SeriesPart& part) {
  database.kept("INSERT INTO series_part (part) VALUES (?)").run(part.part);
  const std::int64_t key = database.last_key();
  for (const SeriesValue& value : part.values) {
    sql::insert(database, key, value);
    const std::int64_t position = database.last_key();
    int cell_position = 0;
    for (const std::string& cell : value.cell_ids) {
      database.kept("INSERT INTO series_cell SELECT ?, ?, cell_key FROM cell WHERE cell_id = ?")
          .run(position, cell_position++, cell);
    }
  }
  for (const Conclusion& conclusion : part.conclusions) sql::insert(database, key, conclusion);
}

}  // namespace

std::vector<DerivedValue> read_derived(const sql::Database& database) {
  std::vector<DerivedValue> values;
  values.reserve(static_cast<std::size_t>(database.integer("SELECT count(*) FROM derived")));
  sql::Statement row = database.statement("SELECT cell_id, " + sql::names_of_columns<DerivedValue>() +
                                          " FROM derived CROSS JOIN cell USING (cell_key) "
                                          "ORDER BY derived.cell_key, derived.position");
  while (row.step()) {
    values.push_back(sql::read_record<DerivedValue>(row, 1));
    values.back().cell_id = row.text(0);
  }
  return values;
}

std::vector<SeriesPart> read_series(const sql::Database& database) {
  std::unordered_map<std::int64_t, std::size_t> place;
  std::vector<SeriesPart> parts = load_parts(database, place);
  load_values(database, place, parts);
  load_conclusions(database, place, parts);
  return parts;
}

// The tables are in the order in which rows may be removed: none that others refer to.
void remove_kept(sql::Database& database) {
  database.execute(
      "DELETE FROM derived; DELETE FROM conclusion; DELETE FROM series_cell; DELETE FROM series; "
      "DELETE FROM series_part");
}

Status Store::keep_values(std::int64_t revision, const std::vector<DerivedValue>& values,
                          const std::vector<SeriesPart>& parts) {
  if (implementation_->database.is_in_transaction()) return Done{};  // no failure here may cost what was recorded
  return implementation_->changing([&]() -> Status {
    sql::Database& database = implementation_->database;
    database.begin();
    if (database.integer("SELECT revision FROM revision") != revision) {
      database.roll_back();
      return Done{};
    }
    remove_kept(database);
    add_derived(database, values);
    for (const SeriesPart& part : parts) add_part(database, part);
    database.commit();
    implementation_->may_keep_values = true;
    return Done{};
  });
}

}  // namespace ngb::store
