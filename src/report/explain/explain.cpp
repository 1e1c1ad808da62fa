// SPDX-License-Identifier: Apache-2.0
#include "report/explain/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

#include "base/text.h"

namespace ngb::report {
namespace {

using explain::RegionDifference;
using nlohmann::json;

constexpr std::size_t kListed = 12;        // regions that are listed whatever they are
constexpr double kFullyAttributed = 0.95;  // of the profiled time
constexpr double kCheapProfile = 0.05;     // of the plain time
constexpr const char* kShares = "% of limit";
constexpr const char* kUndisturbed = "undisturbed, ms [95 %]";

// A row: a region, or one of the numbers that no region has.
struct RegionLine {
  const ExplainedPair* pair = nullptr;
  const RegionDifference* region = nullptr;  // or several together; null: of a number that no region has
  std::string kind{};  // "region", "operators", "outside operators", "cost of profiling", "all regions", "plain time"
  double baseline_ns = 0;
  double candidate_ns = 0;
  statistics::Contrast difference{};
  double cumulative_ns = 0;                         // of the differences down to this region
  const Known<metrics::LeastWork>* work = nullptr;  // of the region, or of the model; null: of neither

  [[nodiscard]] bool has_work() const { return work != nullptr; }
};

Entry in_ms(double ns) { return Entry{ns / 1e6}; }

// The difference of the least times of a region's kernels.
Entry undisturbed_entry(const RegionLine& line, double unit) {
  if (line.region == nullptr) return {};
  if (!line.region->undisturbed) return empty_entry("recorded by an older version of ngb");
  return contrast_entry(*line.region->undisturbed, unit);
}

// "Conv ×2, reorder": the kernels of a region, those with the most time first.
std::string words_of_kernels(std::vector<explain::KernelUse> uses) {
  constexpr std::size_t kMost = 3;
  std::stable_sort(uses.begin(), uses.end(), [](const auto& a, const auto& b) { return a.ns > b.ns; });
  std::vector<std::string> parts;
  for (const explain::KernelUse& each : uses) {
    if (parts.size() == kMost) break;
    const std::string& word = each.kind.empty() ? each.name : each.kind;
    parts.push_back(each.calls == 1 ? word : fmt::format("{} ×{}", word, each.calls));
  }
  if (uses.size() > kMost) parts.push_back(fmt::format("{} more", uses.size() - kMost));
  return text::join(parts, ", ");
}

json kernels_json(const std::vector<explain::KernelUse>& uses) {
  json list = json::array();
  for (const explain::KernelUse& each : uses) {
    list.push_back({{"name", each.name}, {"kind", each.kind}, {"calls", each.calls}, {"ns", each.ns}});
  }
  return list;
}

std::string percent_of_limit(const RegionLine& line, const Known<metrics::Peak>& peak, double ns) {
  const auto ratio = limit_entry(*line.work, peak, ns).number();
  return ratio ? fmt::format("{:.{}f}", 100 * *ratio, *ratio < 0.1 ? 1 : 0) : "–";
}

// The shares of the limit as people see them: "71, 9.4", of the baseline and of the candidate.
Entry shares_entry(const RegionLine& line) {
  if (!line.has_work()) return {};
  return Entry{fmt::format("{}, {}", percent_of_limit(line, line.pair->baseline_peak, line.baseline_ns),
                           percent_of_limit(line, line.pair->candidate_peak, line.candidate_ns))};
}

Entry amount_entry(const RegionLine& line, std::uint64_t metrics::LeastWork::* amount) {
  if (!line.has_work()) return {};
  const auto& known = line.work->value;
  return known ? Entry{(*known).*amount} : empty_entry(line.work->reason);
}

using LineColumns = MadeColumns<RegionLine>;

LineColumns make_line_columns() {
  LineColumns columns;
  const auto of_region = [](const RegionLine& line, const std::function<Entry(const RegionDifference&)>& of) {
    return line.region == nullptr ? Entry{} : of(*line.region);
  };
  columns.add(text_column("region"),
              [](const RegionLine& line) { return Entry{line.region ? line.region->label : line.kind}; });
  columns.add(data_column("model"), [](const RegionLine& line) { return Entry{line.pair->candidate->of.model.label}; });
  columns.add(data_column("batch"),
              [](const RegionLine& line) { return Entry{line.pair->candidate->of.model.key.batch}; });
  columns.add(data_column("baseline"), [](const RegionLine& line) { return Entry{line.pair->names.baseline}; });
  columns.add(data_column("candidate"), [](const RegionLine& line) { return Entry{line.pair->names.candidate}; });
  columns.add(data_column("kind"), [](const RegionLine& line) { return Entry{line.kind}; });
  columns.add(data_column("region"), [=](const RegionLine& line) {
    return of_region(line, [](const auto& region) { return Entry{region.label}; });
  });
  columns.add(data_column("nodes"), [=](const RegionLine& line) {
    return of_region(line, [](const auto& region) { return Entry{text::join(region.nodes, " ")}; });
  });
  columns.add(number_column("baseline, ms", 0, "ms"), [](const RegionLine& line) { return in_ms(line.baseline_ns); });
  columns.add(number_column("candidate, ms", 0, "ms"), [](const RegionLine& line) { return in_ms(line.candidate_ns); });
  columns.add(number_column("difference, ms [95 %]", 0, "ms"),
              [](const RegionLine& line) { return contrast_entry(line.difference, 1e6); });
  columns.add(number_column(kUndisturbed, 1, "ms"),
              [](const RegionLine& line) { return undisturbed_entry(line, 1e6); });
  columns.add(data_column("baseline_ns"), [](const RegionLine& line) { return Entry{line.baseline_ns}; });
  columns.add(data_column("candidate_ns"), [](const RegionLine& line) { return Entry{line.candidate_ns}; });
  Column difference = data_column("difference_ns");
  difference.has_interval = true;
  columns.add(difference, [](const RegionLine& line) { return contrast_entry(line.difference, 1); });
  Column undisturbed = data_column("undisturbed_difference_ns");
  undisturbed.has_interval = true;
  columns.add(undisturbed, [](const RegionLine& line) { return undisturbed_entry(line, 1); });
  columns.add(text_column(kShares, 2), shares_entry);
  columns.add(quantity_column("macs", "", false),
              [](const RegionLine& line) { return amount_entry(line, &metrics::LeastWork::macs); });
  columns.add(quantity_column("least_bytes", "bytes", false),
              [](const RegionLine& line) { return amount_entry(line, &metrics::LeastWork::bytes); });
  columns.add(quantity_column("baseline_limit_share", "", false), [](const RegionLine& line) {
    return line.has_work() ? limit_entry(*line.work, line.pair->baseline_peak, line.baseline_ns) : Entry{};
  });
  columns.add(quantity_column("candidate_limit_share", "", false), [](const RegionLine& line) {
    return line.has_work() ? limit_entry(*line.work, line.pair->candidate_peak, line.candidate_ns) : Entry{};
  });
  columns.add(number_column("together, ms", 2, "ms"),
              [](const RegionLine& line) { return line.region == nullptr ? Entry{} : in_ms(line.cumulative_ns); });
  columns.add(data_column("cumulative_ns"),
              [](const RegionLine& line) { return line.region == nullptr ? Entry{} : Entry{line.cumulative_ns}; });
  columns.add(data_column("adjusted_p"), [=](const RegionLine& line) {
    return of_region(line, [](const auto& region) { return region.p ? Entry{*region.p} : Entry{}; });
  });
  columns.add(data_column("undisturbed_adjusted_p"), [=](const RegionLine& line) {
    return of_region(line,
                     [](const auto& region) { return region.undisturbed_p ? Entry{*region.undisturbed_p} : Entry{}; });
  });
  columns.add(text_column("baseline's kernels", 4), [=](const RegionLine& line) {
    return of_region(line, [](const auto& region) { return text_entry(words_of_kernels(region.baseline_kernels)); });
  });
  columns.add(text_column("candidate's kernels", 3), [=](const RegionLine& line) {
    return of_region(line, [](const auto& region) { return text_entry(words_of_kernels(region.candidate_kernels)); });
  });
  columns.add(data_column("baseline_kernels"), [=](const RegionLine& line) {
    return of_region(line, [](const auto& region) { return Entry{kernels_json(region.baseline_kernels)}; });
  });
  columns.add(data_column("candidate_kernels"), [=](const RegionLine& line) {
    return of_region(line, [](const auto& region) { return Entry{kernels_json(region.candidate_kernels)}; });
  });
  return columns;
}

const LineColumns& line_columns() {
  static const LineColumns kColumns = make_line_columns();
  return kColumns;
}

Row row_of_line(const RegionLine& line, bool is_folded) {
  Row row = line_columns().row(line);
  row.is_folded = is_folded;
  row.counted_as = "not told from 0";
  const std::vector<Column>& columns = line_columns().columns();
  const bool is_told = line.region != nullptr && line.region->is_told();
  if (is_told) row.entries.front().style = line.difference.estimate > 0 ? Style::bad : Style::good;
  if (line.region != nullptr && !is_told) {
    for (std::size_t i = 0; i < row.entries.size(); ++i) {
      if (columns[i].heading.starts_with("difference")) row.entries[i].tail = " ?";
    }
  }
  if (line.region != nullptr && line.region->undisturbed && !line.region->is_told_undisturbed()) {
    for (std::size_t i = 0; i < row.entries.size(); ++i) {
      if (columns[i].heading == kUndisturbed) row.entries[i].tail = " ?";
    }
  }
  return row;
}

// The numbers that no region has. In each, all differences of regions + outside - cost are the plain difference.
std::vector<RegionLine> rest_of(const ExplainedPair& pair) {
  const explain::Explanation& found = *pair.explanation;
  const auto line = [&pair](const char* kind, double before, double after, const statistics::Contrast& difference) {
    return RegionLine{
        .pair = &pair, .kind = kind, .baseline_ns = before, .candidate_ns = after, .difference = difference};
  };
  RegionLine whole = line("plain time", found.baseline.plain, found.candidate.plain, found.plain);
  whole.work = &found.work;
  return {line("all regions", found.baseline.operators, found.candidate.operators, found.operators),
          line("outside operators", found.baseline.outside(), found.candidate.outside(), found.outside),
          line("cost of profiling", found.baseline.cost(), found.candidate.cost(), found.cost), whole};
}

void add_regions(const ExplainedPair& pair, const std::vector<RegionDifference>& regions, const char* kind, bool all,
                 Section& section) {
  double cumulative = 0;
  std::size_t count = 0;
  for (const RegionDifference& region : regions) {
    cumulative += region.difference.estimate;
    const RegionLine line{.pair = &pair,
                          .region = &region,
                          .kind = kind,
                          .baseline_ns = region.baseline_ns,
                          .candidate_ns = region.candidate_ns,
                          .difference = region.difference,
                          .cumulative_ns = cumulative,
                          .work = &region.work};
    const bool is_told = region.is_told() || region.is_told_undisturbed();
    section.rows.push_back(row_of_line(line, !all && !is_told && ++count > kListed));
  }
}

Section section_of(const ExplainedPair& pair, bool all, bool has_sentence) {
  Section section{.title = has_sentence ? fmt::format("{}: {}", pair.label, sentence_of(pair)) : pair.label};
  if (!pair.explanation) return section;
  add_regions(pair, pair.explanation->regions, "region", all, section);
  for (const RegionLine& line : rest_of(pair)) section.rows.push_back(row_of_line(line, false));
  return section;
}

Section section_of_alike(const ExplainedPair& pair, bool all) {
  Section section{.title = pair.label + ": regions with the same operators, together"};
  add_regions(pair, pair.explanation->alike, "operators", all, section);
  return section;
}

std::string side_remark(const std::string& name, const explain::SideTimes& times) {
  const double attributed = times.profiled <= 0 ? 0 : times.operators / times.profiled;
  const double cost = times.plain <= 0 ? 0 : times.cost() / times.plain;
  return fmt::format("{}: {} kernels have {:.1f} % of a profiled inference{}, and profiling costs {:.1f} %{}", name,
                     times.kernels, 100 * attributed, attributed < kFullyAttributed ? " (less than 95 %)" : "",
                     100 * cost,
                     cost > kCheapProfile ? " (more than 5 %: small operators look slower than they are)" : "");
}

// Says what the shares of the limit are of, or why there are none.
void add_limit_remarks(const ExplainedPair& pair, const std::string& before, std::vector<std::string>& remarks) {
  if (!pair.explanation->work.value) {
    remarks.push_back(before + "share of the limit of the whole model: " + pair.explanation->work.reason);
  }
  const bool are_alike = pair.baseline_peak.reason == pair.candidate_peak.reason;
  for (const Known<metrics::Peak>* const peak : {&pair.baseline_peak, &pair.candidate_peak}) {
    if (!peak->value) remarks.push_back(before + "share of the limit: " + peak->reason);
    if (are_alike) break;
  }
}

// The column of shares is not for people if no row has one.
void hide_empty_shares(std::span<const ExplainedPair> pairs, std::vector<Column>& columns) {
  const bool is_any = std::any_of(pairs.begin(), pairs.end(), [](const ExplainedPair& each) {
    return each.baseline_peak.value || each.candidate_peak.value;
  });
  for (Column& each : columns) {
    if (each.heading == kShares) each.is_for_people = is_any;
  }
}

void add_remarks(const ExplainedPair& pair, bool are_many, std::vector<std::string>& remarks) {
  const std::string before = are_many ? pair.label + ": " : "";
  if (!pair.explanation) return;
  const explain::Explanation& found = *pair.explanation;
  std::size_t largest = 0;
  for (const RegionDifference& each : found.regions) largest = std::max(largest, each.nodes.size());
  remarks.push_back(before + closing_line_of(pair));
  remarks.push_back(before + side_remark(pair.names.baseline, found.baseline));
  remarks.push_back(before + side_remark(pair.names.candidate, found.candidate));
  remarks.push_back(
      fmt::format("{}{} nodes in {} regions, the largest of {} nodes; {} round{}; ?: not told from 0; "
                  "undisturbed: by the least time of each kernel",
                  before, found.nodes, found.regions.size(), largest, found.rounds, found.rounds == 1 ? "" : "s"));
  add_limit_remarks(pair, before, remarks);
  if (!pair.are_in_turns) {
    remarks.push_back(before +
                      "the sides were measured one after the other: the differences have what changed in between");
  }
}

json pair_json(const ExplainedPair& pair) {
  json whole{{"label", pair.label},
             {"baseline", {{"cell_id", pair.baseline->cell_id}, {"name", pair.names.baseline}}},
             {"candidate", {{"cell_id", pair.candidate->cell_id}, {"name", pair.names.candidate}}},
             {"sentence", sentence_of(pair)},
             {"is_in_turns", pair.are_in_turns}};
  if (!pair.explanation) {
    whole["reason"] = pair.why_not;
    return whole;
  }
  const explain::Explanation& found = *pair.explanation;
  whole["rounds"] = found.rounds;
  whole["gap_ratio"] = found.gap_ratio();
  whole["is_explained"] = found.is_explained();
  whole["closing_line"] = closing_line_of(pair);
  return whole;
}

}  // namespace

Document explain_document(std::span<const ExplainedPair> pairs, bool all) {
  Document document{.table = {.columns = line_columns().columns(), .row_word = "region"},
                    .json_rows = "rows",
                    .command = "ngb explain"};
  document.extra = {{"pairs", json::array()}};
  const bool are_many = pairs.size() > 1;
  if (!are_many && !pairs.empty()) document.summary = sentence_of(pairs.front());
  for (const ExplainedPair& pair : pairs) {
    document.table.sections.push_back(section_of(pair, all, are_many));
    if (pair.explanation && !pair.explanation->alike.empty()) {
      document.table.sections.push_back(section_of_alike(pair, all));
    }
    document.extra["pairs"].push_back(pair_json(pair));
    add_remarks(pair, are_many, document.remarks);
  }
  hide_empty_shares(pairs, document.table.columns);
  return document;
}

Entry limit_entry(const Known<metrics::LeastWork>& work, const Known<metrics::Peak>& peak, double ns) {
  if (!peak.value) return empty_entry(peak.reason);
  if (!work.value) return empty_entry(work.reason);
  if (ns <= 0) return empty_entry("it took no time");
  return Entry{metrics::limit_share(*work.value, *peak.value, ns / 1e9).ratio};
}

Entry contrast_entry(const statistics::Contrast& found, double unit_ns) {
  Entry entry{found.estimate / unit_ns};
  if (found.interval) {
    entry.low = found.interval->low / unit_ns;
    entry.high = found.interval->high / unit_ns;
  }
  return entry;
}

const FormatNames& explain_formats() {
  static const FormatNames kNames{"text", "json", "csv", "markdown", "trace"};
  return kNames;
}

bool draws_kernels(const Format& format) { return format.is("trace"); }

}  // namespace ngb::report
