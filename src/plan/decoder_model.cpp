// SPDX-License-Identifier: Apache-2.0
#include "plan/decoder_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>

namespace ngb::plan {
namespace {

constexpr const char* kIds = "input_ids";
constexpr const char* kPosition = "position";
constexpr std::string_view kPast = "past_key_values";
constexpr std::string_view kPresent = "present";
constexpr int kRowsAxis = 2;
constexpr const char* kGrowing = "growing";

std::uint64_t bytes_of(const TensorSignature& tensor) { return tensor.element_count() * size_bytes(tensor.type); }

// Returns the bytes that a step reads at least (work::Decoding::bytes_per_token).
std::uint64_t least_bytes(const zoo::Recipe& recipe, const zoo::ModelFacts& facts, const config::DecoderEntry& decoder,
                          int batch) {
  const auto number = [&](const char* name) { return recipe.parameters.at(name).get<std::uint64_t>(); };
  const bool is_gpt = recipe.parameters.at("architecture") == "gpt";
  const auto samples = static_cast<std::uint64_t>(batch);
  const std::uint64_t head_width = number("width") / number("heads");
  // A gpt's table of tokens is its head as well, which is read whole.
  const std::uint64_t tables = number("width") * (is_gpt ? number("positions") : number("vocabulary"));
  const std::uint64_t table_rows = samples * number("width") * (is_gpt ? 2 : 1);
  const std::uint64_t cache =
      2 * number("depth") * samples * number("key_heads") * static_cast<std::uint64_t>(decoder.context) * head_width;
  return (facts.parameters - tables + table_rows + cache) * size_bytes(DataType::f32);
}

}  // namespace

int rows_of_cache(const config::DecoderEntry& decoder) {
  constexpr int kTightTo = 64;
  const int needed = decoder.context + decoder.new_tokens;
  return decoder.capacity.value_or((needed + kTightTo - 1) / kTightTo * kTightTo);
}

Status check_room(int rows, const config::DecoderEntry& decoder) {
  const int needed = decoder.context + decoder.new_tokens;
  if (rows >= needed) return Done{};
  return fail(fmt::format("a cache of {} rows has no room for a context of {} and {} new tokens", rows, decoder.context,
                          decoder.new_tokens),
              "capacity", fmt::format("choose tight, at least {}, or fewer tokens", needed));
}

Result<config::Parameters> decoder_parameters(const config::ModelEntry& entry) {
  const config::DecoderEntry& decoder = *entry.decoder;
  config::Parameters parameters = entry.parameters;
  if (decoder.is_prefill) {
    parameters.emplace_back("tokens", std::to_string(decoder.context));
    parameters.emplace_back("context", "0");
    return parameters;
  }
  parameters.emplace_back("tokens", "1");
  parameters.emplace_back("context", std::to_string(decoder.context));
  if (decoder.cache == kGrowing) {
    if (decoder.capacity) return fail("a growing cache has no capacity", "capacity", "remove this key");
    parameters.emplace_back("cache", "\"open\"");
    return parameters;
  }
  if (const Status fits = check_room(rows_of_cache(decoder), decoder); !fits) return error_of(fits);
  parameters.emplace_back("cache", fmt::format("\"{}\"", decoder.cache));
  parameters.emplace_back("capacity", std::to_string(rows_of_cache(decoder)));
  return parameters;
}

Result<work::Decoding> decoding_of(const config::ModelEntry& entry, const zoo::Recipe& recipe,
                                   const zoo::ModelFacts& facts, int batch) {
  const config::DecoderEntry& decoder = *entry.decoder;
  const auto positions = recipe.parameters.at("positions").get<int>();
  if (decoder.context + decoder.new_tokens > positions) {
    return fail(fmt::format("{} new tokens after a context of {} are more than its {} positions", decoder.new_tokens,
                            decoder.context, positions),
                "context", "choose a smaller context, fewer new_tokens, or more positions");
  }
  if (entry.data) return fail("a decoder that generates tokens has no labels", "data", "remove this key");
  work::Decoding decoding{.new_tokens = decoder.new_tokens,
                          .context = decoder.context,
                          .cache = decoder.cache,
                          .rows_axis = kRowsAxis,
                          .ids = kIds,
                          .counters = {{kPosition, 0}},
                          .bytes_per_token = least_bytes(recipe, facts, decoder, batch)};
  for (const TensorSignature& input : facts.inputs) {
    if (!input.name.starts_with(kPast)) continue;
    const std::string name = std::string(kPresent) + input.name.substr(kPast.size());
    const auto output = std::find_if(facts.outputs.begin(), facts.outputs.end(),
                                     [&](const TensorSignature& each) { return each.name == name; });
    const bool grows = decoder.cache == kGrowing;
    const bool is_whole = grows || bytes_of(*output) == bytes_of(input);
    decoding.parts.push_back(
        {input.name, static_cast<int>(output - facts.outputs.begin()), is_whole ? -1 : kRowsAxis, grows});
  }
  return decoding;
}

void leave_length_open(work::Model& model) {
  if (!model.decoding) return;
  const auto called = [](std::vector<TensorSignature>& inputs, const std::string& name) {
    return std::find_if(inputs.begin(), inputs.end(), [&](const TensorSignature& each) { return each.name == name; });
  };
  const auto open = [&](const std::string& input, std::size_t axis) {
    if (model.open_inputs.empty()) model.open_inputs = model.inputs;
    called(model.open_inputs, input)->shape[axis] = kOpenExtent;
  };
  for (const work::CachePart& part : model.decoding->parts) {
    if (part.grows) open(part.input, static_cast<std::size_t>(model.decoding->rows_axis));
  }
  const auto open_last = [&](const std::string& input) { open(input, called(model.inputs, input)->shape.size() - 1); };
  if (model.decoding->is_stateful) {
    open_last(model.decoding->ids);
    for (const work::Counter& counter : model.decoding->counters) open_last(counter.input);
  }
  if (model.decoding->mask_grows) open_last(model.decoding->mask);
}

}  // namespace ngb::plan
