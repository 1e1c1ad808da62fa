// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "config/handed_on.h"
#include "config/keys/key.h"
#include "config/keys/value.h"
#include "config/sections.h"
#include "work/property.h"

namespace ngb::config {
namespace {

using nlohmann::json;

constexpr std::size_t kMaxVariants = 1000;  // compilers from one entry

class CompilerReader {
 public:
  CompilerReader(const work::Compiler& usual, const std::vector<int>& instances, const Vocabulary& vocabulary,
                 Problems& problems)
      : usual_(usual), instances_(instances), vocabulary_(vocabulary), problems_(problems) {
    for (const CompilerWords& words : vocabulary.compilers) names_.push_back(words.name);
  }

  CompilerEntries read(const DocumentNode& list) {
    for (std::size_t i = 0; i < list.items.size(); ++i) read_entry(list.items[i], fmt::format("compilers[{}]", i));
    make_labels();
    std::vector<std::string> labels;
    std::vector<NodePointer> at;
    for (std::size_t i = 0; i < compilers_.size(); ++i) {
      if (at_[i] == nullptr) continue;
      labels.push_back(compilers_[i].label);
      at.push_back(at_[i]);
    }
    check_labels(labels, at, "compilers", problems_);
    return {std::move(compilers_), std::move(threads_at_), std::move(instances_at_), std::move(has_precision_)};
  }

 private:
  void read_entry(const NodePointer& node, const std::string& path) {
    NodePointer name = node;
    NodePointer body;
    if (node->is_map()) {
      const std::vector<Field> named = fields(*node, path, problems_);
      if (named.size() != 1) {
        problems_.add(*node, path, "expected one compiler with its settings indented below it");
        return;
      }
      name = named[0].key;
      body = named[0].value;
    }
    if (name->is_sequence() || name->text.empty()) {
      problems_.add(*name, path, "expected a compiler's name, or a compiler with its settings, found " + found(*name));
      return;
    }
    const auto words = std::find_if(vocabulary_.compilers.begin(), vocabulary_.compilers.end(),
                                    [&](const CompilerWords& known) { return known.name == name->text; });
    if (words == vocabulary_.compilers.end()) {
      problems_.add(*name, path, unknown_word(name->text, "compiler", names_));
      return;
    }
    const std::size_t before = problems_.count();
    std::vector<work::Compiler> variants{{.name = words->name,
                                          .version = words->default_version,
                                          .threads = usual_.threads,
                                          .threads_asked = usual_.threads_asked,
                                          .precision = usual_.precision}};
    threads_given_ = {};
    instances_given_ = {};
    is_precision_given_ = false;
    if (body != nullptr && !body->is_null()) read_body(*body, join_path(path, words->name), *words, variants);
    if (instances_given_.node == nullptr) with_usual_instances(variants);
    const bool is_good = problems_.count() == before;
    for (work::Compiler& compiler : variants) {
      compiler.options = without_defaults(std::move(compiler.options), words->options);
      std::sort(compiler.settings.begin(), compiler.settings.end());
      if (!compiler.threads_asked.empty()) set_threads(compiler, compiler.threads_asked, vocabulary_.processors);
      const std::string key = fmt::format("{}\n{}\n{}", compiler.name, compiler.version, work::settings_key(compiler));
      // Two equal entries are both measured if each has a label of the user's; they differ by noise alone.
      const bool has_label = !compiler.label.empty();
      const auto [first, is_new] = seen_.emplace(key, has_label);
      if (is_good && !is_new && !(has_label && first->second)) {
        problems_.add(*name, path,
                      fmt::format("{} is listed twice with the same settings; remove one of the two entries, or give "
                                  "each a label to measure it twice",
                                  compiler.name));
        return;
      }
      compilers_.push_back(std::move(compiler));
      at_.push_back(is_good ? node : nullptr);
      threads_at_.push_back(threads_given_);
      instances_at_.push_back(instances_given_);
      has_precision_.push_back(is_precision_given_);
    }
  }

  // Makes a compiler of each variant for each of the study's numbers of instances, which change fastest.
  void with_usual_instances(std::vector<work::Compiler>& variants) const {
    std::vector<work::Compiler> all;
    for (const work::Compiler& variant : variants) {
      for (const int instances : instances_) all.emplace_back(variant).instances = instances;
    }
    variants = std::move(all);
  }

  // Reads an entry's settings into `variants`. A list multiplies the variants by its values; the last list changes
  // fastest.
  void read_body(const DocumentNode& body, const std::string& path, const CompilerWords& words,
                 std::vector<work::Compiler>& variants) {
    if (!body.is_map()) {
      problems_.add(body, path, "expected settings as name: value, found " + found(body));
      return;
    }
    for (const Field& field : fields(body, path, problems_)) {
      const std::string field_path = join_path(path, field.name);
      const Key* const key = find_key(compiler_keys(), field.name);
      if (key == nullptr) {
        problems_.add(*field.key, path, unknown_setting(field.name, words));
        continue;
      }
      if (key->name == "threads") threads_given_ = {field.value, field_path};
      if (key->name == "instances") instances_given_ = {field.value, field_path};
      if (key->name == "precision") is_precision_given_ = true;
      if (key->type == ValueType::structured) {
        const bool are_options = key->name == "options";
        are_options ? read_options(*field.value, field_path, words, variants)
                    : read_settings(*field.value, field_path, words, variants);
      } else {
        read_axis(*key, *field.value, field_path, variants, [&](const json& value, work::Compiler& compiler) {
          apply(*key, value, *field.value, field_path, words, compiler);
        });
      }
    }
  }

  // Reads a value, or a list of values to compare; only a label may not be a list. Calls `apply` for each combination
  // of a value and a variant.
  template <class Apply>
  void read_axis(const Key& key, const DocumentNode& node, const std::string& path,
                 std::vector<work::Compiler>& variants, const Apply& apply) {
    const bool is_axis = node.is_sequence() && !node.items.empty() && key.name != "label";
    std::vector<work::Compiler> all;
    std::vector<json> values;
    for (std::size_t i = 0; is_axis && i < node.items.size(); ++i) {
      if (const auto value = read_value(key, *node.items[i], fmt::format("{}[{}]", path, i), problems_)) {
        values.push_back(*value);
      }
    }
    if (!is_axis) {
      const auto value = read_value(key, node, path, problems_);
      if (value) values.push_back(*value);
    }
    if (variants.size() * values.size() > kMaxVariants) {
      problems_.add(node, path, fmt::format("the lists give more than {} compilers; shorten them", kMaxVariants));
      return;
    }
    for (const work::Compiler& variant : variants) {
      for (const json& value : values) apply(value, all.emplace_back(variant));
    }
    if (!all.empty()) variants = std::move(all);
  }

  // A likely mistake is an option beside `options` instead of below it.
  static std::string unknown_setting(const std::string& word, const CompilerWords& words) {
    for (const Parameter& option : words.options) {
      if (option.name == word) return fmt::format("{}: an option of {}; put it below options", word, words.name);
    }
    return unknown_word(word, "key", names(compiler_keys()));
  }

  void apply(const Key& key, const json& value, const DocumentNode& node, const std::string& path,
             const CompilerWords& words, work::Compiler& compiler) {
    if (key.name == "threads") {
      set_threads(compiler, value, vocabulary_.processors);
    } else if (key.name == "in_flight") {
      if (value != 1 && !words.in_flight) {
        problems_.add(node, path, fmt::format("{} runs one inference at a time; remove this key", words.name));
      }
      compiler.in_flight = value == "auto" ? std::nullopt : std::optional(value.get<int>());
    } else if (key.name == "instances") {
      compiler.instances = value.get<int>();
    } else if (key.name == "precision") {
      compiler.precision = value.get<std::string>();
    } else if (key.name == "label") {
      compiler.label = value.get<std::string>();
    } else if (words.default_version.empty()) {
      problems_.add(node, path, fmt::format("{} has no versions; remove this key", words.name));
    } else if (value == "latest") {
      problems_.add(node, path,
                    fmt::format("latest: expected a version such as {}, so that the study can be repeated",
                                words.default_version));
    } else {
      compiler.version = value.get<std::string>();
    }
  }

  void read_options(const DocumentNode& node, const std::string& path, const CompilerWords& words,
                    std::vector<work::Compiler>& variants) {
    if (node.is_null()) return;
    if (!node.is_map()) {
      problems_.add(node, path, "expected options as name: value, found " + found(node));
      return;
    }
    for (const Field& field : fields(node, path, problems_)) {
      const auto known = std::find_if(words.options.begin(), words.options.end(),
                                      [&](const Parameter& option) { return option.name == field.name; });
      if (known == words.options.end()) {
        problems_.add(*field.key, path, unknown_option(field.name, words));
        continue;
      }
      read_axis(key_of(*known), *field.value, join_path(path, field.name), variants,
                [&](const json& value, work::Compiler& compiler) {
                  compiler.options.emplace_back(field.name, json_text(value));
                });
    }
  }

  void read_settings(const DocumentNode& node, const std::string& path, const CompilerWords& words,
                     std::vector<work::Compiler>& variants) {
    if (node.is_null()) return;
    if (!node.is_map()) {
      problems_.add(node, path, "expected settings as NAME: value, found " + found(node));
      return;
    }
    static const Key kSetting{.name = "setting", .type = ValueType::scalar};
    std::map<std::string, std::string> known;  // spelling-free names, and how the study spells them
    for (const Field& field : fields(node, path, problems_)) {
      std::string refusal = why_not_handed_on(field.name, words);
      const auto [first, is_new] = known.emplace(spelled_alike(field.name), field.name);
      if (refusal.empty() && !is_new) refusal = same_setting_twice(field.name, first->second);
      if (!refusal.empty()) {
        problems_.add(*field.key, path, std::move(refusal));
        continue;
      }
      read_axis(kSetting, *field.value, join_path(path, field.name), variants,
                [&](const json& value, work::Compiler& compiler) {
                  compiler.settings.emplace_back(field.name, json_text(value));
                });
    }
  }

  static std::string unknown_option(const std::string& word, const CompilerWords& words) {
    if (words.options.empty()) return fmt::format("{}: {} has no options", shown(word), words.name);
    std::vector<std::string> known;
    for (const Parameter& option : words.options) known.push_back(option.name);
    return unknown_word(word, "option of " + words.name, known);
  }

  // Makes the labels: "onnxruntime", or "onnxruntime 1.30.0 threads=2 arena=false" with all settings in which compilers
  // of that name differ. The user's own label is extended only by the settings in which the variants of its entry
  // differ.
  void make_labels() {
    std::map<std::string, std::vector<const work::Compiler*>> by_name;
    std::map<NodePointer, std::vector<const work::Compiler*>> by_entry;
    for (std::size_t i = 0; i < compilers_.size(); ++i) {
      by_name[compilers_[i].name].push_back(&compilers_[i]);
      by_entry[at_[i]].push_back(&compilers_[i]);
    }
    std::vector<std::string> labels;
    for (std::size_t i = 0; i < compilers_.size(); ++i) {
      const work::Compiler& compiler = compilers_[i];
      labels.push_back(label_among(compiler, compiler.label.empty() ? by_name[compiler.name] : by_entry[at_[i]]));
    }
    for (std::size_t i = 0; i < labels.size(); ++i) compilers_[i].label = labels[i];
  }

  [[nodiscard]] std::string label_among(const work::Compiler& compiler,
                                        const std::vector<const work::Compiler*>& namesakes) const {
    const auto differs = [&](auto&& part) {
      return std::any_of(namesakes.begin(), namesakes.end(),
                         [&](const work::Compiler* other) { return part(*other) != part(compiler); });
    };
    std::string label = compiler.label.empty() ? compiler.name : compiler.label;
    if (differs([](const work::Compiler& entry) { return entry.version; })) label += " " + compiler.version;
    if (differs(work::asked_threads)) label += " threads=" + asked_threads(compiler);
    if (differs(work::word_of_in_flight)) label += " in_flight=" + work::word_of_in_flight(compiler);
    if (differs([](const work::Compiler& entry) { return entry.instances; })) {
      label += fmt::format(" instances={}", compiler.instances);
    }
    if (differs([](const work::Compiler& entry) { return entry.precision; })) label += " " + compiler.precision;
    // Entries with labels of their own are told apart by these: beside them, no default is mentioned.
    std::set<std::string> options;
    std::set<std::string> settings;
    for (const work::Compiler* other : namesakes) {
      if (compiler.label.empty() && !other->label.empty()) continue;
      for (const auto& [name, value] : other->options) options.insert(name);
      for (const auto& [name, value] : other->settings) settings.insert(name);
    }
    for (const std::string& name : options) {
      const auto value = [&](const work::Compiler& entry) { return option_value(entry, name); };
      if (differs(value)) label += fmt::format(" {}={}", name, value(compiler));
    }
    for (const std::string& name : settings) {
      const auto value = [&](const work::Compiler& entry) { return setting_value(entry, name); };
      if (differs(value)) label += fmt::format(" {}={}", name, value(compiler));
    }
    return label;
  }

  [[nodiscard]] std::string option_value(const work::Compiler& compiler, const std::string& name) const {
    for (const auto& [given, value] : compiler.options) {
      if (given == name) return plain_text(json_of(value));
    }
    for (const CompilerWords& words : vocabulary_.compilers) {
      if (words.name != compiler.name) continue;
      for (const Parameter& option : words.options) {
        if (option.name == name && !option.default_value.empty()) return plain_text(json_of(option.default_value));
      }
    }
    return "default";
  }

  const work::Compiler& usual_;
  const std::vector<int>& instances_;
  const Vocabulary& vocabulary_;
  Problems& problems_;
  std::vector<std::string> names_;
  std::vector<work::Compiler> compilers_;
  std::vector<NodePointer> at_;  // the entry of each compiler; null if the entry has problems
  std::vector<GivenValue> threads_at_;
  std::vector<GivenValue> instances_at_;
  GivenValue threads_given_;  // in the entry that is being read
  GivenValue instances_given_;
  std::vector<bool> has_precision_;
  bool is_precision_given_ = false;
  // The settings of each compiler, and whether the first that has them has a label of the user's.
  std::map<std::string, bool> seen_;
};

}  // namespace

CompilerEntries read_compilers(const DocumentNode& node, const work::Compiler& usual, const std::vector<int>& instances,
                               const Vocabulary& vocabulary, Problems& problems) {
  if (!node.is_sequence() || node.items.empty()) {
    problems.add(node, "compilers",
                 fmt::format("expected a list of compilers such as - onnxruntime, found {}",
                             node.is_sequence() ? "an empty list" : found(node)));
    return {};
  }
  return CompilerReader(usual, instances, vocabulary, problems).read(node);
}

Parameters without_defaults(Parameters given, const std::vector<Parameter>& described) {
  std::erase_if(given, [&](const auto& parameter) {
    return std::any_of(described.begin(), described.end(), [&](const Parameter& known) {
      return known.name == parameter.first && !known.default_value.empty() &&
             json_text(json_of(known.default_value)) == parameter.second;
    });
  });
  std::sort(given.begin(), given.end());
  return given;
}

void check_labels(const std::vector<std::string>& labels, const std::vector<NodePointer>& at, const std::string& path,
                  Problems& problems) {
  std::set<std::string> seen;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (seen.insert(labels[i]).second) continue;
    problems.add(*at[i], path,
                 fmt::format("the label {} is used twice; change one of the two labels", shown(labels[i])));
  }
}

}  // namespace ngb::config
