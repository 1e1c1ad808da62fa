// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/text.h"
#include "metrics/metric.h"
#include "metrics/outcome.h"
#include "report/columns.h"
#include "report/page/html.h"
#include "report/page/page_parts.h"
#include "report/words.h"

namespace ngb::report::page {
namespace {

using store::CellData;

bool has_numbers(const CellData& cell) {
  const Status status = status_of(cell);
  return status == Status::measured || status == Status::partial;
}

// A column of the table.
struct CellColumn {
  NumberColumn numbers{};
  std::string only_reason{};  // why there is no number, if that is the same for all cells without one; it is told once
};

std::string only_reason(const Results& results, const NumberColumn& column) {
  std::string reason;
  for (const CellData* cell : results.cells) {
    if (!has_numbers(*cell)) continue;
    const metrics::Number number = results.numbers.of(*cell, column.metric->name);
    if (number.value) continue;
    if (!reason.empty() && reason != number.reason) return "";
    reason = number.reason;
  }
  return reason;
}

std::string number_html(const Results& results, const CellData& cell, const CellColumn& column) {
  const Entry entry = metric_entry(results, cell, column.numbers);
  const Shown shown = shown_entry(entry, column.numbers.metric->unit);
  const std::string reason = results.numbers.of(cell, column.numbers.metric->name).reason;
  const bool has_reason = !reason.empty() && reason != column.only_reason;
  const std::string title = has_reason ? fmt::format(" title=\"{}\"", escaped(reason)) : "";
  const char* const tone = entry.style == Style::good ? " good" : entry.style == Style::bad ? " bad" : "";
  const std::string tail = shown.tail.empty() ? "" : fmt::format("<small>{}</small>", escaped(shown.tail));
  return fmt::format("<td class=\"n{}\"{}>{}{}", tone, title, escaped(shown.main), tail);
}

std::string flag_links(const Results& results, const CellData& cell) {
  std::string html;
  for (const metrics::RaisedFlag& raised : results.numbers.flags(cell)) {
    html += fmt::format("<a class=\"flag\" href=\"#flag-{0}\" title=\"{1}: {2}\">{0}</a> ", raised.flag->name,
                        escaped(raised.flag->threshold), escaped(raised.flag->meaning));
  }
  return html;
}

std::string why_html(const CellData& cell) {
  std::string html = prose(why_no_numbers(cell));
  const samples::ProcessResult* process = metrics::decisive_failure(cell);
  if (process == nullptr) return html;
  if (!process->failure->advice.empty()) html += fmt::format("<br><b>{}</b>", prose(process->failure->advice));
  if (!process->log_path.empty()) html += fmt::format("<br><small>log: {}</small>", escaped(process->log_path));
  return html;
}

// By which `ngb export` is told the cell, if there is a number to reach (use.js).
std::string id_of(const CellData& cell) {
  constexpr std::size_t kDigits = 8;
  return has_numbers(cell) ? fmt::format(" data-id=\"{}\"", cell.cell_id.substr(0, kDigits)) : "";
}

// A row has no closing tags that HTML does without: in a large page they are a twentieth of its weight.
class TableWriter {
 public:
  TableWriter(const Content& content, const Labels& labels)
      : results_(*content.results), name_(content.name), labels_(labels) {
    for (const NumberColumn& numbers : number_columns(false, results_.cells)) {
      columns_.push_back({numbers, only_reason(results_, numbers)});
    }
  }

  std::string write() {
    const std::string over = results_.baseline.is_identity() ? "" : results_.baseline.words();
    std::string html = fmt::format(
        "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"Cells of {0}\">"
        "<table class=\"cells\"><caption>{0}</caption><thead><tr>"
        "<th scope=\"col\">compiler</th>",
        escaped(name_));
    for (const CellColumn& column : columns_) {
      html += fmt::format("<th scope=\"col\" class=\"n\">{}</th>", escaped(heading(column.numbers, over)));
    }
    html += "<th scope=\"col\">flags</th></tr></thead>\n";
    const CellData* last = nullptr;
    for (const CellData* cell : results_.cells) {
      if (last == nullptr || !is_same_workload_on_device(*last, *cell)) html += section(*cell, last == nullptr);
      html += row(*cell);
      last = cell;
    }
    html += last == nullptr ? "</table></div>\n" : "</tbody></table></div>\n";
    for (const CellColumn& column : columns_) {
      if (column.only_reason.empty()) continue;
      html +=
          fmt::format("<p>{}: –, where {}.</p>\n", escaped(heading(column.numbers, over)), prose(column.only_reason));
    }
    for (const auto& [remark, count] : remarks_) {
      html += fmt::format("<p>{} {}: {}.</p>\n", count, count == 1 ? "cell" : "cells", prose(remark));
    }
    return html;
  }

 private:
  [[nodiscard]] std::string section(const CellData& cell, bool is_first) const {
    const std::string title = fmt::format("{}, batch {}, on {}", text::visible(cell.of.model.label),
                                          cell.of.model.key.batch, labels_.device(cell));
    return fmt::format(
        "{}<tbody><tr class=\"workload\"><th colspan=\"{}\" scope=\"rowgroup\"><span>{}</span></th></tr>\n",
        is_first ? "" : "</tbody>\n", columns_.size() + 2, escaped(title));
  }

  std::string row(const CellData& cell) {
    std::string html = fmt::format("<tr data-cell=\"{}\"{} class=\"{}\"><th scope=\"row\">{}", next_cell_++,
                                   id_of(cell), name(status_of(cell)), escaped(labels_.compiler(cell)));
    if (has_numbers(cell)) {
      for (const CellColumn& column : columns_) html += number_html(results_, cell, column);
      html += "<td>" + flag_links(results_, cell);
      for (const std::string& remark : cell_remarks(cell)) ++remarks_[remark];
    } else {
      html += fmt::format("<td colspan=\"{}\">{}<td>{}", columns_.size(), why_html(cell), flag_links(results_, cell));
    }
    return html + '\n';
  }

  const Results& results_;
  const std::string& name_;
  const Labels& labels_;
  std::size_t next_cell_ = 0;
  std::vector<CellColumn> columns_{};
  std::map<std::string, int> remarks_{};  // how many cells have each of cell_remarks
};

}  // namespace

std::string cell_table(const Content& content, const Labels& labels) { return TableWriter(content, labels).write(); }

}  // namespace ngb::report::page
