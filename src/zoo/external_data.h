// SPDX-License-Identifier: Apache-2.0
// The files beside an ONNX file that hold its larger tensors.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "zoo/onnx_scan.h"

namespace ngb::zoo {

// A file that a model is made of.
struct FilePart {
  std::string location{};  // from the model's folder
  std::string sha256{};
};

class ExternalFiles {
 public:
  explicit ExternalFiles(const std::filesystem::path& model) : model_(model) {}

  // Error: no location; an absolute one, one that leaves the model's folder (through ".." or a link), no regular file;
  // offset or length not a number or past the end.
  Status add(const ScannedTensor& tensor);

  [[nodiscard]] bool empty() const { return sizes_.empty(); }
  [[nodiscard]] std::uint64_t size_bytes() const;
  // Each with its hash, in the order of their locations.
  [[nodiscard]] Result<std::vector<FilePart>> parts() const;

 private:
  Result<std::uint64_t> size_of(const std::string& location) const;

  std::filesystem::path model_;
  std::map<std::string, std::uint64_t> sizes_{};
};

}  // namespace ngb::zoo
