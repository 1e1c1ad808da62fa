// SPDX-License-Identifier: Apache-2.0
#include "store/homes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <vector>

#include "base/environment.h"

namespace ngb::store {
namespace {

constexpr std::string_view kNotInNames = "/ \t\n\"'`:;,()[]{}<>|&";

bool is_within_path(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '/' || c == '.' || c == '_' || c == '-';
}

// Returns the length of the home folder that `path` begins with, or 0.
std::size_t home_at(std::string_view path, std::string_view own_home) {
  const auto ends_name = [&](std::size_t end) {
    return end >= path.size() || kNotInNames.find(path[end]) != std::string_view::npos;
  };
  for (const std::string_view whole : {own_home, std::string_view("/root")}) {
    if (whole.size() > 1 && path.starts_with(whole) && ends_name(whole.size())) return whole.size();
  }
  for (const std::string_view parent : {"/home/", "/Users/"}) {
    if (!path.starts_with(parent)) continue;
    const std::size_t end = std::min(path.find_first_of(kNotInNames, parent.size()), path.size());
    return end > parent.size() ? end : 0;
  }
  return 0;
}

void hide_homes_of_value(sqlite3_context* context, int /*count*/, sqlite3_value** values) {
  const auto* own_home = static_cast<const std::string*>(sqlite3_user_data(context));
  const auto* text = reinterpret_cast<const char*>(sqlite3_value_text(values[0]));
  if (text == nullptr) return sqlite3_result_null(context);
  const std::string hidden = without_homes({text, static_cast<std::size_t>(sqlite3_value_bytes(values[0]))}, *own_home);
  sqlite3_result_text64(context, hidden.data(), hidden.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
}

std::vector<std::string> first_column(const sql::Database& database, const std::string& query) {
  std::vector<std::string> values;
  sql::Statement row = database.statement(query);
  while (row.step()) values.push_back(row.text(0));
  return values;
}

}  // namespace

std::string without_homes(std::string_view text, std::string_view own_home) {
  std::string hidden;
  hidden.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const bool begins_path = text[at] == '/' && (at == 0 || !is_within_path(text[at - 1]));
    const std::size_t length = begins_path ? home_at(text.substr(at), own_home) : 0;
    hidden += length > 0 ? '~' : text[at];
    at += std::max<std::size_t>(length, 1);
  }
  return hidden;
}

void hide_homes(sql::Database& database) {
  std::string own_home = environment::variable("HOME");
  while (own_home.ends_with('/')) own_home.pop_back();
  sqlite3_create_function_v2(database.handle(), "hide_homes", 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY,
                             &own_home, hide_homes_of_value, nullptr, nullptr, nullptr);
  sql::Transaction transaction(database);
  for (const std::string& table : first_column(database, "SELECT name FROM sqlite_master WHERE type = 'table'")) {
    for (const std::string& column :
         first_column(database, fmt::format("SELECT name FROM pragma_table_info('{}') WHERE type = 'TEXT'", table))) {
      database.execute(fmt::format(
          R"(UPDATE "{0}" SET "{1}" = hide_homes("{1}") WHERE "{1}" LIKE '%/%' AND "{1}" <> hide_homes("{1}"))", table,
          column));
    }
  }
  transaction.commit();
  sqlite3_create_function_v2(database.handle(), "hide_homes", 1, SQLITE_UTF8, nullptr, nullptr, nullptr, nullptr,
                             nullptr);
}

}  // namespace ngb::store
