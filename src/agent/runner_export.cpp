// SPDX-License-Identifier: Apache-2.0
// Decides how a group's PyTorch module is exported, and which cells do without the ONNX file.
#include <algorithm>

#include "agent/runner.h"
#include "agent/workers/kept_exports.h"

namespace ngb::agent {

bool Runner::needs_file(const work::Compiler& compiler) const {
  return !model().is_module() || !work::runs_modules(job_.place_of(compiler), compiler);
}

Exporting Runner::exporting() const {
  if (!model().is_module()) return {};
  Exporting exporting;
  exporting.needs_file =
      std::any_of(group().steps.begin(), group().steps.end(),
                  [&](const work::Step& step) { return needs_file(job_.compiler_of(job_.cell_of(step))); }) ||
      (job_.reference && needs_file(*job_.reference));
  if (job_.reference_cache.empty() || !job_.exporter) return exporting;
  const work::Compiler& any = job_.reference ? *job_.reference : job_.compilers.front();
  const samples::Provenance& made_with = build_of(any, model()).with;
  exporting.kept = caches() / "exports" / export_name(model(), exporting.needs_file, made_with);
  return exporting;
}

// Records that the cell has no number because its compiler reads ONNX and the module has no such file.
Status Runner::fail_cell_without_file(const work::Step& step) {
  for (const work::Step& each : group().steps) {
    if (each.cell_index != step.cell_index || !next_attempt(each)) continue;
    samples::ProcessResult result = result_without_worker(each);
    result.failure = file_->no_file;
    if (Status recorded = record({0, std::move(result)}); !recorded) return recorded;
  }
  return Done{};
}

}  // namespace ngb::agent
