// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <system_error>

#include "config/key.h"
#include "config/sections.h"
#include "config/value.h"

namespace ngb::config {
namespace {

using nlohmann::json;

// One parameter of a recipe as the study gives it: a value, or several that span an axis.
struct Axis {
  std::string name{};
  std::vector<json> values{};
  bool is_axis = false;  // given as a list, be it of one value
};

class ModelReader {
 public:
  ModelReader(const std::filesystem::path& folder, const Vocabulary& vocabulary, Problems& problems)
      : folder_(folder), vocabulary_(vocabulary), problems_(problems) {
    for (const FamilyWords& family : vocabulary.models) families_.push_back(family.name);
  }

  std::vector<ModelEntry> read(const DocumentNode& list) {
    for (std::size_t i = 0; i < list.items.size(); ++i) read_entry(list.items[i], fmt::format("models[{}]", i));
    std::vector<std::string> labels;
    for (const ModelEntry& model : models_) labels.push_back(model.label);
    check_labels(labels, at_, "models", problems_);
    return std::move(models_);
  }

 private:
  void read_entry(const NodePointer& node, const std::string& path) {
    if (!node->is_map()) {
      problems_.add(
          *node, path,
          fmt::format("expected a mapping such as {{zoo: resnet18}} or {{onnx: model.onnx}}, found {}", found(*node)));
      return;
    }
    NodePointer zoo;
    NodePointer onnx;
    NodePointer shapes;
    std::string label;
    for (const Field& field : fields(*node, path, problems_)) {
      const std::string field_path = join_path(path, field.name);
      if (field.name == "zoo") {
        zoo = field.value;
      } else if (field.name == "onnx") {
        onnx = field.value;
      } else if (field.name == "shapes") {
        shapes = field.value;
      } else if (field.name == "label") {
        const auto value = read_value(*find_key(model_keys(), "label"), *field.value, field_path, problems_);
        if (value) label = value->get<std::string>();
      } else {
        const std::vector<std::string> known{"zoo", "onnx", "label", "shapes"};
        problems_.add(*field.key, path, unknown_word(field.name, "key", known));
      }
    }
    if ((zoo == nullptr) == (onnx == nullptr)) {
      problems_.add(*node, path, "expected either zoo or onnx");
    } else if (zoo != nullptr) {
      if (shapes != nullptr) problems_.add(*shapes, path + ".shapes", "a recipe knows its shapes; leave this out");
      read_zoo(node, *zoo, label, path + ".zoo");
    } else {
      read_onnx(node, *onnx, shapes, label, path);
    }
  }

  void read_zoo(const NodePointer& entry, const DocumentNode& zoo, const std::string& label, const std::string& path) {
    std::string name = zoo.text;
    NodePointer name_node;
    NodePointer parameters;
    if (zoo.is_map()) {
      const std::vector<Field> named = fields(zoo, path, problems_);
      if (named.size() != 1) {
        problems_.add(zoo, path, "expected one recipe with its parameters indented below it");
        return;
      }
      name = named[0].name;
      name_node = named[0].key;
      parameters = named[0].value;
    } else if (!zoo.is_scalar()) {
      problems_.add(zoo, path, "expected a recipe's name, or a recipe with its parameters, found " + found(zoo));
      return;
    }
    const auto family = std::find_if(vocabulary_.models.begin(), vocabulary_.models.end(),
                                     [&](const FamilyWords& words) { return words.name == name; });
    if (family == vocabulary_.models.end()) {
      problems_.add(name_node ? *name_node : zoo, path, unknown_word(name, "recipe", families_));
      return;
    }
    std::vector<Axis> axes;
    const std::size_t before = problems_.count();
    if (parameters != nullptr && !parameters->is_null()) {
      if (!parameters->is_map()) {
        problems_.add(*parameters, join_path(path, name),
                      "expected parameters as name: value, found " + found(*parameters));
        return;
      }
      axes = read_parameters(*family, *parameters, join_path(path, name));
    }
    if (problems_.count() == before) add_product(entry, *family, axes, label);
  }

  std::vector<Axis> read_parameters(const FamilyWords& family, const DocumentNode& map, const std::string& path) {
    std::vector<Axis> axes;
    for (const Field& field : fields(map, path, problems_)) {
      const auto known = std::find_if(family.parameters.begin(), family.parameters.end(),
                                      [&](const Parameter& parameter) { return parameter.name == field.name; });
      if (known == family.parameters.end()) {
        problems_.add(*field.key, path, unknown_parameter(family, field.name));
        continue;
      }
      axes.push_back(read_axis(key_of(*known), *field.value, join_path(path, field.name)));
    }
    return axes;
  }

  static std::string unknown_parameter(const FamilyWords& family, const std::string& word) {
    if (family.parameters.empty()) return fmt::format("{}: {} takes no parameters", shown(word), family.name);
    std::vector<std::string> known;
    for (const Parameter& parameter : family.parameters) known.push_back(parameter.name);
    return unknown_word(word, "parameter of " + family.name, known);
  }

  Axis read_axis(const Key& key, const DocumentNode& node, const std::string& path) {
    Axis axis{.name = key.name};
    const bool takes_list = key.type == ValueType::integers;
    const bool holds_lists = node.is_sequence() && !node.items.empty() && node.items[0]->is_sequence();
    axis.is_axis = node.is_sequence() && (!takes_list || holds_lists);
    if (!axis.is_axis) {
      if (const auto value = read_value(key, node, path, problems_)) axis.values.push_back(*value);
      return axis;
    }
    if (node.items.empty())
      problems_.add(node, path, fmt::format("expected {}, or a list of such, found an empty list", expected(key)));
    std::set<std::string> seen;
    for (std::size_t i = 0; i < node.items.size(); ++i) {
      const std::string item_path = fmt::format("{}[{}]", path, i);
      const auto value = read_value(key, *node.items[i], item_path, problems_);
      if (!value) continue;
      if (!seen.insert(json_text(*value)).second) {
        problems_.add(*node.items[i], item_path, fmt::format("{} stands twice; keep one of them", json_text(*value)));
        continue;
      }
      axis.values.push_back(*value);
    }
    return axis;
  }

  // One model for each point.
  void add_product(const NodePointer& entry, const FamilyWords& family, const std::vector<Axis>& axes,
                   const std::string& label) {
    std::size_t count = 1;
    for (const Axis& axis : axes) {
      count *= axis.values.size();
      if (count > kMaxModels || models_.size() + count > kMaxModels) {
        problems_.add(*entry, "models", fmt::format("more than {} models", kMaxModels));
        return;
      }
    }
    for (std::size_t point = 0; point < count; ++point) {
      ModelEntry model{.label = label.empty() ? family.name : label, .family = family.name};
      std::size_t stride = count;  // points that share a value of this axis
      for (const Axis& axis : axes) {
        stride /= axis.values.size();
        const json& value = axis.values[point / stride % axis.values.size()];
        model.parameters.emplace_back(axis.name, json_text(value));
        if (axis.is_axis || label.empty()) model.label += fmt::format(" {}={}", axis.name, plain_text(value));
      }
      std::sort(model.parameters.begin(), model.parameters.end());
      if (!is_known(*entry, model, family)) add(entry, std::move(model));
    }
  }

  bool is_known(const DocumentNode& entry, const ModelEntry& model, const FamilyWords& family) {
    const auto key = std::pair(model.family, without_defaults(model.parameters, family.parameters));
    const auto [first, is_new] = recipes_.emplace(key, model.label);
    if (!is_new) {
      problems_.add(entry, "models",
                    fmt::format("{} is the same model as {}; keep one of them", model.label, first->second));
    }
    return !is_new;
  }

  void read_onnx(const NodePointer& entry, const DocumentNode& onnx, const NodePointer& shapes,
                 const std::string& label, const std::string& path) {
    static const Key kFile{.name = "onnx", .type = ValueType::path};
    ModelEntry model{.label = label};
    if (shapes != nullptr) model.shapes = read_shapes(*shapes, path + ".shapes");
    const auto file = read_value(kFile, onnx, path + ".onnx", problems_);
    if (!file) return;
    const std::filesystem::path given(file->get<std::string>());
    model.file = (given.is_absolute() ? given : folder_ / given).lexically_normal();
    std::error_code ignored;
    if (!std::filesystem::exists(model.file, ignored)) {
      problems_.add(onnx, path + ".onnx",
                    fmt::format("{}: no such file; relative paths start at the study's folder", shown(given.string())));
    } else if (std::filesystem::is_directory(model.file, ignored)) {
      problems_.add(onnx, path + ".onnx", fmt::format("{}: a folder, expected an ONNX file", shown(given.string())));
    }
    if (model.label.empty()) model.label = given.stem().string();
    if (!files_.emplace(model.file, model.shapes).second) {
      problems_.add(onnx, path + ".onnx", fmt::format("{}: stands twice; keep one of them", shown(given.string())));
      return;
    }
    add(entry, std::move(model));
  }

  std::vector<std::pair<std::string, std::vector<std::int64_t>>> read_shapes(const DocumentNode& node,
                                                                             const std::string& path) {
    static const Key kShape{.name = "shape", .type = ValueType::integers, .minimum = 1, .maximum = 2147483647};
    std::vector<std::pair<std::string, std::vector<std::int64_t>>> shapes;
    if (!node.is_map()) {
      problems_.add(node, path, "expected input: [extent, …], found " + found(node));
      return shapes;
    }
    for (const Field& field : fields(node, path, problems_)) {
      const auto value = read_value(kShape, *field.value, join_path(path, shown(field.name)), problems_);
      if (value) shapes.emplace_back(field.name, value->get<std::vector<std::int64_t>>());
    }
    std::sort(shapes.begin(), shapes.end());
    return shapes;
  }

  void add(const NodePointer& entry, ModelEntry model) {
    models_.push_back(std::move(model));
    at_.push_back(entry);
  }

  const std::filesystem::path& folder_;
  const Vocabulary& vocabulary_;
  Problems& problems_;
  std::vector<std::string> families_;
  std::vector<ModelEntry> models_;
  std::vector<NodePointer> at_;
  std::map<std::pair<std::string, Parameters>, std::string> recipes_;
  std::set<std::pair<std::filesystem::path, std::vector<std::pair<std::string, std::vector<std::int64_t>>>>> files_;
};

}  // namespace

std::vector<ModelEntry> read_models(const DocumentNode& node, const std::filesystem::path& folder,
                                    const Vocabulary& vocabulary, Problems& problems) {
  if (!node.is_sequence() || node.items.empty()) {
    problems.add(node, "models",
                 fmt::format("expected a list of models such as - zoo: resnet18, found {}",
                             node.is_sequence() ? "an empty list" : found(node)));
    return {};
  }
  return ModelReader(folder, vocabulary, problems).read(node);
}

}  // namespace ngb::config
