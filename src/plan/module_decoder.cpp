// SPDX-License-Identifier: Apache-2.0
#include "plan/module_decoder.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "plan/decoder_model.h"

namespace ngb::plan {
namespace {

constexpr const char* kModuleIds = "input_ids";
constexpr const char* kModulePlaces = "position_ids";
constexpr const char* kDynamicForm = "growing";
constexpr const char* kStaticForm = "static";
constexpr int kModuleRowsAxis = 2;
constexpr std::array kModuleParts{"key", "value"};
// Of the module's config: num_hidden_layers, num_key_value_heads, head_dim, vocab_size.
constexpr std::array kCacheDimensions{"layers", "key_heads", "head_size", "vocabulary"};

std::int64_t cache_dimension(const config::ModelEntry& entry, std::string_view name) {
  const auto found = std::find_if(entry.dimensions.begin(), entry.dimensions.end(),
                                  [&](const auto& each) { return each.first == name; });
  return found == entry.dimensions.end() ? 0 : found->second;
}

bool is_dynamic(const config::DecoderEntry& decoder) { return decoder.cache != kStaticForm; }

Status check_cache_dimensions(const config::ModelEntry& entry) {
  for (const auto& [name, extent] : entry.dimensions) {
    const std::vector<std::string> known(kCacheDimensions.begin(), kCacheDimensions.end());
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    return fail(fmt::format("a module that decodes has no dimension {}", text::to_utf8(name)), "dimensions",
                "expected " + text::join(known, ", "));
  }
  for (const char* const name : kCacheDimensions) {
    if (cache_dimension(entry, name) > 0) continue;
    return fail(fmt::format("{} is missing, which the inputs of a module that decodes follow from", name), "dimensions",
                "write dimensions: {layers: num_hidden_layers, key_heads: num_key_value_heads, head_size: head_dim, "
                "vocabulary: vocab_size}, with the numbers of the module's config");
  }
  return Done{};
}

Status check_module_form(const config::DecoderEntry& decoder) {
  if (decoder.is_prefill) return Done{};
  if (decoder.cache != config::kFormOfFile && decoder.cache != kDynamicForm && decoder.cache != kStaticForm) {
    return fail(fmt::format("a module of transformers has no {} cache", decoder.cache), "cache",
                "write growing (DynamicCache) or static (StaticCache)");
  }
  if (!is_dynamic(decoder)) return check_room(rows_of_cache(decoder), decoder);
  return decoder.capacity
             ? Status(fail("a growing cache has no capacity", "capacity", "remove this key, or write cache: static"))
             : Status(Done{});
}

nlohmann::json decoder_of_module(const config::ModelEntry& entry) {
  const config::DecoderEntry& decoder = *entry.decoder;
  nlohmann::json made{{"form", decoder.is_prefill    ? "none"
                               : is_dynamic(decoder) ? kDynamicForm
                                                     : kStaticForm},
                      {"tokens", decoder.context + (decoder.is_prefill ? 0 : decoder.new_tokens)}};
  for (const char* const name : kCacheDimensions) made[name] = cache_dimension(entry, name);
  return made;
}

}  // namespace

Result<config::ModelEntry> with_inputs_of_step(const config::ModelEntry& entry) {
  const config::DecoderEntry& decoder = *entry.decoder;
  if (entry.data) return fail("a decoder has no labels", "data", "remove this key");
  if (!entry.shapes.empty()) {
    return fail("the shapes of a module that decodes follow from context, cache and dimensions", "shapes",
                "remove this key, or the keys of decoding");
  }
  if (const Status known = check_cache_dimensions(entry); !known) return error_of(known);
  if (const Status form = check_module_form(decoder); !form) return error_of(form);
  config::ModelEntry step = entry;
  step.inputs = {{kModuleIds, {.type = "i64"}}, {kModulePlaces, {.type = "i64"}}};
  const std::int64_t tokens = decoder.is_prefill ? decoder.context : 1;
  step.shapes = {{kModuleIds, {kBatchExtent, tokens}}, {kModulePlaces, {kBatchExtent, tokens}}};
  if (decoder.is_prefill) return step;
  const std::int64_t rows = is_dynamic(decoder) ? decoder.context : rows_of_cache(decoder);
  for (std::int64_t layer = 0; layer < cache_dimension(entry, "layers"); ++layer) {
    for (const char* const part : kModuleParts) {
      step.shapes.emplace_back(
          fmt::format("past_key_values.{}.{}", layer, part),
          std::vector{kBatchExtent, cache_dimension(entry, "key_heads"), rows, cache_dimension(entry, "head_size")});
    }
  }
  return step;
}

nlohmann::json add_decoding_of_module(work::Model& model, const config::ModelEntry& entry) {
  const config::DecoderEntry& decoder = *entry.decoder;
  const double first = decoder.is_prefill ? 0 : decoder.context;
  const double last = decoder.is_prefill ? decoder.context - 1 : first + decoder.new_tokens - 1;
  const auto words = static_cast<double>(cache_dimension(entry, "vocabulary") - 1);
  model.values.push_back({.input = kModuleIds, .range = {{0, words}}});
  model.values.push_back({.input = kModulePlaces, .range = {{first, last}}, .counts = true});
  if (decoder.is_prefill) {
    model.prompt_tokens = decoder.context;
    return decoder_of_module(entry);
  }
  work::Decoding decoding{.new_tokens = decoder.new_tokens,
                          .context = decoder.context,
                          .cache = is_dynamic(decoder) ? kDynamicForm : kStaticForm,
                          .rows_axis = kModuleRowsAxis,
                          .ids = kModuleIds,
                          .counters = {{kModulePlaces, 0}}};
  for (const TensorSignature& input : model.inputs) {
    if (input.name == kModuleIds || input.name == kModulePlaces) continue;
    const int output = static_cast<int>(decoding.parts.size()) + 1;  // after the logits
    decoding.parts.push_back({input.name, output, -1, is_dynamic(decoder)});
  }
  model.decoding = std::move(decoding);
  return decoder_of_module(entry);
}

}  // namespace ngb::plan
