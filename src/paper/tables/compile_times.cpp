// SPDX-License-Identifier: Apache-2.0
// Table III: how long compiling and tuning take, for the largest models.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "metrics/baseline.h"
#include "metrics/series/workload.h"
#include "paper/published.h"
#include "paper/tables/tables.h"
#include "report/words.h"

namespace ngb::paper::tables {
namespace {

using store::CellData;

constexpr const char* kMetric = "compile_total_s";
constexpr const char* kFallsNote =
    "Contradicts the rest of the published table: it compiles faster at batch 32 than at batch 1. Only TVM has such "
    "entries.";

using Size = std::pair<int, std::uint64_t>;  // rank within the group, number of parameters

Size size_of(const CellData& cell) { return {cell.of.model.size.value_or(0), cell.of.model.parameters.value_or(0)}; }

bool may_be_in_table(const CellData& cell) {
  return cell.of.compiler.name != metrics::kIdentity && !report::is_loaded(cell);
}

// Returns the cells of the largest model of each group, or of all its models if their sizes are unknown.
std::vector<const CellData*> cells_of_largest(const Input& input) {
  std::map<std::string, Size> largest;
  for (const CellData* cell : input.results().cells) {
    Size& known = largest[metrics::series::model_group_of(*cell)];
    known = std::max(known, size_of(*cell));
  }
  std::vector<const CellData*> found;
  for (const CellData* cell : input.results().cells) {
    const bool is_largest = size_of(*cell) == largest[metrics::series::model_group_of(*cell)];
    if (is_largest && may_be_in_table(*cell)) found.push_back(cell);
  }
  return found;
}

// Leaves the cells of the smallest and of the largest batch size.
void keep_outer_batches(std::vector<const CellData*>& cells) {
  if (cells.empty()) return;
  const auto [least, most] = std::minmax_element(cells.begin(), cells.end(), [](const CellData* a, const CellData* b) {
    return a->of.model.key.batch < b->of.model.key.batch;
  });
  const int smallest = (*least)->of.model.key.batch;
  const int largest = (*most)->of.model.key.batch;
  std::erase_if(cells, [=](const CellData* cell) {
    return cell->of.model.key.batch != smallest && cell->of.model.key.batch != largest;
  });
}

// Collects values by row and column; both appear in the order in which they were added.
class CompileTimes {
 public:
  void add_column(const std::string& device, const std::string& compiler) {
    const std::string title = column_title(device, compiler);
    if (std::find(columns_.begin(), columns_.end(), title) == columns_.end()) columns_.push_back(title);
  }
  void set(const std::string& model, int batch, const std::string& device, const std::string& compiler, Entry entry) {
    const auto [place, is_new] = rows_of_.emplace(std::pair(model, batch), rows_.size());
    if (is_new) rows_.push_back({model, batch, {}});
    rows_[place->second].values.emplace(column_title(device, compiler), std::move(entry));
  }
  [[nodiscard]] Document table() const {
    Document made{.why_empty = "no compiler other than the identity was measured without a load"};
    made.table.columns = {column("model", "model", Kind::text), column("batch", "batch", Kind::count)};
    for (const std::string& title : columns_) {
      made.table.columns.push_back(column(fmt::format("{} {}", kMetric, title), title, Kind::number));
    }
    for (const Line& line : rows_) {
      Row row{{text_entry(line.model), number_entry(line.batch, "")}};
      for (const std::string& title : columns_) {
        const auto found = line.values.find(title);
        row.entries.push_back(found != line.values.end()            ? found->second
                              : title.starts_with(kPublishedPrefix) ? empty_entry("not in the published table")
                                                                    : empty_entry("not measured"));
      }
      add_row(made, std::move(row));
    }
    return made;
  }

 private:
  static std::string column_title(const std::string& device, const std::string& compiler) {
    return fmt::format("{}, {}", device, compiler);
  }

  struct Line {
    std::string model{};
    int batch = 1;
    std::map<std::string, Entry> values{};  // by the title of the column
  };
  std::vector<std::string> columns_{};
  std::vector<Line> rows_{};
  std::map<std::pair<std::string, int>, std::size_t> rows_of_{};
};

// Returns the name that a published model has in the zoo if the results have such a model, else the published one.
std::string name_beside(const std::string& published, const std::set<std::string>& own) {
  const std::string name = timm_name(published);
  return own.contains(name) ? name : published;
}

void add_published(const Input& input, const std::set<std::string>& own, CompileTimes& times) {
  const PublishedTable& published = published_compile_seconds();
  for (const PublishedColumn& column : published_compile_columns()) {
    const std::string device = published_device(column.called);
    if (!input.shows_published(device)) continue;
    times.add_column(device, column.compiler);
    double before = 0;  // of the row of batch 1, which is followed by that of batch 32
    for (std::size_t row = 0; row < published.size(); ++row) {
      const double seconds = published.number(row, column.name);
      const int batch = static_cast<int>(published.number(row, "batch"));
      Entry entry = number_entry(seconds, "");
      if (batch > 1 && seconds < before) entry.notes.emplace_back(kFallsNote);
      before = seconds;
      times.set(name_beside(published.text(row, "model"), own), batch, device, column.compiler, std::move(entry));
    }
  }
}

}  // namespace

Document compile_times(const Input& input) {
  std::vector<const CellData*> cells = cells_of_largest(input);
  keep_outer_batches(cells);
  CompileTimes times;
  std::set<std::string> own;
  for (const CellData* cell : cells) {
    const metrics::Number number = input.results().numbers.of(*cell, kMetric);
    own.insert(cell->of.model.label);
    times.add_column(input.device(*cell), input.compiler(*cell));
    times.set(cell->of.model.label, cell->of.model.key.batch, input.device(*cell), input.compiler(*cell),
              number_entry(number.value, number.reason));
  }
  add_published(input, own, times);
  Document made = times.table();
  made.remarks.emplace_back("Seconds: compile_s + tuning_s.");
  if (input.shows_published())
    made.remarks.emplace_back("Columns of the paper's devices are published, not measured here.");
  return made;
}

}  // namespace ngb::paper::tables
