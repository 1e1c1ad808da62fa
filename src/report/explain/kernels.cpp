// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <set>

#include "base/text.h"
#include "explain/ownership.h"
#include "explain/work.h"
#include "report/explain/explain.h"

namespace ngb::report {
namespace {

using nlohmann::json;

// What fusions_document has of a cell.
using FusionColumns = MadeColumns<ProfiledCell, explain::Fusions>;

std::string pattern_words(const explain::Fusions& fusions) {
  std::vector<std::string> parts;
  for (const explain::PatternCount& each : fusions.patterns) {
    parts.push_back(fmt::format("{} {} of {}", each.pattern, each.fused, each.there));
  }
  return text::join(parts, ", ");
}

json patterns_json(const explain::Fusions& fusions) {
  json patterns = json::object();
  for (const explain::PatternCount& each : fusions.patterns) {
    patterns[each.pattern] = {{"fused", each.fused}, {"there", each.there}};
  }
  return patterns;
}

// "node name 60, closure up 9"
std::string how_words(const explain::Fusions& fusions) {
  std::vector<std::string> parts;
  for (const auto& [how, count] : fusions.how) parts.push_back(fmt::format("{} {}", how, count));
  return text::join(parts, ", ");
}

constexpr const char* kLimitShare = "% of limit";

Known<metrics::LeastWork> work_of(const ProfiledCell& cell) {
  return explain::WorkOfNodes(cell.profile->graph).of_all();
}

// Returns the share of the limit that an inference without a profile reaches.
Entry limit_of(const ProfiledCell& cell) { return limit_entry(work_of(cell), cell.peak, cell.profile->plain_ns); }

FusionColumns fusion_columns() {
  FusionColumns columns;
  using Cell = const ProfiledCell&;
  using Found = const explain::Fusions&;
  columns.add(named("model", text_column("model")), [](Cell cell, Found) { return Entry{cell.cell->of.model.label}; });
  columns.add(named("batch", number_column("batch")),
              [](Cell cell, Found) { return Entry{cell.cell->of.model.key.batch}; });
  columns.add(named("compiler", text_column("compiler")), [](Cell cell, Found) { return Entry{cell.compiler}; });
  columns.add(named("kernels", number_column("kernels")), [](Cell, Found found) { return Entry{found.kernels}; });
  columns.add(named("nodes", number_column("nodes")), [](Cell, Found found) { return Entry{found.nodes}; });
  columns.add(named("nodes_per_kernel", number_column("nodes/kernel", 0, "ratio")),
              [](Cell, Found found) { return Entry{found.nodes_per_kernel()}; });
  columns.add(named("folded", number_column("folded", 2)), [](Cell, Found found) { return Entry{found.folded}; });
  columns.add(named("copies", number_column("copies")), [](Cell, Found found) { return Entry{found.copies}; });
  columns.add(number_column("copies, ms", 1, "ms"), [](Cell, Found found) { return Entry{found.copies_ns / 1e6}; });
  columns.add(data_column("copies_ns"), [](Cell, Found found) { return Entry{found.copies_ns}; });
  columns.add(number_column("outside, ms", 1, "ms"), [](Cell, Found found) { return Entry{found.outside_ns / 1e6}; });
  columns.add(data_column("outside_ns"), [](Cell, Found found) { return Entry{found.outside_ns}; });
  columns.add(data_column("profiled_ns"), [](Cell, Found found) { return Entry{found.profiled_ns}; });
  columns.add(number_column(kLimitShare, 4, "percent"), [](Cell cell, Found) {
    Entry entry = limit_of(cell);
    if (const auto ratio = entry.number()) entry.value = 100 * *ratio;
    return entry;
  });
  columns.add(quantity_column("macs", "", false), [](Cell cell, Found) {
    const auto work = work_of(cell);
    return work.value ? Entry{work.value->macs} : empty_entry(work.reason);
  });
  columns.add(quantity_column("least_bytes", "bytes", false), [](Cell cell, Found) {
    const auto work = work_of(cell);
    return work.value ? Entry{work.value->bytes} : empty_entry(work.reason);
  });
  columns.add(quantity_column("limit_share", "", false), [](Cell cell, Found) { return limit_of(cell); });
  columns.add(text_column("fused", 0), [](Cell, Found found) { return text_entry(pattern_words(found)); });
  columns.add({.csv = "patterns", .json = "patterns"}, [](Cell, Found found) { return Entry{patterns_json(found)}; });
  columns.add(text_column("nodes found by", 3), [](Cell, Found found) { return text_entry(how_words(found)); });
  columns.add({.csv = "found_by", .json = "found_by"}, [](Cell, Found found) { return Entry{json(found.how)}; });
  return columns;
}

// Says why a share of the limit is missing, each reason once. A column without any share is not for people.
void hide_empty_share(std::span<const ProfiledCell> cells, Document& document) {
  std::set<std::string> reasons;
  bool is_any = false;
  for (const ProfiledCell& cell : cells) {
    const Entry entry = limit_of(cell);
    is_any = is_any || !entry.is_empty();
    if (entry.is_empty()) reasons.insert(entry.reason);
  }
  for (Column& each : document.table.columns) {
    if (each.heading == kLimitShare) each.is_for_people = is_any;
  }
  for (const std::string& reason : reasons) document.remarks.push_back("share of the limit: " + reason);
}

// Makes a row for each kernel call.
void add_kernels(const ProfiledCell& cell, const UseRow& use) {
  const samples::KernelProfile& profile = *cell.profile;
  const explain::Graph graph = explain::graph_of(profile);
  const explain::Ownership owners = explain::find_owners(graph, profile.kernels);
  double start_ns = 0;
  for (std::size_t i = 0; i < profile.kernels.size(); ++i) {
    const samples::Kernel& kernel = profile.kernels[i];
    std::vector<std::string> nodes;
    for (const std::size_t node : owners.nodes[i]) nodes.push_back(graph[node].name);
    use({.entries = {Entry{cell.cell->of.model.label}, Entry{cell.cell->of.model.key.batch}, Entry{cell.compiler},
                     Entry{i}, Entry{kernel.name}, text_entry(kernel.kind), Entry{start_ns},
                     Entry{profile.kernel_ns[i] / 1e6}, Entry{profile.kernel_ns[i]}, text_entry(text::join(nodes, " ")),
                     text_entry(kernel.found_by)}});
    start_ns += profile.kernel_ns[i];
  }
}

}  // namespace

Document fusions_document(std::span<const ProfiledCell> cells) {
  const FusionColumns columns = fusion_columns();
  Document document{.why_empty = "no cell has a profile",
                    .table = {.columns = columns.columns(), .row_word = "cell", .listed_if_cut = "fused"},
                    .json_rows = "rows",
                    .extra = json::object(),
                    .command = "ngb explain --fusions"};
  Section section{.title = "kernels and what they stand for"};
  for (const ProfiledCell& cell : cells) section.rows.push_back(columns.row(cell, explain::fusions_of(*cell.profile)));
  document.table.sections.push_back(std::move(section));
  document.remarks = {"fused: a pattern counts if one kernel stands for all its nodes"};
  hide_empty_share(cells, document);
  return document;
}

Document kernels_document(std::span<const ProfiledCell> cells) {
  Document document{.why_empty = "no cell has a profile",
                    .table = {.row_word = "kernel"},
                    .json_rows = "kernels",
                    .extra = json::object(),
                    .command = "ngb explain --kernels"};
  document.table.columns = {data_column("model"),
                            data_column("batch"),
                            named("compiler", text_column("compiler")),
                            named("call", number_column("call")),
                            named("name", text_column("kernel")),
                            named("kind", text_column("kind", 1)),
                            data_column("start_ns"),
                            number_column("ms", 0, "ms"),
                            data_column("duration_ns"),
                            named("nodes", text_column("nodes", 2)),
                            named("found_by", text_column("found by", 3))};
  Section section{.title = "kernels of one inference"};
  section.made_rows = [cells](const UseRow& use) {
    for (const ProfiledCell& cell : cells) add_kernels(cell, use);
  };
  document.table.sections.push_back(std::move(section));
  return document;
}

}  // namespace ngb::report
