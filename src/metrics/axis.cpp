// SPDX-License-Identifier: Apache-2.0
#include "metrics/axis.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

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

// Returns options, settings, inferences in flight and instances, as "a=1 b=x"; "default" if there is nothing to name.
std::string words_of_configuration(const CellData& cell) {
  const std::string words = words_of_options(cell.of.compiler);
  return words.empty() ? "default" : words;
}

// Returns the compiler's options without those that name the compute device.
std::string without_device(const CellData& cell) {
  work::Compiler elsewhere = cell.of.compiler;
  std::erase_if(elsewhere.options, [](const auto& option) {
    return option.first == "device" || option.first == "provider" || option.first == "include_transfer";
  });
  return all_options(elsewhere);
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
             [](const CellData& cell) { return std::to_string(cell.of.model.key.batch); },
             [](const CellData& cell) { return std::to_string(cell.of.model.key.batch); }},
    Property{"model", [](Axis axis) { return axis == Axis::model; },
             [](const CellData& cell) { return cell.of.model.key.hash; },
             [](const CellData& cell) { return cell.of.model.label; }},
    Property{"device", [](Axis axis) { return axis == Axis::device; },
             [](const CellData& cell) { return cell.of.device; }, [](const CellData& cell) { return cell.of.device; }},
    Property{"compiler", [](Axis axis) { return axis == Axis::compiler; },
             [](const CellData& cell) { return cell.of.compiler.name; },
             [](const CellData& cell) { return cell.of.compiler.name; }},
    Property{"version", [](Axis axis) { return axis == Axis::compiler || axis == Axis::version; },
             [](const CellData& cell) { return cell.of.compiler.version; },
             [](const CellData& cell) { return cell.of.compiler.version; }},
    Property{"options", [](Axis axis) { return axis == Axis::compiler || axis == Axis::options; },
             [](const CellData& cell) { return all_options(cell.of.compiler); }, words_of_configuration},
    // "all" is another number on another machine, so cells of different machines are paired by what was asked for.
    Property{"thread count", [](Axis axis) { return axis == Axis::threads || compares_machines(axis); },
             [](const CellData& cell) { return cell.of.threads_there(); },
             [](const CellData& cell) { return cell.of.threads_there(); }},
    Property{"thread count", [](Axis axis) { return !compares_machines(axis); },
             [](const CellData& cell) { return cell.of.threads_wanted(); },
             [](const CellData& cell) { return cell.of.threads_wanted(); }},
    Property{"precision", [](Axis axis) { return axis == Axis::precision; },
             [](const CellData& cell) { return cell.of.compiler.precision; },
             [](const CellData& cell) { return cell.of.compiler.precision; }},
    Property{"load", [](Axis axis) { return axis == Axis::load; }, [](const CellData& cell) { return cell.of.load; },
             [](const CellData& cell) { return cell.of.load; }},
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
      return cell.of.compiler.name;
    case Axis::version:
      return cell.of.compiler.version;
    case Axis::options:
      return words_of_configuration(cell);
    case Axis::device:
      return cell.of.device;
    case Axis::compute_device:
      return cell.of.compute_device.value.value_or("unknown");
    case Axis::threads:
      return cell.of.threads_there();
    case Axis::precision:
      return cell.of.compiler.precision;
    case Axis::load:
      return cell.of.load;
    case Axis::model:
      return cell.of.model.label;
  }
  return {};
}

bool is_called(std::string_view words, Axis axis, const CellData& cell) {
  if (words == place_on(axis, cell)) return true;
  if (axis == Axis::compiler && words == cell.of.compiler.label) return true;
  if (axis == Axis::threads && words == cell.of.compiler.threads_asked) return true;
  return (axis == Axis::compiler || axis == Axis::version) &&
         words == cell.of.compiler.name + "@" + cell.of.compiler.version;
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
