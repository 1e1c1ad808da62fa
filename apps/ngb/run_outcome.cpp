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
#include "report/words.h"

namespace ngb::app {
namespace {

// Returns the exit code of a run that has ended: whether each cell has a result. A cell that other programs have
// disturbed has one if one of its processes was measured.
ExitCode code_of(const CellStates& states) {
  const auto lacks_result = [](const store::CellState& state) {
    const bool has_none = state.completed_processes == 0 && state.progress == store::CellState::Progress::failed;
    return has_none || state.lost_processes > 0;
  };
  return std::any_of(states.begin(), states.end(), lacks_result) ? kSomeCellsFailed : kSuccess;
}

// Prints the counts of a study whose table would be too long to read, and would need more memory than the run.
void print_counts(const CellStates& states) {
  std::size_t measured = 0;
  std::size_t failed = 0;
  for (const store::CellState& state : states) {
    if (state.progress == store::CellState::Progress::complete) ++measured;
    if (state.progress == store::CellState::Progress::failed) ++failed;
  }
  say("{} cells: {} measured, {} failed\n", states.size(), measured, failed);
}

// Returns the fastest cell of the first workload that has one which can be exported.
std::optional<store::CellData> fastest_cell(store::Store& store) {
  const auto planned = store.load_cells(store::Detail::planned);
  if (!planned) return std::nullopt;
  for (auto begin = planned->begin(); begin != planned->end();) {
    const auto end = std::find_if_not(begin, planned->end(), [&first = *begin](const store::CellData& cell) {
      return report::is_same_workload_on_device(first, cell);
    });
    std::vector<store::CellData> workload;
    for (; begin != end; ++begin) {
      auto cell = store.load_cell(begin->cell_id, store::Detail::speeds);
      if (!cell || !*cell) return std::nullopt;
      workload.push_back(**std::move(cell));
    }
    if (const auto fastest = exports::choose_cell(workload, {.fastest = true})) return **fastest;
  }
  return std::nullopt;
}

// Returns the folder as one types it: relative if it is below the working folder.
std::string typed(const std::filesystem::path& folder) {
  std::error_code is_gone;
  const auto relative = folder.lexically_relative(std::filesystem::current_path(is_gone));
  return relative.empty() || *relative.begin() == ".." ? folder.string() : relative.string();
}

}  // namespace

Result<CellStates> states_of(const std::filesystem::path& results) {
  auto store = store::Store::open(results / "results.db", store::Mode::read_only);
  if (!store) return error_of(store);
  return store->cell_states();
}

int print_outcome(const Installation& installation, const std::filesystem::path& results, const CellStates& states,
                  const FormatArguments& format) {
  constexpr std::size_t kMostCellsInATable = 10'000;
  if (states.size() > kMostCellsInATable && format.is_text()) {
    print_counts(states);
  } else if (const int shown = print_table(installation, results, format); shown != kSuccess) {
    return shown;
  }
  keep_values(results);
  return code_of(states);
}

int print_what_the_budget_allowed(const Installation& installation, const std::filesystem::path& results,
                                  const CellStates& states, const FormatArguments& format, const std::string& budget) {
  const auto without_result = std::count_if(states.begin(), states.end(), [](const store::CellState& state) {
    return state.completed_processes == 0 && state.progress != store::CellState::Progress::failed;
  });
  const int code = print_outcome(installation, results, states, format);
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
  if (const auto states = states_of(results)) {
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
                        with_result, cells, processes, typed(results));
  warn("ngb: stopped; {}\nngb: run the same command again to resume\n", what);
}

void tell_how_to_export(const std::filesystem::path& results, const campaign::Compilers& compilers) {
  auto store = store::Store::open(results / "results.db", store::Mode::read_only);
  const auto fastest = store ? fastest_cell(*store) : std::nullopt;
  if (!fastest) return;
  const work::Compiler& compiler = fastest->of.compiler;
  const auto* const described = compilers.description(compiler.name, compiler.version);
  if (described == nullptr || !exports::check_program(*fastest, *described)) return;
  say("To get this number in a program of your own ({}): ngb export {} --fastest -o program\n",
      exports::title_of(*fastest), typed(results));
}

std::optional<std::filesystem::path> write_report_of_run(const std::filesystem::path& results, std::size_t cells) {
  constexpr std::size_t kMostCells = 5'000;
  if (cells > kMostCells) {
    say("To see these results as a page: ngb report {}\n", results.string());
    return std::nullopt;
  }
  const auto written = report::folder::write_report({.sources = {{results / "results.db", {}}},
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
