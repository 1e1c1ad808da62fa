// SPDX-License-Identifier: Apache-2.0
// What a user's ONNX file says of itself, without its weights being kept.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/tensor.h"

namespace ngb::zoo {

struct OnnxFile {
  std::string content_hash{};  // SHA-256 of the file, and of its external data where it has some
  std::uint64_t file_bytes = 0;
  std::vector<TensorSignature> inputs{};  // initializers left out; a dynamic leading extent becomes `batch`
};

// `shapes` gives inputs whose other extents are dynamic. Error: not readable, not ONNX, truncated, a dynamic extent
// that neither batch nor shapes settle (named), an element type that cannot be fed.
Result<OnnxFile> inspect_onnx(const std::filesystem::path& path, int batch,
                              const std::vector<std::pair<std::string, std::vector<std::int64_t>>>& shapes);

}  // namespace ngb::zoo
