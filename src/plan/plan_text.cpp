// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <set>

#include "base/json_text.h"
#include "base/text.h"
#include "plan/plan.h"
#include "work/property.h"

namespace ngb::plan {
namespace {

using Row = std::vector<std::string>;

constexpr std::size_t kShownCells = 10;  // in brief
constexpr std::size_t kShownGroups = 5;
constexpr int kShownRounds = 2;

// Returns the number of characters, which is the width of most texts in a terminal.
std::size_t width(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

// Returns the rows as text with two blanks before each column. The columns in `right` are aligned to the right.
std::string aligned(const std::vector<Row>& rows, const std::vector<std::size_t>& right = {}) {
  std::vector<std::size_t> widths;
  for (const Row& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width(row[i]));
  }
  std::string out;
  for (const Row& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string padding(widths[i] - width(row[i]), ' ');
      const bool is_right = std::find(right.begin(), right.end(), i) != right.end();
      line += "  " + (is_right ? padding + row[i] : row[i] + padding);
    }
    out += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return out;
}

std::string settings_text(const Plan& plan, Extent extent) {
  std::vector<Row> rows;
  for (const config::KeyValue& each : config::key_values(plan.study)) {
    if (each.is_default && extent == Extent::brief) continue;
    rows.push_back({each.key, each.value, each.is_default ? "(default)" : ""});
  }
  return aligned(rows) + (extent == Extent::brief ? "  all others are at their defaults; --all shows them\n" : "");
}

std::string or_dash(const std::string& text) { return text.empty() ? "-" : text; }

// Takes the columns that say the same of every cell out of a table whose last columns are aligned as `right` says, and
// returns what they say: "device local, threads 1".
std::string take_common_columns(std::vector<Row>& rows, std::vector<std::size_t>& right) {
  std::vector<std::string> common;
  for (std::size_t i = rows.front().size(); rows.size() > 2 && i-- > 0;) {
    const bool is_common =
        std::all_of(rows.begin() + 2, rows.end(), [&](const Row& row) { return row[i] == rows[1][i]; });
    if (!is_common) continue;
    if (rows[1][i] != "-") common.insert(common.begin(), rows[0][i] + " " + rows[1][i]);
    for (Row& row : rows) row.erase(row.begin() + static_cast<std::ptrdiff_t>(i));
    std::erase(right, i);
    for (std::size_t& column : right) column -= column > i ? 1 : 0;
  }
  return text::join(common, ", ");
}

std::string cells_text(const Plan& plan, Extent extent) {
  std::vector<Row> rows{{"id", "device", "model", "batch", "compiler", "version", "threads", "options, settings"}};
  std::vector<std::size_t> right{3, 6};
  const bool has_loads = plan.loads.size() > 1 || !plan.loads.front().is_none();
  if (has_loads) rows.front().emplace_back("load");
  for (const work::Cell& cell : plan.cells) {
    const work::Model& model = plan.model_of(cell);
    const work::Compiler& compiler = plan.compiler_of(cell);
    rows.push_back({cell.id, cell.device, model.label, std::to_string(model.key.batch), compiler.label,
                    or_dash(compiler.version), asked_threads(compiler),
                    or_dash(words_of_options(plan.configuration_of(cell)))});
    if (has_loads) rows.back().push_back(plan.load_of(cell).name);
  }
  if (extent == Extent::all) return aligned(rows, right);
  for (Row& row : rows) row.erase(row.begin());  // the id
  for (std::size_t& column : right) --column;
  const std::string common = take_common_columns(rows, right);
  std::string below = common.empty() ? "" : "  all with " + common + "\n";
  if (rows.size() > kShownCells + 1) {
    below = fmt::format("  … and {} more; --all shows them\n", rows.size() - kShownCells - 1) + below;
    rows.resize(kShownCells + 1);
  }
  return aligned(rows, right) + below;
}

std::string group_text(const Plan& plan, const work::Group& group) {
  const work::Model& model = plan.model_of(group);
  std::vector<std::string> rounds;
  int shown = -1;
  for (const work::Step& step : group.steps) {
    if (step.process_index >= kShownRounds) break;
    const work::Load& load = plan.load_of(plan.cell_of(step));
    const std::string label =
        plan.compiler_of(plan.cell_of(step)).label + (load.is_none() ? "" : fmt::format(" ({})", load.name));
    if (step.process_index == shown) {
      rounds.back() += ", " + label;
    } else {
      rounds.push_back(label);
      shown = step.process_index;
    }
  }
  const char* const more = work::planned_processes(plan.study.protocol) > kShownRounds ? " | …" : "";
  return fmt::format("{} batch {} on {}: {}{}", model.label, model.key.batch, group.device, text::join(rounds, " | "),
                     more);
}

std::string order_text(const Plan& plan) {
  std::string out;
  for (std::size_t i = 0; i < std::min(plan.groups.size(), kShownGroups); ++i) {
    out += fmt::format("  {}. {}\n", i + 1, group_text(plan, plan.groups[i]));
  }
  if (plan.groups.size() > kShownGroups) out += fmt::format("  … and {} more\n", plan.groups.size() - kShownGroups);
  return out;
}

std::string counted(std::uint64_t count, const char* one, const char* many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

std::string rounds_text(const config::Study& study) {
  const work::Protocol& protocol = study.protocol;
  const std::string rounds =
      protocol.rounds ? fmt::format("{} to {} rounds, until it is decided,", protocol.rounds->min, protocol.rounds->max)
                      : counted(static_cast<std::uint64_t>(protocol.processes), "round", "rounds");
  if (study.order == work::Order::groups) return fmt::format("in each, {} of one process for every compiler", rounds);
  return fmt::format("{} over all of them, with one process for every compiler in each", rounds);
}

}  // namespace

std::string foreign_code(const Plan& plan) {
  std::set<std::string> files;
  for (const work::Model& model : plan.models) {
    if (model.is_module() && !model.path.empty()) files.insert(text::visible(model.path));
  }
  if (files.empty()) return {};
  const std::vector<std::string> names(files.begin(), files.end());
  return fmt::format("This study runs its author's code, on every device and with your rights: {} (docs/security.md)",
                     text::join(names, ", "));
}

std::string to_text(const Plan& plan, Extent extent) {
  const std::string code = foreign_code(plan);
  return fmt::format(
      "Study {} ({})\n{}\nSettings\n{}\nCells\n{}\nOrder of {}, one model at one batch size each, shuffled with seed "
      "{}; {}\n{}\n",
      plan.study.name, plan.study.path.string(), code.empty() ? code : code + "\n", settings_text(plan, extent),
      cells_text(plan, extent), counted(plan.groups.size(), "group", "groups"), plan.study.protocol.seed,
      rounds_text(plan.study), extent == Extent::all ? order_text(plan) : "");
}

}  // namespace ngb::plan
