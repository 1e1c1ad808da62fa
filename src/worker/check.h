// SPDX-License-Identifier: Apache-2.0
// Checks outputs against the reference. A compiler that is fast and wrong has no speed.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "samples/process_result.h"
#include "work/protocol.h"
#include "worker/reference_file.h"

namespace ngb::worker {

struct Tolerance {
  double absolute = 0;
  double relative = 0;
  bool is_of_largest = false;  // the absolute part is a share of the output's largest finite |reference|
  std::string arithmetic{};    // that it follows: "f16", "bf16", "int8"; "": f32, or the study sets it
  bool allows_rare = false;    // one element of 10,000 may differ by ten times as much
};

// Returns what the study asks for, or what suits the model's arithmetic (work::Model::arithmetic), which is at least as
// coarse as the type of any reference output. In f16, bf16 and int8 results are sums of terms that were rounded
// relative to the largest of them; 8 bits divide the largest value into 128 steps.
//   f32: 1e-4 + 1e-3·|b|;  f16: 0.01·max|b| + 0.01·|b|;  bf16 and int8: 0.05·max|b| + 0.05·|b|
// If the study asks for nothing, rare elements may differ by more: where a function is steep, such as an angle near 0,
// rounding differs by more in a few of the many elements of an image.
Tolerance tolerance_for(const work::Tolerances& asked, const std::string& arithmetic,
                        std::span<const OutputView> reference);

// Returns "0.0001 + 0.001·|reference|" or "0.01·largest |reference| + 0.01·|reference| (f16)".
std::string describe(const Tolerance& tolerance);

struct Verdict {
  samples::Check check{};
  std::optional<std::string> difference{};  // nothing if the outputs agree
  bool is_comparable = true;                // count, types and shapes are equal
  bool differs_in_shape_only = false;       // the elements agree in their order
};

// Compares the outputs one by one in order. Count, types and shapes must be equal; names may differ.
// Floating point: |a - b| <= absolute + relative·|b|, where b is the reference, computed in double. A reference that is
// NaN judges nothing: any value agrees with it. NaN does not agree with a number, and an infinity only with the same
// infinity. Integers and booleans must be equal.
// The verdict counts the elements that are finite in both, and those that a compiler could guess: their reference is at
// most the absolute tolerance, or their output has one value throughout. If there are none of the former, or hardly any
// but the latter, outputs may agree but prove little.
// `noun` is what the difference calls `reference`.
// The largest errors are over these elements. They are unknown without one, or if NaN or infinity is in one output
// only.
Verdict compare(std::span<const OutputView> outputs, std::span<const OutputView> reference,
                const std::string& reference_name, const Tolerance& tolerance, const char* noun = "the reference");

// Says which outputs are NaN: 'output "y" is nan at [0, 1]; 34 of 64 elements are not finite'; "" if none is.
std::string describe_nan(std::span<const OutputView> outputs);

// Says which output has another rank or extent than the model's file declares; "" if none has. Outputs without a
// declaration of their name fit.
std::string describe_other_shape(std::span<const OutputView> outputs, const std::vector<TensorSignature>& declared);

}  // namespace ngb::worker
