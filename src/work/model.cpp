// SPDX-License-Identifier: Apache-2.0
#include "work/model.h"

#include <fmt/format.h>

#include <algorithm>

namespace ngb::work {

const std::string& json_of(const Source& source) {
  static const std::string kNone;
  if (const auto* recipe = std::get_if<Recipe>(&source)) return recipe->json;
  if (const auto* module = std::get_if<Module>(&source)) return module->json;
  return kNone;
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
