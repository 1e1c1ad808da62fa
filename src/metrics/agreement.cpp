// SPDX-License-Identifier: Apache-2.0
#include "metrics/agreement.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "samples/agreement.h"
#include "statistics/binomial_intervals.h"
#include "statistics/contrast.h"

namespace ngb::metrics {
namespace {

using Inputs = std::vector<samples::InputAgreement>;

// Returns the inputs of the first process that has any, whether or not it agreed enough; null if none has.
const Inputs* inputs_of(const store::CellData& cell) {
  for (const auto* list : {&cell.processes, &cell.failed}) {
    for (const samples::ProcessResult& process : *list) {
      if (!process.agreement.empty()) return &process.agreement;
    }
  }
  return nullptr;
}

// Returns the inputs of a variant.
const Inputs* compared_inputs(const store::CellData& cell) {
  return cell.of.model.is_variant() ? inputs_of(cell) : nullptr;
}

std::string why_none(const Analysis& analysis, std::size_t cell) {
  const store::CellData& data = analysis.cell(cell);
  if (const std::string& reason = analysis.steady(cell).reason; !reason.empty()) return reason;
  if (!data.of.model.is_variant()) return "an exact model";
  for (const samples::ProcessResult& process : data.processes) {
    if (process.check && process.check->is_lacking()) return process.check->reference_reason;
  }
  return "its outputs were not compared with the exact model's";
}

// Returns "not finite: 3 of 64 inputs have no finite score"; "" if all have one.
std::string why_not_finite(const Inputs& inputs) {
  const std::size_t count = samples::overall_agreement(inputs).not_finite;
  return count == 0 ? "" : fmt::format("not finite: {} of {} inputs have no finite score", count, inputs.size());
}

// Applies `compute` to the inputs, or returns why there are none or why they say nothing.
Value of_inputs(const Analysis& analysis, std::size_t cell, const std::function<Value(const Inputs&)>& compute) {
  const Inputs* const inputs = compared_inputs(analysis.cell(cell));
  if (inputs == nullptr) return {.reason = why_none(analysis, cell)};
  if (std::string reason = why_not_finite(*inputs); !reason.empty()) return {.reason = std::move(reason)};
  return compute(*inputs);
}

Value share_of(const std::vector<double>& decisions) {
  const auto alike = static_cast<std::size_t>(std::count(decisions.begin(), decisions.end(), 1.0));
  const statistics::Interval interval = statistics::wilson_interval(alike, decisions.size());
  return {static_cast<double>(alike) / static_cast<double>(decisions.size()), interval.low, interval.high};
}

Value mean_of(std::vector<double> values, const char* why_none) {
  if (values.empty()) return {.reason = why_none};
  const statistics::Part part{std::move(values)};
  const statistics::Contrast found = statistics::contrast({&part, 1});
  Value value{found.estimate};
  if (found.interval) {
    value.low = found.interval->low;
    value.high = found.interval->high;
  }
  return value;
}

// Returns the values of the inputs that have one.
template <class Member>
std::vector<double> values_of(const Inputs& inputs, Member member) {
  std::vector<double> values;
  for (const samples::InputAgreement& each : inputs) {
    if (const std::optional<double> value = each.*member) values.push_back(*value);
  }
  return values;
}

}  // namespace

Value agreement(const Analysis& analysis, std::size_t cell) {
  return of_inputs(analysis, cell, [](const Inputs& inputs) {
    samples::OverallAgreement overall = samples::overall_agreement(inputs);
    return overall.is_of_decisions ? share_of(overall.values)
                                   : mean_of(std::move(overall.values), "the exact model's outputs are 0 everywhere");
  });
}

std::optional<double> agreement_of(const store::CellData& cell) {
  const Inputs* const inputs = compared_inputs(cell);
  return inputs == nullptr ? std::nullopt : samples::overall_agreement(*inputs).value();
}

bool agreement_fell(const store::CellData& baseline, const store::CellData& candidate) {
  const Inputs* const before = compared_inputs(baseline);
  const Inputs* const now = compared_inputs(candidate);
  if (before == nullptr || now == nullptr) return false;
  const samples::OverallAgreement one = samples::overall_agreement(*before);
  const samples::OverallAgreement other = samples::overall_agreement(*now);
  if (one.not_finite == 0 && other.not_finite > 0) return true;
  const bool are_alike = one.is_of_decisions == other.is_of_decisions && one.values.size() == other.values.size();
  if (!are_alike || one.values.size() < 2) return false;
  statistics::Part differences;
  for (std::size_t i = 0; i < one.values.size(); ++i) {
    differences.values.push_back(other.values[i] - one.values[i]);
  }
  const statistics::Contrast change = statistics::contrast({&differences, 1});
  return change.estimate < -kLeastFall && change.interval->high < 0;
}

Value top1_agreement(const Analysis& analysis, std::size_t cell) {
  return of_inputs(analysis, cell, [](const Inputs& inputs) {
    const samples::OverallAgreement overall = samples::overall_agreement(inputs);
    return overall.is_of_decisions ? share_of(overall.values) : Value{.reason = "no output has classes"};
  });
}

Value sqnr(const Analysis& analysis, std::size_t cell) {
  return of_inputs(analysis, cell, [](const Inputs& inputs) {
    return mean_of(values_of(inputs, &samples::InputAgreement::sqnr_db), "the outputs are equal for every input");
  });
}

Value cosine(const Analysis& analysis, std::size_t cell) {
  return of_inputs(analysis, cell, [](const Inputs& inputs) {
    return mean_of(values_of(inputs, &samples::InputAgreement::cosine), "the exact model's outputs are 0 everywhere");
  });
}

Value input_error(const Analysis& analysis, std::size_t cell) {
  return of_inputs(analysis, cell, [](const Inputs& inputs) {
    return mean_of(values_of(inputs, &samples::InputAgreement::max_absolute_error), "an exact model");
  });
}

// The share of inputs whose label is among the `most` highest scores.
Value accuracy(const Analysis& analysis, std::size_t cell, int most) {
  const Inputs* const inputs = inputs_of(analysis.cell(cell));
  std::vector<double> right;
  for (const samples::InputAgreement& each : inputs == nullptr ? Inputs() : *inputs) {
    if (each.label_rank) right.push_back(*each.label_rank <= most ? 1 : 0);
  }
  if (!right.empty()) {
    std::string reason = why_not_finite(*inputs);
    return reason.empty() ? share_of(right) : Value{.reason = std::move(reason)};
  }
  const std::string& reason = analysis.steady(cell).reason;
  return {.reason = reason.empty() ? "the study gives no labels" : reason};
}
Value top1_accuracy(const Analysis& analysis, std::size_t cell) { return accuracy(analysis, cell, 1); }
Value top5_accuracy(const Analysis& analysis, std::size_t cell) { return accuracy(analysis, cell, 5); }

Value agreement_inputs(const Analysis& analysis, std::size_t cell) {
  const Inputs* const inputs = compared_inputs(analysis.cell(cell));
  return inputs == nullptr ? Value{.reason = why_none(analysis, cell)} : Value{static_cast<double>(inputs->size())};
}

Value absolute_error(const Analysis& analysis, std::size_t cell) {
  std::optional<double> worst;
  for (const auto* list : {&analysis.cell(cell).processes, &analysis.cell(cell).failed}) {
    for (const samples::ProcessResult& process : *list) {
      if (!process.check || !process.check->max_absolute_error.value) continue;
      worst = std::max(worst.value_or(0), *process.check->max_absolute_error.value);
    }
  }
  return worst ? Value{worst} : unknown("the outputs were not compared");
}

}  // namespace ngb::metrics
