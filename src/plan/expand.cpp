// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "base/hash.h"
#include "base/json_text.h"
#include "base/text.h"
#include "plan/groups.h"
#include "plan/link_variants.h"
#include "plan/make_model.h"
#include "plan/plan.h"
#include "work/property.h"

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

Result<std::vector<work::Model>> make_models(const config::Study& study, const OnnxPackage& onnx) {
  std::vector<work::Model> models;
  ModelProblems problems;
  PythonFiles python_files;
  std::map<std::string, std::string> label_of_hash;
  for (const config::ModelEntry& entry : study.models) {
    for (const int batch : study.batch_sizes) {
      auto model = make_model(entry, batch, study.protocol.seed, python_files, onnx);
      if (!model) {
        problems.add(entry.label, model.error());
        continue;
      }
      models.push_back(*std::move(model));
    }
  }
  for (const config::ModelEntry& entry : study.models) {
    if (const Status linked = link_variants(entry, models); !linked) problems.add(entry.label, linked.error());
  }
  for (const work::Model& model : models) {
    const auto [known, is_new] = label_of_hash.emplace(model.key.hash, model.label);
    if (is_new || known->second == model.label) continue;
    problems.add(model.label,
                 {fmt::format("the same model as {}; remove one of the two entries", known->second), {}, {}});
  }
  if (!problems.empty()) return tl::unexpected(problems.error(study.path.string()));
  return models;
}

// Returns the index of the compiler with the threads that it has on the device; adds it to the plan if it is new.
std::size_t index_on(Plan& plan, const config::DeviceEntry& device, std::size_t index) {
  work::Compiler there = config::on_device(plan.study, device, plan.compilers[index]);
  const auto known = std::find(plan.compilers.begin(), plan.compilers.end(), there);
  if (known != plan.compilers.end()) return static_cast<std::size_t>(known - plan.compilers.begin());
  plan.compilers.push_back(std::move(there));
  return plan.compilers.size() - 1;
}

// Returns the indices of the compilers that run on the device.
std::vector<std::size_t> indices_on(Plan& plan, const config::DeviceEntry& device) {
  std::vector<std::size_t> indices;
  for (std::size_t i = 0; i < plan.study.compilers.size(); ++i) {
    const auto& chosen = device.compilers;
    const bool is_chosen = std::find(chosen.begin(), chosen.end(), plan.compilers[i].label) != chosen.end();
    if (is_chosen) indices.push_back(index_on(plan, device, i));
  }
  return indices;
}

// Returns whether the study lists another compiler that differs from this one by its label alone.
bool has_twin(const config::Study& study, const std::string& label) {
  const auto is_this = [&](const work::Compiler& compiler) { return compiler.label == label; };
  work::Compiler twin = *std::find_if(study.compilers.begin(), study.compilers.end(), is_this);
  return std::any_of(study.compilers.begin(), study.compilers.end(), [&](const work::Compiler& other) {
    twin.label = other.label;
    return !is_this(other) && other == twin;
  });
}

// Returns the labels of the compilers that the study names for the model; none: all measure it. Each entry became a
// model for each batch size.
const std::vector<std::string>& compilers_for(const Plan& plan, int model_index) {
  return plan.study.models[static_cast<std::size_t>(model_index) / plan.study.batch_sizes.size()].compilers;
}

void add_cells(Plan& plan, const config::DeviceEntry& device, const std::vector<std::size_t>& compilers,
               int model_index, int load_index) {
  const std::vector<std::string>& only = compilers_for(plan, model_index);
  for (const std::size_t index : compilers) {
    const std::string& label = plan.compilers[index].label;
    if (!only.empty() && std::find(only.begin(), only.end(), label) == only.end()) continue;
    work::Cell cell{.device = device.name,
                    .compiler_index = static_cast<int>(index),
                    .model_index = model_index,
                    .load_index = load_index};
    cell.id = cell_id(plan.configuration_of(cell), has_twin(plan.study, label) ? label : std::string());
    plan.cells.push_back(std::move(cell));
  }
}

}  // namespace

std::string cell_id(const work::Configuration& of, const std::string& label) {
  json made_of = work::id_object(of);
  if (!label.empty()) made_of["label"] = label;
  return hash::sha256(json_text::dump(made_of)).substr(0, 16);
}

Result<Plan> expand(const config::Study& study, const OnnxPackage& onnx) {
  auto models = make_models(study, onnx);
  if (!models) return error_of(models);
  Plan plan;
  plan.study = study;
  plan.compilers = study.compilers;
  for (work::Compiler& compiler : plan.compilers) {
    if (!study.own_precision.contains(compiler.label)) compiler.precision = study.precision;
  }
  plan.models = *std::move(models);
  plan.loads = study.loads;
  for (const config::DeviceEntry& device : study.devices) {
    const std::vector<std::size_t> compilers = indices_on(plan, device);
    for (std::size_t model = 0; model < plan.models.size(); ++model) {
      for (std::size_t load = 0; load < plan.loads.size(); ++load) {
        add_cells(plan, device, compilers, static_cast<int>(model), static_cast<int>(load));
      }
    }
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
