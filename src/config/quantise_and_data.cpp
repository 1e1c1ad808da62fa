// SPDX-License-Identifier: Apache-2.0
// Reads the keys of a model from which files are made before the study is planned: quantise and data.
#include <fmt/format.h>

#include <system_error>

#include "config/keys/key.h"
#include "config/keys/value.h"
#include "config/user_models.h"

namespace ngb::config {

// `static`, or a mapping from static or dynamic to its keys.
void UserModelReader::read_quantise(const DocumentNode& node, const std::string& path, ModelEntry& model) {
  const std::vector<Field> named = node.is_map() ? fields(node, path, problems_) : std::vector<Field>();
  const std::string how = node.is_map() && named.size() == 1 ? named[0].name : node.text;
  if ((how != "static" && how != "dynamic") || (!node.is_scalar() && named.size() != 1)) {
    problems_.add(node, path, "expected static, dynamic, or one of them with its keys, found " + found(node));
    return;
  }
  Quantisation& made = model.quantise.emplace();
  made.is_static = how == "static";
  if (!node.is_map() || named[0].value->is_null()) return;
  const std::string inner = join_path(path, how);
  if (!named[0].value->is_map()) {
    problems_.add(*named[0].value, inner, "expected keys such as per_channel: true, found " + found(*named[0].value));
    return;
  }
  for (const Field& field : fields(*named[0].value, inner, problems_)) {
    const Key* const key = find_key(quantise_keys(), field.name);
    if (key == nullptr) {
      problems_.add(*field.key, inner, unknown_word(field.name, "key", names(quantise_keys())));
    } else if (field.name == "inputs" && !made.is_static) {
      problems_.add(*field.key, inner, "dynamic quantisation is not calibrated; remove the key inputs");
    } else if (const auto value = read_value(*key, *field.value, join_path(inner, field.name), problems_)) {
      if (field.name == "inputs") value->get_to(made.inputs);
      if (field.name == "per_channel") value->get_to(made.per_channel);
    }
  }
}

std::filesystem::path UserModelReader::read_file_or_folder(const DocumentNode& node, const std::string& path) {
  static const Key kPath{.name = "path", .type = ValueType::path};
  const auto value = read_value(kPath, node, path, problems_);
  if (!value) return {};
  const std::filesystem::path given(value->get<std::string>());
  std::filesystem::path absolute = (given.is_absolute() ? given : folder_ / given).lexically_normal();
  std::error_code ignored;
  if (!std::filesystem::exists(absolute, ignored)) {
    problems_.add(
        node, path,
        fmt::format("{}: no such file or folder; relative paths start at the study's folder", shown(given.string())));
  }
  return absolute;
}

void UserModelReader::read_data(const DocumentNode& node, const std::string& path, ModelEntry& model) {
  if (!node.is_map()) {
    problems_.add(node, path, "expected {arrays: FOLDER, labels: FILE}, found " + found(node));
    return;
  }
  LabelledData& data = model.data.emplace();
  for (const Field& field : fields(node, path, problems_)) {
    const std::string field_path = join_path(path, field.name);
    if (find_key(data_keys(), field.name) == nullptr) {
      problems_.add(*field.key, path, unknown_word(field.name, "key", names(data_keys())));
      continue;
    }
    const std::filesystem::path file = read_file_or_folder(*field.value, field_path);
    (field.name == "arrays" ? data.arrays : field.name == "images" ? data.images : data.labels) = file;
  }
  if (data.arrays.empty() == data.images.empty()) {
    problems_.add(node, path, "expected exactly one of the keys arrays and images");
  }
  if (data.labels.empty()) problems_.add(node, path, "the key labels is missing: a file with the right classes");
  if (!model.inputs.empty()) problems_.add(node, path, "data gives the inputs' values; remove the key inputs");
}

}  // namespace ngb::config
