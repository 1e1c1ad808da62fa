// SPDX-License-Identifier: Apache-2.0
// Tables VII and VIII: how the speed-up of a stack of blocks depends on its depth.
#include <fmt/format.h>

#include <map>
#include <set>
#include <utility>

#include "metrics/series/workload.h"
#include "paper/published.h"
#include "paper/tables/tables.h"

namespace ngb::paper::tables {
namespace {

constexpr const char* kSlope = "depth_slope_per_block";
constexpr const char* kRetention = "depth_retention_ratio";
constexpr const char* kNotPublished = "not in the published table";
constexpr const char* kFewProcesses = "not known with so few processes";
constexpr const char* kContradictionNote =
    "Contradicts the slope beside it: one of the two says that the speed-up grows with depth, the other that it falls.";

// Slope and retention at one batch size.
struct Point {
  Entry slope = empty_entry("not measured");
  Entry standard_error{};
  Entry retention = empty_entry("not measured");
  Entry low{};
  Entry high{};
};

struct DepthLine {
  std::string device{};
  std::string compiler{};
  std::string block{};  // the parameters that all stacks of the line share
  double width = 0;
  bool is_published = false;
  std::map<int, Point> points{};  // by batch size
};

// Returns a bound, which is missing with its number.
Entry beside(const std::optional<double>& value, const std::optional<double>& bound) {
  return value ? number_entry(bound, kFewProcesses) : Entry{};
}

// Collects values by line and batch size; lines appear in the order in which they were added.
class DepthLines {
 public:
  void add(const Input& input, const store::SeriesValue& value, const char* family) {
    const store::CellData* const cell = input.first_cell(value);
    if (cell == nullptr || cell->of.model.family != family) return;
    const auto block = metrics::series::block_of(*cell);
    if (!block || !block->width) return;
    Point& point =
        line_of({input.device(*cell), input.compiler(*cell), block->name_sans_width, *block->width, false, {}})
            .points[cell->of.model.key.batch];
    if (value.series == kSlope) {
      point.slope = number_entry(value.value, value.reason);
      point.standard_error = beside(value.value, value.standard_error);
    } else {
      point.retention = number_entry(value.value, value.reason);
      point.low = beside(value.value, value.low);
      point.high = beside(value.value, value.high);
    }
    blocks_.insert(block->name_sans_width);
  }

  void add_published(const PublishedTable& published, std::size_t row) {
    DepthLine& line = line_of({published_device(published.text(row, "device")),
                               published.text(row, "compiler"),
                               "",
                               published.number(row, "width"),
                               true,
                               {}});
    for (const int batch : {8, 16}) {
      const double slope = published.number(row, fmt::format("slope_b{}", batch));
      const double retention = published.number(row, fmt::format("retention_b{}", batch));
      Point& point = line.points[batch];
      point.slope = number_entry(slope, "");
      point.retention = number_entry(retention, "");
      for (Entry* const entry : {&point.standard_error, &point.low, &point.high}) *entry = empty_entry(kNotPublished);
      if (contradict(slope, retention)) point.retention.notes.emplace_back(kContradictionNote);
    }
  }

  [[nodiscard]] Document table() const {
    const bool names_blocks = blocks_.size() > 1;
    Document made;
    made.table.columns = {column("device", "device", Kind::text), column("compiler", "compiler", Kind::text)};
    if (names_blocks) made.table.columns.push_back(column("block", "block", Kind::text));
    made.table.columns.push_back(column("width", "width", Kind::count));
    std::set<int> batches;
    for (const DepthLine& line : lines_) {
      for (const auto& [batch, point] : line.points) batches.insert(batch);
    }
    for (const int batch : batches) add_columns(made, batch);
    for (const DepthLine& line : lines_) add_row(made, row_of(line, batches, names_blocks));
    return made;
  }

 private:
  DepthLine& line_of(DepthLine line) {
    const std::string key =
        fmt::format("{}\n{}\n{}\n{}\n{}", line.device, line.compiler, line.block, line.width, line.is_published);
    const auto [place, is_new] = places_.emplace(key, lines_.size());
    if (is_new) lines_.push_back(std::move(line));
    return lines_[place->second];
  }

  static void add_columns(Document& made, int batch) {
    const auto add = [&made](const std::string& name, std::string heading, Kind kind) {
      made.table.columns.push_back(column(name, std::move(heading), kind));
    };
    add(fmt::format("slope_b{}", batch), fmt::format("slope, batch {}", batch), Kind::number);
    add(fmt::format("slope_standard_error_b{}", batch), "", Kind::deviation);
    add(fmt::format("retention_b{}", batch), fmt::format("retention, batch {}", batch), Kind::number);
    add(fmt::format("retention_low_b{}", batch), "", Kind::low);
    add(fmt::format("retention_high_b{}", batch), "", Kind::high);
  }

  static Row row_of(const DepthLine& line, const std::set<int>& batches, bool names_blocks) {
    Row row{.entries = {text_entry(line.device), text_entry(line.compiler)},
            .note = line.is_published ? kPublishedNote : ""};
    if (names_blocks) row.entries.push_back(text_entry(line.block));
    row.entries.push_back(number_entry(line.width, ""));
    for (const int batch : batches) {
      const auto found = line.points.find(batch);
      Point point;
      if (found != line.points.end())
        point = found->second;
      else if (line.is_published)
        point.slope = point.retention = empty_entry(kNotPublished);
      for (Entry* const entry : {&point.slope, &point.standard_error, &point.retention, &point.low, &point.high}) {
        row.entries.push_back(std::move(*entry));
      }
    }
    return row;
  }

  std::vector<DepthLine> lines_{};
  std::map<std::string, std::size_t> places_{};  // in lines_
  std::set<std::string> blocks_{};
};

Document depth_table(const Input& input, const char* family, const PublishedTable& published) {
  DepthLines lines;
  for (const store::SeriesValue* value : input.results().series) {
    if (value->series == kSlope || value->series == kRetention) lines.add(input, *value, family);
  }
  for (std::size_t row = 0; row < published.size(); ++row) {
    if (input.shows_published(published_device(published.text(row, "device")))) lines.add_published(published, row);
  }
  Document made = lines.table();
  made.why_empty = fmt::format("these results have no {} at two depths beside the baseline", family);
  made.remarks.emplace_back(
      "Slope: of the speed-up, for each block; ± is its standard error. Retention: speed-up at the largest depth / "
      "speed-up at depth 1, with its 95 % interval.");
  return made;
}

}  // namespace

Document conv_depth(const Input& input) { return depth_table(input, kConvBlock, published_conv_depth()); }

Document mha_depth(const Input& input) { return depth_table(input, kMhaBlock, published_mha_depth()); }

}  // namespace ngb::paper::tables
