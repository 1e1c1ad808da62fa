// SPDX-License-Identifier: Apache-2.0
#include "apps/ngb/explaining.h"

#include <algorithm>

#include "apps/ngb/run_display.h"
#include "apps/ngb/terminal.h"
#include "campaign/kept_calibrations.h"

namespace ngb::app {

void print_explained(const report::Document& document, const report::Format& format, bool all) {
  const OutputShape shape = shape_of_stdout();
  format.print(document, {.all = all, .width = shape.width, .wrap = shape.wrap, .color = shape.has_color},
               print_table_text);
}

ExitCode refuse_profiles(const Error& error) {
  const ExitCode code = error.code == ErrorCode::not_found ? kWrongUsage : kCannotGoOn;
  report_failure(error, code);
  return code;
}

ExitCode print_pairs(const report::Profiles& profiles, const report::Format& format, bool all) {
  const bool is_any = std::any_of(profiles.pairs.begin(), profiles.pairs.end(),
                                  [](const report::ExplainedPair& each) { return each.explanation.has_value(); });
  const bool has_table = is_any || profiles.pairs.size() > 1 || !format.is_for_people;  // else the error says it all
  if (has_table) print_explained(report::explain_document(profiles.pairs, all), format, all);
  if (is_any) return kSuccess;
  report_failure({"no pair is explained: " + profiles.pairs.front().why_not, {}, {}}, kCannotGoOn);
  return kCannotGoOn;
}

Status check_can_explain(const report::Format& format) {
  if (format.is_for_people) return Done{};
  return fail("--explain prints a second table, which this format cannot hold", format.name,
              "use text or markdown, or run `ngb explain` for itself");
}

ExitCode explain_after(const Installation& installation, const std::filesystem::path& study,
                       const campaign::ProfileSides& sides, const std::filesystem::path& results,
                       const report::Format& format) {
  RunDisplay display(RunDisplay::Options{.hides_speeds = true});
  const auto measured = campaign::profile_sides(installation, study, sides, results, display);
  if (!measured) return report_refusal(measured.error());
  const auto profiles = report::explain_results({.sources = {{.file = measured->results / "results.db"}},
                                                 .baseline = measured->baseline,
                                                 .candidate = measured->candidate,
                                                 .peak_of = campaign::peaks_in(campaign::trusted_cache(installation))});
  if (!profiles) return refuse_profiles(profiles.error());
  say("\n");
  return print_pairs(*profiles, format, false);
}

}  // namespace ngb::app
