// SPDX-License-Identifier: Apache-2.0
// What a user's model is made of and fed with: files that travel with it, and values that the study gives.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/numpy_file.h"
#include "base/result.h"
#include "base/tensor.h"

namespace ngb {

// A user's file. Elsewhere it lies under its name in a tree of its own, so that files find each other as they do here.
struct UserFile {
  std::string name{};    // "model/net.onnx", "model/weights.bin", "inputs/…"
  std::string path{};    // where it is
  std::string sha256{};  // as it was when the study was planned
  bool operator==(const UserFile&) const = default;
};

// What one input is fed with instead of the usual random numbers.
struct InputValues {
  std::string input{};                               // "": every input that has none of its own
  std::optional<std::pair<double, double>> range{};  // least and largest
  std::string file{};                                // name of a UserFile: .npy or .npz
  std::string array{};                               // in an .npz; "": the one that is called as the input
  bool operator==(const InputValues&) const = default;
};

// Those for this input; null: none.
const InputValues* values_of(const std::vector<InputValues>& all, const std::string& input);

// Null: no such file.
const UserFile* file_called(const std::vector<UserFile>& files, const std::string& name);

// The array that `values` names, in the file at `path`. An input whose leading extent is `batch` takes its first rows.
// Error: as find_array; another element type or shape than the input's, or fewer rows than `batch`.
Result<numpy::Array> fitting_array(const InputValues& values, const std::string& path, const TensorSignature& input,
                                   int batch);

// Error: an end of the range is none of the type's values.
Status check_range(const InputValues& values, const TensorSignature& input);

}  // namespace ngb
