// SPDX-License-Identifier: Apache-2.0
// Reference outputs as a file: what the identity computes for a cell's inputs.
//
//   8 bytes "NGBREF02" · u32 length of the JSON · JSON {"reference", "key", "outputs": [{"name", "type", "shape"}, …]}
//   · the dense data of each output in that order; all little-endian
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

// An output wherever it lies. `data` may have any alignment.
struct OutputView {
  TensorSignature signature{};
  const void* data = nullptr;
};

// A reference file, mapped: its data costs memory only while it is looked at.
class Reference {
 public:
  // Error: not readable, not such a file, shorter or longer than it says.
  static Result<Reference> open(const std::filesystem::path& path);

  [[nodiscard]] const std::string& made_by() const { return made_by_; }  // "identity 2.15.0"
  [[nodiscard]] const std::string& key() const { return key_; }          // of all that the outputs depend on
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
