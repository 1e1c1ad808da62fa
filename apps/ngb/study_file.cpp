// SPDX-License-Identifier: Apache-2.0
#include "apps/ngb/study_file.h"
#include "apps/ngb/terminal.h"

#include <cstdio>

namespace ngb::app {

tl::expected<plan::Plan, ExitCode> plan_study(const Installation& installation, const std::filesystem::path& file) {
  const auto vocabulary = read_vocabulary(installation);
  if (!vocabulary) {
    report_failure(vocabulary.error(), kCannotGoOn);
    return tl::unexpected(kCannotGoOn);
  }
  const auto study = config::load_study(file, *vocabulary);
  if (!study) {
    for (const config::StudyProblem& problem : study.error()) warn("{}\n", problem.text());
    const std::size_t count = study.error().size();
    warn("ngb: {} problem{} in {}; nothing was run\n", count, count == 1 ? "" : "s", file.string());
    return tl::unexpected(kWrongUsage);
  }
  auto plan = plan::expand(*study);
  if (!plan) {
    report_failure(plan.error(), kWrongUsage);
    return tl::unexpected(kWrongUsage);
  }
  return *std::move(plan);
}

}  // namespace ngb::app
