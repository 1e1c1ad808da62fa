// SPDX-License-Identifier: Apache-2.0
#include "metrics/axis.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>

#include "base/text.h"
#include "work/property.h"

namespace ngb::metrics {
namespace {

using store::CellData;

using work::Configuration;
using work::Role;

struct AxisRow {
  Axis axis;
  std::string_view name;
  std::optional<Role> role;  // of the property along which cells differ; nothing: they are of two results
};
constexpr std::array kAxes{AxisRow{Axis::results, "results", {}},
                           AxisRow{Axis::compiler, "compiler", Role::compiler},
                           AxisRow{Axis::version, "version", Role::version},
                           AxisRow{Axis::options, "options", Role::options},
                           AxisRow{Axis::device, "device", Role::device},
                           AxisRow{Axis::compute_device, "compute_device", Role::compute_device},
                           AxisRow{Axis::threads, "threads", Role::threads},
                           AxisRow{Axis::precision, "precision", Role::precision},
                           AxisRow{Axis::load, "load", Role::load},
                           AxisRow{Axis::model, "model", Role::model_name}};

const AxisRow& row_of(Axis axis) {
  return *std::find_if(kAxes.begin(), kAxes.end(), [axis](const AxisRow& each) { return each.axis == axis; });
}

constexpr bool compares_machines(Axis axis) { return axis == Axis::device || axis == Axis::results; }

// Returns whether cells that are compared along the axis may differ in properties of this role.
bool is_free(Role role, Axis axis) {
  switch (role) {
    case Role::batch:
      return false;
    case Role::version:
      return axis == Axis::version || axis == Axis::compiler;
    case Role::options:
    case Role::instances:
      return axis == Axis::options || axis == Axis::compiler;
    case Role::model:
      return axis == Axis::model;
    case Role::device:
    case Role::compiler:
    case Role::threads:
    case Role::precision:
    case Role::load:
      return row_of(axis).role == role;
    case Role::compute_device:  // a cell that failed may not have reported it
    case Role::threads_asked:   // part of `threads`
    case Role::label:
    case Role::model_name:
    case Role::model_fact:
      return true;
  }
  return true;
}

// Returns the value by which cells are paired along the axis. "all" threads are another number on another machine, so
// cells of different machines are paired by what was asked for.
// A variant is the same in two results if its label and its exact model are: its file may have been made anew.
std::string paired_by(const work::Property& property, Axis axis, const Configuration& of) {
  if (axis == Axis::results && property.role == Role::model && of.model.is_variant()) {
    return of.model.exact_hash + ' ' + of.model.label;
  }
  return compares_machines(axis) && property.asked != nullptr ? property.asked(of) : property.text(of);
}

// Returns the configuration without the options that name the compute device.
Configuration without_device(Configuration of) {
  std::erase_if(of.compiler.options, [](const auto& option) {
    return option.first == "device" || option.first == "provider" || option.first == "include_transfer";
  });
  return of;
}

// Returns the value of a role for people: "1.31.1", "hint=latency instances=2", "default", "unknown".
std::string shown(Role role, const Configuration& of) {
  if (role == Role::options) {
    const std::string words = work::words_of_options(of);
    return words.empty() ? "default" : words;
  }
  std::string text = work::properties_of({role}).front()->text(of);
  return text.empty() && role == Role::compute_device ? "unknown" : text;
}

// The words of messages about what two sides do not share, and the value that these messages show.
struct Compared {
  const char* name;
  Role role;
  Role shown_as;
};
constexpr std::array kCompared{Compared{"batch size", Role::batch, Role::batch},
                               Compared{"model", Role::model, Role::model_name},
                               Compared{"device", Role::device, Role::device},
                               Compared{"compiler", Role::compiler, Role::compiler},
                               Compared{"version", Role::version, Role::version},
                               Compared{"options", Role::options, Role::options},
                               Compared{"thread count", Role::threads, Role::threads},
                               Compared{"precision", Role::precision, Role::precision},
                               Compared{"load", Role::load, Role::load}};

// Returns what cells have to share of a role; instances are options here.
std::string shared_value(Role role, Axis axis, const Configuration& of) {
  std::string value;
  for (const work::Property& each : work::properties()) {
    const Role its = each.role == Role::instances ? Role::options : each.role;
    if (its == role) value += paired_by(each, axis, of) + '\n';
  }
  return value;
}

}  // namespace

std::string_view name(Axis axis) { return row_of(axis).name; }

Result<Axis> parse_axis(std::string_view name) {
  std::vector<std::string> known;
  for (const AxisRow& each : kAxes) {
    if (each.name == name) return each.axis;
    known.emplace_back(each.name);
  }
  return fail(fmt::format("results cannot be compared by \"{}\"", name), {}, "use one of: " + text::join(known, ", "));
}

Axis axis_meant_by(std::string_view baseline, std::string_view candidate) {
  const std::size_t end = baseline.find('@');
  const bool has_versions = end != std::string_view::npos && candidate.find('@') != std::string_view::npos;
  return has_versions && baseline.substr(0, end) == candidate.substr(0, candidate.find('@')) ? Axis::version
                                                                                             : Axis::compiler;
}

std::string compiler_of(const CellData& cell) {
  const bool is_told =
      cell.of.compiler.version.empty() || cell.of.compiler.label.find(cell.of.compiler.version) != std::string::npos;
  return is_told ? cell.of.compiler.label : cell.of.compiler.label + " " + cell.of.compiler.version;
}

std::string place_on(Axis axis, const CellData& cell) {
  const std::optional<Role> role = row_of(axis).role;
  return role ? shown(*role, cell.of) : std::string();
}

bool is_called(std::string_view words, Axis axis, const CellData& cell) {
  if (words == place_on(axis, cell)) return true;
  if (axis == Axis::compiler && words == cell.of.compiler.label) return true;
  if (axis == Axis::threads && words == cell.of.compiler.threads_asked) return true;
  return (axis == Axis::compiler || axis == Axis::version) &&
         words == cell.of.compiler.name + "@" + cell.of.compiler.version;
}

std::string identity_apart_from(Axis axis, const CellData& cell) {
  const Configuration of = axis == Axis::compute_device ? without_device(cell.of) : cell.of;
  std::string identity;
  for (const work::Property& each : work::properties()) {
    if (!is_free(each.role, axis)) identity += paired_by(each, axis, of) + '\n';
  }
  return identity;
}

std::vector<std::string> properties_not_shared(Axis axis, const std::vector<const CellData*>& baseline,
                                               const std::vector<const CellData*>& candidate) {
  std::vector<std::string> found;
  if (baseline.empty() || candidate.empty()) return found;
  for (const Compared& each : kCompared) {
    if (is_free(each.role, axis)) continue;
    std::set<std::string> values;
    for (const CellData* cell : baseline) values.insert(shared_value(each.role, axis, cell->of));
    const bool is_shared = std::any_of(candidate.begin(), candidate.end(), [&](const CellData* cell) {
      return values.contains(shared_value(each.role, axis, cell->of));
    });
    if (is_shared) continue;
    const auto example = [&](const CellData& cell) {
      return each.role == Role::threads && compares_machines(axis) ? cell.of.threads_wanted()
                                                                   : shown(each.shown_as, cell.of);
    };
    found.push_back(fmt::format("{} ({} and {})", each.name, example(*baseline.front()), example(*candidate.front())));
  }
  return found;
}

}  // namespace ngb::metrics
