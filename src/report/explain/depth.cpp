// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "explain/depth.h"
#include "metrics/series/conclusions.h"
#include "report/explain/explain.h"
#include "report/write/numbers.h"
#include "work/codec.h"

namespace ngb::report {
namespace {

using explain::DepthPoint;
using explain::Stack;
using nlohmann::json;

using DepthColumns = MadeColumns<Stack, DepthPoint>;

DepthColumns depth_columns() {
  DepthColumns columns;
  using At = const Stack&;
  using Of = const DepthPoint&;
  constexpr double kMicrosecond = 1e3;
  constexpr double kMillisecond = 1e6;
  columns.add(named("stack", text_column("stack")), [](At stack, Of) { return Entry{stack.name}; });
  columns.add(named("batch", number_column("batch", 4)), [](At stack, Of) { return Entry{stack.batch}; });
  columns.add(named("device", text_column("device", 5)), [](At stack, Of) { return Entry{stack.device}; });
  columns.add(named("compiler", text_column("compiler")), [](At stack, Of) { return Entry{stack.compiler}; });
  columns.add(named("depth", number_column("depth")), [](At, Of point) { return Entry{point.depth}; });
  columns.add(named("kernels", number_column("kernels")), [](At, Of point) { return Entry{point.kernels}; });
  columns.add(number_column("kernels/block", 3, "ratio"),
              [](At, Of point) { return Entry{static_cast<double>(point.kernels) / point.depth}; });
  columns.add(number_column("outside/block, µs [95 %]", 0, "µs"),
              [](At, Of point) { return contrast_entry(point.outside_ns_per_block(), kMicrosecond); });
  columns.add(number_column("time/block, ms [95 %]", 0, "ms"),
              [](At, Of point) { return contrast_entry(point.plain_ns_per_block(), kMillisecond); });
  Column outside = data_column("outside_ns_per_block");
  outside.has_interval = true;
  columns.add(outside, [](At, Of point) { return contrast_entry(point.outside_ns_per_block(), 1); });
  Column plain = data_column("plain_ns_per_block");
  plain.has_interval = true;
  columns.add(plain, [](At, Of point) { return contrast_entry(point.plain_ns_per_block(), 1); });
  columns.add(text_column("blocks in one kernel", 1), [](At, Of point) {
    return point.there == 0 ? Entry{} : Entry{fmt::format("{} of {}", point.fused, point.there)};
  });
  columns.add(data_column("fused_blocks"),
              [](At, Of point) { return point.there == 0 ? Entry{} : Entry{point.fused}; });
  columns.add(data_column("blocks_to_fuse"), [](At, Of point) { return Entry{point.there}; });
  columns.add(named("kernels_across_blocks", number_column("kernels of several blocks", 2)),
              [](At, Of point) { return Entry{point.across_blocks}; });
  columns.add(data_column("profiling_cost_ratio"), [](At, Of point) { return Entry{point.cost_ratio}; });
  columns.add(data_column("processes"), [](At, Of point) { return Entry{point.plain_ns.size()}; });
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
  const DepthColumns columns = depth_columns();
  Document document{
      .why_empty = "no stack of blocks has a profile: models with a parameter `depth`, such as conv_block",
      .table = {.columns = columns.columns(), .row_word = "depth"},
      .json_rows = "rows",
      .extra = {{"claims", json::array()}},
      .command = "ngb explain --depth"};
  std::vector<const store::CellData*> all;
  for (const ProfiledCell& each : cells) all.push_back(each.cell);
  const std::vector<Stack> stacks = explain::stacks_of(all);
  Section section{.title = "stacks of blocks over their depth"};
  for (const Stack& stack : stacks) {
    for (const DepthPoint& point : stack.depths) section.rows.push_back(columns.row(stack, point));
  }
  document.table.sections.push_back(std::move(section));
  if (claims.test_stacks == nullptr) return document;
  for (const StackClaimRow& each : claims.test_stacks(stacks)) {
    json claim = work::write_json(metrics::series::as_kept(each.row));
    claim["numbers"] = each.numbers;
    document.extra["claims"].push_back(std::move(claim));
    document.remarks.push_back(sentence_of(each));
  }
  return document;
}

}  // namespace ngb::report
