// SPDX-License-Identifier: Apache-2.0
#include "metrics/axis.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "base/json_text.h"
#include "base/text.h"

namespace ngb::metrics {
namespace {

using store::CellData;

constexpr std::array<std::pair<Axis, std::string_view>, 10> kAxes{{{Axis::results, "results"},
                                                                   {Axis::compiler, "compiler"},
                                                                   {Axis::version, "version"},
                                                                   {Axis::options, "options"},
                                                                   {Axis::device, "device"},
                                                                   {Axis::compute_device, "compute_device"},
                                                                   {Axis::threads, "threads"},
                                                                   {Axis::precision, "precision"},
                                                                   {Axis::load, "load"},
                                                                   {Axis::model, "model"}}};

// Returns "a=1 b=x": options, then settings, each sorted by name, then inferences in flight and instances if there
// are several; "default" if there is nothing to name.
std::string words_of_configuration(const CellData& cell) {
  std::vector<std::string> words;
  for (const std::string* const object : {&cell.options, &cell.settings}) {
    const nlohmann::json given = json_text::parse(*object);
    if (!given.is_object()) continue;
    for (const auto& [name, value] : given.items()) {
      words.push_back(
          fmt::format("{}={}", name, value.is_string() ? value.get<std::string>() : json_text::dump(value)));
    }
  }
  if (cell.in_flight != "1") words.push_back("in_flight=" + cell.in_flight);
  if (cell.instances != 1) words.push_back(fmt::format("instances={}", cell.instances));
  return words.empty() ? "default" : text::join(words, " ");
}

// Returns the cell's configuration without the options that name the compute device.
std::string without_device(const CellData& cell) {
  nlohmann::json options = json_text::parse(cell.options);
  if (!options.is_object()) return cell.configuration();
  for (const char* const name : {"device", "provider", "include_transfer"}) options.erase(name);
  CellData elsewhere;
  elsewhere.options = json_text::dump(options);
  elsewhere.settings = cell.settings;
  elsewhere.in_flight = cell.in_flight;
  elsewhere.instances = cell.instances;
  return elsewhere.configuration();
}

constexpr bool compares_machines(Axis axis) { return axis == Axis::device || axis == Axis::results; }

// A property that must be equal on both sides.
struct Property {
  const char* name;
  bool (*is_free)(Axis axis);  // the axis lets the sides differ in it
  std::string (*value)(const CellData& cell);
  std::string (*shown)(const CellData& cell);  // for messages
};

constexpr std::array kProperties{
    Property{"batch size", [](Axis /*axis*/) { return false; },
             [](const CellData& cell) { return std::to_string(cell.batch); },
             [](const CellData& cell) { return std::to_string(cell.batch); }},
    Property{"model", [](Axis axis) { return axis == Axis::model; },
             [](const CellData& cell) { return cell.model_hash; }, [](const CellData& cell) { return cell.model; }},
    Property{"device", [](Axis axis) { return axis == Axis::device; }, [](const CellData& cell) { return cell.device; },
             [](const CellData& cell) { return cell.device; }},
    Property{"compiler", [](Axis axis) { return axis == Axis::compiler; },
             [](const CellData& cell) { return cell.compiler; }, [](const CellData& cell) { return cell.compiler; }},
    Property{"version", [](Axis axis) { return axis == Axis::compiler || axis == Axis::version; },
             [](const CellData& cell) { return cell.compiler_version; },
             [](const CellData& cell) { return cell.compiler_version; }},
    Property{"options", [](Axis axis) { return axis == Axis::compiler || axis == Axis::options; },
             [](const CellData& cell) { return cell.configuration(); }, words_of_configuration},
    // "all" is another number on another machine, so cells of different machines are paired by what was asked for.
    Property{"thread count", [](Axis axis) { return axis == Axis::threads || compares_machines(axis); },
             [](const CellData& cell) { return cell.threads_there(); },
             [](const CellData& cell) { return cell.threads_there(); }},
    Property{"thread count", [](Axis axis) { return !compares_machines(axis); },
             [](const CellData& cell) { return cell.threads_wanted(); },
             [](const CellData& cell) { return cell.threads_wanted(); }},
    Property{"precision", [](Axis axis) { return axis == Axis::precision; },
             [](const CellData& cell) { return cell.precision; }, [](const CellData& cell) { return cell.precision; }},
    Property{"load", [](Axis axis) { return axis == Axis::load; }, [](const CellData& cell) { return cell.load; },
             [](const CellData& cell) { return cell.load; }},
};

}  // namespace

std::string_view name(Axis axis) {
  return std::find_if(kAxes.begin(), kAxes.end(), [axis](const auto& each) { return each.first == axis; })->second;
}

Result<Axis> parse_axis(std::string_view name) {
  std::vector<std::string> known;
  for (const auto& [axis, its_name] : kAxes) {
    if (its_name == name) return axis;
    known.emplace_back(its_name);
  }
  return fail(fmt::format("results cannot be compared by \"{}\"", name), {}, "use one of: " + text::join(known, ", "));
}

Axis axis_meant_by(std::string_view baseline, std::string_view candidate) {
  const std::size_t end = baseline.find('@');
  const bool has_versions = end != std::string_view::npos && candidate.find('@') != std::string_view::npos;
  return has_versions && baseline.substr(0, end) == candidate.substr(0, candidate.find('@')) ? Axis::version
                                                                                             : Axis::compiler;
}

std::string place_on(Axis axis, const CellData& cell) {
  switch (axis) {
    case Axis::results:
      return {};
    case Axis::compiler:
      return cell.compiler;
    case Axis::version:
      return cell.compiler_version;
    case Axis::options:
      return words_of_configuration(cell);
    case Axis::device:
      return cell.device;
    case Axis::compute_device:
      return cell.compute_device.value.value_or("unknown");
    case Axis::threads:
      return cell.threads_there();
    case Axis::precision:
      return cell.precision;
    case Axis::load:
      return cell.load;
    case Axis::model:
      return cell.model;
  }
  return {};
}

bool is_called(std::string_view words, Axis axis, const CellData& cell) {
  if (words == place_on(axis, cell)) return true;
  if (axis == Axis::compiler && words == cell.compiler_label) return true;
  if (axis == Axis::threads && words == cell.threads_asked) return true;
  return (axis == Axis::compiler || axis == Axis::version) && words == cell.compiler + "@" + cell.compiler_version;
}

std::string identity_apart_from(Axis axis, const CellData& cell) {
  std::string identity;
  for (const Property& property : kProperties) {
    const bool names_device = axis == Axis::compute_device && std::string_view(property.name) == "options";
    if (!property.is_free(axis)) identity += names_device ? without_device(cell) : property.value(cell);
    identity += '\n';
  }
  return identity;
}

std::vector<std::string> properties_not_shared(Axis axis, const std::vector<const CellData*>& baseline,
                                               const std::vector<const CellData*>& candidate) {
  std::vector<std::string> found;
  if (baseline.empty() || candidate.empty()) return found;
  for (const Property& property : kProperties) {
    if (property.is_free(axis)) continue;
    std::set<std::string> values;
    for (const CellData* cell : baseline) values.insert(property.value(*cell));
    const bool is_shared = std::any_of(candidate.begin(), candidate.end(),
                                       [&](const CellData* cell) { return values.contains(property.value(*cell)); });
    if (is_shared) continue;
    found.push_back(fmt::format("{} ({} and {})", property.name, property.shown(*baseline.front()),
                                property.shown(*candidate.front())));
  }
  return found;
}

}  // namespace ngb::metrics
