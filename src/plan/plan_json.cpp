// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "plan/plan.h"

namespace ngb::plan {
namespace {

using nlohmann::json;

json known(const std::optional<std::uint64_t>& value) { return value ? json(*value) : json(); }

json model_json(const Model& model) {
  json inputs = json::array();
  for (const TensorSignature& input : model.inputs) {
    inputs.push_back({{"name", input.name}, {"type", name(input.type)}, {"shape", input.shape}});
  }
  return {{"hash", model.hash},
          {"label", model.label},
          {"family", model.family.empty() ? json() : json(model.family)},
          {"recipe", model.recipe_json.empty() ? json() : json::parse(model.recipe_json, nullptr, false)},
          {"path", model.path.empty() ? json() : json(model.path)},
          {"batch", model.batch},
          {"inputs", std::move(inputs)},
          {"parameters", known(model.parameters)},
          {"macs", known(model.macs)},
          {"macs_torchinfo", known(model.macs_torchinfo)}};
}

json cell_json(const Cell& cell, const Model& model) {
  json options = json::object();
  for (const auto& [name, value] : cell.options) options[name] = json::parse(value, nullptr, false);
  return {{"id", cell.id},
          {"device", cell.device},
          {"compiler", cell.compiler},
          {"compiler_label", cell.compiler_label},
          {"compiler_version", cell.compiler_version},
          {"options", std::move(options)},
          {"threads", cell.threads},
          {"precision", cell.precision},
          {"model_index", cell.model_index},
          {"model", model.label},
          {"batch", model.batch}};
}

json group_json(const Group& group) {
  json steps = json::array();
  for (const Step& step : group.steps) {
    steps.push_back({{"cell_index", step.cell_index}, {"process_index", step.process_index}});
  }
  return {{"device", group.device}, {"model_index", group.model_index}, {"steps", std::move(steps)}};
}

}  // namespace

json to_json(const Plan& plan) {
  json models = json::array();
  for (const Model& model : plan.models) models.push_back(model_json(model));
  json cells = json::array();
  for (const Cell& cell : plan.cells) {
    cells.push_back(cell_json(cell, plan.models[static_cast<std::size_t>(cell.model_index)]));
  }
  json groups = json::array();
  for (const Group& group : plan.groups) groups.push_back(group_json(group));
  json defaults = json::array();
  for (const config::Setting& setting : config::settings(plan.study)) {
    if (setting.is_default) defaults.push_back(setting.key);
  }
  return {{"study", config::to_json(plan.study)}, {"defaults", std::move(defaults)},
          {"models", std::move(models)},          {"cells", std::move(cells)},
          {"groups", std::move(groups)},          {"process_count", process_count(plan)},
          {"estimate_s", estimate_seconds(plan)}};
}

}  // namespace ngb::plan
