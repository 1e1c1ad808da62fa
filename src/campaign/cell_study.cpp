// SPDX-License-Identifier: Apache-2.0
#include "campaign/cell_study.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "campaign/study_file.h"
#include "config/study.h"
#include "config/study_json.h"

namespace ngb::campaign {
namespace {

using nlohmann::json;

// Keeps the elements of a list at the places where `is_wanted` holds for the other list's element.
template <class List, class IsWanted>
json kept_of(const json& entries, const List& list, const IsWanted& is_wanted) {
  json kept = json::array();
  for (std::size_t i = 0; i < entries.size() && i < list.size(); ++i) {
    if (is_wanted(list[i])) kept.push_back(entries[i]);
  }
  return kept;
}

// Returns the device's name in the file.
std::string name_in(const store::Source& source, const std::string& device) {
  for (const auto& [name, shown] : source.device_names) {
    if (shown == device) return name;
  }
  return device;
}

// Makes each variant a model of its own, with the inputs of its exact model: its speed is asked for, and the exact
// model is not measured.
config::Study without_variants(config::Study study) {
  for (config::ModelEntry& entry : study.models) {
    if (entry.variant_of.empty()) continue;
    for (const config::ModelEntry& exact : study.models) {
      if (exact.label == entry.variant_of) entry.inputs = exact.inputs;
    }
    entry.variant_of.clear();
    entry.quantise.reset();  // its file was made
  }
  for (config::ModelEntry& entry : study.models) entry.data.reset();
  return study;
}

// Returns the study of this configuration alone, or nothing if the study does not measure it.
std::optional<json> reduced(const config::Study& study, const store::CellData& cell, const std::string& device) {
  json whole = config::to_json(study);
  whole["models"] = kept_of(whole["models"], study.models,
                            [&](const config::ModelEntry& each) { return cell.of.model.label == each.label; });
  whole["compilers"] = kept_of(whole["compilers"], study.compilers, [&](const work::Compiler& each) {
    return each.label == cell.of.compiler.label && each.version == cell.of.compiler.version;
  });
  whole["devices"] =
      kept_of(whole["devices"], study.devices, [&](const config::DeviceEntry& each) { return each.name == device; });
  whole["loads"] = kept_of(whole["loads"], study.loads,
                           [&](const work::Load& each) { return config::name_of_load(each) == cell.of.load; });
  for (const char* const key : {"models", "compilers", "devices", "loads"}) {
    if (whole[key].size() != 1) return std::nullopt;
  }
  whole["batch_sizes"] = json::array({cell.of.model.key.batch});
  for (const char* const key : {"pairs", "baseline", "rounds", "stop_when"}) whole.erase(key);
  return whole;
}

}  // namespace

Answer<json> study_of_cell(const Installation& installation, const std::vector<store::Source>& sources,
                           const store::CellData& cell, const std::string& asked_by, const Say& say) {
  for (const store::Source& source : sources) {
    const std::filesystem::path file = source.file.parent_path() / kStudyFile;
    std::error_code code;
    if (!std::filesystem::exists(file, code)) continue;
    const auto plan = plan_study(installation, file, say);
    if (!plan) return tl::unexpected(plan.error());
    if (auto study = reduced(without_variants(plan->study), cell, name_in(source, cell.of.device)))
      return *std::move(study);
  }
  return wrong_usage({"no study of these results measures " + cell.of.compiler.label + " on " + cell.of.device,
                      asked_by, "name the results folder of the `ngb run` that measured it"});
}

}  // namespace ngb::campaign
