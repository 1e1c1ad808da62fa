// SPDX-License-Identifier: Apache-2.0
#include "report/show.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "base/text.h"
#include "metrics/metric.h"
#include "metrics/outcome.h"
#include "report/columns.h"
#include "report/table.h"
#include "report/text_width.h"
#include "report/values.h"
#include "report/words.h"

namespace ngb::report {
namespace {

using metrics::Metric;
using store::CellData;
using store::DerivedValue;

// Returns good or bad for a speed-up whose interval is wholly above or below 1.
Style style_of_value(const Metric& metric, const DerivedValue& value) {
  if (std::string_view(metric.name) != "speed_up_ratio" || !value.low || !value.high) return Style::plain;
  return *value.low > 1 ? Style::good : *value.high < 1 ? Style::bad : Style::plain;
}

TableCell number_cell(const Results& results, const CellData& cell, const NumberColumn& column) {
  const DerivedValue* value = results.values.find(cell.cell_id, column.metric->name);
  const Style style = value == nullptr ? Style::plain : style_of_value(*column.metric, *value);
  ShownNumber shown = shown_number(results, cell, column);
  return {std::move(shown.main), std::move(shown.tail), style};
}

// Collects the notes below the table, each once.
class Notes {
 public:
  void add_failure(const CellData& cell, const samples::ProcessResult& process) {
    const samples::Failure& failure = *process.failure;
    std::string note = failure.advice;
    if (!process.log_path.empty()) note += fmt::format("{}log: {}", note.empty() ? "" : "; ", process.log_path);
    if (note.empty()) return;
    failures_.push_back(
        text::visible(fmt::format("{}, batch {}, {}: {}", cell.model, cell.batch, compiler_of(cell), note)));
  }
  void add_flag(std::string_view flag) { flags_.insert(std::string(flag)); }

  void add_remarks(std::vector<std::string> remarks) { remarks_ = std::move(remarks); }

  [[nodiscard]] std::string text(const std::vector<std::string>& left_out, const std::string& counts,
                                 const ShowOptions& options) const {
    std::string text;
    for (const metrics::Flag& flag : metrics::flag_table()) {
      if (!flags_.contains(flag.name)) continue;
      text +=
          fmt::format("  {}  {}: {}\n", styled(flag.name, Style::notice, options.color), flag.threshold, flag.meaning);
    }
    constexpr std::size_t kMost = 10;
    for (std::size_t i = 0; i < std::min(kMost, failures_.size()); ++i) text += "  " + failures_[i] + '\n';
    if (failures_.size() > kMost) {
      text += fmt::format("  … and {} more failed cells: --json has them all\n", failures_.size() - kMost);
    }
    for (const std::string& remark : remarks_) text += "  " + remark + '\n';
    if (!left_out.empty()) {
      text += fmt::format("  Too wide for {} characters: {}; --all shows everything\n", options.width,
                          text::join(left_out, ", "));
    }
    return '\n' + text + (text.empty() ? "" : "\n") + counts + '\n';
  }

 private:
  std::set<std::string> flags_{};
  std::vector<std::string> failures_{};
  std::vector<std::string> remarks_{};
};

// Builds the table section by section.
class Builder {
 public:
  Builder(const Results& results, const ShowOptions& options)
      : results_(results),
        names_devices_(are_on_several_compute_devices(results.cells)),
        columns_(number_columns(options.all, results.cells)) {
    const std::string over = results.baseline.is_identity() ? "" : text::visible(results.baseline.words());
    table_.columns.push_back({"compiler", true, 0});
    for (const NumberColumn& column : columns_) {
      table_.columns.push_back({heading(column, over), false, std::max(0, column.metric->rank - 1)});
    }
    table_.columns.push_back({"flags", true, 0});
    std::vector<std::string> remarks = environment_remarks(results.differences);
    if (!results.allocator.empty()) remarks.push_back("allocator: " + text::visible(results.allocator));
    if (!results.cells.empty() && results.cells.front()->rounds) {
      remarks.push_back(rounds_remark(*results.cells.front()->rounds));
    }
    notes_.add_remarks(std::move(remarks));
  }

  // Adds a section with these cells; there is at least one.
  void add_section(const std::vector<const CellData*>& cells) {
    const CellData& first = *cells.front();
    const bool same_threads =
        std::all_of(cells.begin(), cells.end(), [&](const CellData* cell) { return cell->threads == first.threads; });
    const bool same_precision = std::all_of(cells.begin(), cells.end(),
                                            [&](const CellData* cell) { return cell->precision == first.precision; });
    const bool same_device = !names_devices_ || std::all_of(cells.begin(), cells.end(), [&](const CellData* cell) {
      return cell->compute_device.value == first.compute_device.value;
    });
    TableSection section;
    section.title = workload_of(first);
    if (same_threads) section.title += ", " + threads_of(first);
    if (same_precision) section.title += ", " + first.precision;
    if (same_device && names_devices_) section.title += ", " + compute_device_of(first);
    for (const CellData* cell : cells) {
      std::string label = compiler_of(*cell);
      if (!same_threads) label += ", " + threads_of(*cell);
      if (!same_precision) label += ", " + cell->precision;
      if (!same_device) label += ", " + compute_device_of(*cell);
      section.rows.push_back(row(*cell, std::move(label)));
    }
    table_.sections.push_back(std::move(section));
  }

  [[nodiscard]] const Table& table() const { return table_; }
  [[nodiscard]] const Notes& notes() const { return notes_; }
  [[nodiscard]] std::string counts() const {
    const auto [measured, partial, failed, disturbed, planned] = counts_;
    std::string text =
        fmt::format("{} cells: {} measured", measured + partial + failed + disturbed + planned, measured);
    if (partial > 0) text += fmt::format(", {} in part", partial);
    if (failed > 0) text += fmt::format(", {} failed", failed);
    if (disturbed > 0) text += fmt::format(", {} disturbed", disturbed);
    if (planned > 0) text += fmt::format(", {} not measured yet", planned);
    if (disturbed > 0) {
      text += "\nTo measure disturbed cells again on a quieter machine: ngb resume RESULTS --retry-failed";
    }
    return text;
  }

 private:
  TableRow row(const CellData& cell, std::string label) {
    const Status status = status_of(cell);
    ++counts_[static_cast<std::size_t>(status)];
    TableRow row;
    row.cells.push_back({std::move(label), "", Style::plain});
    if (status != Status::measured && status != Status::partial) {
      row.rest = TableCell{why_no_numbers(cell), "", status == Status::planned ? Style::plain : Style::bad};
      if (status != Status::planned) notes_.add_failure(cell, *metrics::decisive_failure(cell));
    } else {
      for (const NumberColumn& column : columns_) row.cells.push_back(number_cell(results_, cell, column));
      row.cells.push_back({flags_of(cell), "", Style::notice});
    }
    return row;
  }

  std::string flags_of(const CellData& cell) {
    std::vector<std::string> names;
    for (const Values::Raised& raised : results_.values.flags(cell.cell_id)) {
      notes_.add_flag(raised.flag);
      names.emplace_back(raised.flag);
    }
    return text::join(names, ", ");
  }

  const Results& results_;
  bool names_devices_;
  std::vector<NumberColumn> columns_;
  Table table_{};
  Notes notes_{};
  std::array<int, 5> counts_{};  // by Status
};

}  // namespace

std::string show_text(const Results& results, const ShowOptions& options) {
  Builder builder(results, options);
  std::vector<const CellData*> section;
  for (const CellData* cell : results.cells) {
    if (!section.empty() && !is_same_workload(*section.front(), *cell)) {
      builder.add_section(section);
      section.clear();
    }
    section.push_back(cell);
  }
  if (!section.empty()) builder.add_section(section);
  const Rendering rendering = render(builder.table(), options.all ? 0 : options.width, options.color);
  std::string text = rendering.text + builder.notes().text(rendering.left_out, builder.counts(), options);
  if (options.best) text += best_options_table(results.best_options, options.width, options.color);
  return text;
}

}  // namespace ngb::report
