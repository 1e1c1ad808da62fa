// SPDX-License-Identifier: Apache-2.0
// Reads and writes a file of reference outputs, which the identity computes for a cell's inputs.
//
//   8 bytes "NGBREF05" · u32 length of the JSON · JSON {"reference", "key", "confirmed_by", "doubt_kind", "doubt",
//   "sha256", "outputs": [{"name", "type", "shape", "is_sensitive"}, …]} · the dense data of each output in that order;
//   all little-endian. "sha256" is that of all the data. The agent reads the JSON too (agent/reference_cache.h).
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/tensor.h"

namespace ngb::worker {

// OutputView refers to an output wherever it is stored. `data` may have any alignment.
struct OutputView {
  TensorSignature signature{};
  const void* data = nullptr;
};

// ReferenceFacts says where reference outputs come from, and what is wrong with them.
struct ReferenceFacts {
  std::string made_by{};       // "identity 2.15.0"
  std::string key{};           // names everything on which the outputs depend
  std::string confirmed_by{};  // another compiler whose outputs agree; "": none was asked, or none agrees
  std::string doubt_kind{};    // why they should not judge: kRandom, kNotFinite or kOtherShape; "": nothing is wrong
  std::string doubt{};         // the same in words
  // For each output in order whether it is sensitive: a change as small as rounding changes it by more than the
  // tolerance (find_sensitive). Empty: none is.
  std::vector<bool> is_sensitive{};
};

// Two inferences on the same inputs gave different outputs, so nothing can be compared with them.
inline constexpr const char* kRandom = "random";
// Elements are NaN. The others can be compared.
inline constexpr const char* kNotFinite = "not_finite";
// A shape is not the one that the file declares. One of the two is wrong.
inline constexpr const char* kOtherShape = "other_shape";

// Reference is a mapped reference file. Its data costs memory only while it is read.
class Reference {
 public:
  // Fails if the file is not readable, not a reference file, of the wrong length, or if its data was changed.
  static Result<Reference> open(const std::filesystem::path& path);

  [[nodiscard]] const ReferenceFacts& facts() const { return facts_; }
  [[nodiscard]] std::span<const OutputView> outputs() const { return outputs_; }

 private:
  std::shared_ptr<const void> mapping_;
  ReferenceFacts facts_;
  std::vector<OutputView> outputs_;
};

// Replaces the file in one step.
Status write_reference(const std::filesystem::path& path, const ReferenceFacts& facts,
                       std::span<const OutputView> outputs);

}  // namespace ngb::worker
