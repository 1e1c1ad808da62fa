// SPDX-License-Identifier: Apache-2.0
// Keeps the numbers that span cells.
#include <set>
#include <unordered_map>

#include "store/implementation.h"
#include "store/kept_values.h"
#include "store/rows.h"
#include "work/json_bounds.h"

namespace ngb::store {
namespace {

// Loads all parts without their values; `place` maps a part's key to its index.
std::vector<SeriesPart> load_parts(const sql::Database& database,
                                   std::unordered_map<std::int64_t, std::size_t>& place) {
  std::vector<SeriesPart> parts;
  sql::Statement row = database.statement("SELECT part_key, part, made_of FROM series_part ORDER BY part_key");
  while (row.step()) {
    place.emplace(row.integer(0), parts.size());
    parts.push_back({row.text(1), row.text(2), {}, {}});
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
    // JSON that is nested deeper than ours could exhaust the stack of whoever reads it.
    constexpr work::JsonBounds kBounds{100'000'000, 10'000'000, 10'000'000, 16};
    const Conclusion& conclusion = parts[part->second].conclusions.emplace_back(sql::read_record<Conclusion>(row, 1));
    if (const Status shallow = work::check_bounds(conclusion.json, kBounds); !shallow) {
      row.refuse(shallow.error().what);
    }
  }
}

void remove_part(sql::Database& database, std::int64_t key) {
  database.kept("DELETE FROM series_cell WHERE position IN (SELECT position FROM series WHERE part_key = ?)").run(key);
  database.kept("DELETE FROM series WHERE part_key = ?").run(key);
  database.kept("DELETE FROM conclusion WHERE part_key = ?").run(key);
  database.kept("DELETE FROM series_part WHERE part_key = ?").run(key);
}

void add_part(sql::Database& database, const SeriesPart& part) {
  database.kept("INSERT INTO series_part (part, made_of) VALUES (?, ?)").run(part.part, part.made_of);
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

std::vector<SeriesPart> read_series(const sql::Database& database) {
  std::unordered_map<std::int64_t, std::size_t> place;
  std::vector<SeriesPart> parts = load_parts(database, place);
  load_values(database, place, parts);
  load_conclusions(database, place, parts);
  return parts;
}

Result<std::optional<std::vector<SeriesPart>>> Store::load_series() {
  using Parts = std::optional<std::vector<SeriesPart>>;
  return sql::guarded([&]() -> Result<Parts> {
    sql::Database& database = implementation_->database;
    return sql::in_one_state(database,
                             [&] { return is_kept_by_ngb_only(database) ? Parts(read_series(database)) : Parts{}; });
  });
}

Status Store::save_series(const FileState& state, const std::vector<SeriesPart>& changed,
                          const std::vector<std::string>& names) {
  if (const Status flushed = flush(); !flushed) return flushed;
  return implementation_->changing([&]() -> Status {
    sql::Database& database = implementation_->database;
    if (!begin_keeping(database, state)) return Done{};
    const std::set<std::string> known(names.begin(), names.end());
    std::set<std::string> replaced;
    for (const SeriesPart& part : changed) replaced.insert(part.part);
    std::vector<std::int64_t> old;
    sql::Statement& row = database.kept("SELECT part_key, part FROM series_part");
    while (row.step()) {
      if (!known.contains(row.text(1)) || replaced.contains(row.text(1))) old.push_back(row.integer(0));
    }
    for (const std::int64_t key : old) remove_part(database, key);
    for (const SeriesPart& part : changed) add_part(database, part);
    database.commit();
    return Done{};
  });
}

}  // namespace ngb::store
