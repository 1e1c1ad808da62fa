// SPDX-License-Identifier: Apache-2.0
// Makes the part on what variants of a model gain and cost.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "report/columns.h"
#include "report/page/html.h"
#include "report/page/page_parts.h"

namespace ngb::report::page {
namespace {

using store::CellData;

// The cells of a device, an exact model and a batch size, with those of its variants.
struct Plane {
  std::string title{};
  std::vector<const CellData*> cells{};
};

std::vector<Plane> planes_of(const Content& content, const Labels& labels) {
  std::map<std::string, std::size_t> known;
  std::vector<Plane> planes;
  for (const CellData* cell : content.results->cells) {
    const std::string device = labels.device(*cell);
    const std::string key = fmt::format("{}\n{}\n{}", device, cell->of.model.workload_hash(), cell->of.model.key.batch);
    const auto [place, is_new] = known.emplace(key, planes.size());
    if (is_new) planes.emplace_back();
    Plane& plane = planes[place->second];
    plane.cells.push_back(cell);
    if (!cell->of.model.is_variant()) continue;
    plane.title = fmt::format("{}, batch {}, on {}", cell->of.model.variant_of, cell->of.model.key.batch, device);
  }
  std::erase_if(planes, [](const Plane& plane) { return plane.title.empty(); });
  return planes;
}

std::string text_of_metric(const Results& results, const CellData& cell, const metrics::Metric& metric) {
  const Shown shown = shown_entry(value_entry(results, cell, metric), metric.unit);
  return shown.main + shown.tail;
}

std::string table_of_plane(const Plane& plane, const Results& results, const Labels& labels) {
  const std::vector<const metrics::Metric*> numbers{metrics::find_metric("shipped_size_bytes"),
                                                    metrics::find_metric("agreement_ratio"),
                                                    metrics::find_metric("sqnr_db"),
                                                    metrics::find_metric("latency_p50_s"),
                                                    metrics::find_metric("speed_up_ratio"),
                                                    metrics::find_metric("speed_up_over_exact_ratio")};
  std::vector<std::string> columns{"model", "compiler"};
  for (const metrics::Metric* metric : numbers) columns.push_back(heading({metric}, ""));
  columns.emplace_back("why there is no number");
  std::vector<std::vector<std::string>> rows;
  for (const CellData* cell : plane.cells) {
    std::vector<std::string>& row = rows.emplace_back();
    row = {cell->of.model.label, labels.compiler(*cell)};
    for (const metrics::Metric* metric : numbers) row.push_back(text_of_metric(results, *cell, *metric));
    row.push_back(why_no_numbers(*cell));
  }
  return html_table(plane.title, columns, rows);
}

}  // namespace

Part variants(const Content& content, const Figures& figures, const Labels& labels) {
  const std::vector<Plane> planes = planes_of(content, labels);
  if (planes.empty()) return {};
  std::string html = figure_called(figures, kFigureOfVariants);
  for (const Plane& plane : planes) html += table_of_plane(plane, *content.results, labels);
  return {"variants", "Variants", counted(planes.size(), "exact model"), html};
}

}  // namespace ngb::report::page
