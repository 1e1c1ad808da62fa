// SPDX-License-Identifier: Apache-2.0
#include "tiny_models.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "apps/revision/revision.h"

namespace ngb::conformance {
namespace {

double keep_bits(double value, int bits) {
  if (value == 0) return 0;
  int exponent = 0;
  const double fraction = std::frexp(value, &exponent);
  return std::ldexp(std::nearbyint(std::ldexp(fraction, bits)), exponent - bits);
}

// Weights with all 24 significant bits in use, between -1 and 1.
std::vector<float> weights(std::size_t count, std::uint32_t state) {
  std::vector<float> values(count);
  for (float& value : values) {
    state = state * 1664525U + 1013904223U;
    value = static_cast<float>(static_cast<double>(state >> 8U) / (1U << 23U) - 1.0);
  }
  return values;
}

double relu(double value) { return std::max(value, 0.0); }

struct ConvShape {
  int in, out, height, width;
};

Values convolve(const ConvShape& s, const Values& x, std::span<const float> w, std::span<const float> bias,
                double (*round)(double)) {
  Values y;
  const auto pixel = [&](int c, int row, int column) {
    const bool is_inside = row >= 0 && row < s.height && column >= 0 && column < s.width;
    return is_inside ? round(x[static_cast<std::size_t>((c * s.height + row) * s.width + column)]) : 0.0;
  };
  for (int o = 0; o < s.out; ++o) {
    for (int row = 0; row < s.height; ++row) {
      for (int column = 0; column < s.width; ++column) {
        double sum = bias[static_cast<std::size_t>(o)];
        for (int tap = 0; tap < s.in * 9; ++tap) {
          const int c = tap / 9;
          const double weight = static_cast<double>(w[static_cast<std::size_t>(o * s.in * 9 + tap)]);
          sum += round(weight) * pixel(c, row + tap % 9 / 3 - 1, column + tap % 3 - 1);
        }
        y.push_back(relu(sum));
      }
    }
  }
  return y;
}

Values multiply(int rows, int inner, int columns, const Values& a, std::span<const float> b, double (*round)(double)) {
  Values y;
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < columns; ++j) {
      double sum = 0;
      for (int k = 0; k < inner; ++k) {
        sum += round(a[static_cast<std::size_t>(i * inner + k)]) *
               round(static_cast<double>(b[static_cast<std::size_t>(k * columns + j)]));
      }
      y.push_back(sum);
    }
  }
  return y;
}

TinyModel conv_like(const std::string& name, const ConvShape& s, std::uint32_t seed) {
  const auto w = weights(static_cast<std::size_t>(s.in * s.out * 9), seed);
  const auto bias = weights(static_cast<std::size_t>(s.out), seed + 1);
  TinyModel model;
  model.name = name;
  model.onnx.inputs = {{"input", DataType::f32, {1, s.in, s.height, s.width}}};
  model.onnx.outputs = {{"output", DataType::f32, {1, s.out, s.height, s.width}}};
  model.onnx.initializers = {{"weight", {s.out, s.in, 3, 3}, w}, {"bias", {s.out}, bias}};
  model.onnx.nodes = {
      {"Conv", {"input", "weight", "bias"}, {"sum"}, {{"kernel_shape", {3, 3}}, {"pads", {1, 1, 1, 1}}}},
      {"Relu", {"sum"}, {"output"}}};
  model.compute = [s, w, bias](const std::vector<Values>& x, double (*round)(double)) {
    return std::vector<Values>{convolve(s, x[0], w, bias, round)};
  };
  return model;
}

TinyModel matmul_like(const std::string& name, int rows, int inner, int columns) {
  const auto b = weights(static_cast<std::size_t>(inner * columns), 7);
  const auto c = weights(static_cast<std::size_t>(columns), 8);
  TinyModel model;
  model.name = name;
  model.onnx.inputs = {{"input", DataType::f32, {rows, inner}}};
  model.onnx.outputs = {{"output", DataType::f32, {rows, columns}}};
  model.onnx.initializers = {{"weight", {inner, columns}, b}, {"bias", {columns}, c}};
  model.onnx.nodes = {{"MatMul", {"input", "weight"}, {"product"}},
                      {"Add", {"product", "bias"}, {"sum"}},
                      {"Relu", {"sum"}, {"output"}}};
  model.compute = [=](const std::vector<Values>& x, double (*round)(double)) {
    Values y = multiply(rows, inner, columns, x[0], b, round);
    for (std::size_t i = 0; i < y.size(); ++i) {
      y[i] = relu(y[i] + static_cast<double>(c[i % static_cast<std::size_t>(columns)]));
    }
    return std::vector<Values>{y};
  };
  return model;
}

}  // namespace

double exactly(double value) { return value; }
double to_bf16(double value) { return keep_bits(value, 8); }
double to_tf32(double value) { return keep_bits(value, 11); }

TinyModel add_model() {
  TinyModel model;
  model.name = "add";
  model.onnx.inputs = {{"input", DataType::f32, {1, 4}}};
  model.onnx.outputs = {{"output", DataType::f32, {1, 4}}};
  model.onnx.initializers = {{"steps", {4}, {1, 2, 3, 4}}};
  model.onnx.nodes = {{"Add", {"input", "steps"}, {"output"}}};
  model.compute = [](const std::vector<Values>& x, double (*)(double)) {
    return std::vector<Values>{{x[0][0] + 1, x[0][1] + 2, x[0][2] + 3, x[0][3] + 4}};
  };
  return model;
}

TinyModel matmul_model() { return matmul_like("matmul", 3, 5, 4); }
TinyModel conv_model() { return conv_like("conv", {2, 3, 5, 6}, 11); }
TinyModel precise_matmul_model() { return matmul_like("precise_matmul", 16, 512, 16); }
TinyModel precise_conv_model() { return conv_like("precise_conv", {32, 16, 16, 16}, 13); }

TinyModel beside(const TinyModel& first, const TinyModel& second) {
  TinyModel both = first;
  both.name += " and " + second.name;
  const auto renamed = [](auto parts) {
    for (auto& part : parts) part.name += "_2";
    return parts;
  };
  std::ranges::copy(renamed(second.onnx.inputs), std::back_inserter(both.onnx.inputs));
  std::ranges::copy(renamed(second.onnx.outputs), std::back_inserter(both.onnx.outputs));
  std::ranges::copy(renamed(second.onnx.initializers), std::back_inserter(both.onnx.initializers));
  for (Node node : second.onnx.nodes) {
    for (std::string& name : node.inputs) name += "_2";
    for (std::string& name : node.outputs) name += "_2";
    both.onnx.nodes.push_back(node);
  }
  both.compute = [first, second](const std::vector<Values>& x, double (*round)(double)) {
    const auto middle = x.begin() + static_cast<std::ptrdiff_t>(first.onnx.inputs.size());
    std::vector<Values> y = first.compute({x.begin(), middle}, round);
    std::ranges::copy(second.compute({middle, x.end()}, round), std::back_inserter(y));
    return y;
  };
  return both;
}

TinyModel two_by_two_model() {
  TinyModel model;
  model.name = "two_by_two";
  model.onnx.inputs = {{"left", DataType::f32, {2, 3}}, {"right", DataType::f32, {2, 3}}};
  model.onnx.outputs = {{"sum", DataType::f32, {2, 3}}, {"product", DataType::f32, {2, 3}}};
  model.onnx.nodes = {{"Add", {"left", "right"}, {"sum"}}, {"Mul", {"left", "right"}, {"product"}}};
  model.compute = [](const std::vector<Values>& x, double (*)(double)) {
    std::vector<Values> y(2);
    for (std::size_t i = 0; i < 6; ++i) {
      y[0].push_back(x[0][i] + x[1][i]);
      y[1].push_back(x[0][i] * x[1][i]);
    }
    return y;
  };
  return model;
}

TinyModel busy_model() {
  TinyModel model;
  model.name = "busy";
  constexpr int kChannels = 64;
  model.onnx.inputs = {{"input", DataType::f32, {1, kChannels, 56, 56}}};
  model.onnx.outputs = {{"output", DataType::f32, {1, kChannels, 56, 56}}};
  std::vector<float> w = weights(kChannels * kChannels * 9, 17);
  for (float& value : w) value *= 0.02F;
  model.onnx.initializers = {{"weight", {kChannels, kChannels, 3, 3}, w}};
  std::string last = "input";
  for (int i = 0; i < 5; ++i) {
    const std::string next = i == 4 ? "output" : "layer" + std::to_string(i);
    model.onnx.nodes.push_back({"Conv", {last, "weight"}, {next}, {{"kernel_shape", {3, 3}}, {"pads", {1, 1, 1, 1}}}});
    last = next;
  }
  return model;
}

TinyModel dynamic_output_model() {
  TinyModel model;
  model.name = "dynamic_output";
  model.onnx.inputs = {{"input", DataType::f32, {2, 3}}};
  model.onnx.outputs = {{"output", DataType::i64, {2, -1}}};
  model.onnx.nodes = {{"Relu", {"input"}, {"positive"}}, {"NonZero", {"positive"}, {"output"}}};
  // The coordinates of the positive elements: rows first, then columns.
  model.compute = [](const std::vector<Values>& x, double (*)(double)) {
    Values rows;
    Values columns;
    for (std::size_t i = 0; i < 6; ++i) {
      if (x[0][i] <= 0) continue;
      rows.push_back(static_cast<double>(i / 3));
      columns.push_back(static_cast<double>(i % 3));
    }
    rows.insert(rows.end(), columns.begin(), columns.end());
    return std::vector<Values>{rows};
  };
  return model;
}

std::vector<TinyModel> models_with_known_outputs() {
  return {add_model(), matmul_model(), conv_model(), two_by_two_model()};
}

std::vector<TinyModel> model_of_this_commit() {
  const std::vector<TinyModel> all = models_with_known_outputs();
  const std::string commit = app::this_revision().commit;
  const std::size_t digit = commit.empty() ? 0 : static_cast<std::size_t>(commit.back());
  return {all[digit % all.size()]};
}

}  // namespace ngb::conformance
