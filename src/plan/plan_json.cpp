// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "base/json_text.h"
#include "plan/plan.h"
#include "work/codec.h"
#include "work/property.h"

namespace ngb::plan {
namespace {

using nlohmann::json;

// Returns null for an empty text.
json text_or_null(const std::string& text) { return text.empty() ? json() : json(text); }

json model_json(const work::Model& model) {
  const std::string& recipe = work::json_of(model.source);
  return {{"hash", model.key.hash},
          {"label", model.label},
          {"family", text_or_null(model.family)},
          {"group", text_or_null(model.group)},
          {"style", text_or_null(model.style)},
          {"size", work::write_json(model.size)},
          {"raw_bytes", work::write_json(model.raw_bytes)},
          {"encoded_bytes", work::write_json(model.encoded_bytes)},
          {"recipe", recipe.empty() ? json() : json_text::parse(recipe)},
          {"path", text_or_null(model.path)},
          {"batch", model.key.batch},
          {"inputs", work::write_json(model.inputs)},
          {"parameters", work::write_json(model.parameters)},
          {"macs", work::write_json(model.macs)},
          {"macs_torchinfo", work::write_json(model.macs_torchinfo)}};
}

json cell_json(const Plan& plan, const work::Cell& cell) {
  using work::Role;
  const work::Configuration of = plan.configuration_of(cell);
  json object{{"id", cell.id}, {"model_index", cell.model_index}};
  for (const work::Property* each :
       work::properties_of({Role::device, Role::model_name, Role::batch, Role::compiler, Role::label, Role::version,
                            Role::options, Role::instances, Role::precision, Role::load})) {
    object[each->name] = work::value_of(*each, of);
  }
  for (const work::Property* each : work::properties_of({Role::threads})) {
    object[each->name] = work::asked_value_of(*each, of);
  }
  return object;
}

json group_json(const work::Group& group) {
  json steps = json::array();
  for (const work::Step& step : group.steps) {
    steps.push_back({{"cell_index", step.cell_index}, {"process_index", step.process_index}});
  }
  return {{"device", group.device}, {"model_index", group.model_index}, {"steps", std::move(steps)}};
}

}  // namespace

json to_json(const Plan& plan) {
  json models = json::array();
  for (const work::Model& model : plan.models) models.push_back(model_json(model));
  json cells = json::array();
  for (const work::Cell& cell : plan.cells) {
    cells.push_back(cell_json(plan, cell));
  }
  json groups = json::array();
  for (const work::Group& group : plan.groups) groups.push_back(group_json(group));
  json defaults = json::array();
  for (const config::KeyValue& each : config::key_values(plan.study)) {
    if (each.is_default) defaults.push_back(each.key);
  }
  return {{"study", config::to_json(plan.study)}, {"defaults", std::move(defaults)},
          {"models", std::move(models)},          {"cells", std::move(cells)},
          {"groups", std::move(groups)},          {"process_count", process_count(plan)}};
}

}  // namespace ngb::plan
