// SPDX-License-Identifier: Apache-2.0
#include "exports/subject.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>
#include <utility>

#include "campaign/cell_study.h"
#include "campaign/study_compilers.h"
#include "campaign/study_file.h"
#include "exports/cell_choice.h"
#include "exports/program.h"
#include "store/merge.h"

namespace ngb::exports {
namespace {

using campaign::cannot_go_on;

// A changed file has given the model of the plan another hash.
Status check_model(const store::CellData& cell, const Subject& subject) {
  if (subject.plan.models.empty()) return fail("its study has no model any more", title_of(cell));
  const work::Model& model = subject.model();
  const work::Place place{.host = subject.compiler.host, .runs_modules = subject.compiler.runs_modules};
  if (model.is_module() && (place.host != "python" || !work::runs_modules(place, cell.of.compiler))) {
    return fail("it read the ONNX file of a PyTorch module, for which programs are not written yet", title_of(cell),
                "export the module to an ONNX file (torch.onnx.export), and measure that");
  }
  if (model.is_compiled()) {
    return fail("it is a compiled file, for which programs are not written yet", title_of(cell),
                "the runtime's own documentation has the call");
  }
  if (model.key == cell.of.model.key) return Done{};
  return fail("the model has changed since it was measured", model.path.empty() ? model.label : model.path,
              "bring the former file back, or measure the new one: ngb run");
}

Status check_device(const store::CellData& cell) {
  if (cell.of.compute_device.value.value_or("cpu") == "cpu") return Done{};
  return fail("it computed on another device than the CPU (" + *cell.of.compute_device.value +
                  "), for which programs are not written yet",
              title_of(cell));
}

Status check_compiler(const toolchain::CompilerDescription& compiler) {
  std::error_code code;
  if (std::filesystem::exists(compiler.folder / kProgramFile, code)) return Done{};
  return fail("ngb writes no programs for this compiler yet", compiler.name,
              "docs/export.md lists those for which it does, and why not for others");
}

}  // namespace

Status check_program(const store::CellData& cell, const toolchain::CompilerDescription& compiler) {
  Status may = check_exportable(cell);
  if (may) may = check_device(cell);
  return may ? check_compiler(compiler) : may;
}

campaign::Answer<Subject> subject_of(const campaign::Installation& installation, nlohmann::json study,
                                     const campaign::Say& say) {
  auto plan = campaign::plan_made_study(installation, study, say);
  if (!plan) return tl::unexpected(plan.error());
  if (plan->cells.empty()) return cannot_go_on({"its study has no cell", plan->study.name, ""});
  const auto compilers = campaign::Compilers::find(installation, *plan);
  if (!compilers) return cannot_go_on(compilers.error());
  const work::Compiler& asked = plan->compiler_of(plan->cells.front());
  const toolchain::CompilerDescription* const described = compilers->description(asked.name, asked.version);
  if (described == nullptr) return cannot_go_on({"no such compiler in this installation", asked.name, ""});
  if (const Status has_program = check_compiler(*described); !has_program) return cannot_go_on(has_program.error());
  auto found = toolchain::find(installation.toolchains, described->toolchain, asked.version);
  if (!found) return cannot_go_on(found.error());
  if (!*found) {
    const std::string name = fmt::format("{}@{}", described->toolchain, asked.version);
    return cannot_go_on({"the toolchain is not installed any more", name, "run: ngb toolchain install " + name});
  }
  Subject subject{.study = std::move(study), .plan = *std::move(plan), .compiler = *described, .toolchain = **found};
  subject.cell.of = subject.plan.configuration_of(subject.plan.cells.front());
  if (subject.model().decoding) {
    return cannot_go_on({"it generates tokens, for which programs are not written yet", subject.model().label,
                         "measure one step, by the recipe's parameters context and capacity, and export that"});
  }
  if (!subject.model().visited.empty() || !subject.model().unpadded.empty()) {
    return cannot_go_on({"it meets several shapes, or padded ones, for which programs are not written yet",
                         subject.model().label, "measure one shape, by dimensions, and export that"});
  }
  return subject;
}

campaign::Answer<Subject> find_subject(const campaign::Installation& installation, const std::filesystem::path& results,
                                       store::CellData cell, const campaign::Say& say) {
  if (const Status may = check_exportable(cell); !may) return cannot_go_on(may.error());
  auto study = campaign::study_of_cell(installation, {{results / "results.db", {}}}, cell, "ngb export", say);
  if (!study) return tl::unexpected(study.error());
  auto subject = subject_of(installation, *std::move(study), say);
  if (!subject) return subject;
  Status may = check_model(cell, *subject);
  if (may) may = check_device(cell);
  if (!may) return cannot_go_on(may.error());
  if (cell.processes.front().made_with.manifest_sha256 != subject->toolchain.manifest_sha256) {
    say("ngb: export: the toolchain is another build than the one that was measured\n");
  }
  subject->cell = std::move(cell);
  work::Model& model = subject->plan.models.front();
  if (!model.is_module() || !model.inputs.empty()) return subject;
  auto inputs = inputs_of_module(installation, *subject);
  if (!inputs) return cannot_go_on(inputs.error());
  model.inputs = *std::move(inputs);
  return subject;
}

}  // namespace ngb::exports
