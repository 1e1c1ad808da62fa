// SPDX-License-Identifier: Apache-2.0
// What a user's ONNX file says of itself, without its weights being kept.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/tensor.h"
#include "zoo/external_data.h"

namespace ngb::zoo {

struct OnnxFile {
  // SHA-256 of the file. With external data: SHA-256 over the lines "<hash> <name>\n" of the file (its name left empty)
  // and of each external file in the order of their names.
  std::string content_hash{};
  std::uint64_t file_bytes = 0;           // with external data
  std::vector<FilePart> parts{};          // the file itself first, then those with external data
  std::vector<TensorSignature> inputs{};  // initializers left out; nothing is open any more
  // The same, with kOpenExtent wherever the file leaves an extent open and the batch stands in it.
  std::vector<TensorSignature> open_inputs{};
};

using InputShapes = std::vector<std::pair<std::string, std::vector<std::int64_t>>>;
using Dimensions = std::vector<std::pair<std::string, std::int64_t>>;

// What an open extent becomes, the first that applies: what `shapes` gives for the input (kBatchExtent, or a leading 1:
// the batch); what `dimensions` gives for its name; the batch, if it leads its input, or is called as one that does.
//
// Error: not readable, not ONNX, truncated, an extent that stays open (named), a shape for no input of the model or
// against its fixed extents, a dimension that the file does not have, an element type that cannot be fed, no extent
// that is the batch where the first input's leading one is not `batch`, external data that is missing, too short or
// outside the model's folder.
Result<OnnxFile> inspect_onnx(const std::filesystem::path& path, int batch, const InputShapes& shapes,
                              const Dimensions& dimensions = {});

}  // namespace ngb::zoo
