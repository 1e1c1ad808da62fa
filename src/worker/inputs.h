// SPDX-License-Identifier: Apache-2.0
// What a model is fed with: values that depend on the study's seed, the input's name and the element's index, and on
// nothing else, so that every compiler on every machine sees the same ones.
//
//   u(i) = mix(key + (i + 1)·G),  key = mix(seed) xor fnv1a64(name),  G = 0x9E3779B97F4A7C15
//   mix: the finalizer of SplitMix64 (Steele, Lea, Flood, 2014); fnv1a64: FNV-1a of 64 bits
//   f32, f16, bf16, f64: uniform on the multiples of 2^-23, 2^-10, 2^-7, 2^-52 in [-1, 1), from the top bits of u
//   integers and bool: 0 or 1, the top bit of u
// With a range [a, b]: real numbers a + (b - a)·(v + 1)/2 of those v; integers a + u mod (b - a + 1).
#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/input_values.h"
#include "base/result.h"
#include "base/tensor.h"
#include "ngraphbench/compiler.h"

namespace ngb::worker {

// Dense elements 0 … count-1 into `data`, which holds at least count · size_bytes(type).
void fill(DataType type, std::uint64_t seed, std::string_view name, void* data, std::uint64_t count);

// The same within a range, both ends of which are values of the type.
void fill(DataType type, std::uint64_t seed, std::string_view name, std::pair<double, double> range, void* data,
          std::uint64_t count);

// The inputs of a cell, in buffers aligned to 64 bytes. The tensors point into this object and the signatures.
class Inputs {
 public:
  // Copies the signatures. Error: a negative extent, or more memory than there is.
  static Result<Inputs> make(const std::vector<TensorSignature>& signatures, std::uint64_t seed);

  // Replaces what the study says of: values of a range, seeded as ever, or those of the user's files. Error: a file
  // that cannot be read, or does not fit the input.
  Status put(const std::vector<InputValues>& values, const std::vector<UserFile>& files, int batch, std::uint64_t seed);

  // With data, for bind.
  [[nodiscard]] std::span<const ngb_tensor> tensors() const { return tensors_; }

 private:
  struct Free {
    void operator()(void* data) const { std::free(data); }
  };
  std::unique_ptr<std::vector<TensorSignature>> signatures_;
  std::vector<std::unique_ptr<void, Free>> buffers_;
  std::vector<ngb_tensor> tensors_;
};

// The same tensors without data, for compile. `signatures` must outlive the result.
std::vector<ngb_tensor> describe(const std::vector<TensorSignature>& signatures);

}  // namespace ngb::worker
