// SPDX-License-Identifier: Apache-2.0
// Makes the sections on machines, compilers and method.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/text.h"
#include "method.html.h"
#include "metrics/metric.h"
#include "report/columns.h"
#include "report/page/html.h"
#include "report/page/page_data.h"
#include "report/page/page_parts.h"
#include "report/words.h"

namespace ngb::report::page {
namespace {

using store::CellData;
using Fields = std::vector<std::string>;

std::string environment_table(const Content& content, const std::string& device) {
  const std::string caption = "Environment of " + text::visible(device);
  std::map<std::string, Fields> values;  // by entry, without repetitions
  for (const store::MeasuredEnvironment& each : *content.environments) {
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

bool is_raised(const Results& results, const metrics::Flag& flag) {
  return std::ranges::any_of(results.cells, [&](const CellData* cell) {
    const auto raised = results.numbers.flags(*cell);
    return std::ranges::find(raised, &flag, &metrics::RaisedFlag::flag) != raised.end();
  });
}

}  // namespace

Part environments(const Content& content) {
  std::set<std::string> devices;
  for (const CellData* cell : content.results->cells) devices.insert(cell->of.device);
  std::string html;
  for (const std::string& device : devices) html += environment_table(content, device);
  const auto properties = compiler_properties(content.results->cells);
  Fields columns;
  for (const work::Property* each : properties) columns.emplace_back(each->heading);
  columns.emplace_back("ran on");
  const std::vector<Fields> rows = settings_of_compilers(content.results->cells, properties, compute_device_of);
  return {"machines", "Machines and compilers",
          fmt::format("{}, {}", counted(devices.size(), "device"), counted(rows.size(), "setting")),
          html + html_table("Compilers", columns, rows)};
}

Part method(const Content& content) {
  std::vector<Fields> protocol{{"study", content.study}, {"baseline", content.results->baseline.words()}};
  for (const auto& [key, value] : content.protocol) {
    if (value != "null") protocol.push_back({key, value});
  }
  std::string html = kText_method_html + html_table("Protocol", {"key", "value"}, protocol);
  std::vector<Fields> formulas;
  for (const metrics::Metric* metric : shown_metrics(content)) {
    formulas.push_back({metric->heading, metric->name, metric->unit, metric->formula, metric->source});
  }
  html += "<details><summary>Every metric, its formula and source</summary>" +
          html_table("Metrics", {"heading", "name", "unit", "formula", "source"}, formulas) + "</details>\n<dl>\n";
  for (const metrics::Flag& flag : metrics::flag_table()) {
    if (!is_raised(*content.results, flag)) continue;
    html +=
        fmt::format("<dt id=\"flag-{0}\"><span class=\"flag\">{0}</span></dt><dd>Raised if: {1}. It means: {2}.</dd>\n",
                    escaped(flag.name), prose(flag.threshold), prose(flag.meaning));
  }
  return {"method", "Method", fmt::format("protocol, {}", counted(formulas.size(), "formula")), html + "</dl>\n"};
}

}  // namespace ngb::report::page
