// SPDX-License-Identifier: Apache-2.0
#include "report/figures/axes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "base/json_text.h"
#include "report/figures/print.h"

namespace ngb::report::figures {
namespace {

using nlohmann::ordered_json;

constexpr const char* kBatch = "batch";
constexpr const char* kDepth = "depth";
constexpr const char* kWidth = "width";

std::optional<double> number_in_row(const Row& row, const char* name) {
  const auto found = row.find(name);
  return found == row.end() || !found->is_number() ? std::nullopt : std::optional(found->get<double>());
}

std::string text_in_row(const Row& row, const std::string& name) {
  const auto found = row.find(name);
  if (found == row.end() || found->is_null()) return {};
  return found->is_string() ? found->get<std::string>() : json_text::dump_ascii(*found, -1);
}

// Returns the fields of the grid's rows and columns.
std::vector<std::string> fields_of_panels(const ordered_json& whole) {
  std::vector<std::string> fields;
  const ordered_json& facet = whole.at("facet");
  if (facet.contains("field")) return {facet.at("field").get<std::string>()};
  for (const char* const side : {"row", "column"}) {
    if (facet.contains(side)) fields.push_back(facet.at(side).at("field").get<std::string>());
  }
  return fields;
}

std::string name_of_panel(const Row& row, const std::vector<std::string>& fields) {
  std::string name;
  for (const std::string& field : fields) name += text_in_row(row, field) + '\n';
  return name;
}

// Where a row is on the axis of this field, before compilers are set side by side, and how its tick is called.
struct Place {
  double at = 0;
  std::string label{};
};

std::optional<Place> place_of(const Row& row, const std::string& field) {
  const auto value = number_in_row(row, field.c_str());
  if (!value || *value <= 0) return std::nullopt;
  if (field == kDepth) return Place{*value, fmt::format("{}", *value)};
  const std::string sizes = text_in_row(row, "batch_sizes");
  return Place{std::log2(*value), sizes.empty() ? fmt::format("{}", *value) : sizes};
}

// Returns the layers' channel x that sets compilers side by side on an axis of names; null if there is none.
std::string field_with_compilers_side_by_side(const ordered_json& whole) {
  for (const ordered_json& layer : whole.at("spec").at("layer")) {
    const ordered_json encoding = layer.value("encoding", ordered_json::object());
    if (!encoding.contains("xOffset") || encoding.at("xOffset").value("field", "") != "compiler") continue;
    const std::string field = encoding.at("x").value("field", "");
    for (const char* const quantity : {kBatch, kDepth, kWidth}) {
      if (field == quantity) return field;
    }
  }
  return {};
}

double smallest_step(const std::map<double, std::string>& ticks) {
  double step = HUGE_VAL;
  for (auto tick = ticks.begin(); tick != ticks.end() && std::next(tick) != ticks.end(); ++tick)
    step = std::min(step, std::next(tick)->first - tick->first);
  return std::isfinite(step) ? step : 1;
}

// Sets the compilers of each panel side by side, in their order.
void add_places(const std::vector<std::string>& order, const std::vector<std::string>& panels, const std::string& field,
                double step, std::vector<Row>& rows) {
  constexpr double kShareOfAStep = 0.5;
  std::map<std::string, std::set<std::size_t>> drawn;  // by panel: places in `order`
  const auto place_in_order = [&](const Row& row) {
    return static_cast<std::size_t>(std::find(order.begin(), order.end(), text_in_row(row, "compiler")) -
                                    order.begin());
  };
  for (const Row& row : rows) {
    if (place_of(row, field)) drawn[name_of_panel(row, panels)].insert(place_in_order(row));
  }
  for (Row& row : rows) {
    const auto place = place_of(row, field);
    if (!place) continue;
    const std::set<std::size_t>& compilers = drawn.at(name_of_panel(row, panels));
    const auto position = static_cast<double>(std::distance(compilers.begin(), compilers.find(place_in_order(row))));
    const double from_middle = (position + 0.5) / static_cast<double>(compilers.size()) - 0.5;
    row["at"] = place->at + kShareOfAStep * step * from_middle;
  }
}

// The y channel of the layer that draws intervals, or null.
ordered_json* layer_of_intervals(ordered_json& whole) {
  for (ordered_json& layer : whole.at("spec").at("layer")) {
    if (!layer.at("mark").is_object() || layer.at("mark").value("style", "") != "interval") continue;
    if (layer.at("encoding").contains("y") && layer.at("encoding").at("y").value("field", "") == "low") return &layer;
  }
  return nullptr;
}

// Returns the field that points are drawn at.
std::string field_of_points(const ordered_json& whole) {
  for (const ordered_json& layer : whole.at("spec").at("layer")) {
    const ordered_json encoding = layer.value("encoding", ordered_json::object());
    if (layer.at("mark").is_object() && layer.at("mark").value("style", "") == "curve") {
      return encoding.at("y").value("field", "");
    }
  }
  return {};
}

struct Frame {
  double low = HUGE_VAL;
  double high = -HUGE_VAL;
};

// Adds to both sides half of what the points take.
void widen(Frame& frame, bool is_logarithmic) {
  constexpr double kShare = 0.5;
  constexpr double kLeastFactor = 1.5;
  if (is_logarithmic) {
    const double factor = std::max(kLeastFactor, std::pow(frame.high / frame.low, kShare));
    frame = {frame.low / factor, frame.high * factor};
    return;
  }
  const double size = std::max(std::abs(frame.low), std::abs(frame.high));
  const double more = std::max(kShare * (frame.high - frame.low), size / 10);
  frame = {frame.low - more, frame.high + more};
}

// A triangle at the end of an interval that reaches beyond the frame.
ordered_json arrow(const ordered_json& intervals, const char* end, const char* shape) {
  ordered_json layer = intervals;
  layer["transform"] = ordered_json::array({{{"filter", fmt::format("datum.{0}_at !== datum.{0}", end)}},
                                            {{"filter", fmt::format("isValid(datum.{}_at)", end)}}});
  layer["mark"] = {{"type", "point"}, {"style", "beyond"}, {"shape", shape}};
  layer["encoding"].erase("y2");
  layer["encoding"]["y"]["field"] = fmt::format("{}_at", end);
  return layer;
}

}  // namespace

void use_quantitative_axis(const std::vector<std::string>& compilers, ordered_json& whole, std::vector<Row>& rows) {
  constexpr int kPixelsOfALabel = 18;
  const std::string field = field_with_compilers_side_by_side(whole);
  if (field.empty()) return;
  std::map<double, std::string> own;
  std::map<double, std::string> all;
  for (const Row& row : rows) {
    const auto place = place_of(row, field);
    if (!place) continue;
    all.emplace(place->at, place->label);
    if (text_in_row(row, "state") != "published") own.emplace(place->at, place->label);
  }
  if (all.empty()) return;
  const std::map<double, std::string>& ticks = own.empty() ? all : own;
  const double step = smallest_step(ticks);
  add_places(compilers, fields_of_panels(whole), field, step, rows);
  ordered_json values = ordered_json::array();
  std::string labels;
  for (const auto& [at, label] : all) {
    values.push_back(at);
    const char* const lines = ticks.contains(at) ? "{}'{}': '{}'" : "{}'{}': ['', '{}']";
    labels += fmt::format(fmt::runtime(lines), labels.empty() ? "" : ", ", at, label);
  }
  const double steps = (all.rbegin()->first - all.begin()->first) / step + 1;
  const bool is_published_apart = all.size() > ticks.size();
  const bool has_room = extent_of_panel(whole, rows, "width") >= kPixelsOfALabel * steps;
  for (ordered_json& layer : whole.at("spec").at("layer")) {
    if (!layer.contains("encoding") || !layer.at("encoding").contains("xOffset")) continue;
    ordered_json& encoding = layer.at("encoding");
    encoding.erase("xOffset");
    ordered_json& x = encoding.at("x");
    x["field"] = "at";
    x["type"] = "quantitative";
    x["scale"] = {{"domain", {all.begin()->first - step / 2, all.rbegin()->first + step / 2}}, {"nice", false}};
    x["axis"] = {{"grid", false},
                 {"values", values},
                 {"labelExpr", fmt::format("({{{}}})[datum.value]", labels)},
                 {"labelOverlap", is_published_apart && has_room ? ordered_json(false) : ordered_json("greedy")}};
  }
}

void share_axes_of_a_quantity(const ordered_json& whole, std::vector<Row>& rows) {
  const ordered_json& layers = whole.at("spec").at("layer");
  if (std::none_of(layers.begin(), layers.end(), [](const ordered_json& layer) {
        return layer.at("mark").is_object() && layer.at("mark").value("style", "") == "unseen";
      })) {
    return;
  }
  const std::string number = field_of_points(whole);
  std::map<std::string, Frame> frames;
  for (const Row& row : rows) {
    const auto value = number_in_row(row, number.c_str());
    if (!value) continue;
    Frame& frame = frames[text_in_row(row, "quantity")];
    frame = {std::min(frame.low, *value), std::max(frame.high, *value)};
  }
  for (Row& row : rows) {
    const auto frame = frames.find(text_in_row(row, "quantity"));
    if (frame == frames.end()) continue;
    row["shared_low"] = frame->second.low;
    row["shared_high"] = frame->second.high;
  }
}

bool end_intervals_at_the_frame(ordered_json& whole, std::vector<Row>& rows) {
  ordered_json* const intervals = layer_of_intervals(whole);
  const std::string number = field_of_points(whole);
  if (intervals == nullptr || number.empty()) return false;
  const ordered_json scale = intervals->at("encoding").at("y").value("scale", ordered_json::object());
  const bool is_logarithmic = scale.value("type", "") == "log";
  const std::vector<std::string> fields =
      panels_have_own_axes(whole) ? fields_of_panels(whole) : std::vector<std::string>();
  std::map<std::string, Frame> frames;
  for (const Row& row : rows) {
    const auto value = number_in_row(row, number.c_str());
    if (!value || (is_logarithmic && *value <= 0)) continue;
    Frame& frame = frames[name_of_panel(row, fields)];
    frame = {std::min(frame.low, *value), std::max(frame.high, *value)};
  }
  for (auto& [panel, frame] : frames) widen(frame, is_logarithmic);
  bool is_any_beyond = false;
  for (Row& row : rows) {
    const auto frame = frames.find(name_of_panel(row, fields));
    const auto low = number_in_row(row, "low");
    const auto high = number_in_row(row, "high");
    if (frame == frames.end() || !low || !high) continue;
    row["low_at"] = std::max(*low, frame->second.low);
    row["high_at"] = std::min(*high, frame->second.high);
    is_any_beyond = is_any_beyond || row["low_at"] != row["low"] || row["high_at"] != row["high"];
  }
  intervals->at("encoding").at("y")["field"] = "low_at";
  intervals->at("encoding").at("y2")["field"] = "high_at";
  if (!is_any_beyond) return false;
  const ordered_json copied = *intervals;
  whole.at("spec").at("layer").push_back(arrow(copied, "low", "triangle-down"));
  whole.at("spec").at("layer").push_back(arrow(copied, "high", "triangle-up"));
  return true;
}

}  // namespace ngb::report::figures
