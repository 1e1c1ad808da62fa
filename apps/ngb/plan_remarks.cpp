// SPDX-License-Identifier: Apache-2.0
#include "apps/ngb/plan_remarks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <system_error>

#include "base/json_text.h"
#include "base/text.h"
#include "probe/cgroup.h"
#include "probe/probe.h"
#include "probe/tree.h"
#include "statistics/binomial_intervals.h"
#include "userfiles/onnx_scan.h"

namespace ngb::app {

namespace {

std::set<std::string> devices_here(const plan::Plan& plan) {
  std::set<std::string> here;
  for (const config::DeviceEntry& device : plan.study.devices) {
    if (config::is_here(device)) here.insert(device.name);
  }
  return here;
}

std::string listed(const std::set<std::string>& names) {
  return text::join(std::vector<std::string>(names.begin(), names.end()), ", ");
}

// Returns what a process of an exact model must hold at least; 0 if that is not known.
std::uint64_t weights_bytes(const work::Model& model) {
  if (model.is_variant()) return 0;
  if (model.parameters) return *model.parameters * sizeof(float);
  std::uint64_t bytes = 0;
  std::error_code code;
  for (const work::UserFile& file : model.files) {
    const std::uintmax_t size_bytes = model.is_made() ? 0 : std::filesystem::file_size(file.path, code);
    if (!code) bytes += size_bytes;
  }
  return bytes;
}

// Returns what a process on that device may hold; nothing if neither study nor device limits it.
std::optional<std::uint64_t> limit_on(const config::Study& study, const std::string& device) {
  const auto entry = std::find_if(study.devices.begin(), study.devices.end(),
                                  [&](const config::DeviceEntry& each) { return each.name == device; });
  const std::optional<std::uint64_t> of_study = study.limits.memory_bytes;
  if (entry == study.devices.end() || !entry->limits.memory_bytes) return of_study;
  return std::min(*entry->limits.memory_bytes, of_study.value_or(*entry->limits.memory_bytes));
}

}  // namespace

std::string words_of_quota(const std::string& processors) {
  return fmt::format("a control group allows {} processors and pauses programs that use more", processors);
}

std::vector<std::string> toolchain_remarks(const campaign::Compilers& compilers, const plan::Plan& plan) {
  if (devices_here(plan).empty()) return {};  // devices elsewhere check their own
  std::vector<std::string> lines;
  for (const campaign::Compilers::Missing& each : compilers.missing()) {
    lines.push_back(each.damage.empty()
                        ? fmt::format("{0} is not installed: its cells fail; to install it, run: ngb toolchain "
                                      "install {0}",
                                      each.name())
                        : each.damage + ": its cells fail");
  }
  return lines;
}

std::vector<std::string> quantised_remarks(const campaign::Compilers& compilers, const plan::Plan& plan) {
  std::map<std::string, std::map<std::string, std::set<std::string>>>
      by_model;                                  // what becomes of it, names of compilers
  std::map<std::string, std::string> operators;  // of each model
  for (const work::Cell& cell : plan.cells) {
    const work::Model& model = plan.model_of(cell);
    const work::Compiler& compiler = plan.compiler_of(cell);
    const auto* const described = compilers.description(compiler.name, compiler.version);
    if (model.is_made() || model.arithmetic != "int8" || described == nullptr) continue;
    if (described->quantised_operators != "runs")
      by_model[model.label][described->quantised_operators].insert(compiler.name);
    if (operators.contains(model.label)) continue;
    const auto found = userfiles::quantising_operators(model.path);
    operators[model.label] = found ? listed(*found) : "";
  }
  std::vector<std::string> lines;
  for (const auto& [model, words] : by_model) {
    if (operators[model].empty()) continue;  // an attribute says it
    for (const auto& [word, names] : words) {
      const std::string who = listed(names);
      const bool is_one = names.size() == 1;
      lines.push_back(
          word == "refuses"
              ? fmt::format(
                    "{} refuse{} {} of {}: its cells fail there; name in the model's key compilers those that run it",
                    who, is_one ? "s" : "", operators[model], model)
              : fmt::format(
                    "{} compute{} {} of {} for their value alone, in real numbers: flag emulated, and in no verdict",
                    who, is_one ? "s" : "", operators[model], model));
    }
  }
  return lines;
}

std::string quota_remark(const plan::Plan& plan) {
  const std::set<std::string> here = devices_here(plan);
  int most = 0;
  for (const work::Cell& cell : plan.cells) {
    if (here.contains(cell.device)) most = std::max(most, work::needed_processors(plan.compiler_of(cell)));
  }
  const probe::Limit<double> limit = probe::cgroup_cpu_limit(probe::Tree("/"));
  const std::optional<double> quota = limit.value.value_or(std::nullopt);
  if (!quota || *quota >= most) return {};
  return fmt::format("{}; this study's cells use up to {}: give it fewer `threads`, or raise the quota",
                     words_of_quota(fmt::format("{:g}", *quota)), most);
}

std::string memory_remark(const plan::Plan& plan) {
  const std::optional<std::uint64_t> limit = plan.study.limits.memory_bytes;
  const std::optional<std::uint64_t> total = probe::memory_total_bytes().value;
  if (!limit || !total || plan.study.protocol.turns == 1) return {};
  const std::set<std::string> here = devices_here(plan);
  std::size_t most = 0;
  for (const work::Group& group : plan.groups) {
    std::set<int> cells;
    for (const work::Step& step : group.steps) {
      if (here.contains(plan.cell_of(step).device)) cells.insert(step.cell_index);
    }
    most = std::max(most, cells.size());
  }
  if (most < 2 || *limit <= *total / most) return {};
  return fmt::format(
      "the {} processes of a round in turns are there at once, and each may hold {}: together more than the {} of this "
      "machine; give `memory_limit` less, or the study fewer compilers",
      most, text::human_bytes(*limit), text::human_bytes(*total));
}

std::vector<std::string> list_remarks(const plan::Plan& plan) {
  std::vector<std::string> lines;
  for (const config::ModelEntry& model : plan.study.models) {
    if (model.kind() == config::ModelKind::zoo) continue;  // a recipe's lists are axes
    for (const auto& [name, value] : model.parameters) {
      const nlohmann::json given = json_text::parse(value);
      if (!given.is_array() || given.size() < 2) continue;
      lines.push_back(
          fmt::format("{}: {} is a list of {}, which the function receives as one argument; for a model with each of "
                      "them, write {}: {{each: [...]}}",
                      model.label, name, given.size(), name));
    }
  }
  return lines;
}

std::string weights_remark(const plan::Plan& plan) {
  for (const work::Cell& cell : plan.cells) {
    const work::Model& model = plan.model_of(cell);
    const std::optional<std::uint64_t> limit = limit_on(plan.study, cell.device);
    if (!limit || weights_bytes(model) <= *limit || plan.compiler_of(cell).name == "null") continue;
    return fmt::format(
        "the weights of {} are {}, and a process on {} may hold {}: its cells will be out of memory; give that device "
        "more (`limits: {{memory: …}}`, or the memory of its pod)",
        model.label, text::human_bytes(weights_bytes(model)), cell.device, text::human_bytes(*limit));
  }
  return {};
}

std::string percentile_remark(const plan::Plan& plan) {
  const work::Protocol& protocol = plan.study.protocol;
  if (protocol.profile) return {};
  const int processes = protocol.rounds ? protocol.rounds->max : protocol.processes;
  const int of_process = protocol.arrivals ? protocol.arrivals->requests : work::most_repetitions(protocol);
  const auto latencies = static_cast<std::size_t>(processes) * static_cast<std::size_t>(of_process);
  std::vector<std::string> enough{"p50"};
  std::vector<std::string> lacking;
  for (const int percentile : {90, 95, 99}) {
    const std::size_t fewest = statistics::fewest_for_percentile(percentile);
    if (latencies >= fewest) enough.push_back(fmt::format("p{}", percentile));
    if (latencies < fewest) lacking.push_back(fmt::format("p{} needs {}", percentile, fewest));
  }
  std::string text = fmt::format("at most {} latencies of a cell ({} processes × {}): {}", latencies, processes,
                                 of_process, text::join(enough, ", "));
  if (!lacking.empty()) text += "; " + text::join(lacking, ", ") + " (`processes`, `repetitions`)";
  const double least_ms = static_cast<double>(protocol.min_repetition_ns) * 1e-6;
  if (protocol.arrivals || protocol.min_repetition_ns == 0) return text;
  return text + fmt::format("; inferences below {:g} ms have p50 only, unless `min_repetition_ms: 0`", least_ms);
}

}  // namespace ngb::app
