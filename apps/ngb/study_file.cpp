// SPDX-License-Identifier: Apache-2.0
#include "apps/ngb/study_file.h"

#include <cstdio>
#include <set>

#include "apps/ngb/terminal.h"
#include "toolchain/catalog.h"

namespace ngb::app {

namespace {

// Says which compilers cannot do what the study's key `compile` asks for.
void tell_who_compiles_each(const Installation& installation, const plan::Plan& plan) {
  if (plan.study.protocol.compile != work::Compilation::once) return;
  const auto catalog = toolchain::read_catalog(installation.parts.lib);
  if (!catalog) return;
  std::set<std::string> told;
  for (const work::Compiler& compiler : plan.compilers) {
    const auto described = toolchain::find_compiler(*catalog, compiler.name);
    if (!described || described->produces_file || !told.insert(compiler.name).second) continue;
    warn("ngb: compile: once: {} makes no file that another process can load, so each of its processes compiles\n",
         compiler.name);
  }
}

}  // namespace

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
  tell_who_compiles_each(installation, *plan);
  return *std::move(plan);
}

}  // namespace ngb::app
