// SPDX-License-Identifier: Apache-2.0
// Makes the sections on machines, compilers and method.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/text.h"
#include "metrics/metric.h"
#include "report/page/html_table.h"
#include "report/page/page_data.h"
#include "report/page/page_parts.h"
#include "report/page/untrusted.h"
#include "report/words.h"

namespace ngb::report::page {
namespace {

using store::CellData;
using Fields = std::vector<std::string>;

std::string environment_table(const Source& source, const std::string& device, const std::string& caption) {
  std::map<std::string, Fields> values;  // by entry, without repetitions
  for (const store::MeasuredEnvironment& each : *source.environments) {
    if (each.device != device) continue;
    for (const samples::EnvironmentEntry& entry : each.environment.entries) {
      std::string value = entry.value.value ? *entry.value.value + (entry.unit.empty() ? "" : " " + entry.unit)
                                            : "unknown: " + entry.value.reason;
      Fields& known = values[entry.name];
      if (std::find(known.begin(), known.end(), value) == known.end()) known.push_back(std::move(value));
    }
  }
  if (values.empty())
    return fmt::format("<p>{}: no process has completed, so nothing is known.</p>\n", escaped(caption));
  std::vector<Fields> rows;
  for (const auto& [entry, known] : values) rows.push_back({entry, text::join(known, "; ")});
  return fmt::format("<details><summary>{}</summary>{}</details>\n", escaped(caption),
                     html_table(caption, {"entry", "value"}, rows));
}

std::vector<Fields> compiler_rows(std::span<const Source> sources) {
  std::set<Fields> seen;
  std::vector<Fields> rows;
  for (const Source& source : sources) {
    for (const CellData* cell : source.results->cells) {
      Fields row{cell->compiler,    cell->compiler_label, cell->compiler_version,  cell->options,
                 threads_of(*cell), cell->precision,      compute_device_of(*cell)};
      if (seen.insert(row).second) rows.push_back(std::move(row));
    }
  }
  return rows;
}

}  // namespace

std::string environments(std::span<const Source> sources, const Labels& labels) {
  std::string html;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    std::set<std::string> devices;
    for (const CellData* cell : sources[i].results->cells) devices.insert(cell->device);
    for (const std::string& device : devices) {
      const std::string caption = fmt::format("Environment of {}, results in {}", plain(device), labels.source(i));
      html += environment_table(sources[i], device, caption);
    }
  }
  return html + html_table("Compilers",
                           {"compiler", "name in the study", "version", "options", "threads", "precision", "ran on"},
                           compiler_rows(sources));
}

std::string method(std::span<const Source> sources, const Labels& labels) {
  std::string html;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    std::vector<Fields> rows{{"study", sources[i].study}, {"baseline", sources[i].results->baseline.words()}};
    for (const auto& [key, value] : sources[i].protocol) rows.push_back({key, value});
    html += html_table("Protocol of " + labels.source(i), {"key", "value"}, rows);
  }
  std::vector<Fields> formulas;
  for (const metrics::Metric* metric : shown_metrics(sources)) {
    formulas.push_back({metric->heading, metric->name, metric->unit, metric->formula, metric->source});
  }
  html += "<details><summary>Every metric, its formula and source</summary>" +
          html_table("Metrics", {"heading", "name", "unit", "formula", "source"}, formulas) + "</details>\n<dl>\n";
  for (const metrics::Flag& flag : metrics::flag_table()) {
    html +=
        fmt::format("<dt id=\"flag-{0}\"><span class=\"flag\">{0}</span></dt><dd>Raised if: {1}. It means: {2}.</dd>\n",
                    escaped(flag.name), escaped(flag.threshold), escaped(flag.meaning));
  }
  return html + "</dl>\n";
}

}  // namespace ngb::report::page
