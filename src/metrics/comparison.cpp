// SPDX-License-Identifier: Apache-2.0
#include "metrics/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/text.h"
#include "metrics/outcome.h"
#include "metrics/ratios.h"

namespace ngb::metrics {
namespace {

using store::CellData;

constexpr std::array<std::pair<Axis, std::string_view>, 8> kAxes{{{Axis::results, "results"},
                                                                  {Axis::compiler, "compiler"},
                                                                  {Axis::version, "version"},
                                                                  {Axis::options, "options"},
                                                                  {Axis::device, "device"},
                                                                  {Axis::threads, "threads"},
                                                                  {Axis::precision, "precision"},
                                                                  {Axis::model, "model"}}};

// Returns "a=1 b=x", sorted by name, or "default" if there are no options.
std::string words_of_options(const std::string& options_json) {
  const nlohmann::json options = nlohmann::json::parse(options_json, nullptr, false);
  std::vector<std::string> words;
  if (options.is_object()) {
    for (const auto& [name, value] : options.items()) {
      words.push_back(fmt::format("{}={}", name, value.is_string() ? value.get<std::string>() : value.dump()));
    }
  }
  return words.empty() ? "default" : text::join(words, " ");
}

// Returns the properties of a cell that must be equal on both sides. Versions and options are left out along the axis
// of compilers, because compilers do not share them. Models are compared by content.
std::string identity_apart_from(Axis axis, const CellData& cell) {
  const auto unless = [axis](Axis left_out, const std::string& value) {
    const bool is_compilers = left_out == Axis::version || left_out == Axis::options;
    return axis == left_out || (axis == Axis::compiler && is_compilers) ? std::string() : value;
  };
  return fmt::format("{}\n{}\n{}\n{}\n{}\n{}\n{}\n{}", cell.batch, unless(Axis::model, cell.model_hash),
                     unless(Axis::device, cell.device), unless(Axis::compiler, cell.compiler),
                     unless(Axis::version, cell.compiler_version), unless(Axis::options, cell.options),
                     unless(Axis::threads, std::to_string(cell.threads)), unless(Axis::precision, cell.precision));
}

std::string words_for(const CellData& cell) {
  return fmt::format("{}, batch {}, {} {} on {}", cell.model, cell.batch, cell.compiler_label, cell.compiler_version,
                     cell.device);
}

bool has_failed(const CellData& cell) { return decisive_failure(cell) != nullptr; }

PairStatus status_of_pair(const CellData& baseline, const CellData& candidate) {
  if (has_failed(baseline) && has_failed(candidate)) return PairStatus::both_failed;
  const bool is_left = steady(baseline).reason.empty() || has_failed(baseline);
  const bool is_right = steady(candidate).reason.empty() || has_failed(candidate);
  if (!is_left || !is_right) return PairStatus::not_measured_yet;
  if (has_failed(candidate)) return PairStatus::newly_failed;
  return has_failed(baseline) ? PairStatus::newly_measured : PairStatus::judged;
}

// Two cells share rounds only if one run measured both, with the same model, batch size and device.
bool may_share_rounds(const Side& a, const Side& b, const CellData& baseline, const CellData& candidate) {
  return a.origin == b.origin && baseline.device == candidate.device && baseline.batch == candidate.batch &&
         baseline.model_hash == candidate.model_hash;
}

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

std::string_view name(PairStatus status) {
  constexpr std::array<std::string_view, 5> kNames{"judged", "newly_failed", "newly_measured", "both_failed",
                                                   "not_measured_yet"};
  return kNames.at(static_cast<std::size_t>(status));
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
      return words_of_options(cell.options);
    case Axis::device:
      return cell.device;
    case Axis::threads:
      return std::to_string(cell.threads);
    case Axis::precision:
      return cell.precision;
    case Axis::model:
      return cell.model;
  }
  return {};
}

bool is_called(std::string_view words, Axis axis, const CellData& cell) {
  if (words == place_on(axis, cell)) return true;
  return axis == Axis::compiler &&
         (words == cell.compiler_label || words == cell.compiler + "@" + cell.compiler_version);
}

Result<Comparison> compare(const Side& baseline, const Side& candidate, Axis axis, const VerdictRules& rules) {
  std::map<std::string, const CellData*> partners;
  for (const CellData* cell : baseline.cells) {
    const auto [known, is_new] = partners.emplace(identity_apart_from(axis, *cell), cell);
    if (!is_new) {
      return fail(fmt::format("two cells of the baseline match one cell of the candidate: {}; {}",
                              words_for(*known->second), words_for(*cell)),
                  {}, "choose one of the two by its label or its version");
    }
  }
  Comparison comparison{.rules = rules};
  std::map<const CellData*, const CellData*> taken;
  std::vector<Question> questions;
  std::vector<std::size_t> judged;
  for (const CellData* cell : candidate.cells) {
    const auto partner = partners.find(identity_apart_from(axis, *cell));
    if (partner == partners.end()) {
      ++comparison.candidate_only;
      continue;
    }
    const auto [other, is_first] = taken.emplace(partner->second, cell);
    if (!is_first) {
      return fail(fmt::format("two cells of the candidate match one cell of the baseline: {}; {}",
                              words_for(*other->second), words_for(*cell)),
                  {}, "choose one of the two by its label or its version");
    }
    ComparedPair pair{partner->second, cell, status_of_pair(*partner->second, *cell)};
    if (pair.status == PairStatus::judged) {
      Question question;
      add_log_ratio(question, steady(*cell).throughput_by_process, steady(*partner->second).throughput_by_process,
                    may_share_rounds(baseline, candidate, *partner->second, *cell), 1);
      pair.is_paired = question.size() == 1;
      judged.push_back(comparison.pairs.size());
      questions.push_back(std::move(question));
    }
    comparison.pairs.push_back(pair);
  }
  comparison.baseline_only = baseline.cells.size() - taken.size();
  if (comparison.pairs.empty()) {
    return fail(fmt::format("no cell of the baseline matches a cell of the candidate by {}: {} and {} cells",
                            name(axis), baseline.cells.size(), candidate.cells.size()),
                {},
                "two cells match when all their other properties are equal: model, batch size, device, compiler, …");
  }
  const std::vector<Judgement> judgements = judge(questions, rules);
  for (std::size_t i = 0; i < judged.size(); ++i) comparison.pairs[judged[i]].judgement = judgements[i];
  return comparison;
}

}  // namespace ngb::metrics
