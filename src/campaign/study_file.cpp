// SPDX-License-Identifier: Apache-2.0
#include "campaign/study_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/file.h"
#include "base/json_text.h"
#include "base/text.h"
#include "campaign/prepared_models.h"
#include "config/study_json.h"
#include "metrics/goal.h"
#include "metrics/judging.h"
#include "plan/file_decoder.h"
#include "plan/graph_shapes.h"
#include "samples/process_numbers.h"
#include "toolchain/catalog.h"
#include "zoo/family.h"

namespace ngb::campaign {

namespace {

constexpr std::uint64_t kMostStudyBytes = 16U << 20U;

// Says which compilers cannot do what the study's key `compile` asks for.
void tell_who_compiles_each(const Installation& installation, const plan::Plan& plan, const Say& say) {
  if (plan.study.protocol.compile != work::Compilation::once) return;
  const auto catalog = toolchain::read_catalog(installation.parts.lib);
  if (!catalog) return;
  std::set<std::string> told;
  for (const work::Compiler& compiler : plan.compilers) {
    const auto described = toolchain::find_compiler(*catalog, compiler.name);
    if (!described || described->produces_file || described->keeps_file || !told.insert(compiler.name).second) continue;
    say(fmt::format(
        "ngb: compile: once: {} makes no file that another process can load, so each of its processes compiles\n",
        compiler.name));
  }
}

// Returns how much memory this machine can give to new programs; nothing if it does not tell.
std::optional<std::uint64_t> available_bytes() {
  constexpr std::string_view kKey = "MemAvailable:";
  const Result<std::string> table = file::read("/proc/meminfo", 1U << 16U);
  const std::size_t at = table ? table->find(kKey) : std::string::npos;
  if (at == std::string::npos) return std::nullopt;
  return std::strtoull(table->c_str() + at + kKey.size(), nullptr, 10) * 1024;
}

// Returns the factor by which a group's speed becomes what compressing saves; 0 if the model saves nothing.
double saved_bits_of(const work::Model& model) {
  constexpr double kBitsPerByte = 8;
  if (!model.raw_bytes || !model.encoded_bytes) return 0;
  const double bytes = static_cast<double>(*model.raw_bytes) - static_cast<double>(*model.encoded_bytes);
  return kBitsPerByte * std::max(0.0, bytes);
}

// Reads the goal. Returns an error also if rounds over models cannot know which settings keep its bounds.
Result<metrics::Goal> goal_of(const config::Study& study) {
  if (!study.goal) return metrics::Goal{};
  const nlohmann::json given = config::to_json(study)["goal"];
  auto goal = metrics::read_goal(given);
  if (!goal) return fail(goal.error().what, study.path.string() + ": goal." + goal.error().where, goal.error().next);
  const auto by = metrics::parse_judged(goal->metric, statistics::VerdictRules().margin_ratio);
  if (!by) return fail(by.error().what, study.path.string() + ": goal.metric", by.error().next);
  const auto& rounds = study.protocol.rounds;
  if (!rounds || rounds->over != work::Over::models) return goal;
  for (const metrics::Bound& bound : goal->bounds) {
    if (samples::can_decide(bound.metric->name)) continue;
    return fail(
        fmt::format("rounds over models do not know which settings keep the bound on {}: no single process says "
                    "it",
                    bound.metric->name),
        study.path.string() + ": goal", "leave out the bound, or `over: models`; `ngb show --models` has both");
  }
  return goal;
}

// Adds the bounds of the goal, which rounds over models keep, and what compressing saves.
void add_bounds(const metrics::Goal& goal, plan::Plan& plan) {
  const auto& rounds = plan.study.protocol.rounds;
  if (rounds && rounds->over == work::Over::models && !goal.bounds.empty()) {
    if (!plan.decided_by) plan.decided_by = work::DecidedBy{.is_higher_better = true, .margin = rounds->margin_ratio};
    plan.decided_by->window_s = goal.window_s.value_or(0);
    for (const metrics::Bound& bound : goal.bounds) {
      plan.decided_by->bounds.push_back({bound.metric->name, bound.is_least, bound.value});
    }
  }
  if (!plan.decided_by) return;
  for (work::Group& group : plan.groups) group.saved_bits = saved_bits_of(plan.model_of(group));
}

// Finds out how the metric by which the study's rounds end compares processes; nothing: by their speed. Returns an
// error if rounds cannot end by it, or if the processes do not measure it.
Result<std::optional<work::DecidedBy>> decided_by_of(plan::Plan& plan, const metrics::Goal& goal) {
  const std::string& metric = plan.study.protocol.metric;
  auto& rounds = plan.study.protocol.rounds;
  if (metric.empty()) return std::nullopt;
  const std::string where = plan.study.path.string() + ": metric";
  auto by = metrics::parse_judged(metric, rounds.value_or(work::Rounds{}).margin_ratio);
  if (!by) return fail(by.error().what, where, by.error().next);
  if (by->metric == nullptr && rounds) rounds->margin_ratio = by->margin_ratio;
  if (by->metric == nullptr || !rounds) return std::nullopt;
  if (!samples::can_decide(by->name())) {
    const auto names = samples::process_numbers();
    return fail(fmt::format("rounds cannot end by {}: no single process says it, or it does not vary", by->name()),
                where,
                fmt::format("expected throughput_per_s, {}; or measure a fixed number of `processes`, and compare with "
                            "--metric {}",
                            text::join(std::vector<std::string>(names.begin(), names.end()), ", "), by->name()));
  }
  const char* const needs = by->metric->needs;
  if (needs != nullptr && config::to_json(plan.study)[needs] != true) {
    return fail(fmt::format("the processes do not measure {}", by->name()), where, fmt::format("add {}: true", needs));
  }
  return work::DecidedBy{by->name(), by->metric->is_higher_better(), by->is_by_difference(),
                         by->is_by_difference() ? by->margin_difference : by->margin_ratio, goal.window_s.value_or(0)};
}

Status find_decided_by(plan::Plan& plan) {
  const auto goal = goal_of(plan.study);
  if (!goal) return error_of(goal);
  const auto decided_by = decided_by_of(plan, *goal);
  if (!decided_by) return error_of(decided_by);
  plan.decided_by = *decided_by;
  add_bounds(*goal, plan);
  return Done{};
}

// "quickstart" and "paper/models" are studies that ship with ngb, unless there is a file of that name.
std::filesystem::path find_file(const Installation& installation, const std::filesystem::path& given) {
  std::error_code code;
  if (given.is_absolute() || given.has_extension() || std::filesystem::is_regular_file(given, code)) return given;
  std::filesystem::path shipped = installation.studies / given;
  shipped += ".yaml";
  return std::filesystem::exists(shipped, code) ? shipped : given;
}

// Returns the names of the built-in models.
std::vector<std::string> built_in_models() {
  std::vector<std::string> names;
  for (const zoo::Family& family : zoo::families()) {
    names.push_back(family.name);
    for (const zoo::Variant& variant : family.variants) names.push_back(variant.name);
  }
  return names;
}

// Returns a line that says what may be meant: if the file does not exist, the studies that ship with ngb; if it is a
// folder of results, the commands for that.
std::string what_may_be_meant(const Installation& installation, const std::filesystem::path& given) {
  std::error_code code;
  if (std::filesystem::exists(given / "results.db", code)) {
    return fmt::format("ngb: these are results; to read them: ngb show {0}; to go on: ngb resume {0}\n",
                       given.string());
  }
  if (std::filesystem::exists(given, code)) return {};
  const std::vector<std::string> names = shipped_studies(installation);
  if (names.empty()) return {};
  std::vector<std::string> meant = names;
  std::ranges::copy(built_in_models(), std::back_inserter(meant));
  return fmt::format("ngb: {}studies that ship with ngb: {}\n", file_meant(given, std::move(meant)),
                     text::join(names, ", "));
}

Refusal refusal_of(const Installation& installation, const std::filesystem::path& file,
                   const std::vector<config::StudyProblem>& problems) {
  Refusal refusal{.kind = Refusal::Kind::wrong_usage};
  for (const config::StudyProblem& problem : problems) refusal.text += problem.text() + "\n";
  refusal.text += what_may_be_meant(installation, file);
  refusal.text += fmt::format("ngb: {} problem{} in {}; nothing was run\n", problems.size(),
                              problems.size() == 1 ? "" : "s", file.string());
  return refusal;
}

// Plans what `read` returns with the vocabulary of this installation: the study of that file, or its problems.
Answer<plan::Plan> plan_read(
    const Installation& installation, const std::filesystem::path& file, const Say& say,
    const std::function<tl::expected<config::Study, std::vector<config::StudyProblem>>(const config::Vocabulary&)>&
        read) {
  const auto vocabulary = read_vocabulary(installation);
  if (!vocabulary) return cannot_go_on(vocabulary.error());
  auto study = read(*vocabulary);
  if (!study) return tl::unexpected(refusal_of(installation, file, study.error()));
  if (const Status made = prepare_models(installation, *study, say); !made) return wrong_usage(made.error());
  const plan::OnnxPackage onnx = find_onnx_package(installation);
  auto plan = plan::expand(*study, onnx);
  if (!plan) return wrong_usage(plan.error());
  if (const Status within = plan::check_tables(*plan, onnx); !within) return wrong_usage(within.error());
  if (const Status fits = plan::check_caches(*plan, available_bytes()); !fits) return wrong_usage(fits.error());
  if (const Status decided = find_decided_by(*plan); !decided) return wrong_usage(decided.error());
  tell_who_compiles_each(installation, *plan, say);
  return *std::move(plan);
}

}  // namespace

std::string file_meant(const std::filesystem::path& given, std::vector<std::string> names) {
  std::error_code failed;
  const std::filesystem::path folder = given.has_parent_path() ? given.parent_path() : std::filesystem::path(".");
  for (const auto& entry : std::filesystem::directory_iterator(folder, failed)) {
    names.push_back((given.parent_path() / entry.path().filename()).string());
  }
  const auto near = text::nearest(given.string(), names);
  return near ? fmt::format("did you mean {}? ", *near) : "";
}

std::vector<std::string> shipped_studies(const Installation& installation) {
  std::set<std::string> names;
  std::error_code code;
  for (auto entry = std::filesystem::recursive_directory_iterator(installation.studies, code);
       !code && entry != std::filesystem::recursive_directory_iterator(); entry.increment(code)) {
    if (entry->path().extension() != ".yaml") continue;
    names.insert(std::filesystem::relative(entry->path(), installation.studies, code).replace_extension().string());
  }
  return {names.begin(), names.end()};
}

Answer<plan::Plan> plan_study(const Installation& installation, const std::filesystem::path& given, const Say& say) {
  const std::filesystem::path file = find_file(installation, given);
  return plan_read(installation, file, say,
                   [&](const auto& vocabulary) { return config::load_study(file, vocabulary); });
}

Answer<plan::Plan> plan_made_study(const Installation& installation, const nlohmann::json& study, const Say& say) {
  const std::filesystem::path output = study.at("output").get<std::string>();
  if (const Status named = check_utf8_path(output); !named) return wrong_usage(named.error());
  const std::filesystem::path file = output / kStudyFile;
  return plan_read(installation, file, say, [&](const auto& vocabulary) {
    return config::read_study(json_text::dump(study), file, vocabulary, config::Author::command);
  });
}

Result<std::vector<std::string>> quickstart_compilers(const Installation& installation) {
  const auto vocabulary = read_vocabulary(installation);
  if (!vocabulary) return error_of(vocabulary);
  const std::filesystem::path file = installation.studies / "quickstart.yaml";
  const auto study = config::load_study(file, *vocabulary);
  if (!study) return fail(study.error().front().text(), file.string());
  std::vector<std::string> names;
  for (const work::Compiler& each : study->compilers) names.push_back(each.name);
  return names;
}

Status check_utf8_path(const std::filesystem::path& results) {
  const std::string name = text::to_utf8(results.string());
  if (name == results.string()) return Done{};
  return fail("the results folder's path is not UTF-8, in which results are written", name,
              "rename the folder, or choose another one with --output");
}

Status check_study_file(const config::Study& study) {
  const std::filesystem::path file = study.output / kStudyFile;
  std::error_code code;
  if (!std::filesystem::exists(std::filesystem::symlink_status(file, code))) return Done{};
  const auto text = file::read(file, kMostStudyBytes);
  const nlohmann::json there = text ? json_text::parse(*text) : nlohmann::json();
  // One that ngb has written has every key, whichever version it was.
  const bool is_ours = there.is_object() && there.contains("models") && there.contains("compilers") &&
                       there.contains("devices") && there.contains("tolerances") && there.contains("timeouts");
  if (is_ours && !std::filesystem::is_symlink(file)) return Done{};
  return fail("this file is not one that ngb has written, and would be replaced", file.string(),
              "give the study another name, or its results another folder (--output)");
}

Status keep_study(const config::Study& study) {
  return file::write_atomically(study.output / kStudyFile, json_text::dump(config::to_json(study), 2) + "\n");
}

std::string time_folder() {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(system_clock().unix_now());
  const auto now = static_cast<std::time_t>(seconds.count());
  std::tm utc{};
  ::gmtime_r(&now, &utc);
  std::array<char, 32> text{};
  return {text.data(), std::strftime(text.data(), text.size(), "%Y%m%dT%H%M%SZ", &utc)};
}

}  // namespace ngb::campaign
