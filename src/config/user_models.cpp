// SPDX-License-Identifier: Apache-2.0
#include "config/user_models.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <system_error>

#include "config/keys/key.h"
#include "config/keys/value.h"
#include "config/named_shapes.h"

namespace ngb::config {

namespace {

using nlohmann::json;

constexpr const char* kBatchWord = "batch";

// Returns any YAML as JSON.
json json_of_node(const DocumentNode& node) {
  if (node.is_map()) {
    json object = json::object();
    for (const auto& [key, value] : node.entries) object[key->text] = json_of_node(*value);
    return object;
  }
  if (!node.is_sequence()) return scalar_json(node);
  json list = json::array();
  for (const NodePointer& item : node.items) list.push_back(json_of_node(*item));
  return list;
}

const DocumentNode* field_of(const ModelFields& given, const std::string& key) {
  const auto found = given.find(key);
  return found == given.end() ? nullptr : found->second.get();
}

}  // namespace

ModelKind ModelEntry::kind() const {
  if (!family.empty()) return ModelKind::zoo;
  if (!compiled.empty()) return ModelKind::compiled;
  if (factory.empty()) return ModelKind::onnx;
  return file.empty() ? ModelKind::timm : ModelKind::pytorch;
}

ModelEntry UserModelReader::read(const std::string& kind, const ModelFields& given, const std::string& path) {
  ModelEntry model;
  const DocumentNode& named = *given.at(kind);
  if (kind == "onnx") read_onnx(named, path + ".onnx", model);
  if (kind == "file") read_compiled(named, path + ".file", model);
  if (kind == "pytorch") read_pytorch(named, path + ".pytorch", model);
  if (kind == "timm") read_timm(named, path + ".timm", model);
  if (kind == "quantise") read_quantise(named, path + ".quantise", model);
  if (const DocumentNode* node = field_of(given, "dimensions")) read_dimensions(*node, path + ".dimensions", model);
  if (const DocumentNode* node = field_of(given, "shapes_in_one_session"))
    read_visited(*node, path + ".shapes_in_one_session", model, problems_);
  if (const DocumentNode* node = field_of(given, "mix")) read_mix(*node, path + ".mix", folder_, model, problems_);
  if (const DocumentNode* node = field_of(given, "shapes")) read_shapes(*node, path + ".shapes", model);
  if (const DocumentNode* node = field_of(given, "parameters")) read_parameters(*node, path + ".parameters", model);
  if (const DocumentNode* node = field_of(given, "state_dict")) {
    model.state_dict = read_file(*node, path + ".state_dict", "a file that torch.save has written");
  }
  read_common(given, path, model);
  if (model.named) model.named->extents = extents_;
  // A module that decodes has the dimensions of its cache, which no shape names.
  const auto decodes = [&](const Key& key) { return key.is_axis && given.contains(key.name); };
  const bool are_of_cache = kind == "pytorch" && std::ranges::any_of(model_keys(), decodes);
  if (kind != "onnx" && !are_of_cache) settle_dimensions(given, path, model);
  check_named_shapes(given, path, model, problems_);
  const bool is_file = kind == "onnx";
  for (const auto& [name, input] : model.inputs) {
    if (!is_file || input.type.empty()) continue;
    problems_.add(*given.at("inputs"), path + ".inputs", "an ONNX file contains its types; remove the key type");
  }
  return model;
}

void UserModelReader::read_common(const ModelFields& given, const std::string& path, ModelEntry& model) {
  if (const DocumentNode* node = field_of(given, "inputs")) read_inputs(*node, path + ".inputs", model);
  if (const DocumentNode* node = field_of(given, "data")) read_data(*node, path + ".data", model);
  for (const Key& key : model_keys()) {
    const DocumentNode* const node = key.set_in_model && !key.is_axis ? field_of(given, key.name) : nullptr;
    if (node == nullptr) continue;
    if (const auto value = read_value(key, *node, join_path(path, key.name), problems_))
      key.set_in_model(model, *value);
  }
  const DocumentNode* const raw = field_of(given, "raw_bytes");
  const DocumentNode* const encoded = field_of(given, "encoded_bytes");
  if ((raw == nullptr) == (encoded == nullptr)) return;
  problems_.add(raw ? *raw : *encoded, join_path(path, raw ? "raw_bytes" : "encoded_bytes"),
                fmt::format("TCR/s needs both sizes of a sample: add {}, or remove this key",
                            raw ? "encoded_bytes" : "raw_bytes"));
}

// Returns the file's absolute path. Adds a problem if there is no such file or if it is a folder. Returns "" if the
// value is not a path.
std::filesystem::path UserModelReader::read_file(const DocumentNode& node, const std::string& path,
                                                 const std::string& expected_file) {
  static const Key kFile{.name = "file", .type = ValueType::path};
  const auto value = read_value(kFile, node, path, problems_);
  if (!value) return {};
  const std::filesystem::path given(value->get<std::string>());
  std::filesystem::path file = (given.is_absolute() ? given : folder_ / given).lexically_normal();
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) {
    problems_.add(node, path,
                  fmt::format("{}: no such file; relative paths start at the study's folder", shown(given.string())));
  } else if (std::filesystem::is_directory(file, ignored)) {
    problems_.add(node, path, fmt::format("{}: a folder, expected {}", shown(given.string()), expected_file));
  }
  return file;
}

void UserModelReader::read_onnx(const DocumentNode& node, const std::string& path, ModelEntry& model) {
  model.file = read_file(node, path, "an ONNX file");
  model.label = model.file.stem().string();
}

void UserModelReader::read_compiled(const DocumentNode& node, const std::string& path, ModelEntry& model) {
  model.file = read_file(node, path, "a compiled file");
  model.label = model.file.filename().string();
  model.compiled = model.file.extension().string();
  if (model.file.empty()) return;
  const auto known = endings_.find(model.compiled);
  if (known == endings_.end()) {
    model.file.clear();
    std::vector<std::string> words;
    for (const auto& [ending, weights] : endings_) words.push_back(ending);
    problems_.add(node, path, fmt::format("no compiler runs files that end so; known are {}", text::join(words, ", ")));
    return;
  }
  if (known->second.empty()) return;
  model.weights = model.file;
  model.weights.replace_extension(known->second);
  std::error_code ignored;
  if (std::filesystem::exists(model.weights, ignored)) return;
  problems_.add(node, path,
                fmt::format("{}: no such file, which has the weights of {}; bring it beside it",
                            shown(model.weights.filename().string()), model.label));
}

void UserModelReader::read_pytorch(const DocumentNode& node, const std::string& path, ModelEntry& model) {
  const std::size_t colon = node.is_scalar() ? node.text.rfind(':') : std::string::npos;
  if (colon == std::string::npos || colon == 0 || colon + 1 == node.text.size()) {
    problems_.add(node, path, fmt::format("expected FILE.py:FUNCTION, found {}", found(node)));
    return;
  }
  DocumentNode file = node;
  file.text.resize(colon);
  file.is_plain = false;
  model.file = read_file(file, path, "a Python file");
  model.factory = node.text.substr(colon + 1);
  model.label = fmt::format("{}:{}", model.file.stem().string(), model.factory);
}

void UserModelReader::read_timm(const DocumentNode& node, const std::string& path, ModelEntry& model) {
  static const Key kName{.name = "timm", .type = ValueType::text, .pattern = "^[A-Za-z0-9_.]{1,100}$"};
  const auto value = read_value(kName, node, path, problems_);
  if (!value) return;
  model.factory = value->get<std::string>();
  model.label = model.factory;
}

std::optional<std::int64_t> UserModelReader::read_extent(const DocumentNode& node, const std::string& path,
                                                         const Dimensions& known) {
  static const Key kExtent{.name = "extent", .type = ValueType::integer, .minimum = 1, .maximum = 2147483647};
  if (node.is_scalar() && node.text == kBatchWord) return kBatchExtent;
  const auto named =
      std::find_if(known.begin(), known.end(), [&](const auto& each) { return each.first == node.text; });
  if (node.is_scalar() && named != known.end()) return named->second;
  if (node.is_sequence()) {
    problems_.add(node, path,
                  "an extent that varies has a name: write sequence here, and dimensions: {sequence: [16, 128]}");
    return std::nullopt;
  }
  const json value = node.is_scalar() ? scalar_json(node) : json();
  if (!value.is_number_integer()) {
    problems_.add(node, path, fmt::format("expected {}, or the word batch, found {}", expected(kExtent), found(node)));
    return std::nullopt;
  }
  const auto extent = read_value(kExtent, node, path, problems_);
  return extent ? std::optional(extent->get<std::int64_t>()) : std::nullopt;
}

void UserModelReader::read_shapes(const DocumentNode& node, const std::string& path, ModelEntry& model) {
  Dimensions known = model.dimensions;
  if (model.named && !model.named->visited.empty())
    known.insert(known.end(), model.named->visited.front().begin(), model.named->visited.front().end());
  for (const Field& field : fields_or_problem(node, path, "input: [extent, …]", problems_)) {
    const std::string shape_path = join_path(path, shown(field.name));
    if (!field.value->is_sequence()) {
      problems_.add(*field.value, shape_path, "expected [extent, …], found " + found(*field.value));
      continue;
    }
    std::vector<std::int64_t>& shape = model.shapes.emplace_back(field.name, std::vector<std::int64_t>{}).second;
    std::vector<std::string>& names = extents_.emplace_back(field.name, std::vector<std::string>{}).second;
    for (std::size_t i = 0; i < field.value->items.size(); ++i) {
      const DocumentNode& item = *field.value->items[i];
      const auto extent = read_extent(item, fmt::format("{}[{}]", shape_path, i), known);
      if (!extent) continue;
      shape.push_back(*extent);
      const bool has_name = std::ranges::any_of(known, [&](const auto& each) { return each.first == item.text; });
      names.push_back(has_name ? item.text : "");
    }
  }
  std::sort(model.shapes.begin(), model.shapes.end());
  std::sort(extents_.begin(), extents_.end());
}

void UserModelReader::read_dimensions(const DocumentNode& node, const std::string& path, ModelEntry& model) {
  for (const Field& field : fields_or_problem(node, path, "dimension: extent", problems_)) {
    const auto extent = read_extent(*field.value, join_path(path, shown(field.name)), {});
    if (extent) model.dimensions.emplace_back(field.name, *extent);
  }
  std::sort(model.dimensions.begin(), model.dimensions.end());
}

// The names of `dimensions` that no file has stand for numbers in `shapes`, and have a further meaning only with
// `named`.
void UserModelReader::settle_dimensions(const ModelFields& given, const std::string& path, ModelEntry& model) {
  for (const auto& [name, extent] : model.dimensions) {
    bool is_used = false;
    const DocumentNode* const shapes = field_of(given, "shapes");
    for (std::size_t i = 0; shapes != nullptr && shapes->is_map() && i < shapes->entries.size(); ++i) {
      for (const NodePointer& item : shapes->entries[i].second->items) is_used = is_used || item->text == name;
    }
    if (!is_used)
      problems_.add(*given.at("dimensions"), path + ".dimensions", fmt::format("no shape has {}", shown(name)));
  }
  if (!model.named) model.dimensions.clear();
}

void UserModelReader::read_parameters(const DocumentNode& node, const std::string& path, ModelEntry& model) {
  for (const Field& field : fields_or_problem(node, path, "parameters as name: value", problems_)) {
    model.parameters.emplace_back(field.name, json_text(json_of_node(*field.value)));
  }
  std::sort(model.parameters.begin(), model.parameters.end());
}

void UserModelReader::read_inputs(const DocumentNode& node, const std::string& path, ModelEntry& model) {
  if (node.is_scalar()) {
    InputEntry all{.file = read_file(node, path, "an .npz file")};
    if (all.file.extension() != ".npz") {
      problems_.add(node, path, "expected an .npz with an array for each input, or INPUT: FILE.npy");
    }
    model.inputs.emplace_back("", std::move(all));
    return;
  }
  if (!node.is_map()) {
    problems_.add(node, path,
                  "expected an .npz file, or input: FILE.npy or {range: [least, largest]}, found " + found(node));
    return;
  }
  for (const Field& field : fields(node, path, problems_)) {
    model.inputs.emplace_back(field.name, read_input(*field.value, join_path(path, shown(field.name))));
  }
  std::sort(model.inputs.begin(), model.inputs.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
}

InputEntry UserModelReader::read_input(const DocumentNode& node, const std::string& path) {
  InputEntry input;
  if (node.is_scalar()) {
    input.file = read_file(node, path, "an .npy or .npz file");
    return input;
  }
  if (!node.is_map()) {
    problems_.add(node, path, "expected FILE.npy or {range: [least, largest]}, found " + found(node));
    return input;
  }
  const std::vector<Key>& keys = input_keys();
  for (const Field& field : fields(node, path, problems_)) {
    const Key* const key = find_key(keys, field.name);
    const std::string field_path = join_path(path, field.name);
    if (key == nullptr) {
      problems_.add(*field.key, path, unknown_key(field.name, names(keys)));
    } else if (field.name == "range") {
      read_range(*field.value, field_path, input);
    } else if (field.name == "file") {
      input.file = read_file(*field.value, field_path, "an .npy or .npz file");
    } else if (const auto value = read_value(*key, *field.value, field_path, problems_)) {
      (field.name == "array" ? input.array : input.type) = value->get<std::string>();
    }
  }
  if (input.range && !input.file.empty())
    problems_.add(node, path, "range and file are both given; remove one of the two");
  return input;
}

void UserModelReader::read_range(const DocumentNode& node, const std::string& path, InputEntry& input) {
  std::vector<double> ends;
  for (const NodePointer& item : node.items) {
    const json value = item->is_scalar() ? scalar_json(*item) : json();
    if (value.is_number() && std::abs(value.get<double>()) <= 9e15) ends.push_back(value.get<double>());
  }
  if (ends.size() == 2 && node.items.size() == 2 && ends[0] <= ends[1]) {
    input.range = {ends[0], ends[1]};
    return;
  }
  problems_.add(node, path, "expected [least, largest], two numbers in this order, found " + found(node));
}

}  // namespace ngb::config
