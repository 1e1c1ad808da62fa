// SPDX-License-Identifier: Apache-2.0
#include "paper/tables/quoted_numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "base/text.h"
#include "metrics/series/series.h"
#include "report/write/latex.h"
#include "report/write/publication.h"

namespace ngb::paper::tables {
namespace {

struct Quoted {
  const char* series;
  const char* name;  // in the name of the command
};
constexpr std::array kQuoted{
    Quoted{"family_throughput_per_s", "Throughput"}, Quoted{"family_speed_up_ratio", "SpeedUp"},
    Quoted{"family_cpu_percent", "CpuPercent"},      Quoted{"family_cpu_reduction_ratio", "CpuReduction"},
    Quoted{"depth_slope_per_block", "DepthSlope"},   Quoted{"depth_retention_ratio", "DepthRetention"},
};

// Gives commands names that no other one has.
class CommandNames {
 public:
  // Returns the first name that is free, together with those that end in Low and High.
  std::string take(const std::string& name, const std::string& longer) {
    if (try_take(name)) return name;
    if (try_take(longer)) return longer;
    std::string numbered;
    for (std::size_t i = 1; numbered.empty() || !try_take(numbered); ++i)
      numbered = longer + report::letters_of(report::mark_of_note(i));
    return numbered;
  }

 private:
  bool try_take(const std::string& name) {
    for (const char* const end : {"", "Low", "High"}) {
      if (names_.contains(name + end)) return false;
    }
    names_.insert({name, name + "Low", name + "High"});
    return true;
  }

  std::set<std::string> names_{};
};

std::string comment(std::string words) {
  words = text::visible(words);
  std::replace(words.begin(), words.end(), '\n', ' ');
  return "% " + words + '\n';
}

std::string command(const std::string& name, const std::string& number) {
  return fmt::format("\\newcommand{{\\{}}}{{\\num{{{}}}}}\n", name, number);
}

std::string counts(const Results& results, CommandNames& names) {
  std::set<std::string> devices;
  std::set<std::string> models;
  std::set<std::string> compilers;
  std::size_t measured = 0;
  std::size_t failed = 0;
  for (const store::CellData* cell : results.cells) {
    devices.insert(cell->of.device);
    models.insert(cell->of.model.label);
    compilers.insert(cell->of.compiler.name);
    const report::Status status = report::status_of(*cell);
    if (status == report::Status::measured || status == report::Status::partial) ++measured;
    if (status == report::Status::failed) ++failed;
  }
  std::string latex;
  const auto add = [&](const std::string& name, std::size_t count) {
    latex += command(names.take(name, name), std::to_string(count));
  };
  add("NgbDevices", devices.size());
  add("NgbModels", models.size());
  add("NgbCompilers", compilers.size());
  add("NgbCells", results.cells.size());
  add("NgbCellsMeasured", measured);
  add("NgbCellsFailed", failed);
  return latex;
}

std::string commands_of(const Input& input, const store::SeriesValue& value, const Quoted& quoted,
                        CommandNames& names) {
  const store::CellData* const cell = input.first_cell(value);
  if (cell == nullptr || !value.value) return {};
  const std::string what = report::letters_of(value.subject) + "Batch" + report::letters_of(value.batch_sizes);
  const std::string begin = fmt::format("Ngb{}{}", quoted.name, report::letters_of(value.device));
  const std::string name = names.take(begin + report::letters_of(cell->of.compiler.label) + what,
                                      begin + report::letters_of(input.compiler(*cell)) + what);
  const int decimals = report::decimals_of_four_digits(*value.value);
  const char* const heading = metrics::series::find_series(value.series)->heading;
  std::string latex = comment(fmt::format("{}: {}, batch {}, {} on {}", heading, value.subject, value.batch_sizes,
                                          input.compiler(*cell), value.device));
  latex += command(name, report::rounded(*value.value, decimals));
  if (value.low) latex += command(name + "Low", report::rounded(*value.low, decimals));
  if (value.high) latex += command(name + "High", report::rounded(*value.high, decimals));
  return latex;
}

}  // namespace

std::string quoted_numbers(const Input& input) {
  std::string latex = "% Written by ngb report. Needs \\usepackage{siunitx}.\n";
  CommandNames names;
  latex += counts(input.results(), names);
  for (const store::SeriesValue* value : input.results().series) {
    const auto* const quoted = std::find_if(kQuoted.begin(), kQuoted.end(),
                                            [value](const Quoted& each) { return value->series == each.series; });
    if (quoted != kQuoted.end()) latex += commands_of(input, *value, *quoted, names);
  }
  return latex;
}

}  // namespace ngb::paper::tables
