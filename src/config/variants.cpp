// SPDX-License-Identifier: Apache-2.0
#include "config/variants.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace ngb::config {
namespace {

// Returns the value of the entry's key, or null if it does not have the key.
const DocumentNode* value_at(const DocumentNode& entry, std::string_view key) {
  for (const auto& [name, value] : entry.entries) {
    if (name->text == key) return value.get();
  }
  return nullptr;
}

// Returns what is wrong with the label, or "".
std::string wrong_with(const ModelEntry& variant, const std::vector<ModelEntry>& models) {
  if (variant.variant_of == variant.label) return "a model cannot be a variant of itself; name the exact model";
  std::vector<std::string> labels;
  for (const ModelEntry& each : models) {
    if (each.variant_of.empty()) labels.push_back(each.label);
    if (each.label != variant.variant_of || each.variant_of.empty()) continue;
    return fmt::format("{} is a variant itself, of {}; name an exact model", each.label, each.variant_of);
  }
  const bool is_known = std::find(labels.begin(), labels.end(), variant.variant_of) != labels.end();
  return is_known ? "" : unknown_word(variant.variant_of, "model", labels);
}

}  // namespace

void check_variants(const std::vector<ModelEntry>& models, const std::vector<NodePointer>& at, Problems& problems) {
  constexpr std::array<std::string_view, 7> kOfTheExact{"inputs", "data",      "group",        "style",
                                                        "size",   "raw_bytes", "encoded_bytes"};
  for (std::size_t i = 0; i < models.size(); ++i) {
    if (models[i].quantise && models[i].variant_of.empty()) {
      problems.add(*at[i], fmt::format("models: {}: quantise", models[i].label),
                   "add variant_of: the label of the model that is quantised");
    }
    if (models[i].variant_of.empty()) continue;
    const std::string path = fmt::format("models: {}", models[i].label);
    if (const std::string wrong = wrong_with(models[i], models); !wrong.empty()) {
      const DocumentNode* const value = value_at(*at[i], "variant_of");  // null: merged from another entry
      problems.add(value == nullptr ? *at[i] : *value, path + ": variant_of", wrong);
    }
    for (const std::string_view key : kOfTheExact) {
      const DocumentNode* const value = value_at(*at[i], key);
      const bool has_types_only = std::none_of(models[i].inputs.begin(), models[i].inputs.end(), [](const auto& each) {
        return each.second.range || !each.second.file.empty();
      });
      if (value == nullptr || (key == "inputs" && !models[i].compiled.empty() && has_types_only)) continue;
      problems.add(*value, fmt::format("{}: {}", path, key),
                   key == "inputs" || key == "data" ? "a variant has the inputs of its exact model; remove this key"
                                                    : "a variant is pooled with no other model; remove this key");
    }
  }
}

}  // namespace ngb::config
