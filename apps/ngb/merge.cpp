// SPDX-License-Identifier: Apache-2.0
// ngb merge: writes the results of several folders into a new one.
#include <fmt/format.h>

#include <memory>
#include <set>
#include <system_error>

#include "apps/ngb/command.h"
#include "apps/ngb/results_table.h"
#include "apps/ngb/sources.h"
#include "apps/ngb/stop_signals.h"
#include "apps/ngb/terminal.h"
#include "base/file.h"
#include "base/scratch_folder.h"

namespace ngb::app {
namespace {

// Copies the logs that are still in their folders. Those of devices elsewhere were removed there.
Status copy_logs(const std::vector<store::MovedLog>& logs, const std::filesystem::path& folder) {
  for (const store::MovedLog& log : logs) {
    if (is_stop_requested()) return fail("interrupted; nothing was written");
    const std::filesystem::path to = (folder / log.to).lexically_normal();
    const bool is_within = to.string().starts_with((folder / "sources" / "").lexically_normal().string());
    std::error_code error;
    if (!is_within || !std::filesystem::is_regular_file(std::filesystem::symlink_status(log.from, error))) continue;
    std::filesystem::create_directories(to.parent_path(), error);
    std::filesystem::copy_file(log.from, to, std::filesystem::copy_options::skip_existing, error);
    if (error) return tl::unexpected(file::from_errno("copy", log.from, error.value()));
  }
  return Done{};
}

struct MergeArguments {
  SourcesArguments sources;
  std::string output;
};

Status write_merged(const std::vector<store::Source>& sources, const std::filesystem::path& output) {
  if (output.has_parent_path()) {
    if (const Status there = file::make_folder(output.parent_path()); !there) return there;
  }
  const auto scratch = ScratchFolder::beside(output);
  if (!scratch) return error_of(scratch);
  const std::filesystem::path merged = scratch->path() / "merged";
  if (const Status made = file::make_folder(merged); !made) return made;
  const auto logs = store::merge(sources, merged / "results.db", is_stop_requested);
  if (!logs) return error_of(logs);
  if (const Status copied = copy_logs(*logs, merged); !copied) return copied;
  return file::put_in_place(merged, output);
}

// Returns "8 cells of 2 devices: local, xeon".
Result<std::string> summary_of(const std::filesystem::path& folder) {
  auto merged = store::Store::open(folder / "results.db", store::Mode::read_only);
  if (!merged) return error_of(merged);
  const auto cells = merged->cell_states();
  if (!cells) return error_of(cells);
  const auto devices = merged->devices();
  if (!devices) return error_of(devices);
  std::string names;
  for (const std::string& device : *devices) names += (names.empty() ? "" : ", ") + device;
  return fmt::format("{} cell{} of {} device{}: {}", cells->size(), cells->size() == 1 ? "" : "s", devices->size(),
                     devices->size() == 1 ? "" : "s", names);
}

int merge(const MergeArguments& arguments) {
  std::filesystem::path output = std::filesystem::path(arguments.output).lexically_normal();
  if (!output.has_filename()) output = output.parent_path();
  std::error_code error;
  if (std::filesystem::exists(std::filesystem::symlink_status(output, error))) {
    return report_failure(
        {"it exists already, and merging changes no results", arguments.output, "give -o a name that is not in use"},
        kWrongUsage);
  }
  const auto sources = sources_of(arguments.sources);
  if (!sources) return report_failure(sources.error(), kWrongUsage);
  catch_signals();
  const Status written = write_merged(*sources, output);
  if (!written) return report_failure(written.error(), is_stop_requested() ? kInterrupted : kCannotGoOn);
  keep_values(output);
  const auto summary = summary_of(output);
  if (!summary) return report_failure(summary.error(), kCannotGoOn);
  say("{}: {}\n", arguments.output, *summary);
  return kSuccess;
}

}  // namespace

void add_merge(CLI::App& app, const Installation& /*installation*/, Action& chosen) {
  constexpr int kMostFolders = 1000;
  const auto arguments = std::make_shared<MergeArguments>();
  CLI::App* command = app.add_subcommand("merge", "Write the results of several folders into a new one");
  add_source_options(*command, arguments->sources, "Results folders", 1, kMostFolders);
  command->add_option("-o,--output", arguments->output, "The new results folder, which must not exist")->required();
  command->footer(
      "Everything is kept: processes, failures, environments, provenance, logs. The folders are not changed, and\n"
      "nothing can be measured into the new one.\n\n"
      "Examples:\n  ngb merge results/xeon results/laptop -o results/both --as results/xeon:local=xeon "
      "--as results/laptop:local=laptop\n"
      "  ngb merge results/quickstart -o results/renamed --as local=workstation");
  command->callback([=, &chosen] { chosen = [=] { return merge(*arguments); }; });
}

}  // namespace ngb::app
