// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <functional>

#include "explain/depth.h"
#include "metrics/series/conclusions.h"
#include "report/explain/explain.h"
#include "report/write/numbers.h"

namespace ngb::report {
namespace {

using explain::DepthPoint;
using explain::Stack;
using nlohmann::json;

struct DepthColumn {
  Column column{};
  std::function<Entry(const Stack&, const DepthPoint&)> of{};
};

std::vector<DepthColumn> depth_columns() {
  std::vector<DepthColumn> columns;
  using At = const Stack&;
  using Of = const DepthPoint&;
  const auto add = [&columns](Column column, std::function<Entry(At, Of)> of) {
    columns.push_back({std::move(column), std::move(of)});
  };
  constexpr double kMicrosecond = 1e3;
  constexpr double kMillisecond = 1e6;
  add(named("stack", text_column("stack")), [](At stack, Of) { return Entry{stack.name}; });
  add(named("batch", number_column("batch", 4)), [](At stack, Of) { return Entry{stack.batch}; });
  add(named("device", text_column("device", 5)), [](At stack, Of) { return Entry{stack.device}; });
  add(named("compiler", text_column("compiler")), [](At stack, Of) { return Entry{stack.compiler}; });
  add(named("depth", number_column("depth")), [](At, Of point) { return Entry{point.depth}; });
  add(named("kernels", number_column("kernels")), [](At, Of point) { return Entry{point.kernels}; });
  add(number_column("kernels/block", 3, "ratio"),
      [](At, Of point) { return Entry{static_cast<double>(point.kernels) / point.depth}; });
  add(number_column("outside/block, µs [95 %]", 0, "µs"),
      [](At, Of point) { return contrast_entry(point.outside_ns_per_block(), kMicrosecond); });
  add(number_column("time/block, ms [95 %]", 0, "ms"),
      [](At, Of point) { return contrast_entry(point.plain_ns_per_block(), kMillisecond); });
  Column outside = data_column("outside_ns_per_block");
  outside.has_interval = true;
  add(outside, [](At, Of point) { return contrast_entry(point.outside_ns_per_block(), 1); });
  Column plain = data_column("plain_ns_per_block");
  plain.has_interval = true;
  add(plain, [](At, Of point) { return contrast_entry(point.plain_ns_per_block(), 1); });
  add(text_column("blocks in one kernel", 1), [](At, Of point) {
    return point.there == 0 ? Entry{} : Entry{fmt::format("{} of {}", point.fused, point.there)};
  });
  add(data_column("fused_blocks"), [](At, Of point) { return point.there == 0 ? Entry{} : Entry{point.fused}; });
  add(data_column("blocks_to_fuse"), [](At, Of point) { return Entry{point.there}; });
  add(named("kernels_across_blocks", number_column("kernels of several blocks", 2)),
      [](At, Of point) { return Entry{point.across_blocks}; });
  add(data_column("profiling_cost_ratio"), [](At, Of point) { return Entry{point.cost_ratio}; });
  add(data_column("processes"), [](At, Of point) { return Entry{point.plain_ns.size()}; });
  return columns;
}

// "The overhead of a block falls with depth: holds here, onnxruntime 1.31.1: 0.41 [0.39, 0.43]; …"
std::string sentence_of(const StackClaimRow& claim) {
  const metrics::series::ClaimRow& row = claim.row;
  std::string text = row.claim->sentence;
  if (text.ends_with('.')) text.pop_back();
  text += fmt::format(": {}", metrics::series::words(row.status));
  if (!row.compiler.empty()) text += fmt::format(", {}", row.compiler);
  if (row.value.value) {
    text += ": " + number(*row.value.value, "ratio");
    if (row.value.low && row.value.high) {
      text += fmt::format(" [{}, {}]", number_beside(*row.value.low, *row.value.value, "ratio"),
                          number_beside(*row.value.high, *row.value.value, "ratio"));
    }
  }
  if (!row.value.reason.empty()) text += fmt::format(" ({})", row.value.reason);
  if (!claim.numbers.empty()) text += "; " + claim.numbers;
  return text;
}

}  // namespace

Document depth_document(std::span<const ProfiledCell> cells, const Claims& claims) {
  Document document{
      .why_empty = "no stack of blocks has a profile: models with a parameter `depth`, such as conv_block",
      .table = {.row_word = "depth"},
      .json_rows = "rows",
      .extra = {{"claims", json::array()}},
      .command = "ngb explain --depth"};
  std::vector<const store::CellData*> all;
  for (const ProfiledCell& each : cells) all.push_back(each.cell);
  const std::vector<Stack> stacks = explain::stacks_of(all);
  const std::vector<DepthColumn> columns = depth_columns();
  for (const DepthColumn& each : columns) document.table.columns.push_back(each.column);
  Section section{.title = "stacks of blocks over their depth"};
  for (const Stack& stack : stacks) {
    for (const DepthPoint& point : stack.depths) {
      Row row;
      for (const DepthColumn& each : columns) row.entries.push_back(each.of(stack, point));
      section.rows.push_back(std::move(row));
    }
  }
  document.table.sections.push_back(std::move(section));
  if (claims.test_stacks == nullptr) return document;
  for (const StackClaimRow& each : claims.test_stacks(stacks)) {
    json claim = metrics::series::json_of(each.row);
    claim["numbers"] = each.numbers;
    document.extra["claims"].push_back(std::move(claim));
    document.remarks.push_back(sentence_of(each));
  }
  return document;
}

}  // namespace ngb::report
