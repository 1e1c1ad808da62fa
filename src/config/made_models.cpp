// SPDX-License-Identifier: Apache-2.0
// Reads the keys of a model from which files are made before the study is planned: quantise and data.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <system_error>

#include "base/text.h"
#include "config/keys/key.h"
#include "config/keys/value.h"
#include "config/user_models.h"

namespace ngb::config {
namespace {

constexpr const char* kTool = "tool";  // the key that makes the mapping one of a compiler's own tool
constexpr const char* kOnnxEnding = ".onnx";

// Returns the first way of the tool that fits what the study asks for, "static 8"; nothing if none does.
std::optional<std::string> way_of(const work::Quantiser& tool, const std::string& how, std::optional<int> bits) {
  for (const std::string& way : tool.ways) {
    const std::vector<std::string> words = text::split(way, ' ');
    if ((how.empty() || how == words[0]) && (!bits || std::to_string(*bits) == words[1])) return way;
  }
  return std::nullopt;
}

}  // namespace

// `static`, a mapping from static or dynamic to its keys, or {tool: NAME} with that tool's keys.
void UserModelReader::read_quantise(const DocumentNode& node, const std::string& path, ModelEntry& model) {
  const std::vector<Field> named = node.is_map() ? fields(node, path, problems_) : std::vector<Field>();
  if (std::any_of(named.begin(), named.end(), [](const Field& each) { return each.name == kTool; })) {
    read_tool(node, named, path, model);
    return;
  }
  const std::string how = node.is_map() && named.size() == 1 ? named[0].name : node.text;
  if ((how != "static" && how != "dynamic") || (!node.is_scalar() && named.size() != 1)) {
    problems_.add(node, path,
                  "expected static, dynamic, one of them with its keys, or {tool: NAME}, found " + found(node));
    return;
  }
  Quantisation& made = model.quantise.emplace();
  made.how = how;
  if (!node.is_map() || named[0].value->is_null()) return;
  const std::string inner = join_path(path, how);
  for (const Field& field : fields_or_problem(*named[0].value, inner, "keys such as per_channel: true", problems_)) {
    const Key* const key = find_key(quantise_keys(), field.name);
    if (key == nullptr) {
      problems_.add(*field.key, inner, unknown_key(field.name, names(quantise_keys())));
    } else if ((field.name == "inputs" || field.name == "method") && !made.is_static()) {
      problems_.add(*field.key, inner, "dynamic quantisation is not calibrated; remove the key " + field.name);
    } else if (const auto value = read_value(*key, *field.value, join_path(inner, field.name), problems_)) {
      if (field.name == "inputs") value->get_to(made.inputs);
      if (field.name == "per_channel") value->get_to(made.per_channel);
      if (field.name == "method") value->get_to(made.method);
      if (field.name == "exclude") value->get_to(made.exclude);
    }
  }
}

// Reads {tool: nncf, how: weights, bits: 4, inputs: 32}.
void UserModelReader::read_tool(const DocumentNode& node, const std::vector<Field>& given, const std::string& path,
                                ModelEntry& model) {
  Quantisation made{.how = ""};
  std::optional<int> bits;
  const DocumentNode* inputs = nullptr;
  const DocumentNode* name = nullptr;
  for (const Field& field : given) {
    const Key* const key = find_key(tool_keys(), field.name);
    if (key == nullptr) {
      problems_.add(*field.key, path, unknown_key(field.name, names(tool_keys())));
    } else if (const auto value = read_value(*key, *field.value, join_path(path, field.name), problems_)) {
      if (field.name == kTool) {
        value->get_to(made.tool);
        name = field.value.get();
      }
      if (field.name == "how") value->get_to(made.how);
      if (field.name == "bits") bits = value->get<int>();
      if (field.name == "inputs") {
        value->get_to(made.inputs);
        inputs = field.key.get();
      }
    }
  }
  if (name == nullptr) return;  // its problem is reported
  const auto tool = std::find_if(quantisers_.begin(), quantisers_.end(),
                                 [&](const work::Quantiser& each) { return each.tool == made.tool; });
  if (tool == quantisers_.end()) {
    std::vector<std::string> tools;
    for (const work::Quantiser& each : quantisers_) tools.push_back(each.tool);
    problems_.add(*name, join_path(path, kTool), unknown_word(made.tool, "tool", tools));
    return;
  }
  if (!tool->refused.empty()) {
    problems_.add(*name, join_path(path, kTool), fmt::format("{}: {}", made.tool, tool->refused));
    return;
  }
  const std::optional<std::string> way = way_of(*tool, made.how, bits);
  if (!way) {
    problems_.add(node, path, fmt::format("{} does {} only", made.tool, text::join(tool->ways, ", ")));
    return;
  }
  made.how = way->substr(0, way->find(' '));
  made.bits = std::stoi(way->substr(way->find(' ') + 1));
  if (inputs != nullptr && !made.is_static()) {
    problems_.add(*inputs, path, made.how + " quantisation is not calibrated; remove the key inputs");
  }
  if (tool->file != kOnnxEnding) model.compiled = tool->file;
  model.quantise = std::move(made);
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
      problems_.add(*field.key, path, unknown_key(field.name, names(data_keys())));
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
