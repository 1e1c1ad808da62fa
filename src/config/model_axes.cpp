// SPDX-License-Identifier: Apache-2.0
#include "config/model_axes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "config/keys/value.h"
#include "config/sections.h"

namespace ngb::config {
namespace {

constexpr const char* kEach = "each";
constexpr std::array kTables{"raw_bytes", "encoded_bytes"};

struct ModelAxis {
  std::string section{};  // the key of the entry in which it is
  std::string name{};
  std::vector<NodePointer> values{};
};

nlohmann::json whole_json(const DocumentNode& node) {
  if (!node.is_sequence() && !node.is_map()) return scalar_json(node);
  nlohmann::json whole = node.is_map() ? nlohmann::json::object() : nlohmann::json::array();
  for (const NodePointer& item : node.items) whole.push_back(whole_json(*item));
  for (const auto& [key, value] : node.entries) whole[key->text] = whole_json(*value);
  return whole;
}

// Returns the value as labels of recipes have it: 16, relu, [2,2].
std::string words_of(const DocumentNode& node) { return plain_text(whole_json(node)); }

// Returns the list of values if the parameter is {each: [16, 32]}; else null.
NodePointer values_of_each(const DocumentNode& node) {
  const bool is_each = node.is_map() && node.entries.size() == 1 && node.entries[0].first->text == kEach;
  return is_each ? node.entries[0].second : nullptr;
}

void add_axis(const std::string& section, const std::string& name, const DocumentNode& list, const std::string& path,
              std::vector<ModelAxis>& axes, Problems& problems) {
  if (!is_filled_list(list, path, "a list of values, each of which makes a model", problems)) return;
  ModelAxis axis{.section = section, .name = name};
  std::set<std::string> seen;
  for (const NodePointer& item : list.items) {
    if (seen.insert(words_of(*item)).second) {
      axis.values.push_back(item);
    } else {
      problems.add_repeated(*item, path, words_of(*item));
    }
  }
  axes.push_back(std::move(axis));
}

// Returns the mapping with what is merged into it by `<<` in its place.
NodePointer merged(const NodePointer& map) {
  Problems found_again("");  // they are found when the mapping is read
  auto copy = std::make_shared<DocumentNode>(*map);
  copy->entries.clear();
  for (const Field& field : fields(*map, "", found_again)) copy->entries.emplace_back(field.key, field.value);
  return found_again.empty() ? copy : map;
}

std::vector<ModelAxis> axes_of(ModelFields& given, const std::string& path, Problems& problems) {
  std::vector<ModelAxis> axes;
  for (const char* const section : {"parameters", "dimensions"}) {
    const auto found = given.find(section);
    if (found == given.end() || !found->second->is_map()) continue;
    found->second = merged(found->second);
    const std::string inner = join_path(path, section);
    for (const auto& [key, value] : found->second->entries) {
      const bool is_list = section == std::string_view("dimensions") && value->is_sequence();
      const NodePointer values = is_list ? value : values_of_each(*value);
      if (values) add_axis(section, key->text, *values, join_path(inner, key->text), axes, problems);
    }
  }
  return axes;
}

// Returns a copy of the node with each `{axis}` of its texts replaced.
NodePointer filled(const NodePointer& node, const std::vector<std::pair<std::string, std::string>>& named) {
  auto copy = std::make_shared<DocumentNode>(*node);
  for (const auto& [axis, value] : named) {
    const std::string word = "{" + axis + "}";
    for (std::size_t at = copy->text.find(word); at != std::string::npos; at = copy->text.find(word, at)) {
      copy->text.replace(at, word.size(), value);
      at += value.size();
    }
  }
  for (NodePointer& item : copy->items) item = filled(item, named);
  for (auto& [key, value] : copy->entries) value = filled(value, named);
  return copy;
}

// Returns the mapping with the axis's value in place of its values.
NodePointer with_value(const DocumentNode& section, const std::string& axis, const NodePointer& value) {
  auto copy = std::make_shared<DocumentNode>(section);
  for (auto& [key, old] : copy->entries) {
    if (key->text == axis) old = value;
  }
  return copy;
}

// Returns the number that a table {width: {16: 64}} has for the point; the node itself if it is no table of an axis.
NodePointer looked_up(const std::string& key, const NodePointer& node, const ModelPoint& point, const std::string& path,
                      Problems& problems) {
  if (!node->is_map() || node->entries.size() != 1) return node;
  const auto& [axis_node, table] = node->entries[0];
  const auto axis = std::find_if(point.named.begin(), point.named.end(),
                                 [&, &name = axis_node->text](const auto& each) { return each.first == name; });
  if (axis == point.named.end() || !table->is_map()) return node;
  const auto row = std::find_if(table->entries.begin(), table->entries.end(),
                                [&](const auto& entry) { return entry.first->text == axis->second; });
  if (row != table->entries.end()) return row->second;
  problems.add(*table, join_path(path, key),
               fmt::format("no number for {} = {}; add {}: BYTES", axis->first, axis->second, axis->second));
  return node;
}

std::vector<std::string> axes_told_by(const std::string& text, const std::vector<ModelAxis>& axes) {
  std::vector<std::string> told;
  for (const ModelAxis& axis : axes) {
    if (text.find("{" + axis.name + "}") != std::string::npos) told.push_back(axis.name);
  }
  return told;
}

// Returns "enc" for "enc w{width} d{depth}" and for "enc_{width}": what stands before the first word that an axis is
// in.
std::string before_axes(std::string text, const std::vector<std::string>& told) {
  constexpr std::string_view kBetweenWords = " _-.";
  const std::string whole = text;
  for (const std::string& axis : told) text.resize(std::min(text.size(), text.find("{" + axis + "}")));
  if (text.size() == whole.size()) return whole;
  const std::size_t end = text.find_last_of(kBetweenWords);
  if (end != std::string::npos) text.resize(end);
  const std::size_t last = text.find_last_not_of(kBetweenWords);
  return text.substr(0, last == std::string::npos ? 0 : last + 1);
}

}  // namespace

bool may_be_so_many(std::size_t models, const DocumentNode& at, Problems& problems) {
  if (models <= kMaxModels) return true;
  problems.add(at, "models", fmt::format("more than {} models", kMaxModels));
  return false;
}

std::vector<std::size_t> combination(std::size_t number, const std::vector<std::size_t>& counts) {
  std::vector<std::size_t> places(counts.size());
  for (std::size_t axis = counts.size(); axis-- > 0;) {
    places[axis] = number % counts[axis];
    number /= counts[axis];
  }
  return places;
}

std::vector<ModelPoint> points_of(const std::string& kind, ModelFields given, const std::string& path,
                                  Problems& problems) {
  const std::size_t before = problems.count();
  const std::vector<ModelAxis> axes = axes_of(given, path, problems);
  std::size_t count = 1;
  std::vector<std::size_t> counts;
  for (const ModelAxis& axis : axes) {
    count *= counts.emplace_back(axis.values.size());
    if (!may_be_so_many(count, *given.at(axis.section), problems)) break;
  }
  if (problems.count() != before) return {};
  const auto label = given.find("label");
  const std::string told_in =
      label != given.end() ? label->second->text : std::filesystem::path(given.at(kind)->text).stem().string();
  const std::vector<std::string> told = axes_told_by(told_in, axes);
  std::vector<ModelPoint> points;
  for (std::size_t at = 0; at < count; ++at) {
    ModelPoint point{.given = given, .told = told};
    if (label != given.end() || !told.empty()) point.group = before_axes(told_in, told);
    const std::vector<std::size_t> places = combination(at, counts);
    for (std::size_t i = 0; i < axes.size(); ++i) {
      const ModelAxis& axis = axes[i];
      const NodePointer& value = axis.values[places[i]];
      point.named.emplace_back(axis.name, words_of(*value));
      point.given[axis.section] = with_value(*point.given[axis.section], axis.name, value);
    }
    if (!axes.empty()) {
      for (auto& [key, node] : point.given) node = filled(node, point.named);
      for (const char* const key : kTables) {
        const auto table = point.given.find(key);
        if (table != point.given.end()) table->second = looked_up(key, table->second, point, path, problems);
      }
    }
    if (problems.count() != before) return {};
    points.push_back(std::move(point));
  }
  return points;
}

}  // namespace ngb::config
