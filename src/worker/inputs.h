// SPDX-License-Identifier: Apache-2.0
// Makes a model's inputs. The values depend only on the study's seed, the input's name and the element's index, so that
// every compiler on every machine receives the same ones.
//
//   u(i) = splitmix64(key, i),  key = mix64(seed) xor fnv1a64(name),  all three as in base/random.h
//   f32, f16, bf16, f64: uniform on the multiples of 2^-23, 2^-10, 2^-7, 2^-52 in [-1, 1), from the top bits of u
//   integers and bool: 0 or 1, the top bit of u
// With a range [a, b], a real number v becomes a + (b - a)·(v + 1)/2, and an integer is a + u mod (b - a + 1).
#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/tensor.h"
#include "ngraphbench/compiler.h"
#include "userfiles/input_values.h"

namespace ngb::worker {

// Writes the elements 0 … count-1 into `data`, which holds at least count · size_bytes(type) bytes.
void fill(DataType type, std::uint64_t seed, std::string_view name, void* data, std::uint64_t count);

// Does the same within a range, whose ends are values of the type.
void fill(DataType type, std::uint64_t seed, std::string_view name, std::pair<double, double> range, void* data,
          std::uint64_t count);

// Inputs owns the inputs of a cell, in buffers aligned to 64 bytes. Its tensors point into it and its signatures.
class Inputs {
 public:
  // Copies the signatures. Fails if an extent is negative or memory does not suffice.
  static Result<Inputs> make(const std::vector<TensorSignature>& signatures, std::uint64_t seed);

  // Replaces the inputs for which the study gives values: seeded values within a range, or arrays of users' files, of
  // which the rows `run`·batch … are used. Fails if a file cannot be read or does not fit its input.
  Status put(const std::vector<work::InputValues>& values, const std::vector<work::UserFile>& files, int batch,
             std::uint64_t seed, std::uint64_t run = 0);

  // Returns the same values for a model whose inputs may have other names, another order or another floating type.
  // Inputs correspond by their names if both sides have the same names, else by their order. Fails if the numbers of
  // inputs, their shapes or types that are not floating differ, or if memory does not suffice.
  [[nodiscard]] Result<Inputs> converted_to(const std::vector<TensorSignature>& signatures) const;

  // Returns the same values at the beginning of each axis of tensors of these shapes, and zeros behind them. Fails if a
  // shape is of another rank or shorter, or if memory does not suffice.
  [[nodiscard]] Result<Inputs> padded_to(const std::vector<TensorSignature>& signatures) const;

  // Multiplies each element of f32 and f64 by 1 + 2^-17 or 1 - 2^-17, by the top bit of u: as much as sums of some
  // thousand terms differ by the order in which they are added. Returns whether there is such an input.
  bool nudge(std::uint64_t seed);

  // Returns the tensors with data, for bind.
  [[nodiscard]] std::span<const ngb_tensor> tensors() const { return tensors_; }

 private:
  struct Free {
    void operator()(void* data) const { std::free(data); }
  };
  std::unique_ptr<std::vector<TensorSignature>> signatures_;
  std::vector<std::unique_ptr<void, Free>> buffers_;
  std::vector<ngb_tensor> tensors_;
};

// Returns for each of `ours` the place of the one of `theirs` that it corresponds to: by name if both have the same
// names, else by order. Precondition: there are equally many.
std::vector<std::size_t> places_of(const std::vector<std::string>& ours, const std::vector<std::string>& theirs);

// Returns the tensors without data, for compile. `signatures` must outlive the result.
std::vector<ngb_tensor> describe(const std::vector<TensorSignature>& signatures);

}  // namespace ngb::worker
