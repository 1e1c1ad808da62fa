// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
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
  CompilerReader(const work::Compiler& usual, const UsualAxes& axes, const Vocabulary& vocabulary, Problems& problems)
      : usual_(usual), axes_(axes), vocabulary_(vocabulary), problems_(problems) {
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
    return {std::move(compilers_), std::move(given_)};
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
    const auto given = std::make_shared<GivenKeys>();
    if (body != nullptr && !body->is_null()) read_body(*body, join_path(path, words->name), *words, variants, *given);
    if (!given->contains("processors")) {
      with_each(axes_.processors, variants, [](auto& each, const std::string& usual) { each.processors = usual; });
    }
    if (!given->contains("instances")) {
      with_each(axes_.instances, variants, [](auto& each, int usual) { each.instances = usual; });
    }
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
      given_.push_back(given);
    }
  }

  // Makes a compiler of each variant for each of the study's values, which change fastest.
  template <class Value, class Set>
  static void with_each(const std::vector<Value>& values, std::vector<work::Compiler>& variants, const Set& set) {
    std::vector<work::Compiler> all;
    for (const work::Compiler& variant : variants) {
      for (const Value& value : values) set(all.emplace_back(variant), value);
    }
    variants = std::move(all);
  }

  // Reads an entry's settings into `variants`, and where they are into `given`. A list multiplies the variants by its
  // values; the last list changes fastest.
  void read_body(const DocumentNode& body, const std::string& path, const CompilerWords& words,
                 std::vector<work::Compiler>& variants, GivenKeys& given) {
    for (const Field& field : fields_or_problem(body, path, "settings as name: value", problems_)) {
      const std::string field_path = join_path(path, field.name);
      const Key* const key = find_key(compiler_keys(), field.name);
      if (key == nullptr) {
        problems_.add(*field.key, path, unknown_setting(field.name, words));
        continue;
      }
      given[key->name] = {field.value, field_path};
      if (key->type == ValueType::structured) {
        read_mapping(*key, *field.value, field_path, words, variants);
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
    const bool is_one = key.name == "label" || (key.type == ValueType::processors && is_one_list_of_processors(node));
    const bool is_axis = node.is_sequence() && !node.items.empty() && !is_one;
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
    return unknown_key(word, names(compiler_keys()));
  }

  void apply(const Key& key, const json& value, const DocumentNode& node, const std::string& path,
             const CompilerWords& words, work::Compiler& compiler) {
    const std::string refusal = why_refused(key, value, words);
    if (!refusal.empty()) problems_.add(node, path, refusal);
    if (key.name == "threads") {
      set_threads(compiler, value, vocabulary_.processors);
    } else {
      set_value(compiler, key, value);
    }
  }

  // Returns why the compiler cannot have the value, which is one of the key's; "" if it can.
  static std::string why_refused(const Key& key, const json& value, const CompilerWords& words) {
    if (key.name == "in_flight" && value != 1 && !words.in_flight) {
      return fmt::format("{} runs one inference at a time; remove this key", words.name);
    }
    if (key.name != "version") return {};
    if (words.default_version.empty()) return fmt::format("{} has no versions; remove this key", words.name);
    if (value != "latest") return {};
    return fmt::format("latest: expected a version such as {}, so that the study can be repeated",
                       words.default_version);
  }

  // Reads the options or settings of an entry, each of which may have a list of values.
  void read_mapping(const Key& key, const DocumentNode& node, const std::string& path, const CompilerWords& words,
                    std::vector<work::Compiler>& variants) {
    if (node.is_null()) return;
    const bool are_options = key.name == "options";
    if (!node.is_map()) {
      problems_.add(
          node, path,
          fmt::format("expected {} as {}: value, found {}", key.name, are_options ? "name" : "NAME", found(node)));
      return;
    }
    std::map<std::string, std::string> known;  // spelling-free names, and how the study spells them
    for (const Field& field : fields(node, path, problems_)) {
      const Result<Key> below = are_options ? option_key(field.name, words) : setting_key(field.name, words, known);
      if (!below) {
        problems_.add(*field.key, path, below.error().what);
        continue;
      }
      read_axis(*below, *field.value, join_path(path, field.name), variants,
                [&](const json& value, work::Compiler& compiler) {
                  (are_options ? compiler.options : compiler.settings).emplace_back(field.name, json_text(value));
                });
    }
  }

  static Result<Key> option_key(const std::string& name, const CompilerWords& words) {
    std::vector<std::string> known;
    for (const Parameter& option : words.options) {
      if (option.name == name) return key_of(option);
      known.push_back(option.name);
    }
    if (known.empty()) return fail(fmt::format("{}: {} has no options", shown(name), words.name));
    return fail(unknown_word(name, "option of " + words.name, known));
  }

  static Result<Key> setting_key(const std::string& name, const CompilerWords& words,
                                 std::map<std::string, std::string>& known) {
    std::string refusal = why_not_handed_on(name, words);
    const auto [first, is_new] = known.emplace(spelled_alike(name), name);
    if (refusal.empty() && !is_new) refusal = same_setting_twice(name, first->second);
    if (!refusal.empty()) return fail(std::move(refusal));
    return Key{.name = "setting", .type = ValueType::scalar};
  }

  // Makes the labels: "onnxruntime", or "onnxruntime 1.30.0 threads=2 arena=false" with all settings in which compilers
  // of that name differ. The user's own label is extended only by the settings in which the variants of its entry
  // differ.
  void make_labels() {
    std::map<std::string, std::vector<std::size_t>> by_name;
    std::map<NodePointer, std::vector<std::size_t>> by_entry;
    std::vector<std::string> labels;
    for (std::size_t i = 0; i < compilers_.size(); ++i) {
      by_name[compilers_[i].name].push_back(i);
      by_entry[at_[i]].push_back(i);
      labels.push_back(compilers_[i].label.empty() ? compilers_[i].name : compilers_[i].label);
    }
    for (const auto& [name, namesakes] : by_name) extend_labels(namesakes, false, labels);
    for (const auto& [entry, variants] : by_entry) extend_labels(variants, true, labels);
    for (std::size_t i = 0; i < labels.size(); ++i) compilers_[i].label = std::move(labels[i]);
  }

  // Adds the values in which the compilers of `group` differ to the labels of those that have a label of the user's, or
  // of those that have none. Beside the latter, what only the former set is not mentioned.
  void extend_labels(const std::vector<std::size_t>& group, bool are_users, std::vector<std::string>& labels) const {
    const auto add = [&](const std::string& before, const auto& value_in) {
      std::vector<std::string> values;
      for (const std::size_t i : group) values.push_back(value_in(compilers_[i]));
      if (std::adjacent_find(values.begin(), values.end(), std::not_equal_to<>()) == values.end()) return;
      for (std::size_t i = 0; i < group.size(); ++i) {
        if (compilers_[group[i]].label.empty() != are_users) labels[group[i]] += before + values[i];
      }
    };
    for (const Key& key : compiler_keys()) {
      if (key.type == ValueType::structured) {
        for (const std::string& name : names_below(key, group, are_users)) {
          add(" " + name + "=", [&](const work::Compiler& compiler) { return value_below(key, name, compiler); });
        }
      } else if (key.name != "label") {
        const bool is_clear = key.type == ValueType::version || key.type == ValueType::word;  // without the key's name
        add(is_clear ? " " : " " + key.name + "=",
            [&](const work::Compiler& compiler) { return plain_text(value_of(compiler, key)); });
      }
    }
  }

  [[nodiscard]] std::set<std::string> names_below(const Key& key, const std::vector<std::size_t>& group,
                                                  bool are_users) const {
    std::set<std::string> names;
    for (const std::size_t i : group) {
      if (!are_users && !compilers_[i].label.empty()) continue;
      const json given = value_of(compilers_[i], key);
      for (const auto& [name, value] : given.items()) names.insert(name);
    }
    return names;
  }

  // Returns the value of an option or of a setting: the given one, else its default.
  [[nodiscard]] std::string value_below(const Key& key, const std::string& name, const work::Compiler& compiler) const {
    const json given = value_of(compiler, key);
    if (given.contains(name)) return plain_text(given[name]);
    for (const CompilerWords& words : vocabulary_.compilers) {
      if (words.name != compiler.name) continue;
      for (const Parameter& option : words.options) {
        if (option.name == name && !option.default_value.empty()) return plain_text(json_of(option.default_value));
      }
    }
    return "default";
  }

  const work::Compiler& usual_;
  const UsualAxes& axes_;
  const Vocabulary& vocabulary_;
  Problems& problems_;
  std::vector<std::string> names_;
  std::vector<work::Compiler> compilers_;
  std::vector<NodePointer> at_;                          // the entry of each compiler; null if the entry has problems
  std::vector<std::shared_ptr<const GivenKeys>> given_;  // of each compiler
  // The settings of each compiler, and whether the first that has them has a label of the user's.
  std::map<std::string, bool> seen_;
};

}  // namespace

CompilerEntries read_compilers(const DocumentNode& node, const work::Compiler& usual, const UsualAxes& axes,
                               const Vocabulary& vocabulary, Problems& problems) {
  if (!is_filled_list(node, "compilers", "a list of compilers such as - onnxruntime", problems)) return {};
  return CompilerReader(usual, axes, vocabulary, problems).read(node);
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
