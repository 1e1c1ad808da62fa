// SPDX-License-Identifier: Apache-2.0
// Makes models from recipes: a family and its parameters yield the facts at little cost, or the ONNX file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/tensor.h"
#include "zoo/graph.h"

namespace ngb::zoo {

// Recipe is a family with a value for every parameter. Equal recipes of one revision yield equal bytes everywhere.
struct Recipe {
  std::string family{};         // "resnet", "conv_block"
  nlohmann::json parameters{};  // all of them, defaults included, keys sorted
  std::uint64_t seed = 1;       // of the weights
};

// The revision is raised whenever the bytes of some recipe change.
inline constexpr int kRecipeRevision = 3;

// Resolves a family or variant ("resnet18") and an object with the parameters that differ from its defaults. Fails if a
// name or parameter is unknown (the error suggests the nearest), of a wrong type or out of range, or if the combination
// is impossible.
Result<Recipe> resolve(const std::string& name, const nlohmann::json& parameters, std::uint64_t seed);

// Returns {"family":…,"parameters":{…},"revision":…,"seed":…} with sorted keys, whose SHA-256 is the model's hash.
std::string canonical_json(const Recipe& recipe);
// Fails if the text has another form or revision, or lacks a parameter: a default must not decide what a hash means.
Result<Recipe> parse_canonical_json(const std::string& text);
std::string content_hash(const Recipe& recipe);

struct ModelFacts {
  std::vector<TensorSignature> inputs{};
  // Of inputs whose values mean something, such as indices: the range in which they are.
  std::vector<std::pair<std::string, ValueRange>> ranges{};
  std::vector<TensorSignature> outputs{};
  std::uint64_t parameters = 0;      // trainable, as timm and torch count them (no BatchNorm statistics)
  std::uint64_t macs = 0;            // all multiply-accumulates of convolutions and matrix products, at this batch
  std::uint64_t macs_torchinfo = 0;  // by torchinfo's convention, at this batch, as in the paper's Table IV
  std::uint64_t file_bytes = 0;
  std::uint64_t node_count = 0;
};

// Fails if the batch is not in 1 … 65536 or `resolve` would refuse the parameters.
Result<ModelFacts> facts(const Recipe& recipe, int batch);

// Returns the layer table in the order of execution. The counts in ModelFacts are its sums.
Result<std::vector<Layer>> layers(const Recipe& recipe, int batch);

// BatchSize is the number of samples in a batch, or nothing if it is decided when the model runs.
using BatchSize = std::optional<int>;

inline constexpr std::uint64_t kLargestMessageBytes = 0x7FFFFFFF;  // protobuf's limit of a message
// Of a file that is measured: the weights of larger models are in a file beside it, as PyTorch's exporter writes them.
// Compilers then map them into memory instead of parsing them out of a message, which makes compiling faster.
inline constexpr std::uint64_t kLargestMeasuredMessageBytes = 1'000'000;

// Writes IR 9, opset 20 (a scattered cache: IR 12, opset 24), with static shapes or with an open leading extent
// "batch". Uses `threads` (1 …) threads of less than 1 MB each; the bytes do not depend on their number. The weights of
// a model of more than `largest_message_bytes` go to `path`.data as ONNX external data. The file appears under its name
// when it is complete. It is not synced to disk, because it can be made again. Nothing is left behind on an error.
// Fails as facts does, and if the file cannot be written or the disk is full.
Status write_onnx(const Recipe& recipe, BatchSize batch, const std::filesystem::path& path, int threads,
                  std::uint64_t largest_message_bytes = kLargestMessageBytes);

}  // namespace ngb::zoo
