// SPDX-License-Identifier: Apache-2.0
#include "store/cell_row.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>

#include "store/load_process.h"
#include "work/json_bounds.h"

namespace ngb::store {
namespace {

constexpr int kMostInstances = 1024;  // as in a study

work::Options options_in(const sql::Database& database, const sql::Statement& row, int column) {
  const std::string text = name_in(database, row, column, kMostOptionsBytes);
  require_shallow(database, text);
  auto options = work::parse_options(text);
  if (!options) refuse_damaged(database, "the options of a cell are no JSON object: " + text.substr(0, 100));
  return *std::move(options);
}

// Returns nothing for "auto".
std::optional<int> in_flight_in(const sql::Database& database, const sql::Statement& row, int column) {
  const std::string text = name_in(database, row, column);
  if (text == "auto") return std::nullopt;
  int count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc() || end != text.data() + text.size() || count < 1) {
    refuse_damaged(database, fmt::format("a cell has {} inferences in flight", text.substr(0, 100)));
  }
  return count;
}

std::optional<std::uint64_t> count_in(const sql::Statement& row, int column) {
  if (row.integer(column) <= 0) return std::nullopt;
  return static_cast<std::uint64_t>(row.integer(column));
}

}  // namespace

const char* const kConfigurationColumns =
    "cell.device, model_hash, batch, label, family, parameters, ifnull(model_group, ''), ifnull(model_style, ''), "
    "model_size, raw_bytes, encoded_bytes, compiler, compiler_label, compiler_version, options_json, settings_json, "
    "in_flight, instances, threads, ifnull(threads_asked, ''), precision, load";
const int kConfigurationColumnCount = 22;

work::Configuration configuration_in(const sql::Database& database, const sql::Statement& row, int first) {
  int column = first;
  const auto name = [&] { return name_in(database, row, column++); };
  work::Configuration of;
  of.device = name();
  of.model.key.hash = name();
  of.model.key.batch = row.small(column++);
  of.model.label = name();
  of.model.family = name();
  of.model.parameters = count_in(row, column++);
  of.model.group = name();
  of.model.style = name();
  if (const int size = column++; !row.is_null(size)) of.model.size = row.small(size);
  of.model.raw_bytes = count_in(row, column++);
  of.model.encoded_bytes = count_in(row, column++);
  of.compiler.name = name();
  of.compiler.label = name();
  of.compiler.version = name();
  of.compiler.options = options_in(database, row, column++);
  of.compiler.settings = options_in(database, row, column++);
  of.compiler.in_flight = in_flight_in(database, row, column++);
  of.compiler.instances = row.small(column++);
  const int threads = column++;
  of.threads = row.is_null(threads) ? std::nullopt : std::optional(row.small(threads));
  of.compiler.threads = of.threads.value_or(of.compiler.threads);
  of.compiler.threads_asked = name();
  of.compiler.precision = name();
  of.load = name();
  const bool has_threads = of.threads ? *of.threads >= 1 : !of.compiler.threads_asked.empty();
  const bool has_instances = of.compiler.instances >= 1 && of.compiler.instances <= kMostInstances;
  if (of.model.key.batch < 1 || !has_threads || !has_instances) {
    refuse_damaged(database, fmt::format("a cell has batch {}, {} threads, {} instances", of.model.key.batch,
                                         of.threads_there(), of.compiler.instances));
  }
  return of;
}

std::string name_in(const sql::Database& database, const sql::Statement& row, int column, std::size_t most_bytes) {
  std::string text = row.text(column);
  if (text.size() <= most_bytes) return text;
  refuse_damaged(database, fmt::format("a cell has a text of {} bytes, more than a study can say", text.size()));
}

void require_shallow(const sql::Database& database, const std::string& text) {
  constexpr work::JsonBounds kBounds{1'000'000, 100'000, 1'000'000, 64};
  if (Status shallow = work::check_bounds(text, kBounds); !shallow) refuse_damaged(database, shallow.error().what);
}

}  // namespace ngb::store
