// SPDX-License-Identifier: Apache-2.0
#include "plan/link_variants.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace ngb::plan {
namespace {

using Tensors = std::vector<TensorSignature>;

std::string shown(const TensorSignature& tensor) {
  std::vector<std::string> extents;
  for (const std::int64_t extent : tensor.shape) extents.push_back(extent < 0 ? "any" : std::to_string(extent));
  return fmt::format("{} [{}]", name(tensor.type), fmt::join(extents, ", "));
}

// An open extent fits any.
bool fit(const TensorSignature& one, const TensorSignature& other) {
  return std::equal(one.shape.begin(), one.shape.end(), other.shape.begin(), other.shape.end(),
                    [](std::int64_t a, std::int64_t b) { return a == b || a == kOpenExtent || b == kOpenExtent; });
}

const TensorSignature* called(const Tensors& tensors, const std::string& name) {
  const auto found = std::find_if(tensors.begin(), tensors.end(), [&](const auto& each) { return each.name == name; });
  return found == tensors.end() ? nullptr : &*found;
}

// Compares inputs, or declared outputs, that have the same names: others correspond by their order, which the worker
// finds out. Modules tell their inputs only when they are exported.
Status check(const char* noun, const Tensors& ours, const Tensors& exact, const std::string& label) {
  for (const TensorSignature& each : ours) {
    const TensorSignature* const there = called(exact, each.name);
    if (there == nullptr || fit(each, *there)) continue;
    return fail(fmt::format("{} \"{}\" is {}, that of {} is {}", noun, each.name, shown(each), label, shown(*there)),
                {}, fmt::format("a variant has the {}s of its exact model", noun));
  }
  return Done{};
}

Status check_fit(const work::Model& variant, const work::Model& exact) {
  if (exact.decoding || variant.decoding) {
    const std::string& label = exact.decoding ? exact.label : variant.label;
    return fail(fmt::format("{} generates tokens, and variants of such models are not compared", label), {},
                "remove variant_of");
  }
  const bool are_known = !variant.inputs.empty() && !exact.inputs.empty();
  if (are_known && variant.inputs.size() != exact.inputs.size()) {
    return fail(fmt::format("{} inputs, {} has {}", variant.inputs.size(), exact.label, exact.inputs.size()), {},
                "a variant has the inputs of its exact model");
  }
  if (const Status inputs = check("input", variant.inputs, exact.inputs, exact.label); !inputs) return inputs;
  return check("output", variant.outputs, exact.outputs, exact.label);
}

}  // namespace

Status link_variants(const config::ModelEntry& entry, std::vector<work::Model>& models) {
  if (entry.variant_of.empty()) return Done{};
  for (work::Model& model : models) {
    if (model.label != entry.label) continue;
    const auto exact = std::find_if(models.begin(), models.end(), [&](const work::Model& each) {
      return each.label == entry.variant_of && each.key.batch == model.key.batch;
    });
    if (exact == models.end()) continue;  // its own problem is reported
    if (const Status fits = check_fit(model, *exact); !fits) return fits;
    work::make_variant(model, *exact);
  }
  return Done{};
}

}  // namespace ngb::plan
