// SPDX-License-Identifier: Apache-2.0
#include "report/write/parquet.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/json_text.h"
#include "base/python.h"
#include "report/write/csv.h"
#include "write_parquet.py.h"

namespace ngb::report {
namespace {

using nlohmann::json;

constexpr double kWholeNumbers = 9007199254740992;  // 2^53: a double holds every whole number up to it

enum class Content { text, whole, real };

// A document of ours has one section.
const std::vector<Row>& rows_of(const Document& document) { return document.table.sections.front().rows; }

Content content_of(const Document& document, std::size_t column) {
  const Kind kind = document.table.columns[column].kind;
  if (kind == Kind::text) return Content::text;
  bool is_whole = kind == Kind::count;
  for (const Row& row : rows_of(document)) {
    const Entry& entry = row.entries[column];
    if (entry.is_empty()) continue;
    const auto number = entry.number();
    if (!number) return Content::text;
    is_whole = is_whole && *number == std::trunc(*number) && std::abs(*number) <= kWholeNumbers;
  }
  return is_whole ? Content::whole : Content::real;
}

const char* type_of(Content content) {
  return content == Content::text ? "string" : content == Content::whole ? "int64" : "float64";
}

json value_of(const Entry& entry, Content content) {
  const auto number = entry.number();
  if (content == Content::text && number) return csv_field(entry.value);
  return content == Content::whole && number ? json(static_cast<std::int64_t>(*number)) : entry.value;
}

json parquet_columns(const Document& document) {
  json columns = json::array();
  for (std::size_t i = 0; i < document.table.columns.size(); ++i) {
    const std::string& name = document.table.columns[i].csv;
    if (name.empty()) continue;
    const Content content = content_of(document, i);
    json values = json::array();
    for (const Row& row : rows_of(document)) values.push_back(value_of(row.entries[i], content));
    columns.push_back({{"name", name}, {"type", type_of(content)}, {"values", std::move(values)}});
  }
  return columns;
}

}  // namespace

ngb::Status write_parquet(const ParquetWriter& writer, const std::string& made_by,
                          const std::vector<ParquetFile>& files) {
  json tables = json::array();
  std::vector<std::string> paths;
  for (const ParquetFile& each : files) {
    tables.push_back({{"name", each.table->name},
                      {"title", each.table->title},
                      {"remarks", each.table->remarks},
                      {"columns", parquet_columns(*each.table)}});
    paths.push_back(each.file.string());
  }
  const json wanted{{"made_by", made_by}, {"tables", std::move(tables)}};
  const Result<std::string> answer = python::ask({.interpreter = python::of_toolchain(writer.python, writer.site),
                                                  .program = kPython_write_parquet,
                                                  .arguments = std::move(paths),
                                                  .input = json_text::dump(wanted),
                                                  .site = writer.site});
  if (answer) return Done{};
  return fail("cannot write Parquet: " + answer.error().what, answer.error().where, answer.error().next);
}

}  // namespace ngb::report
