// SPDX-License-Identifier: Apache-2.0
// Reads which files beside an ONNX file hold its larger tensors.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "userfiles/onnx_scan.h"

namespace ngb::userfiles {

// FilePart is one of the files that make up a model.
struct FilePart {
  std::string location{};  // relative to the model's folder
  std::string sha256{};
};

class ExternalFiles {
 public:
  explicit ExternalFiles(const std::filesystem::path& model) : model_(model) {}

  // Adds the file that holds `tensor`. Fails if the location is missing, absolute, outside the model's folder (through
  // ".." or a link) or not a regular file, or if offset or length is not a number or lies past the end.
  Status add(const ScannedTensor& tensor);

  [[nodiscard]] bool empty() const { return sizes_.empty(); }
  [[nodiscard]] std::uint64_t size_bytes() const;
  // Returns each file with its hash, sorted by location.
  [[nodiscard]] Result<std::vector<FilePart>> parts() const;

 private:
  Result<std::uint64_t> size_of(const std::string& location) const;

  std::filesystem::path model_;
  std::map<std::string, std::uint64_t> sizes_{};
};

}  // namespace ngb::userfiles
