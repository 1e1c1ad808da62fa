// SPDX-License-Identifier: Apache-2.0
#include "worker/judging.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "worker/element.h"

namespace ngb::worker {
namespace {

constexpr const char* kHalfEnds =
    "numbers of f16 end at 65504, beyond which this file computes infinity or NaN; a compiler that computes it in f32 "
    "hides that";

// Returns ": give them a range in the study, inputs: {x: {range: [0, 1]}}", or "" without an input of numbers.
std::string advice_on_ranges(const std::vector<TensorSignature>& inputs) {
  std::string ranges;
  for (const TensorSignature& input : inputs) {
    if (!is_floating(input.type)) continue;
    ranges += fmt::format("{}{}: {{range: [0, 1]}}", ranges.empty() ? "" : ", ", input.name);
  }
  return ranges.empty() ? "" : ": give them a range in the study, inputs: {" + ranges + "}";
}

bool is_finite_in_one_only(const Verdict& verdict) {
  return verdict.difference && verdict.is_comparable && !verdict.check.max_absolute_error.value &&
         verdict.check.finite_elements;
}

// Makes the verdict that the outputs were not compared.
void leave_open(Verdict& verdict, const std::string& reason) {
  const auto unknown = Known<double>::unknown(reason);
  verdict.check = {.reference = "none", .max_absolute_error = unknown, .max_relative_error = unknown};
  verdict.difference.reset();
}

// Returns `why`, after what the request says of a reference that does not judge.
std::string joined(const work::WorkerRequest& request, const std::string& why) {
  return request.reference_reason.empty() ? why : request.reference_reason + "; " + why;
}

// Returns who made those of the unconfirmed outputs that agree with these; "" if none do.
std::string confirmed_by(std::span<const OutputView> outputs, const work::WorkerRequest& request) {
  for (const std::string& path : request.unconfirmed_outputs) {
    const Result<Reference> other = Reference::open(path);
    if (!other) continue;
    if (difference(outputs, other->outputs(), request, "").empty()) return other->facts().made_by;
  }
  return {};
}

}  // namespace

std::string who_judges(const ReferenceFacts& facts, bool is_given) {
  const std::string agreeing = facts.confirmed_by.empty() ? "" : ", with which " + facts.confirmed_by + " agrees";
  return facts.made_by + agreeing + (is_given ? ", made by the client" : "");
}

Tolerance tolerance_for(const work::WorkerRequest& request, std::span<const OutputView> reference) {
  return tolerance_for(request.protocol.tolerances, request.model.arithmetic, reference);
}

std::string difference(std::span<const OutputView> outputs, std::span<const OutputView> before,
                       const work::WorkerRequest& request, const char* noun) {
  return compare(outputs, before, {}, tolerance_for(request, before), noun).difference.value_or("");
}

Attempt<Reference> open_reference(const work::WorkerRequest& request) {
  using samples::FailureKind;
  Result<Reference> reference = Reference::open(request.reference_path);
  if (!reference) return tl::unexpected(failure_of(FailureKind::no_reference, reference.error()));
  if (reference->facts().key == request.reference_key) return *std::move(reference);
  return tl::unexpected(
      failure_of(FailureKind::no_reference, {"these are reference outputs of another model, batch, seed or compiler",
                                             request.reference_path, "delete the file; it will be made again"}));
}

Verdict judge(std::span<const OutputView> outputs, const Reference& reference, const work::WorkerRequest& request) {
  const std::string made_by = who_judges(reference.facts(), request.reference_is_given);
  const Tolerance tolerance = tolerance_for(request, reference.outputs());
  Verdict verdict = compare(outputs, reference.outputs(), made_by, tolerance);
  verdict.check.reference_reason = request.reference_reason;
  if (is_finite_in_one_only(verdict) && request.model.arithmetic == "f16" && !request.reference_reason.empty()) {
    leave_open(verdict, joined(request, std::string("not finite here or in the reference: ") + kHalfEnds));
    verdict.check.reference_reason = verdict.check.max_absolute_error.reason;
    return verdict;
  }
  const std::vector<bool>& is_sensitive = reference.facts().is_sensitive;
  const bool has_sensitive = std::find(is_sensitive.begin(), is_sensitive.end(), true) != is_sensitive.end();
  if (!verdict.difference || !has_sensitive || outputs.size() != reference.outputs().size()) return verdict;
  std::vector<OutputView> ours;
  std::vector<OutputView> theirs;
  std::string names;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (is_sensitive[i]) {
      names += (names.empty() ? "" : ", ") + reference.outputs()[i].signature.name;
      continue;
    }
    ours.push_back(outputs[i]);
    theirs.push_back(reference.outputs()[i]);
  }
  const std::string why = fmt::format(
      "{} differ{}, and cannot be judged, because a change by 2^-17 of the inputs, or of what TopK, ArgMax and the "
      "like "
      "compare, changes {}'s own by more than the tolerance",
      names, theirs.size() + 1 == outputs.size() ? "s" : "", reference.facts().made_by);
  const std::string reason = joined(request, why);
  if (ours.empty())
    leave_open(verdict, reason);
  else
    verdict = compare(ours, theirs, made_by, tolerance);
  verdict.check.reference_reason = reason;
  return verdict;
}

std::vector<bool> which_differ(std::span<const OutputView> outputs, std::span<const OutputView> before,
                               const work::WorkerRequest& request) {
  if (outputs.size() != before.size()) return std::vector<bool>(before.size(), true);
  std::vector<bool> differ;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    differ.push_back(!difference(outputs.subspan(i, 1), before.subspan(i, 1), request, kFirst).empty());
  }
  return differ;
}

std::string advice_on(const Verdict& verdict, const std::string& arithmetic) {
  if (verdict.differs_in_shape_only)
    return "the compiler returns another shape than the model's; report that to its makers, or leave the model out for "
           "it";
  if (!verdict.is_comparable) return "if the reference is wrong, name another one: reference: onnx";
  if (arithmetic == "f16" && is_finite_in_one_only(verdict))
    return std::string(kHalfEnds) + ": scale the model's weights or inputs, or leave it out";
  return "check whether an option of the compiler reduces precision, or set the study's tolerances if this is expected";
}

samples::Check no_check(const work::WorkerRequest& request) {
  const bool is_asked_for = request.reference_reason.empty();
  const auto unknown = Known<double>::unknown(is_asked_for ? "the study asks for no check" : request.reference_reason);
  samples::Check check{.reference = "none", .max_absolute_error = unknown, .max_relative_error = unknown};
  check.reference_reason = request.reference_reason;
  return check;
}

ReferenceFacts facts_of(std::span<const OutputView> outputs, const work::WorkerRequest& request) {
  ReferenceFacts facts{.made_by = request.reference_name, .key = request.reference_key};
  if (std::string shape = describe_other_shape(outputs, request.model.outputs); !shape.empty()) {
    facts.doubt_kind = kOtherShape;
    facts.doubt = std::move(shape);
  }
  if (const std::string nan = describe_nan(outputs); !nan.empty()) {
    facts.doubt_kind = kNotFinite;
    const std::string half = request.model.arithmetic == "f16" ? fmt::format("; {}", kHalfEnds) : std::string();
    facts.doubt =
        nan + half + "; the inputs may be outside of the model's domain" + advice_on_ranges(request.model.inputs);
  }
  facts.confirmed_by = confirmed_by(outputs, request);
  return facts;
}

}  // namespace ngb::worker
