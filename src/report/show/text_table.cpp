// SPDX-License-Identifier: Apache-2.0
#include "report/show/text_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/text.h"
#include "metrics/metric.h"
#include "metrics/outcome.h"
#include "report/best_options.h"
#include "report/words.h"
#include "report/write/text_width.h"

namespace ngb::report {
namespace {

using store::CellData;

constexpr std::size_t kMostFailures = 10;  // notes

// Columns that somebody asked for by name are never left out.
std::vector<Column> columns_of(const std::vector<NumberColumn>& numbers, const metrics::Baseline& baseline,
                               bool are_named) {
  const std::string over = baseline.is_identity() ? "" : text::visible(baseline.words());
  std::vector<Column> columns{text_column("compiler")};
  for (const NumberColumn& column : numbers) {
    columns.push_back(described(column, over));
    if (are_named) columns.back().rank = 0;
  }
  columns.push_back(text_column("flags"));
  return columns;
}

template <class Same>
bool are_alike(std::span<const CellData* const> cells, const Same& same) {
  return std::all_of(cells.begin(), cells.end(), [&](const CellData* cell) { return same(*cell, *cells.front()); });
}

// Returns whether both cells are of one exact model, or of variants of it, with equal batch size, device and load.
bool is_same_network(const CellData& a, const CellData& b) {
  return a.of.device == b.of.device && a.of.model.workload_hash() == b.of.model.workload_hash() &&
         a.of.model.key.batch == b.of.model.key.batch && a.of.load == b.of.load;
}

// Returns the cells (as indices) of each section: those of a workload, or, with variants, also those of the variants of
// its model, which may stand elsewhere.
std::vector<std::vector<std::size_t>> sections_of(std::span<const CellData* const> cells, bool with_variants) {
  std::vector<std::vector<std::size_t>> sections;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const auto is_its = [&](const std::vector<std::size_t>& section) {
      return is_same_network(*cells[section.front()], *cells[i]);
    };
    auto section = std::find_if(with_variants ? sections.begin() : sections.end(), sections.end(), is_its);
    const bool continues = !sections.empty() && is_same_workload_on_device(*cells[sections.back().front()], *cells[i]);
    if (continues && !with_variants) section = std::prev(sections.end());
    if (section == sections.end()) section = sections.insert(sections.end(), std::vector<std::size_t>());
    section->push_back(i);
  }
  return sections;
}

}  // namespace

TextTable::TextTable(const ShowOptions& options, const metrics::Baseline& baseline)
    : options_(options),
      columns_(options.columns.empty() ? number_columns(options.all, ColumnsInUse{true, true, true, true})
                                       : options.columns),
      described_(columns_of(columns_, baseline, !options.columns.empty())),
      layout_(described_) {}

void TextTable::add(const Results& results) {
  for (const std::vector<std::size_t>& section : sections_of(results.cells, !options_.columns.empty())) {
    std::vector<const CellData*> cells;
    for (const std::size_t i : section) cells.push_back(results.cells[i]);
    add_section(results, cells);
  }
  if (!options_.best) return;
  for (Section& section : best_options_sections(results.best_options)) best_options_.push_back(std::move(section));
}

void TextTable::add_section(const Results& results, std::span<const CellData* const> cells) {
  const CellData& first = *cells.front();
  const bool same_threads =
      are_alike(cells, [](const CellData& a, const CellData& b) { return a.of.threads == b.of.threads; });
  const bool same_precision = are_alike(
      cells, [](const CellData& a, const CellData& b) { return a.of.compiler.precision == b.of.compiler.precision; });
  const bool same_device = are_alike(cells, [](const CellData& a, const CellData& b) {
    return a.of.compute_device.value == b.of.compute_device.value;
  });
  DeviceSection section;
  std::string title = workload_on_device(first);
  const bool same_model = are_alike(cells, is_same_workload_on_device);
  if (first.of.model.is_variant() && same_model) title += ", variant of " + first.of.model.variant_of;
  if (same_threads) title += ", " + threads_of(first);
  if (same_precision) title += ", " + first.of.compiler.precision;
  section.title = text::visible(title);
  if (same_device) section.device = compute_device_of(first);
  for (const CellData* const each : cells) {
    const CellData& cell = *each;
    std::string label = compiler_of(cell);
    if (!same_threads) label += ", " + threads_of(cell);
    const bool has_precision = label.find(cell.of.compiler.precision) != std::string::npos;
    if (!same_precision && !has_precision) label += ", " + cell.of.compiler.precision;
    if (!same_model && cell.of.model.is_variant()) label += ", " + cell.of.model.label;
    section.rows.push_back(
        text_row_of(results, cell, std::move(label), same_device ? std::string() : compute_device_of(cell)));
    names_identity_ = names_identity_ || metrics::is_called_identity(cell);
    if (cell.of.compute_device.value) compute_devices_.insert(*cell.of.compute_device.value);
    columns_in_use_ = columns_in_use_ | columns_in_use(cell);
  }
  if (options_.peak_of) section.below = shares_of_reading(results, cells);
  if (!rounds_) rounds_ = first.rounds;
  sections_.push_back(std::move(section));
}

// Returns "of what this machine reads in a step: onnxruntime 83 %, openvino 81 %"; "" if no cell generates tokens. Why
// a share is not known becomes a remark.
std::string TextTable::shares_of_reading(const Results& results, std::span<const CellData* const> cells) {
  std::vector<std::string> shares;
  for (const CellData* const cell : cells) {
    const metrics::Number bytes = results.numbers.of(*cell, "bytes_per_token");
    const metrics::Number step_s = results.numbers.of(*cell, "time_per_token_s");
    if (!bytes.value || !step_s.value) continue;
    const metrics::Value share =
        metrics::bandwidth_share({.value = bytes.value}, {.value = step_s.value}, options_.peak_of(*cell));
    if (share.value)
      shares.push_back(fmt::format("{} {:.0f} %", text::visible(compiler_of(*cell)), 100 * *share.value));
    else
      ++remarks_["share of what this machine reads: " + text::visible(share.reason)];
  }
  return shares.empty() ? "" : "of what this machine reads in a step: " + text::join(shares, ", ");
}

TextTable::DeviceRow TextTable::text_row_of(const Results& results, const CellData& cell, std::string label,
                                            std::string device) {
  const Status status = status_of(cell);
  ++counts_[static_cast<std::size_t>(status)];
  Row row;
  if (status != Status::measured && status != Status::partial) {
    row.entries.push_back({.value = std::move(label)});
    row.rest = Entry{.value = why_no_numbers(cell), .style = status == Status::planned ? Style::plain : Style::bad};
    if (status != Status::planned) add_failure(cell);
  } else {
    row = number_row(results, cell, std::move(label));
    for (const std::string& remark : cell_remarks(cell)) ++remarks_[text::visible(remark)];
    const metrics::Number speed = results.numbers.of(cell, "throughput_per_s");
    if (!speed.value) ++remarks_["no samples/s: " + text::visible(speed.reason)];
    row.entries.push_back({.value = flags_of(results, cell), .style = Style::notice});
  }
  TextRow shown = text_row(described_, row);
  layout_.add(shown);
  const int with_device = width_of(shown.fields.front().main) + (device.empty() ? 0 : width_of(", " + device));
  widest_label_with_device_ = std::max(widest_label_with_device_, with_device);
  return {std::move(shown), std::move(device)};
}

// Returns the row without flags.
Row TextTable::number_row(const Results& results, const CellData& cell, std::string label) const {
  Row row;
  row.entries.reserve(columns_.size() + 2);
  row.entries.push_back({.value = std::move(label)});
  for (const NumberColumn& column : columns_) row.entries.push_back(metric_entry(results, cell, column));
  return row;
}

// Returns "u i", the marks of what casts doubt on the number; with options.notes the names of all flags.
std::string TextTable::flags_of(const Results& results, const CellData& cell) {
  std::vector<std::string> words;
  for (const auto& [flag, value] : results.numbers.flags(cell)) {
    ++flags_[flag->name];
    if (options_.notes) words.push_back(flag->shows_value ? fmt::format("{} {:.3g}", flag->name, value) : flag->name);
    if (!options_.notes && flag->casts_doubt()) words.emplace_back(1, flag->mark);
  }
  return text::join(words, options_.notes ? ", " : " ");
}

// Returns the lines that explain flags: the marks in one, the others counted in another; with options.notes one for
// each.
std::string TextTable::explanation_of_flags() const {
  std::string text;
  std::vector<std::string> marks;
  std::vector<std::string> counted;
  int count = 0;
  for (const metrics::Flag& flag : metrics::flag_table()) {
    const auto raised = flags_.find(flag.name);
    if (raised == flags_.end()) continue;
    if (options_.notes) {
      text +=
          fmt::format("  {}  {}: {}\n", styled(flag.name, Style::notice, options_.color), flag.threshold, flag.meaning);
    } else if (flag.casts_doubt()) {
      marks.push_back(fmt::format("{} {} ({})", styled(std::string(1, flag.mark), Style::notice, options_.color),
                                  flag.name, flag.threshold));
    } else {
      counted.push_back(fmt::format("{} {}", flag.name, raised->second));
      count += raised->second;
    }
  }
  if (!marks.empty()) text += "  " + text::join(marks, "; ") + ": ngb show --notes says what to do\n";
  if (count > 0) {
    text += fmt::format("  {} note{}: {}: ngb show --notes\n", count, count == 1 ? "" : "s", text::join(counted, ", "));
  }
  return text;
}

void TextTable::add_failure(const CellData& cell) {
  const samples::ProcessResult& process = *metrics::decisive_failure(cell);
  std::string note = process.failure->advice;
  if (!process.log_path.empty()) note += fmt::format("{}log: {}", note.empty() ? "" : "; ", process.log_path);
  if (note.empty()) return;
  ++failure_count_;
  if (failures_.size() == kMostFailures) return;
  failures_.push_back(text::visible(
      fmt::format("{}, batch {}, {}: {}", cell.of.model.label, cell.of.model.key.batch, compiler_of(cell), note)));
}

void TextTable::print(const std::vector<EnvironmentDifference>& differences, const std::string& allocator,
                      const Print& print) const {
  const bool names_devices = compute_devices_.size() > 1;
  TextLayout layout = layout_;
  if (names_devices) layout.widen(0, widest_label_with_device_);
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const bool is_superfluous =
        !is_about(*columns_[i].metric, columns_in_use_) && !options_.all && options_.columns.empty();
    if (is_superfluous) layout.leave_out(i + 1);
  }
  const int width = options_.all ? 0 : options_.width;
  const std::vector<std::string> left_out = layout.fit(width);
  print(layout.header(options_.color));
  for (const DeviceSection& section : sections_) {
    const bool has_device = names_devices && !section.device.empty();
    const std::string title = has_device ? section.title + ", " + section.device : section.title;
    print('\n' + styled(title, Style::heading, options_.color) + '\n');
    for (const auto& [row, device] : section.rows) {
      if (!names_devices || device.empty()) {
        print(layout.line(row, width, options_.color));
      } else {
        TextRow with_device = row;
        with_device.fields.front().main += ", " + device;
        print(layout.line(with_device, width, options_.color));
      }
    }
    if (!section.below.empty()) print(wrapped("  " + section.below + '\n', options_.wrap));
  }
  print(notes(left_out, differences, allocator));
  if (options_.best) print(best_options_table(best_options_, options_.width, options_.color));
}

std::string TextTable::notes(const std::vector<std::string>& left_out,
                             const std::vector<EnvironmentDifference>& differences,
                             const std::string& allocator) const {
  std::string text = explanation_of_flags();
  if (names_identity_) text += "  identity is PyTorch eager\n";
  for (const std::string& note : failures_) text += "  " + note + '\n';
  if (failure_count_ > failures_.size()) {
    const std::size_t more = failure_count_ - failures_.size();
    text += fmt::format("  … and {} more failed {}: --json has them all\n", more, more == 1 ? "cell" : "cells");
  }
  const int with_numbers = counts_[0] + counts_[1];  // measured, whole and in part
  for (const auto& [remark, count] : remarks_) {
    const bool is_of_all = remarks_.size() == 1 || count == with_numbers;
    text += is_of_all ? fmt::format("  {}\n", remark)
                      : fmt::format("  {} {}: {}\n", count, count == 1 ? "cell" : "cells", remark);
  }
  std::vector<std::string> remarks = environment_remarks(differences);
  if (allocator.empty()) remarks.emplace_back("allocator: default");
  if (rounds_) remarks.push_back(rounds_remark(*rounds_));
  for (const std::string& remark : remarks) text += "  " + remark + '\n';
  if (!left_out.empty()) {
    text += fmt::format("  Too wide for {} characters: {}; --all shows everything\n", options_.width,
                        text::join(left_out, ", "));
  }
  return wrapped('\n' + text + (text.empty() ? "" : "\n") + counts() + '\n', options_.wrap);
}

std::string TextTable::counts() const {
  const auto [measured, partial, failed, disturbed, planned] = counts_;
  const int all = measured + partial + failed + disturbed + planned;
  std::string text = fmt::format("{} {}: {} measured", all, all == 1 ? "cell" : "cells", measured);
  if (partial > 0) text += fmt::format(", {} in part", partial);
  if (failed > 0) text += fmt::format(", {} failed", failed);
  if (disturbed > 0) text += fmt::format(", {} disturbed", disturbed);
  if (planned > 0) text += fmt::format(", {} not measured yet", planned);
  if (disturbed > 0) {
    text += "\nTo measure disturbed cells again, on a quieter machine, run the same study again.";
  }
  return text;
}

}  // namespace ngb::report
