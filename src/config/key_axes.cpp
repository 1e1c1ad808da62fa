// SPDX-License-Identifier: Apache-2.0
#include "config/key_axes.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "config/keys/value.h"
#include "config/model_axes.h"
#include "config/sections.h"
#include "config/study_json.h"

namespace ngb::config {
namespace {

using nlohmann::json;

constexpr const char* kCache = "cache";

// Reads `cache: {past: …, present: …}`.
void read_names(const DocumentNode& map, const std::string& path, work::CacheNames& names, Problems& problems) {
  std::vector<std::string> known;
  for (const Key& key : cache_keys()) known.push_back(key.name);
  for (const Field& field : fields(map, path, problems)) {
    const auto& keys = cache_keys();
    const auto key = std::find_if(keys.begin(), keys.end(), [&](const Key& each) { return each.name == field.name; });
    if (key == keys.end()) {
      problems.add(*field.key, path, unknown_key(field.name, known));
    } else if (const auto value = read_value(*key, *field.value, join_path(path, field.name), problems)) {
      std::string& name = field.name == "past"      ? names.past
                          : field.name == "present" ? names.present
                          : field.name == "mask"    ? names.mask
                                                    : names.position;
      name = value->get<std::string>();
    }
  }
  if (names.past.empty() != names.present.empty())
    problems.add(map, path, "past and present need each other; give both");
}

// Returns the forms of a cache that `cache: best` measures. The last one grows, and has no capacity.
std::vector<json> forms_of_cache(bool is_recipe) {
  return is_recipe ? std::vector<json>{"delta", "static", "scatter", "growing"}
                   : std::vector<json>{"static", "growing"};
}

}  // namespace

void name_all_forms(const ModelFields& given, bool is_recipe, Axis& axis) {
  if (std::ranges::find(axis.values, kBestForm) == axis.values.end()) return;
  axis.values = forms_of_cache(is_recipe);
  const auto capacity = given.find("capacity");
  if (capacity != given.end() && capacity->second->text != kTight) axis.values.pop_back();
  axis.is_axis = true;
}

bool is_of_generating(const Key& key) { return key.name != "phase" && key.name != "context"; }

Axis read_axis(const Key& key, const DocumentNode& node, const std::string& path, Problems& problems) {
  Axis axis{.name = key.name};
  const bool expects_list = key.type == ValueType::integers;
  const bool holds_lists = node.is_sequence() && !node.items.empty() && node.items[0]->is_sequence();
  axis.is_axis = node.is_sequence() && (!expects_list || holds_lists);
  if (!axis.is_axis) {
    if (const auto value = read_value(key, node, path, problems)) axis.values.push_back(*value);
    return axis;
  }
  if (node.items.empty())
    problems.add(node, path, fmt::format("expected {}, or a list of such values, found an empty list", expected(key)));
  std::set<std::string> seen;
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    const std::string item_path = fmt::format("{}[{}]", path, i);
    const auto value = read_value(key, *node.items[i], item_path, problems);
    if (!value) continue;
    if (!seen.insert(json_text(*value)).second) {
      problems.add_repeated(*node.items[i], item_path, json_text(*value));
      continue;
    }
    axis.values.push_back(*value);
  }
  return axis;
}

std::vector<ModelEntry> decoders_of_file(const ModelEntry& model, const ModelFields& given, const std::string& path,
                                         Problems& problems) {
  ModelEntry common = model;
  std::vector<Axis> axes;
  std::vector<std::size_t> counts;
  for (const Key& key : model_keys()) {
    const auto field = key.is_axis ? given.find(key.name) : given.end();
    if (field == given.end()) continue;
    if (!common.decoder) common.decoder = DecoderEntry{.cache = kFormOfFile};
    const std::string at = join_path(path, key.name);
    if (key.name == kCache && field->second->is_map()) {
      read_names(*field->second, at, common.decoder->names, problems);
      continue;
    }
    axes.push_back(read_axis(key, *field->second, at, problems));
    axes.back().key = &key;
    if (key.name == kCache && model.kind() == ModelKind::pytorch) name_all_forms(given, false, axes.back());
    if (std::ranges::find(axes.back().values, kBestForm) != axes.back().values.end())
      problems.add(*field->second, at, "a file has the form in which it was exported; write auto");
    counts.push_back(axes.back().values.size());
  }
  std::vector<ModelEntry> models;
  std::size_t count = 1;
  for (const std::size_t values : counts) count *= values;
  for (std::size_t point = 0; point < count && count <= kMaxModels; ++point) {
    ModelEntry& made = models.emplace_back(common);
    const std::vector<std::size_t> places = combination(point, counts);
    bool is_repeated = false;  // it differs from an earlier one only in what it has nothing of
    for (std::size_t i = 0; i < axes.size(); ++i) {
      const json& value = axes[i].values[places[i]];
      const bool has_it = !made.decoder->is_prefill || !is_of_generating(*axes[i].key);
      is_repeated = is_repeated || (!has_it && places[i] > 0);
      if (!has_it) continue;
      axes[i].key->set_in_model(made, value);
      if (axes[i].is_axis) made.label += fmt::format(" {}={}", axes[i].name, plain_text(value));
    }
    if (is_repeated) models.pop_back();
  }
  return models;
}

}  // namespace ngb::config
