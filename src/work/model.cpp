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
