// SPDX-License-Identifier: Apache-2.0
#include "campaign/two_sides.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "base/text.h"
#include "campaign/measure.h"
#include "campaign/study_compilers.h"
#include "work/property.h"

namespace ngb::campaign {
namespace {

using nlohmann::json;

// Returns the entry of compiler `name` without its label and in this version; "" keeps the version.
json with_version(json entry, const std::string& name, const std::string& version) {
  if (!version.empty()) entry[name]["version"] = version;
  entry[name].erase("label");
  return entry;
}

// Returns the entry of a study file for the compiler that `words` name.
Result<json> entry_of(const config::Study& study, const std::string& words) {
  const json entries = config::to_json(study)["compilers"];
  std::vector<std::size_t> of_name;
  std::optional<std::size_t> of_label;
  const std::string name = words.substr(0, words.find('@'));
  const std::string version = name.size() < words.size() ? words.substr(name.size() + 1) : "";
  for (std::size_t i = 0; i < study.compilers.size(); ++i) {
    const work::Compiler& compiler = study.compilers[i];
    if (compiler.label == words) return entries[i];
    if (compiler.label == name && !version.empty()) of_label = i;
    if (compiler.name == name) of_name.push_back(i);
  }
  if (of_label) return with_version(entries[*of_label], study.compilers[*of_label].name, version);
  if (of_name.empty()) return json{{name, version.empty() ? json::object() : json{{"version", version}}}};
  const work::Compiler& first = study.compilers[of_name.front()];
  const bool is_clear = std::all_of(of_name.begin(), of_name.end(), [&](std::size_t i) {
    return work::settings_key(study.compilers[i]) == work::settings_key(first) &&
           (!version.empty() || i == of_name.front());
  });
  if (!is_clear) {
    std::vector<std::string> labels;
    for (const std::size_t i : of_name) labels.push_back('"' + study.compilers[i].label + '"');
    return fail(fmt::format("the study has several compilers that \"{}\" can mean", words), study.path.string(),
                "name one by its label: " + text::join(labels, ", "));
  }
  return with_version(entries[of_name.front()], name, version);
}

// Returns an error that says what to type if a compiler is not installed here.
Status check_both_installed(const Compilers& compilers, const plan::Plan& plan) {
  const bool has_local = std::any_of(plan.study.devices.begin(), plan.study.devices.end(),
                                     [](const config::DeviceEntry& device) { return config::is_here(device); });
  if (!has_local || compilers.missing().empty()) return Done{};
  const Compilers::Missing& missing = compilers.missing().front();
  return fail(missing.damage.empty() ? missing.name + " is not installed" : missing.damage, plan.study.path.string(),
              missing.damage.empty() ? "run: ngb toolchain install " + missing.name : "");
}

}  // namespace

Result<json> study_of_sides(const config::Study& study, const std::string& baseline, const std::string& candidate) {
  json both = config::to_json(study);
  both["compilers"] = json::array();
  for (const std::string& words : {baseline, candidate}) {
    auto entry = entry_of(study, words);
    if (!entry) return error_of(entry);
    both["compilers"].push_back(*std::move(entry));
  }
  if (both["compilers"][0] == both["compilers"][1]) {
    return fail("both sides are the same compiler", baseline, "give --candidate another version or label");
  }
  both.erase("pairs");
  both.erase("baseline");  // it may be a compiler that is not measured
  return both;
}

Status check_sides(const config::Study& study, const std::string& baseline, const std::string& candidate) {
  for (const std::string& words : {baseline, candidate}) {
    if (const auto entry = entry_of(study, words); !entry) return error_of(entry);
  }
  return Done{};
}

Answer<MeasuredSides> measure_both(const Installation& installation, plan::Plan plan, Observer& observer,
                                   std::optional<Nanoseconds> budget) {
  const auto compilers = Compilers::find(installation, plan);
  if (!compilers) return cannot_go_on(compilers.error());
  if (const Status installed = check_both_installed(*compilers, plan); !installed) {
    return cannot_go_on(installed.error());
  }
  MeasuredSides measured{plan.study.output, plan.study.compilers[0].label, plan.study.compilers[1].label};
  const auto done = measure_plan(installation, std::move(plan), *compilers, observer, budget);
  if (!done) return tl::unexpected(done.error());
  saying(observer)(fmt::format("ngb: results: {}\n", measured.results.string()));
  return measured;
}

}  // namespace ngb::campaign
