// SPDX-License-Identifier: Apache-2.0
// ngb profile: what every measured configuration does and takes, for people and programs that plan with it.
#include "report/profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <set>
#include <utility>

#include "apps/ngb/command.h"
#include "apps/ngb/device_costs.h"
#include "apps/ngb/format_option.h"
#include "apps/ngb/sources.h"
#include "apps/ngb/terminal.h"
#include "metrics/families.h"

namespace ngb::app {
namespace {

struct ProfileArguments {
  SourcesArguments results;
  FormatArguments format;
  std::vector<std::string> costs;
  std::map<std::string, std::vector<std::string>> wanted;  // by the name of the filter
};

// The rows of cells, and the devices of these.
struct Profile {
  std::vector<report::ProfileRow> rows{};
  std::set<std::string> devices{};
};

Result<Profile> read_profile(metrics::FamilyReader& reader, const report::CellFilter& filter,
                             const std::vector<store::ValueFamily>& families, const CostPerHour& costs) {
  Profile profile;
  const auto add = [&](const report::FamilyResults& family) {
    for (std::size_t i = 0; i < family.results.cells.size(); ++i) {
      const store::CellData& cell = *family.results.cells[i];
      report::ProfileRow row = report::profile_row(cell, family.results, costs);
      row.position = family.positions[i];
      profile.rows.push_back(std::move(row));
      profile.devices.insert(cell.of.device);
    }
  };
  const Status done = report::each_family(reader, families, filter, /*with_best_options=*/false, add);
  if (!done) return error_of(done);
  std::sort(profile.rows.begin(), profile.rows.end(),
            [](const report::ProfileRow& a, const report::ProfileRow& b) { return a.position < b.position; });
  return profile;
}

int profile(const ProfileArguments& arguments) {
  const auto format = arguments.format.among(report::profile_formats());
  if (!format) return report_failure(format.error(), kWrongUsage);
  const auto given = parse_costs(arguments.costs);
  if (!given) return report_failure(given.error(), kWrongUsage);
  const auto sources = sources_of(arguments.results);
  if (!sources) return report_failure(sources.error(), kWrongUsage);
  const auto costs = with_recorded_costs(*given, *sources);
  if (!costs) return report_failure(costs.error(), kCannotGoOn);
  auto reader = metrics::FamilyReader::open(*sources);
  if (!reader) return report_failure(reader.error(), kCannotGoOn);
  report::CellFilter filter(arguments.wanted);
  const auto chosen = report::passing_families(*reader, filter);
  if (!chosen) return report_failure(chosen.error(), kCannotGoOn);
  if (const Status known = filter.check(); !known) return report_failure(known.error(), kWrongUsage);
  auto made = read_profile(*reader, filter, chosen->families, *costs);
  if (!made) return report_failure(made.error(), kCannotGoOn);
  const Status are_known = check_costs(*given, {made->devices.begin(), made->devices.end()});
  if (!are_known) return report_failure(are_known.error(), kWrongUsage);
  const bool has_samples = std::any_of(made->rows.begin(), made->rows.end(),
                                       [](const report::ProfileRow& row) { return row.has_processes; });
  if (!has_samples) {
    return report_failure({"no chosen configuration has a completed process", arguments.results.folders.front(),
                           "to see why, run: ngb show " + arguments.results.folders.front()},
                          kCannotGoOn);
  }
  const OutputShape shape = shape_of_stdout();
  print_table_text((*format)->write(report::profile_document(std::move(made->rows)),
                                    {.width = shape.width, .wrap = shape.wrap, .color = shape.has_color}));
  return kSuccess;
}

}  // namespace

void add_profile(CLI::App& app, const Installation& /*installation*/, Action& chosen) {
  const auto arguments = std::make_shared<ProfileArguments>();
  CLI::App* command = app.add_subcommand(
      "profile", "Print what each configuration does and takes: speed, latency, energy, memory, start, cost");
  constexpr int kMostFolders = 1000;
  add_source_options(*command, arguments->results, "Results folders, which are read as one", 1, kMostFolders);
  add_cost_option(*command, arguments->costs);
  add_filter_options(*command, arguments->wanted);
  add_format_option(*command, arguments->format, report::profile_formats(),
                    "The columns: docs/profile.md.\n\n"
                    "Examples:\n  ngb profile results/quickstart\n"
                    "  ngb profile results/xeon results/orin --format csv --cost xeon=0.35 --cost orin=0.05");
  command->callback([=, &chosen] { chosen = [=] { return profile(*arguments); }; });
}

}  // namespace ngb::app
