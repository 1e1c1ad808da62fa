// SPDX-License-Identifier: Apache-2.0
#include "report/page/page_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <vector>

#include "report/columns.h"
#include "report/page/html.h"
#include "report/write/numbers.h"

namespace ngb::report::page {
namespace {

using store::CellData;

constexpr double kPlaneWidth = 860;  // of a picture, in its own units
constexpr double kPlaneHeight = 320;
constexpr std::size_t kPlaneColours = 10;  // of the page
constexpr double kPlaneLeft = 60;
constexpr double kPlaneBottom = 44;
constexpr double kPlaneMargin = 22;
constexpr double kPlaneKey = 220;  // right of it: the compilers' names

struct PlanePoint {
  const CellData* cell = nullptr;
  double agreement = 1;
  double speed_up = 1;
  std::size_t colour = 0;    // of its compiler
  bool is_on_front = false;  // no other is at least as good in both, and better in one
};

// The cells of a device, an exact model and a batch size, with those of its variants.
struct Plane {
  std::string title{};
  std::vector<const CellData*> cells{};
  std::vector<PlanePoint> points{};
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

void add_points(Plane& plane, const Results& results, const Labels& labels) {
  std::map<std::string, std::size_t> colours;
  for (const CellData* cell : plane.cells) {
    const std::size_t colour = colours.emplace(labels.compiler(*cell), colours.size()).first->second;
    const auto speed_up = results.numbers.of(*cell, "speed_up_ratio").value;
    const auto agreement =
        cell->of.model.is_variant() ? results.numbers.of(*cell, "agreement_ratio").value : std::optional(1.0);
    if (speed_up && agreement) plane.points.push_back({cell, *agreement, *speed_up, colour});
  }
  for (PlanePoint& point : plane.points) {
    point.is_on_front = std::none_of(plane.points.begin(), plane.points.end(), [&](const PlanePoint& other) {
      return other.agreement >= point.agreement && other.speed_up >= point.speed_up &&
             (other.agreement > point.agreement || other.speed_up > point.speed_up);
    });
  }
}

// Where values are in the picture: agreement is linear and ends at 1, speed-up is logarithmic.
class Axes {
 public:
  explicit Axes(const std::vector<PlanePoint>& points) {
    for (const PlanePoint& point : points) {
      least_agreement_ = std::min(least_agreement_, point.agreement);
      low_ = std::min(low_, point.speed_up);
      high_ = std::max(high_, point.speed_up);
    }
    constexpr double kLeastSpan = 0.01;
    least_agreement_ = std::min(least_agreement_ - (1 - least_agreement_) * 0.1, 1 - kLeastSpan);
    low_ /= 1.15;
    high_ *= 1.15;
  }
  [[nodiscard]] double x(double agreement) const {
    return kPlaneLeft +
           (kPlaneWidth - kPlaneLeft - kPlaneKey) * (agreement - least_agreement_) / (1 - least_agreement_);
  }
  [[nodiscard]] double y(double speed_up) const {
    return kPlaneMargin +
           (kPlaneHeight - kPlaneMargin - kPlaneBottom) * (1 - std::log(speed_up / low_) / std::log(high_ / low_));
  }
  [[nodiscard]] double least_agreement() const { return least_agreement_; }
  [[nodiscard]] double low() const { return low_; }
  [[nodiscard]] double high() const { return high_; }

 private:
  double least_agreement_ = 1;
  double low_ = 1;
  double high_ = 1;
};

std::string words_on_plane(double x, double y, const char* anchor, const std::string& words) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n", x, y, anchor, escaped(words));
}

std::string grid_of(const Axes& axes) {
  constexpr int kLines = 4;
  std::string marks;
  for (int i = 0; i <= kLines; ++i) {
    const double share = static_cast<double>(i) / kLines;
    const double agreement = axes.least_agreement() + (1 - axes.least_agreement()) * share;
    const double speed_up = axes.low() * std::pow(axes.high() / axes.low(), share);
    marks += fmt::format("<line x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1:.1f}\" y2=\"{2:.1f}\" class=\"axis\"/>\n",
                         axes.x(agreement), kPlaneMargin, kPlaneHeight - kPlaneBottom);
    marks +=
        words_on_plane(axes.x(agreement), kPlaneHeight - kPlaneBottom + 14, "middle", fmt::format("{:.3g}", agreement));
    marks += fmt::format("<line x1=\"{1:.1f}\" x2=\"{2:.1f}\" y1=\"{0:.1f}\" y2=\"{0:.1f}\" class=\"axis\"/>\n",
                         axes.y(speed_up), kPlaneLeft, kPlaneWidth - kPlaneKey);
    marks += words_on_plane(kPlaneLeft - 6, axes.y(speed_up) + 4, "end", fmt::format("{:.3g}", speed_up));
  }
  marks += words_on_plane((kPlaneLeft + kPlaneWidth - kPlaneKey) / 2, kPlaneHeight - 8, "middle",
                          "agreement with the exact model");
  return marks + words_on_plane(4, 12, "start", "speed-up over the exact model's baseline");
}

std::string front_of(std::vector<PlanePoint> points, const Axes& axes) {
  std::erase_if(points, [](const PlanePoint& point) { return !point.is_on_front; });
  std::sort(points.begin(), points.end(),
            [](const PlanePoint& a, const PlanePoint& b) { return a.agreement < b.agreement; });
  std::string path;
  for (const PlanePoint& point : points) {
    path += fmt::format("{}{:.1f},{:.1f}", path.empty() ? "M" : "L", axes.x(point.agreement), axes.y(point.speed_up));
  }
  return points.size() < 2 ? "" : fmt::format("<path d=\"{}\" class=\"one\" fill=\"none\"/>\n", path);
}

std::string mark_on_plane(const PlanePoint& point, const Axes& axes, const Labels& labels) {
  const std::string words = fmt::format("{}, {}: agreement {:.4g}, speed-up {:.3g}{}", point.cell->of.model.label,
                                        labels.compiler(*point.cell), point.agreement, point.speed_up,
                                        point.is_on_front ? ", on the front" : "");
  const double x = axes.x(point.agreement);
  const double y = axes.y(point.speed_up);
  const std::string look = fmt::format("mark bar c{}", point.colour % kPlaneColours);
  const std::string shape =
      point.cell->of.model.is_variant()
          ? fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"5\" class=\"{}\"/>", x, y, look)
          : fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"8\" height=\"8\" class=\"{}\"/>", x - 4, y - 4, look);
  return fmt::format("<g tabindex=\"0\" role=\"img\" aria-label=\"{0}\"><title>{0}</title>{1}</g>\n", escaped(words),
                     shape);
}

// Names the compilers of the colours.
std::string key_of(const Plane& plane, const Labels& labels) {
  constexpr double kLine = 18;
  std::map<std::size_t, std::string> names;
  for (const PlanePoint& point : plane.points) names.emplace(point.colour, labels.compiler(*point.cell));
  std::string marks;
  double y = kPlaneMargin + kLine;
  for (const auto& [colour, name] : names) {
    const double x = kPlaneWidth - kPlaneKey + kPlaneMargin;
    marks += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"5\" class=\"mark bar c{}\"/>", x, y - 4,
                         colour % kPlaneColours);
    marks += words_on_plane(x + 10, y, "start", name);
    y += kLine;
  }
  return marks;
}

std::string picture_of(const Plane& plane, const Labels& labels) {
  const Axes axes(plane.points);
  std::string marks = grid_of(axes) + front_of(plane.points, axes) + key_of(plane, labels);
  for (const PlanePoint& point : plane.points) marks += mark_on_plane(point, axes, labels);
  return fmt::format(
      "<figure><figcaption>{0}</figcaption><svg width=\"{1}\" viewBox=\"0 0 {1} {2}\" role=\"group\" "
      "aria-label=\"{0}\">\n{3}</svg></figure>\n",
      escaped(plane.title), kPlaneWidth, kPlaneHeight, marks);
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
  columns.emplace_back("front");
  std::vector<std::vector<std::string>> rows;
  for (const CellData* cell : plane.cells) {
    std::vector<std::string>& row = rows.emplace_back();
    row = {cell->of.model.label, labels.compiler(*cell)};
    for (const metrics::Metric* metric : numbers) row.push_back(text_of_metric(results, *cell, *metric));
    const auto point = std::find_if(plane.points.begin(), plane.points.end(),
                                    [&](const PlanePoint& each) { return each.cell == cell; });
    row.push_back(point == plane.points.end() ? why_no_numbers(*cell) : point->is_on_front ? "yes" : "");
  }
  return html_table(plane.title, columns, rows);
}

}  // namespace

std::string variants(const Content& content, const Labels& labels) {
  std::vector<Plane> planes = planes_of(content, labels);
  if (planes.empty()) return {};
  std::string html =
      "\n<section id=\"variants\" aria-labelledby=\"variants-heading\"><h2 id=\"variants-heading\">Variants</h2>\n"
      "<p>A variant is a model made cheaper, whose outputs differ. Each mark is a setting: a square of the exact "
      "model, "
      "a circle of a variant, in the colour of its compiler. The dashed line joins those that no other beats in both "
      "speed and agreement.</p>\n";
  for (Plane& plane : planes) {
    add_points(plane, *content.results, labels);
    if (!plane.points.empty()) html += picture_of(plane, labels);
    html += table_of_plane(plane, *content.results, labels);
  }
  return html + "</section>";
}

}  // namespace ngb::report::page
