// SPDX-License-Identifier: Apache-2.0
#include "work/model.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>

#include "base/hash.h"
#include "base/json_text.h"

namespace ngb::work {

const std::string& json_of(const Source& source) {
  static const std::string kNone;
  if (const auto* recipe = std::get_if<Recipe>(&source)) return recipe->json;
  if (const auto* module = std::get_if<Module>(&source)) return module->json;
  return kNone;
}

void make_variant(Model& model, const Model& exact) {
  model.variant_of = exact.label;
  model.exact_hash = exact.key.hash;
  model.key.hash =
      hash::sha256(json_text::dump(nlohmann::json{{"content", model.key.hash}, {"variant_of", exact.key.hash}}));
  for (const UserFile& file : exact.files) model.files.push_back({kExactFiles + file.name, file.path, file.sha256});
  model.values = exact.values;
  for (InputValues& each : model.values) {
    if (!each.file.empty()) each.file.insert(0, kExactFiles);
  }
  model.exact = {exact};
  model.exact.front().files.clear();
}

Model exact_of(const Model& variant) {
  Model exact = variant.exact.front();
  for (const UserFile& file : variant.files) {
    if (!file.name.starts_with(kExactFiles)) continue;
    exact.files.push_back({file.name.substr(std::string_view(kExactFiles).size()), file.path, file.sha256});
  }
  return exact;
}

Model at_shape(const Model& model, const VisitedShape& shape) {
  Model at = model;
  at.inputs = shape.inputs;
  at.unpadded = shape.unpadded;
  at.visited.clear();
  return at;
}

bool has_several_sessions(const Model& model) {
  const bool is_one = std::all_of(model.visited.begin(), model.visited.end(),
                                  [&](const VisitedShape& shape) { return shape.inputs == model.inputs; });
  return model.open_inputs.empty() && !is_one;
}

void put_in_order(Model& model, const std::vector<TensorSignature>& names) {
  const auto place_of = [&](const TensorSignature& input) {
    return std::find_if(names.begin(), names.end(), [&](const auto& each) { return each.name == input.name; });
  };
  const auto arrange = [&](std::vector<TensorSignature>& inputs) {
    std::stable_sort(inputs.begin(), inputs.end(),
                     [&](const auto& a, const auto& b) { return place_of(a) < place_of(b); });
  };
  for (auto* const inputs : {&model.inputs, &model.open_inputs, &model.unpadded}) arrange(*inputs);
  for (VisitedShape& shape : model.visited) {
    arrange(shape.inputs);
    arrange(shape.unpadded);
  }
}

bool has_module(const Model& model) {
  return model.is_module() || (!model.exact.empty() && model.exact.front().is_module());
}

std::string file_name(const ModelKey& key) { return fmt::format("{}-b{}", key.hash.substr(0, 16), key.batch); }

const InputValues* values_of(const std::vector<InputValues>& all, const std::string& input) {
  const auto find = [&](const std::string& name) {
    return std::find_if(all.begin(), all.end(), [&](const InputValues& values) { return values.input == name; });
  };
  auto found = find(input);
  if (found == all.end()) found = find("");
  return found == all.end() ? nullptr : &*found;
}

const UserFile* file_called(const std::vector<UserFile>& files, const std::string& name) {
  const auto found = std::find_if(files.begin(), files.end(), [&](const UserFile& file) { return file.name == name; });
  return found == files.end() ? nullptr : &*found;
}

}  // namespace ngb::work
