// SPDX-License-Identifier: Apache-2.0
// The rows of the paper's figure 1: the throughput of two models with two pairs of device and compiler, of which one
// model is faster with one pair and the other with the other.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "base/text.h"
#include "paper/figures/published_rows.h"
#include "paper/figures/rows.h"
#include "report/series/series.h"

namespace ngb::paper::figures {
namespace {

using store::CellData;

constexpr const char* kNumber = "throughput_per_s";

// Two cells of each side; the first side's first model is the faster one.
struct Pair {
  std::vector<const CellData*> cells{};
  double least = 0;  // the smaller one of the two |log ratio|: how far both orders are from a tie
};

// Returns nothing if it is of compilers or batch sizes, or a cell is not selected.
std::optional<Pair> pair_of(const Selection& selection, const metrics::series::KeptReversal& reversal) {
  if (reversal.ranked != "models" || reversal.between != "device_compilers") return std::nullopt;
  Pair pair{.cells = {}, .least = HUGE_VAL};
  for (const metrics::series::KeptSide& side : reversal.sides) {
    if (!side.value) return std::nullopt;
    pair.least = std::min(pair.least, std::abs(std::log(*side.value)));
    for (const std::string& id : side.cell_ids) pair.cells.push_back(selection.find(id));
  }
  const bool is_whole =
      pair.cells.size() == 4 && std::find(pair.cells.begin(), pair.cells.end(), nullptr) == pair.cells.end();
  return is_whole ? std::optional(pair) : std::nullopt;
}

Row row_of_bar(const std::string& panel, const std::string& side, const std::string& model) {
  return {{"panel", panel}, {"column", ""}, {"side", side}, {"model", model}};
}

// Adds the clearest reversal of each two places.
void add_own(const Selection& selection, std::vector<Row>& rows) {
  std::map<std::pair<std::string, std::string>, Pair> clearest;
  for (const metrics::series::KeptReversal& reversal : report::conclusions_in(selection.results()).reversals) {
    const auto pair = pair_of(selection, reversal);
    if (!pair) continue;
    Pair& known = clearest[{place_in_figure(selection, *pair->cells[0]), place_in_figure(selection, *pair->cells[2])}];
    if (known.least < pair->least) known = *pair;
  }
  std::set<std::string> panels;
  for (const auto& [places, pair] : clearest) {
    std::string panel = fmt::format("{} and {}, batch {}", text::visible(pair.cells[0]->of.model.label),
                                    text::visible(pair.cells[1]->of.model.label), pair.cells[0]->of.model.key.batch);
    if (!panels.insert(panel).second) panel += fmt::format(", {} and {}", places.first, places.second);
    for (const CellData* cell : pair.cells) {
      Row row = row_of_bar(panel, fmt::format("{}, {}", selection.compiler(*cell), place_in_figure(selection, *cell)),
                           text::visible(cell->of.model.label));
      row["device"] = selection.device(*cell);
      row["batch"] = cell->of.model.key.batch;
      row["compiler"] = selection.compiler(*cell);
      add_number(row, kNumber, number_of(selection, *cell, kNumber), state_of(*cell));
      rows.push_back(std::move(row));
    }
  }
}

// Adds, for each device, the two families that a compiler reverses most clearly against Identity.
void add_published(const Selection& selection, std::vector<Row>& rows) {
  const std::vector<PublishedNumber> numbers = published_numbers(selection);
  using OneCompiler = std::tuple<std::string, std::string, std::string>;  // device, batch sizes, compiler
  std::map<OneCompiler, std::vector<const PublishedNumber*>> by_compiler;
  for (const PublishedNumber& each : numbers) {
    by_compiler[{each.device, each.batch_sizes, each.compiler}].push_back(&each);
  }
  struct Found {
    std::vector<const PublishedNumber*> bars{};
    double least = 0;
  };
  std::map<std::string, Found> clearest;
  for (const auto& [place, families] : by_compiler) {
    for (std::size_t i = 0; i < families.size(); ++i) {
      for (std::size_t j = 0; j < families.size(); ++j) {
        const PublishedNumber& a = *families[i];
        const PublishedNumber& b = *families[j];
        const double before = std::log(a.identity_per_s / b.identity_per_s);
        const double after = std::log(a.throughput_per_s / b.throughput_per_s);
        Found& known = clearest[a.device];
        if (before <= 0 || after >= 0 || std::min(before, -after) <= known.least) continue;
        known = {{&a, &b}, std::min(before, -after)};
      }
    }
  }
  for (const auto& [device, found] : clearest) {
    if (found.bars.empty()) continue;
    const std::string panel = fmt::format("{} and {}, batch {}, {}", found.bars[0]->family, found.bars[1]->family,
                                          found.bars[0]->batch_sizes, device);
    for (const bool is_identity : {true, false}) {
      for (const PublishedNumber* number : found.bars) {
        const std::string compiler = is_identity ? published_compiler("Identity") : number->compiler;
        Row row = row_of_bar(panel, compiler, number->family);
        row["device"] = device;
        row["batch"] = number->batch;
        row["compiler"] = compiler;
        add_number(row, kNumber, {is_identity ? number->identity_per_s : number->throughput_per_s, {}, {}, ""},
                   {"published", ""});
        rows.push_back(std::move(row));
      }
    }
  }
}

}  // namespace

Rows figure1(const Selection& selection) {
  std::vector<Row> rows;
  add_own(selection, rows);
  add_published(selection, rows);
  return rows_with(std::move(rows), kNumber, "no order of two models is told to be reversed by device and compiler");
}

}  // namespace ngb::paper::figures
