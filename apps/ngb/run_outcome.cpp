// SPDX-License-Identifier: Apache-2.0
#include "apps/ngb/run_outcome.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "apps/ngb/results_table.h"
#include "apps/ngb/terminal.h"
#include "apps/revision/revision.h"
#include "exports/cell_choice.h"
#include "exports/subject.h"
#include "paper/paper.h"
#include "report/folder/folder.h"
#include "store/store.h"

namespace ngb::app {
namespace {

constexpr std::size_t kMostCellsAtTheEnd = 5'000;  // of which everything is read again when a run ends

// Returns the exit code of a run that has ended: whether each cell has a result. A cell that other programs have
// disturbed has one if one of its processes was measured.
ExitCode code_of(const std::vector<store::CellState>& states) {
  const auto lacks_result = [](const store::CellState& state) {
    const bool has_none = state.completed_processes == 0 && state.progress == store::CellState::Progress::failed;
    return has_none || state.lost_processes > 0;
  };
  return std::any_of(states.begin(), states.end(), lacks_result) ? kSomeCellsFailed : kSuccess;
}

// Prints the counts of a study whose table would be too long to read, and would need more memory than the run.
void print_counts(const std::vector<store::CellState>& states) {
  std::size_t measured = 0;
  std::size_t failed = 0;
  for (const store::CellState& state : states) {
    if (state.progress == store::CellState::Progress::complete) ++measured;
    if (state.progress == store::CellState::Progress::failed) ++failed;
  }
  say("{} cells: {} measured, {} failed\n", states.size(), measured, failed);
}

}  // namespace

int print_outcome(const std::filesystem::path& results, const FormatArguments& format) {
  constexpr std::size_t kMostCellsInATable = 10'000;
  std::vector<store::CellState> states;
  {
    auto store = store::Store::open(results / "results.db", store::Mode::read_only);
    if (!store) return report_failure(store.error(), kCannotGoOn);
    auto read = store->cell_states();
    if (!read) return report_failure(read.error(), kCannotGoOn);
    states = *std::move(read);
  }  // an open reader would prevent that values are kept
  if (states.size() > kMostCellsInATable && format.is_text()) {
    print_counts(states);
  } else if (const int shown = print_table(results, format); shown != kSuccess) {
    return shown;
  }
  keep_values(results);
  return code_of(states);
}

int print_what_the_budget_allowed(const std::filesystem::path& results, const FormatArguments& format,
                                  const std::string& budget) {
  std::size_t without_result = 0;
  {
    auto store = store::Store::open(results / "results.db", store::Mode::read_only);
    if (!store) return report_failure(store.error(), kCannotGoOn);
    const auto states = store->cell_states();
    if (!states) return report_failure(states.error(), kCannotGoOn);
    without_result =
        static_cast<std::size_t>(std::count_if(states->begin(), states->end(), [](const store::CellState& state) {
          return state.completed_processes == 0 && state.progress != store::CellState::Progress::failed;
        }));
  }
  const int code = print_outcome(results, format);
  say("\nResults: {}\n", results.string());
  if (without_result > 0) {
    return report_failure(
        {fmt::format("the budget of {} was too short for one round: {} no result", budget,
                     without_result == 1 ? "1 cell has" : fmt::format("{} cells have", without_result)),
         results.string(), "run the same command again to continue"},
        kCannotGoOn);
  }
  say("The budget of {} is used up; to continue, run the same command again.\n", budget);
  return code;
}

void tell_what_was_measured(const std::filesystem::path& results) {
  int processes = 0;
  std::size_t cells = 0;
  std::size_t with_result = 0;
  auto store = store::Store::open(results / "results.db", store::Mode::read_only);
  if (const auto states = store ? store->cell_states() : Result<std::vector<store::CellState>>(error_of(store));
      states) {
    cells = states->size();
    for (const store::CellState& state : *states) {
      processes += state.completed_processes;
      with_result += state.completed_processes > 0 ? 1U : 0U;
    }
  }
  const std::string what =
      processes == 0
          ? "nothing is measured yet"
          : fmt::format("{} of {} cells have a result so far, from {} processes, which are kept: ngb show {}",
                        with_result, cells, processes, results.string());
  warn("ngb: stopped; {}\nngb: run the same command again to resume\n", what);
}

void tell_how_to_export(const std::filesystem::path& results, const campaign::Compilers& compilers) {
  auto store = store::Store::open(results / "results.db", store::Mode::read_only);
  const auto states = store ? store->cell_states() : Result<std::vector<store::CellState>>(error_of(store));
  if (!states || states->size() > kMostCellsAtTheEnd) return;
  const auto cells = store->load_cells(store::Detail::speeds);
  const auto fastest =
      cells ? exports::choose_cell(*cells, {.fastest = true}) : Result<const store::CellData*>(error_of(cells));
  if (!fastest) return;
  const work::Compiler& compiler = (*fastest)->of.compiler;
  const auto* const described = compilers.description(compiler.name, compiler.version);
  if (described == nullptr || !exports::check_program(**fastest, *described)) return;
  say("To get this number in a program of your own ({}): ngb export {} --fastest -o program\n",
      exports::title_of(**fastest), results.string());
}

std::optional<std::filesystem::path> write_report_of_run(const std::filesystem::path& results) {
  const std::filesystem::path file = results / "results.db";
  {
    auto store = store::Store::open(file, store::Mode::read_only);
    const auto states = store ? store->cell_states() : Result<std::vector<store::CellState>>(error_of(store));
    if (states && states->size() > kMostCellsAtTheEnd) {
      say("To see these results as a page: ngb report {}\n", results.string());
      return std::nullopt;
    }
  }
  const auto written = report::folder::write_report({.sources = {{file, {}}},
                                                     .folder = results / "report",
                                                     .publication = paper::publication(),
                                                     .made_by = describe(this_revision())});
  if (!written) {
    warn("ngb: no report was written: {}\n", written.error().error.text());
    return std::nullopt;
  }
  say("Report: {}\n", written->page.string());
  return written->page;
}

}  // namespace ngb::app
