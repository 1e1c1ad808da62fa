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

namespace ngb::zoo {

struct OnnxFile {
  // SHA-256 of the file. With external data: SHA-256 over the lines "<hash> <name>\n" of the file (its name left empty)
  // and of each external file in the order of their names.
  std::string content_hash{};
  std::uint64_t file_bytes = 0;           // with external data
  std::vector<TensorSignature> inputs{};  // initializers left out; a dynamic leading extent becomes `batch`
};

using InputShapes = std::vector<std::pair<std::string, std::vector<std::int64_t>>>;

// `shapes` gives inputs whose other extents are dynamic; a leading extent of 1 in it stands for the batch where the
// file leaves that extent open. Error: not readable, not ONNX, truncated, a dynamic extent that neither batch nor
// shapes settle (named), a shape for no input of the model or against its fixed extents, an element type that cannot be
// fed, all leading extents fixed and the first input's not `batch`, external data that is missing, too short or outside
// the model's folder.
Result<OnnxFile> inspect_onnx(const std::filesystem::path& path, int batch, const InputShapes& shapes);

}  // namespace ngb::zoo
