// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "base/hash.h"
#include "base/text.h"
#include "config/keys/value.h"
#include "plan/make_model.h"
#include "plan/order.h"
#include "plan/plan.h"
#include "plan/questions.h"

namespace ngb::plan {
namespace {

using nlohmann::json;

// Collects the problems of all models, so that the user can correct them together.
class ModelProblems {
 public:
  void add(const std::string& label, const Error& error) {
    const std::string text = fmt::format("{}: {}", label, error.text());
    if (std::find(texts_.begin(), texts_.end(), text) == texts_.end()) texts_.push_back(text);
  }
  [[nodiscard]] bool empty() const { return texts_.empty(); }
  [[nodiscard]] Error error(const std::string& where) const {
    if (texts_.size() == 1) return {texts_[0], where, {}};
    return {fmt::format("{} models cannot be used:\n  {}", texts_.size(), text::join(texts_, "\n  ")), where, {}};
  }

 private:
  std::vector<std::string> texts_;
};

Result<std::vector<work::Model>> make_models(const config::Study& study) {
  std::vector<work::Model> models;
  ModelProblems problems;
  PythonFiles python_files;
  std::map<std::string, std::string> label_of_hash;
  for (const config::ModelEntry& entry : study.models) {
    for (const int batch : study.batch_sizes) {
      auto model = make_model(entry, batch, study.protocol.seed, python_files);
      if (!model) {
        problems.add(entry.label, model.error());
        continue;
      }
      const auto [known, is_new] = label_of_hash.emplace(model->key.hash, entry.label);
      if (!is_new && known->second != entry.label) {
        problems.add(entry.label,
                     {fmt::format("the same model as {}; remove one of the two entries", known->second), {}, {}});
      }
      models.push_back(*std::move(model));
    }
  }
  if (!problems.empty()) return tl::unexpected(problems.error(study.path.string()));
  return models;
}

std::string cell_id(const std::string& device, const work::Compiler& compiler, const work::Model& model) {
  json made_of{{"batch", model.key.batch},
               {"compiler", compiler.name},
               {"device", device},
               {"model", model.key.hash},
               {"options", config::object_of(compiler.options)},
               {"precision", compiler.precision},
               {"threads", compiler.threads},
               {"version", compiler.version}};
  // Cells without settings and with one inference at a time keep the ids that they have always had.
  if (!compiler.settings.empty()) made_of["settings"] = config::object_of(compiler.settings);
  if (compiler.in_flight != 1) {
    made_of["in_flight"] = compiler.in_flight ? json(*compiler.in_flight) : json("auto");
  }
  return hash::sha256(made_of.dump(-1, ' ', false, json::error_handler_t::replace)).substr(0, 16);
}

void add_cells(Plan& plan, const config::DeviceEntry& device, int model_index) {
  const work::Model& model = plan.models[static_cast<std::size_t>(model_index)];
  for (std::size_t i = 0; i < plan.compilers.size(); ++i) {
    const work::Compiler& compiler = plan.compilers[i];
    const auto& chosen = device.compilers;
    if (std::find(chosen.begin(), chosen.end(), compiler.label) == chosen.end()) continue;
    plan.cells.push_back({.id = cell_id(device.name, compiler, model),
                          .device = device.name,
                          .compiler_index = static_cast<int>(i),
                          .model_index = model_index});
  }
}

}  // namespace

Result<Plan> expand(const config::Study& study) {
  auto models = make_models(study);
  if (!models) return error_of(models);
  Plan plan;
  plan.study = study;
  plan.compilers = study.compilers;
  for (work::Compiler& compiler : plan.compilers) compiler.precision = study.precision;
  plan.models = *std::move(models);
  for (const config::DeviceEntry& device : study.devices) {
    for (std::size_t i = 0; i < plan.models.size(); ++i) add_cells(plan, device, static_cast<int>(i));
  }
  plan.groups = order(plan.models, plan.cells, work::planned_processes(study.protocol), study.protocol.seed);
  if (study.protocol.rounds) add_questions(plan, study.baseline);
  return plan;
}

std::uint64_t process_count(const Plan& plan) {
  std::uint64_t count = 0;
  for (const work::Group& group : plan.groups) count += group.steps.size();
  return count;
}

}  // namespace ngb::plan
