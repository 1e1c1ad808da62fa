// SPDX-License-Identifier: Apache-2.0
#include "report/show.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>
#include <thread>

#include "apps/ngb/command.h"
#include "apps/ngb/results_table.h"
#include "metrics/derive.h"

namespace ngb::app {
namespace {

struct Arguments {
  std::string results;
  bool json = false;
  bool all = false;
  bool best = false;
};

int threads() { return static_cast<int>(std::max(1U, std::thread::hardware_concurrency())); }

int print_json(const std::filesystem::path& results_folder) {
  const auto derived = metrics::derive(results_folder / "results.db", threads());
  if (!derived) return report_failure(derived.error(), kCannotGoOn);
  fmt::print("{}\n", report::to_json(derived->cells, derived->values).dump(2));
  return kAllCellsHaveResults;
}

int show(const Arguments& arguments) {
  if (arguments.json) return print_json(arguments.results);
  const ExitCode code = print_table(arguments.results, arguments.all, arguments.best);
  return code == kSomeCellsFailed ? kAllCellsHaveResults : code;
}

}  // namespace

ExitCode print_table(const std::filesystem::path& results_folder, bool all, bool best) {
  const auto derived = metrics::derive(results_folder / "results.db", threads());
  if (!derived) {
    report_failure(derived.error(), kCannotGoOn);
    return kCannotGoOn;
  }
  report::ShowOptions options{.all = all, .best = best || derived->asks_best_options};
  winsize size{};
  options.color = ::isatty(STDOUT_FILENO) == 1 && std::getenv("NO_COLOR") == nullptr;
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) options.width = size.ws_col;
  std::fputs(report::show_table(derived->cells, derived->values, options).c_str(), stdout);
  const bool has_failures = std::any_of(derived->cells.begin(), derived->cells.end(), [](const store::CellData& cell) {
    return !cell.failed.empty() && static_cast<int>(cell.processes.size()) < cell.planned_processes;
  });
  return has_failures ? kSomeCellsFailed : kAllCellsHaveResults;
}

void add_show(CLI::App& app, const Installation& /*installation*/, Action& chosen) {
  const auto arguments = std::make_shared<Arguments>();
  CLI::App* command = app.add_subcommand("show", "Print the table of a results folder");
  command->add_option("results", arguments->results, "Results folder")->required();
  command->add_flag("--json", arguments->json, "Print JSON: every cell with every metric");
  command->add_flag("--all", arguments->all, "Every metric, however wide");
  command->add_flag("--best", arguments->best,
                    "Below the table, the best options of each compiler, also where the study does not ask for them");
  command->footer("Example:\n  ngb show results/quickstart");
  command->callback([=, &chosen] { chosen = [=] { return show(*arguments); }; });
}

}  // namespace ngb::app
