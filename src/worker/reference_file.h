// SPDX-License-Identifier: Apache-2.0
// Reads and writes a file of reference outputs, which the identity computes for a cell's inputs.
//
//   8 bytes "NGBREF03" · u32 length of the JSON · JSON {"reference", "key", "sha256", "outputs": [{"name", "type",
//   "shape"}, …]} · the dense data of each output in that order; all little-endian. "sha256" is that of all the data.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/tensor.h"

namespace ngb::worker {

// OutputView refers to an output wherever it is stored. `data` may have any alignment.
struct OutputView {
  TensorSignature signature{};
  const void* data = nullptr;
};

// Reference is a mapped reference file. Its data costs memory only while it is read.
class Reference {
 public:
  // Fails if the file is not readable, not a reference file, of the wrong length, or if its data was changed.
  static Result<Reference> open(const std::filesystem::path& path);

  [[nodiscard]] const std::string& made_by() const { return made_by_; }  // "identity 2.15.0"
  [[nodiscard]] const std::string& key() const { return key_; }          // names everything on which the outputs depend
  [[nodiscard]] std::span<const OutputView> outputs() const { return outputs_; }

 private:
  std::shared_ptr<const void> mapping_;
  std::string made_by_;
  std::string key_;
  std::vector<OutputView> outputs_;
};

// Replaces the file in one step.
Status write_reference(const std::filesystem::path& path, const std::string& made_by, const std::string& key,
                       std::span<const OutputView> outputs);

}  // namespace ngb::worker
