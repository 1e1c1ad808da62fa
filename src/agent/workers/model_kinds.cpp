// SPDX-License-Identifier: Apache-2.0
#include "agent/workers/model_kinds.h"

#include <nlohmann/json.hpp>

#include "base/json_text.h"

namespace ngb::agent {
namespace {

// Returns "module" for a recipe without a family, for which anything may be needed.
std::string kind_of(const work::Model& model) {
  const auto* const recipe = std::get_if<work::Recipe>(&model.source);
  if (recipe == nullptr) return model.is_module() ? work::Module::kType : work::OnnxFile::kType;
  const nlohmann::json parsed = json_text::parse(recipe->json);
  const auto family = parsed.is_object() ? parsed.find("family") : parsed.end();
  return family != parsed.end() && family->is_string() ? family->get<std::string>() : work::Module::kType;
}

}  // namespace

std::set<std::string> model_kinds(const work::Job& job) {
  std::set<std::string> kinds;
  for (const work::Model& model : job.models) {
    kinds.insert(kind_of(model));
    for (const work::Model& exact : model.exact) kinds.insert(kind_of(exact));
  }
  return kinds;
}

}  // namespace ngb::agent
