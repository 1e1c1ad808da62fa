// SPDX-License-Identifier: Apache-2.0
// Small models and what they compute, worked out here in double by plain loops.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "tiny_onnx.h"

namespace ngb::conformance {

using Values = std::vector<double>;

struct TinyModel {
  std::string name{};
  TinyOnnx onnx{};
  // Inputs (in order) to outputs (in order). `round` is applied to what goes into each product: the identity for f32,
  // a coarser rounding to see what a reduced precision would yield.
  std::function<std::vector<Values>(const std::vector<Values>& inputs, double (*round)(double))> compute{};
};

double exactly(double value);
// To the 8 significant bits of bf16, the 11 of tf32 and f16.
double to_bf16(double value);
double to_tf32(double value);

// output = input + [1, 2, 3, 4], the smallest model that computes something: [1, 4].
TinyModel add_model();
// Relu(a·B + c): [3, 5] by [5, 4].
TinyModel matmul_model();
// 3×3 convolution, padded by 1, with bias, then Relu: [1, 2, 5, 6] to 3 channels.
TinyModel conv_model();
// Two inputs, two outputs: left + right, left · right.
TinyModel two_by_two_model();
// Long dot products of values with 24 significant bits: [16, 512] by [512, 16].
TinyModel precise_matmul_model();
// The same as a convolution: [1, 32, 16, 16] to 16 channels.
TinyModel precise_conv_model();
// Both in one model, one beside the other: what takes long to compile is compiled once. Inputs and outputs are in the
// order of the two.
TinyModel beside(const TinyModel& first, const TinyModel& second);
// Enough work for some milliseconds on one thread: five convolutions of [1, 64, 56, 56]. Computes nothing here.
TinyModel busy_model();
// NonZero: the output's shape is known only after a run.
TinyModel dynamic_output_model();

std::vector<TinyModel> models_with_known_outputs();
// Returns one of them, another one for another commit: for compilers that take long for each.
std::vector<TinyModel> model_of_this_commit();

}  // namespace ngb::conformance
