// SPDX-License-Identifier: Apache-2.0
// Models from recipes: name a family and its parameters, get the facts without building anything heavy, or the ONNX
// file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/tensor.h"
#include "zoo/graph.h"

namespace ngb::zoo {

// A family with every parameter given. Same recipe, same revision: same bytes, on every machine.
struct Recipe {
  std::string family{};         // "resnet", "conv_block"
  nlohmann::json parameters{};  // all of them, defaults filled in, keys sorted
  std::uint64_t seed = 1;       // of the weights
};

// Raised whenever the bytes that some recipe yields change.
inline constexpr int kRecipeRevision = 3;

// `name`: a family or a variant ("resnet18"); `parameters`: an object with those that differ from the defaults.
// Error: unknown name or parameter (with the nearest), wrong type, out of range, impossible combination.
Result<Recipe> resolve(const std::string& name, const nlohmann::json& parameters, std::uint64_t seed);

// {"family":…,"parameters":{…},"revision":…,"seed":…} with sorted keys; its SHA-256 is the model's hash.
std::string canonical_json(const Recipe& recipe);
Result<Recipe> parse_canonical_json(const std::string& text);
std::string content_hash(const Recipe& recipe);

struct ModelFacts {
  std::vector<TensorSignature> inputs{};
  std::vector<TensorSignature> outputs{};
  std::uint64_t parameters = 0;      // trainable, as timm and torch count them (no BatchNorm statistics)
  std::uint64_t macs = 0;            // all multiply-accumulates of convolutions and matrix products, at this batch
  std::uint64_t macs_torchinfo = 0;  // by torchinfo's convention, at this batch: what the paper's Table IV states
  std::uint64_t file_bytes = 0;
  std::uint64_t node_count = 0;
};

// Error: batch out of 1 … 65536; parameters that `resolve` would refuse.
Result<ModelFacts> facts(const Recipe& recipe, int batch);

// The layer table, in the order of execution; the facts' counts are its sums.
Result<std::vector<Layer>> layers(const Recipe& recipe, int batch);

// Samples in a batch; nothing: any number, decided when the model is run.
using BatchSize = std::optional<int>;

inline constexpr std::uint64_t kLargestMessageBytes = 0x7FFFFFFF;  // what a protobuf message may have

// Writes IR 9, opset 20, with static shapes or the leading extent "batch" left open, on `threads` (1 …) threads that
// each hold less than 1 MB; the bytes do not depend on their number. Models of more than
// `largest_message_bytes` get their weights in `path`.data, as ONNX has it. The file appears under its name when it is
// complete (not synced to disk: it can always be made again); no file is left behind on an error. Error: as facts;
// unwritable, disk full.
Status write_onnx(const Recipe& recipe, BatchSize batch, const std::filesystem::path& path, int threads,
                  std::uint64_t largest_message_bytes = kLargestMessageBytes);

}  // namespace ngb::zoo
