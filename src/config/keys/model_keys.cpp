// SPDX-License-Identifier: Apache-2.0
// The keys of an entry of models.
#include <algorithm>
#include <numeric>

#include "config/keys/key.h"

namespace ngb::config {
namespace {

using nlohmann::json;

constexpr std::int64_t kMostBytesOfASample = 1'000'000'000'000;
constexpr int kMostTokens = 1'000'000;
constexpr int kMostSteps = 4096;

// Returns what the entry says of decoding, which any of its keys begins.
DecoderEntry& decoder_of(ModelEntry& model) {
  if (!model.decoder) model.decoder.emplace();
  return *model.decoder;
}

NamedShapes& named_of(ModelEntry& model) { return model.named ? *model.named : model.named.emplace(); }

json visited_json(const NamedShapes& named) {
  json shapes = json::array();
  for (const NamedShapes::Sizes& sizes : named.visited) {
    json& shape = shapes.emplace_back(json::object());
    for (const auto& [name, size] : sizes) shape[name] = size;
  }
  return shapes;
}

// Returns the share of each shape; null if all are equal.
json mix_json(const NamedShapes& named) {
  const int sum = std::accumulate(named.visits.begin(), named.visits.end(), 0);
  json shares = json::array();
  for (const int visits : named.visits) shares.push_back(static_cast<double>(visits) / sum);
  return sum == static_cast<int>(named.visits.size()) ? json() : shares;
}

// Returns a value of an entry that says how it is compiled for sizes; null for any other.
template <class Get>
json of_named(const ModelEntry& model, Get get) {
  return model.named ? json(get(*model.named)) : json();
}

// Returns a value of an entry that generates tokens; null for any other.
template <class Get>
json when_generating(const ModelEntry& model, Get get) {
  return model.decoder && !model.decoder->is_prefill ? json(get(*model.decoder)) : json();
}

json json_of_names(const work::CacheNames& names) {
  json keys = json::object();
  if (!names.past.empty()) keys.update({{"past", names.past}, {"present", names.present}});
  if (!names.position.empty()) keys["position"] = names.position;
  if (!names.mask.empty()) keys["mask"] = names.mask;
  return keys;
}

}  // namespace

std::span<const Key> model_keys() {
  constexpr const char* kOfTheZoo = "the zoo's, for a recipe's name and for the same name of timm; else none";
  static const std::vector<Key> kKeys{
      {.name = "label",
       .type = ValueType::text,
       .maximum = kLongestLabel,
       .pattern = kEntryLabel,
       .meaning = "Name of the model in tables, unique in the study",
       .default_text = "the recipe with its parameters, the file's name with its function, or timm's name"},
      {.name = "shapes",
       .type = ValueType::structured,
       .meaning = "Maps an input to its shape of integers and the word batch. `onnx`: needed if the file leaves more "
                  "open than the batch size; `file`: likewise; `pytorch`, `timm`: shapes of the arguments, by name",
       .kinds = {"onnx", "file", "pytorch", "timm"}},
      {.name = "dimensions",
       .type = ValueType::structured,
       .meaning = "Maps the name of a dimension to its size, or to the word batch; a list of sizes is an axis. `onnx`: "
                  "names of the file's open dimensions; else names that stand in `shapes`, and of a decoder layers, "
                  "key_heads, head_size and vocabulary",
       .kinds = {"onnx", "file", "pytorch", "timm"}},
      {.name = "parameters",
       .type = ValueType::structured,
       .meaning = "`pytorch`, `timm`: keyword arguments of the function, or of timm.create_model; `onnx`, `file`: what "
                  "tells the file from others of its group, `{width}` in its name being replaced. `{each: [16, 32]}` "
                  "is an axis",
       .kinds = {"onnx", "file", "pytorch", "timm"}},
      {.name = "state_dict",
       .type = ValueType::path,
       .meaning = "`pytorch`, `timm`: a file of weights that torch.save has written",
       .default_text = "random weights, seeded with the study's seed",
       .kinds = {"pytorch", "timm"}},
      {.name = "inputs",
       .type = ValueType::structured,
       .meaning = "Values of the inputs: an .npz file with an array for each input, or a mapping from input to "
                  "FILE.npy or to the keys below",
       .keys = {{.name = "NAME",
                 .type = ValueType::structured,
                 .meaning = "Values of one input: an .npy or .npz file, or a mapping of the keys below",
                 .default_text = "seeded random numbers",
                 .keys = input_keys()}}},
      {.name = "data",
       .type = ValueType::structured,
       .meaning =
           "Samples with their right classes, which are the model's inputs: each compiler, and each variant, then "
           "has an accuracy",
       .default_text = "none: no accuracy",
       .keys = data_keys(),
       .kinds = {"zoo", "onnx", "pytorch", "timm"}},
      {.name = "variant_of",
       .type = ValueType::text,
       .maximum = kLongestLabel,
       .pattern = kEntryLabel,
       .meaning = "Label of the exact model of which this is a variant: the same network made cheaper, such as a "
                  "quantised file. It has agreement with the exact model's outputs in place of a check, and speed-ups "
                  "over the exact model",
       .default_text = "none: it is an exact model",
       .set_in_model = [](ModelEntry& model, const json& value) { value.get_to(model.variant_of); },
       .get_in_model =
           [](const ModelEntry& model) { return model.variant_of.empty() ? json() : json(model.variant_of); }},
      {.name = "compilers",
       .type = ValueType::structured,
       .meaning = "A list of the study's compilers that measure this model, by label or name; not part of its hash",
       .default_text = "all that its device has",
       .get_in_model =
           [](const ModelEntry& model) { return model.compilers.empty() ? json() : json(model.compilers); }},
      {.name = "dynamic_batch",
       .type = ValueType::boolean,
       .meaning = "Compile once for any batch size and run at each of the study's",
       .default_text = "`false`: compiled for each batch size",
       .set_in_model = [](ModelEntry& model, const json& value) { value.get_to(model.dynamic_batch); },
       .get_in_model = [](const ModelEntry& model) { return model.dynamic_batch ? json(true) : json(); }},
      {.name = "dynamic",
       .type = ValueType::texts,
       .pattern = kLabel,
       .meaning = "Names of dimensions: compile once for any of their sizes ([shapes](shapes.md))",
       .default_text = "none: compiled for each size",
       .kinds = {"onnx", "pytorch", "timm"},
       .set_in_model = [](ModelEntry& model, const json& value) { value.get_to(named_of(model).dynamic); },
       .get_in_model =
           [](const ModelEntry& model) {
             return of_named(model, [](const auto& of) { return of.dynamic.empty() ? json() : json(of.dynamic); });
           }},
      {.name = "pad_to",
       .type = ValueType::integer,
       .minimum = 2,
       .maximum = 1'000'000,
       .meaning = "Raise the sizes of `dimensions` and of `shapes_in_one_session` to the next multiple: inputs are "
                  "filled with zeros, and samples count as before",
       .default_text = "none: sizes are as they are",
       .kinds = {"onnx", "pytorch", "timm"},
       .set_in_model = [](ModelEntry& model, const json& value) { value.get_to(named_of(model).pad_to); },
       .get_in_model =
           [](const ModelEntry& model) {
             return of_named(model, [](const auto& of) { return of.pad_to == 0 ? json() : json(of.pad_to); });
           }},
      {.name = "shapes_in_one_session",
       .type = ValueType::structured,
       .meaning = "A list of sizes by dimension, `[{sequence: 16}, {sequence: 128}]`: each process visits all of them "
                  "by turns, in a drawn order ([shapes](shapes.md))",
       .default_text = "none: a process has one shape",
       .kinds = {"onnx", "pytorch", "timm"},
       .get_in_model =
           [](const ModelEntry& model) {
             return of_named(model, [](const auto& of) { return of.visited.empty() ? json() : visited_json(of); });
           }},
      {.name = "mix",
       .type = ValueType::structured,
       .meaning =
           "The share of each of these shapes, which add up to 1; or a text file of lengths as traffic has them, "
           "one in each line, each of which counts for the smallest shape that holds it",
       .default_text = "all alike",
       .kinds = {"onnx", "pytorch", "timm"},
       .get_in_model = [](const ModelEntry& model) { return of_named(model, mix_json); }},
      {.name = "phase",
       .type = ValueType::word,
       .words = {"prefill", "decode"},
       .meaning = "Of a decoder. prefill: an inference reads a prompt of `context` tokens. decode: a repetition is a "
                  "pass of `new_tokens` steps, each of which feeds its outputs back into the cache",
       .default_text = "`decode` if one of the next four keys is given; else each inference is by itself",
       .kinds = {"zoo", "onnx", "file", "pytorch"},
       .is_axis = true,
       .set_in_model = [](ModelEntry& model, const json& value) { decoder_of(model).is_prefill = value == "prefill"; },
       .get_in_model =
           [](const ModelEntry& model) {
             return model.decoder ? json(model.decoder->is_prefill ? "prefill" : "decode") : json();
           }},
      {.name = "context",
       .type = ValueType::integer,
       .minimum = 1,
       .maximum = kMostTokens,
       .meaning = "Of a decoder: tokens of the prompt, or tokens in the cache when a repetition begins",
       .default_text = "128",
       .kinds = {"zoo", "onnx", "file", "pytorch"},
       .is_axis = true,
       .set_in_model = [](ModelEntry& model, const json& value) { value.get_to(decoder_of(model).context); },
       .get_in_model = [](const ModelEntry& model) { return model.decoder ? json(model.decoder->context) : json(); }},
      {.name = "capacity",
       .type = ValueType::integer_or_word,
       .minimum = 1,
       .maximum = kMostTokens,
       .words = {kTight},
       .meaning = "Of a decoder that generates: rows of its cache. tight: the next multiple of 64 that holds the "
                  "context and the new tokens",
       .default_text = "`tight`",
       .kinds = {"zoo", "onnx", "pytorch"},
       .is_axis = true,
       .set_in_model =
           [](ModelEntry& model, const json& value) {
             std::optional<int>& capacity = decoder_of(model).capacity;
             capacity = value.is_string() ? std::nullopt : std::optional(value.get<int>());
           },
       .get_in_model =
           [](const ModelEntry& model) {
             if (!model.compiled.empty()) return json();  // it keeps its cache, and does not tell its rows
             return when_generating(model,
                                    [](const auto& of) { return of.capacity ? json(*of.capacity) : json(kTight); });
           }},
      {.name = "cache",
       .type = ValueType::word,
       .words = {"delta", "static", "scatter", "growing", kStatefulForm, kBestForm, kFormOfFile},
       .meaning =
           "Of a decoder that generates: the form of its cache, which is a part of the model. best: each of them, with "
           "each compiler's best one among the series. `onnx`: auto finds inputs and outputs that are a cache by their "
           "names; a mapping of the keys below names them. `pytorch`: growing is DynamicCache, static is StaticCache. "
           "`file`: stateful, the model keeps it",
       .default_text = "`delta`; `onnx`: auto; `pytorch`: growing; `file`: stateful",
       .keys = cache_keys(),
       .kinds = {"zoo", "onnx", "file", "pytorch"},
       .is_axis = true,
       .set_in_model = [](ModelEntry& model, const json& value) { value.get_to(decoder_of(model).cache); },
       .get_in_model =
           [](const ModelEntry& model) {
             if (model.decoder && model.decoder->names != work::CacheNames())
               return json_of_names(model.decoder->names);
             return when_generating(model, [](const auto& of) { return of.cache; });
           }},
      {.name = "new_tokens",
       .type = ValueType::integer,
       .minimum = 1,
       .maximum = kMostSteps,
       .meaning = "Of a decoder that generates: steps of a repetition",
       .default_text = "32",
       .kinds = {"zoo", "onnx", "file", "pytorch"},
       .is_axis = true,
       .set_in_model = [](ModelEntry& model, const json& value) { value.get_to(decoder_of(model).new_tokens); },
       .get_in_model =
           [](const ModelEntry& model) {
             return when_generating(model, [](const auto& of) { return of.new_tokens; });
           }},
      {.name = "group",
       .type = ValueType::text,
       .maximum = kLongestLabel,
       .pattern = kEntryLabel,
       .meaning = "What the model belongs to, such as the family of which it is one size; not part of its hash",
       .default_text = kOfTheZoo,
       .set_in_model = [](ModelEntry& model, const json& value) { value.get_to(model.group); },
       .get_in_model = [](const ModelEntry& model) { return model.group.empty() ? json() : json(model.group); }},
      {.name = "style",
       .type = ValueType::word,
       .words = {"convolutional", "transformer", "hybrid"},
       .meaning = "What the model is built of; not part of its hash",
       .default_text = kOfTheZoo,
       .set_in_model = [](ModelEntry& model, const json& value) { value.get_to(model.style); },
       .get_in_model = [](const ModelEntry& model) { return model.style.empty() ? json() : json(model.style); }},
      {.name = "size",
       .type = ValueType::integer,
       .minimum = 1,
       .maximum = 1000,
       .meaning = "Rank of the model's size in its group, 1 for the smallest; not part of its hash",
       .default_text = kOfTheZoo,
       .set_in_model = [](ModelEntry& model, const json& value) { model.size = value.get<int>(); },
       .get_in_model = [](const ModelEntry& model) { return model.size ? json(*model.size) : json(); }},
      {.name = "raw_bytes",
       .type = ValueType::integer,
       .minimum = 1,
       .maximum = kMostBytesOfASample,
       .meaning = "Of a model that compresses data: size of one sample before, for TCR/s; not part of its hash. May "
                  "follow from an axis: `{width: {16: 64, 32: 128}}`",
       .default_text = "none: no TCR/s",
       .set_in_model = [](ModelEntry& model, const json& value) { model.raw_bytes = value.get<std::uint64_t>(); },
       .get_in_model = [](const ModelEntry& model) { return model.raw_bytes ? json(*model.raw_bytes) : json(); }},
      {.name = "encoded_bytes",
       .type = ValueType::integer,
       .minimum = 1,
       .maximum = kMostBytesOfASample,
       .meaning = "The size after, likewise; needed with `raw_bytes`",
       .default_text = "none: no TCR/s",
       .set_in_model = [](ModelEntry& model, const json& value) { model.encoded_bytes = value.get<std::uint64_t>(); },
       .get_in_model =
           [](const ModelEntry& model) { return model.encoded_bytes ? json(*model.encoded_bytes) : json(); }},
  };
  return kKeys;
}

bool may_have(std::string_view kind, const Key& key) {
  return key.kinds.empty() || std::find(key.kinds.begin(), key.kinds.end(), kind) != key.kinds.end();
}

}  // namespace ngb::config
