// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <span>

#include "base/text.h"
#include "config/key_axes.h"
#include "config/keys/key.h"
#include "config/keys/value.h"
#include "config/model_axes.h"
#include "config/sections.h"
#include "config/study_json.h"
#include "config/user_models.h"
#include "config/variants.h"

namespace ngb::config {
namespace {

using nlohmann::json;

const std::vector<std::string>& model_kinds() {
  static const std::vector<std::string> kKinds{"zoo", "onnx", "file", "pytorch", "timm", "quantise"};
  return kKinds;
}

// Returns "onnx, pytorch and timm".
std::string listed(const std::vector<std::string>& words) {
  const std::span<const std::string> all_but_last(words.data(), words.size() - 1);
  return (all_but_last.empty() ? "" : text::join(all_but_last, ", ") + " and ") + words.back();
}

class ModelReader {
 public:
  ModelReader(const std::filesystem::path& folder, const Vocabulary& vocabulary,
              const std::vector<work::Compiler>& compilers, Problems& problems)
      : folder_(folder), vocabulary_(vocabulary), compilers_(compilers), problems_(problems) {
    for (const FamilyWords& family : vocabulary.models) families_.push_back(family.name);
    for (const CompilerWords& words : vocabulary.compilers) {
      endings_.insert(words.compiled_files.begin(), words.compiled_files.end());
      if (!words.quantiser.tool.empty()) quantisers_.push_back(words.quantiser);
    }
  }

  std::vector<ModelEntry> read(const DocumentNode& list) {
    for (std::size_t i = 0; i < list.items.size(); ++i) read_entry(list.items[i], fmt::format("models[{}]", i));
    std::vector<std::string> labels;
    for (const ModelEntry& model : models_) labels.push_back(model.label);
    check_labels(labels, at_, "models", problems_);
    check_variants(models_, at_, problems_);
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
    ModelFields given;
    std::vector<std::string> kinds;
    for (const Field& field : fields(*node, path, problems_)) {
      const bool is_kind = std::find(model_kinds().begin(), model_kinds().end(), field.name) != model_kinds().end();
      if (is_kind) kinds.push_back(field.name);
      if (is_kind || find_key(model_keys(), field.name) != nullptr) {
        given[field.name] = field.value;
      } else {
        std::vector<std::string> known = model_kinds();
        for (const std::string& key : names(model_keys())) known.push_back(key);
        problems_.add(*field.key, path, unknown_key(field.name, known));
      }
    }
    if (kinds.size() != 1) {
      problems_.add(*node, path, "expected exactly one of the keys zoo, onnx, file, pytorch, timm and quantise");
      return;
    }
    if (!may_have_all(kinds[0], given, path)) return;
    const std::size_t first = models_.size();
    if (kinds[0] == "zoo") {
      read_zoo(node, given, path);
    } else {
      const std::vector<ModelPoint> points = points_of(kinds[0], given, path, problems_);
      if (!may_be_so_many(models_.size() + points.size(), *node, problems_)) return;
      for (const ModelPoint& point : points) {
        if (!add_user_model(node, kinds[0], point, path)) break;
      }
    }
    const auto only = given.find("compilers");
    if (only != given.end()) {
      const auto labels = read_compiler_words(*only->second, join_path(path, "compilers"), compilers_, problems_);
      for (std::size_t i = first; i < models_.size(); ++i) models_[i].compilers = labels;
    }
    for (std::size_t i = first; i < models_.size(); ++i) keep_readers(*node, path, models_[i]);
  }

  // Leaves a compiled file to the compilers that run it as it is.
  void keep_readers(const DocumentNode& node, const std::string& path, ModelEntry& model) {
    if (model.compiled.empty()) return;
    const std::vector<std::string> able = runners_of(vocabulary_, model.compiled);
    std::vector<std::string> readers;
    for (const work::Compiler& compiler : compilers_) {
      const auto& chosen = model.compilers;
      const bool is_chosen = chosen.empty() || std::find(chosen.begin(), chosen.end(), compiler.label) != chosen.end();
      const bool is_able = std::find(able.begin(), able.end(), compiler.name) != able.end();
      if (is_chosen && is_able) readers.push_back(compiler.label);
    }
    model.compilers = readers;
    if (!readers.empty()) return;
    problems_.add(node, join_path(path, model.quantise ? "quantise" : "file"),
                  fmt::format("none of its compilers runs {} files; add {}", model.compiled, text::join(able, " or ")));
  }

  // Returns whether models of this kind may have each of the keys; adds a problem for each that they may not have.
  bool may_have_all(const std::string& kind, const ModelFields& given, const std::string& path) {
    bool are_all = true;
    for (const auto& [key, node] : given) {
      const Key* const row = find_key(model_keys(), key);
      if (row == nullptr || may_have(kind, *row)) continue;
      are_all = false;
      problems_.add(*node, join_path(path, key),
                    kind == "zoo" && key == "shapes"
                        ? "a recipe defines its shapes; remove this key"
                        : fmt::format("this key is only for {}; remove it", listed(row->kinds)));
    }
    return are_all;
  }

  // Returns the label that the entry gives, or nothing.
  std::optional<std::string> label_of(const ModelFields& given, const std::string& path) {
    const auto node = given.find("label");
    if (node == given.end()) return std::nullopt;
    const auto text = read_value(*find_key(model_keys(), "label"), *node->second, join_path(path, "label"), problems_);
    return text ? std::optional(text->get<std::string>()) : std::nullopt;
  }

  void read_zoo(const NodePointer& entry, const ModelFields& given, const std::string& entry_path) {
    const DocumentNode& zoo = *given.at("zoo");
    const std::string path = entry_path + ".zoo";
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
    add_key_axes(*family, given, entry_path, axes);
    ModelEntry common;
    UserModelReader(folder_, endings_, quantisers_, problems_).read_common(given, entry_path, common);
    const std::string label = label_of(given, entry_path).value_or("");
    if (problems_.count() == before) add_product(entry, *family, axes, label, common);
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
      axes.push_back(read_axis(key_of(*known), *field.value, join_path(path, field.name), problems_));
    }
    return axes;
  }

  // Adds the keys of the entry that may be lists: those of decoders.
  void add_key_axes(const FamilyWords& family, const ModelFields& given, const std::string& path,
                    std::vector<Axis>& axes) {
    for (const Key& key : model_keys()) {
      const auto field = key.is_axis ? given.find(key.name) : given.end();
      if (field == given.end()) continue;
      const std::string at = join_path(path, key.name);
      if (!is_decoder(family)) {
        problems_.add(*field->second, at, fmt::format("{} is no decoder; remove this key", family.name));
        continue;
      }
      for (const Axis& axis : axes) {
        if (axis.key != nullptr || !is_set_by_keys(axis.name)) continue;
        problems_.add(*field->second, at,
                      fmt::format("the recipe's parameter {} follows from this key; remove the parameter", axis.name));
      }
      axes.push_back(read_axis(key, *field->second, at, problems_));
      name_all_forms(given, true, axes.back());
      for (const json& value : axes.back().values) {
        if (value == kFormOfFile || value == kStatefulForm) {
          problems_.add(*field->second, at, fmt::format("{} is for files; name the recipe's form", plain_text(value)));
        }
      }
      axes.back().key = &key;
    }
  }

  static bool is_set_by_keys(const std::string& parameter) {
    return parameter == "tokens" || parameter == "context" || parameter == "capacity" || parameter == "cache";
  }

  static bool is_decoder(const FamilyWords& family) {
    return std::any_of(family.parameters.begin(), family.parameters.end(),
                       [](const Parameter& parameter) { return parameter.name == "context"; });
  }

  static std::string unknown_parameter(const FamilyWords& family, const std::string& word) {
    if (family.parameters.empty()) return fmt::format("{}: {} has no parameters", shown(word), family.name);
    std::vector<std::string> known;
    for (const Parameter& parameter : family.parameters) known.push_back(parameter.name);
    return unknown_word(word, "parameter of " + family.name, known);
  }

  // Adds one model for each combination of the axes' values.
  void add_product(const NodePointer& entry, const FamilyWords& family, const std::vector<Axis>& axes,
                   const std::string& label, const ModelEntry& common) {
    std::size_t count = 1;
    std::vector<std::size_t> counts;
    for (const Axis& axis : axes) {
      count *= counts.emplace_back(axis.values.size());
      if (!may_be_so_many(models_.size() + count, *entry, problems_)) return;
    }
    for (std::size_t point = 0; point < count; ++point) {
      ModelEntry model = common;
      model.label = label.empty() ? family.name : label;
      model.family = family.name;
      bool is_repeated = false;  // it differs from an earlier one only in what it has nothing of
      const std::vector<std::size_t> places = combination(point, counts);
      for (std::size_t i = 0; i < axes.size(); ++i) {
        const Axis& axis = axes[i];
        const json& value = axis.values[places[i]];
        if (axis.key != nullptr && is_of_generating(*axis.key) && model.decoder && model.decoder->is_prefill) {
          is_repeated = is_repeated || places[i] > 0;
          continue;
        }
        if (axis.key != nullptr)
          axis.key->set_in_model(model, value);
        else
          model.parameters.emplace_back(axis.name, json_text(value));
        if (axis.is_axis || label.empty()) model.label += fmt::format(" {}={}", axis.name, plain_text(value));
      }
      if (is_repeated) continue;
      std::sort(model.parameters.begin(), model.parameters.end());
      if (label.empty()) model.label += suffix_of(model);
      if (!is_known(*entry, model, family)) add(entry, std::move(model));
    }
  }

  bool is_known(const DocumentNode& entry, const ModelEntry& model, const FamilyWords& family) {
    ModelEntry key = identity_of(model);
    key.parameters = without_defaults(model.parameters, family.parameters);
    const auto [first, is_new] = recipes_.emplace(json_text(model_json(key)), model.label);
    if (!is_new) {
      problems_.add(
          entry, "models",
          fmt::format("{} is the same model as {}; remove one of the two entries", model.label, first->second));
    }
    return !is_new;
  }

  // Returns the entry without what its hash does not cover.
  static ModelEntry identity_of(const ModelEntry& model) {
    ModelEntry key = model;
    key.label.clear();
    key.group.clear();
    key.style.clear();
    key.size.reset();
    key.raw_bytes.reset();
    key.encoded_bytes.reset();
    key.compilers.clear();
    return key;
  }

  // Returns false if the entry has a problem, which its other points have, too.
  bool add_user_model(const NodePointer& entry, const std::string& kind, const ModelPoint& point,
                      const std::string& path) {
    const std::size_t before = problems_.count();
    ModelEntry model = UserModelReader(folder_, endings_, quantisers_, problems_).read(kind, point.given, path);
    if (model.file.empty() && model.factory.empty() && !model.quantise)
      return false;  // its problem is reported already
    if (model.quantise) model.label = name_of_quantised(model);
    const std::optional<std::string> label = label_of(point.given, path);
    if (label) model.label = *label;
    if (model.group.empty() && !point.named.empty()) model.group = point.group.empty() ? model.label : point.group;
    for (const auto& [axis, value] : point.named) {
      if (std::find(point.told.begin(), point.told.end(), axis) == point.told.end())
        model.label += fmt::format(" {}={}", axis, value);
    }
    if (!label || model.named) model.label += suffix_of(model);
    std::vector<ModelEntry> models = decoders_of_file(model, point.given, path, problems_);
    if (problems_.count() != before) return false;
    for (ModelEntry& each : models) {
      const ModelEntry key = identity_of(each);
      if (!files_.insert(json_text(model_json(key))).second) {
        const DocumentNode& given = *point.given.at(kind);
        problems_.add_repeated(given, join_path(path, kind), shown(given.text));
        return false;
      }
      add(entry, std::move(each));
    }
    return true;
  }

  static std::string name_of_quantised(const ModelEntry& model) {
    const Quantisation& how = *model.quantise;
    return fmt::format("{} int{} {}{}{}{}{}", model.variant_of, how.bits, how.how,
                       how.per_channel ? " per channel" : "",
                       how.method == Quantisation{}.method ? "" : " " + how.method,
                       how.exclude.empty() ? "" : fmt::format(" but {}", text::join(how.exclude, ", ")),
                       how.tool.empty() ? "" : " by " + how.tool);
  }

  // Returns what distinguishes the label of a model from that of the same one compiled for a shape of its own.
  static std::string suffix_of(const ModelEntry& model) {
    std::string suffix = model.dynamic_batch ? " dynamic_batch" : "";
    if (!model.named) return suffix;
    if (!model.named->visited.empty()) suffix += " in one session";
    if (!model.named->dynamic.empty()) suffix += " dynamic";
    if (model.named->pad_to > 0) suffix += fmt::format(" pad_to={}", model.named->pad_to);
    return suffix;
  }

  void add(const NodePointer& entry, ModelEntry model) {
    models_.push_back(std::move(model));
    at_.push_back(entry);
  }

  const std::filesystem::path& folder_;
  const Vocabulary& vocabulary_;
  const std::vector<work::Compiler>& compilers_;
  Problems& problems_;
  std::vector<std::string> families_;
  std::map<std::string, std::string> endings_;  // of compiled files, and of their weights
  std::vector<work::Quantiser> quantisers_;     // compilers' own tools
  std::vector<ModelEntry> models_;
  std::vector<NodePointer> at_;
  std::map<std::string, std::string> recipes_;  // entry without its label -> label
  std::set<std::string> files_;                 // entries without their labels
};

}  // namespace

std::vector<ModelEntry> read_models(const DocumentNode& node, const std::filesystem::path& folder,
                                    const Vocabulary& vocabulary, const std::vector<work::Compiler>& compilers,
                                    Problems& problems) {
  if (!is_filled_list(node, "models", "a list of models such as - zoo: resnet18", problems)) return {};
  return ModelReader(folder, vocabulary, compilers, problems).read(node);
}

}  // namespace ngb::config
