// SPDX-License-Identifier: Apache-2.0
#include "plan/stateful_decoder.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.h"

namespace ngb::plan {
namespace {

constexpr const char* kMaskOfStateful = "attention_mask";
constexpr const char* kPlacesOfStateful = "position_ids";
constexpr const char* kBeamsOfStateful = "beam_idx";  // of each sample the one whose cache it goes on with: its own
constexpr std::array kInputsOfStateful{kIdsOfStateful, kMaskOfStateful, kPlacesOfStateful, kBeamsOfStateful};

bool has_input(const work::Model& model, const char* input) {
  return std::ranges::any_of(model.inputs, [&](const TensorSignature& each) { return each.name == input; });
}

}  // namespace

Result<config::InputShapes> inputs_of_stateful(const config::DecoderEntry& decoder,
                                               const std::vector<std::string>& inputs) {
  if (decoder.is_prefill) {
    return fail("it keeps its cache itself, so each prompt would follow the one before", "phase",
                "measure decode only, or export the prompt's model to ONNX");
  }
  if (decoder.cache != config::kFormOfFile && decoder.cache != config::kStatefulForm) {
    return fail(fmt::format("it keeps its cache itself, so its form is stateful, not {}", decoder.cache), "cache",
                "write stateful, or remove this key");
  }
  if (decoder.names != work::CacheNames()) {
    return fail("it keeps its cache itself, so it has no past and no present", "cache", "write stateful");
  }
  if (std::ranges::find(inputs, kIdsOfStateful) == inputs.end()) {
    return fail(
        fmt::format("it keeps a cache, and no input is {}; its inputs: {}", kIdsOfStateful, text::join(inputs, ", ")),
        {}, "export the model with optimum-intel, for text-generation");
  }
  config::InputShapes shapes;
  for (const std::string& input : inputs) {
    if (std::ranges::find(kInputsOfStateful, input) == kInputsOfStateful.end()) {
      return fail(
          fmt::format("what the input {} of a model that keeps its cache is for is not known; known are {}",
                      text::to_utf8(input),
                      text::join(std::vector<std::string>(kInputsOfStateful.begin(), kInputsOfStateful.end()), ", ")),
          {}, "export the model with optimum-intel, for text-generation");
    }
    if (input == kBeamsOfStateful)
      shapes.push_back({input, {kBatchExtent}});
    else
      shapes.push_back({input, {kBatchExtent, input == kMaskOfStateful ? decoder.context + 1 : 1}});
  }
  return shapes;
}

void add_stateful_decoding(work::Model& model, const config::DecoderEntry& decoder) {
  const double first = decoder.context;
  const double last = first + decoder.new_tokens - 1;
  for (const TensorSignature& input : model.inputs) {
    if (input.name == kMaskOfStateful) model.values.push_back({.input = kMaskOfStateful, .range = {{1, 1}}});
    if (input.name == kPlacesOfStateful)
      model.values.push_back({.input = kPlacesOfStateful, .range = {{first, last}}, .counts = true});
    if (input.name != kBeamsOfStateful) continue;
    const auto samples = static_cast<double>(input.shape.front());
    model.values.push_back({.input = kBeamsOfStateful, .range = {{0, samples - 1}}, .counts = true});
  }
  work::Decoding decoding{.new_tokens = decoder.new_tokens,
                          .context = decoder.context,
                          .cache = config::kStatefulForm,
                          .ids = kIdsOfStateful,
                          .is_stateful = true};
  if (has_input(model, kPlacesOfStateful)) decoding.counters = {{kPlacesOfStateful, 0}};
  if (has_input(model, kMaskOfStateful)) decoding.mask = kMaskOfStateful;
  decoding.mask_grows = has_input(model, kMaskOfStateful);
  model.decoding = std::move(decoding);
}

}  // namespace ngb::plan
