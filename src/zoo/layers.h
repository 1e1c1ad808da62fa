// SPDX-License-Identifier: Apache-2.0
// Builds torch.nn modules as ONNX operators. Each function adds initializers (named as in the module's state_dict),
// nodes and a row of the layer table. `name` is the module's path. Images are [batch, channels, height, width], tokens
// [batch, …, features].
#pragma once

#include <string>
#include <vector>

#include "zoo/graph.h"

namespace ngb::zoo {

// Adds a parameter that belongs to a module directly and is used by other operators. Its row of the table has no MACs.
Tensor parameter(Graph& graph, const std::string& name, const Shape& shape, Fill fill);

// Returns the nearest multiple of 8 that is at least 8 and at least nine tenths of `channels` (timm's make_divisible).
std::int64_t round_channels(double channels);

struct Conv2d {
  std::int64_t channels = 1;  // of the output
  std::int64_t kernel = 1;
  std::int64_t stride = 1;
  std::int64_t padding = 0;
  std::int64_t groups = 1;  // divides both channel counts
  bool bias = false;
  double gain = 2;  // of the weights' variance: gain / fan_in
};

// The parameters are `name`.weight [channels, input channels / groups, kernel, kernel] and `name`.bias [channels].
Tensor conv2d(Graph& graph, const std::string& name, const Tensor& x, const Conv2d& options);

// The parameters are `name`.weight, .bias, .running_mean and .running_var, each [channels]; eps is 1e-5; `scale` is the
// mean of the weight. torchinfo counts no parameters of a module that contains modules.
Tensor batch_norm2d(Graph& graph, const std::string& name, const Tensor& x, float scale = 1,
                    bool seen_by_torchinfo = true);

struct Linear {
  std::int64_t features = 1;  // of the output
  double gain = 2;            // of the weights' variance: gain / fan_in
  bool bias = true;
  bool seen_by_torchinfo = true;  // false inside torch's MultiheadAttention
};

// Maps x [batch, features] to [batch, features]; `name`.weight is [out, in] as in torch, `name`.bias is [out].
// Maps x [batch, …, features] by a MatMul whose `name`.weight is [in, out], the transpose of torch's: ONNX has no
// operator for torch's layout there, and a Transpose of each weight would burden every compiler.
Tensor linear(Graph& graph, const std::string& name, const Tensor& x, const Linear& options);
// Does the same with the full names of weight and bias, for modules that own these parameters directly.
Tensor linear(Graph& graph, const std::string& name, const Tensor& x, const Linear& options, const std::string& weight,
              const std::string& bias);

// Normalises over the last dimension. The parameters are `name`.weight and `name`.bias, each [features].
Tensor layer_norm(Graph& graph, const std::string& name, const Tensor& x, float epsilon);
// Divides by the root of the mean square over the last dimension. The parameter is `name`.weight [features].
Tensor rms_norm(Graph& graph, const std::string& name, const Tensor& x, float epsilon);
// Normalises images over the channels (timm's LayerNorm2d).
Tensor layer_norm2d(Graph& graph, const std::string& name, const Tensor& x, float epsilon);
// Multiplies x by the parameter `name` [features] along the last dimension; its values lie around `center`.
Tensor layer_scale(Graph& graph, const std::string& name, const Tensor& x, float center);
// Scales images per channel. The parameter is [channels, 1, 1], where torch has [channels].
Tensor layer_scale2d(Graph& graph, const std::string& name, const Tensor& x, float center);

// Looks up the rows of `table` [rows, features] that `indices` name: [indices …, features].
Tensor embedding(Graph& graph, const std::string& name, const Tensor& table, const Tensor& indices);
// Maps x [batch, tokens, features] to [batch, tokens, rows] by the `table` [rows, features], a parameter that exists.
Tensor linear_by_table(Graph& graph, const std::string& name, const Tensor& x, const Tensor& table);

enum class Activation { relu, sigmoid, silu, hard_sigmoid, hard_swish, gelu, gelu_by_tanh };
Tensor activate(Graph& graph, const std::string& name, const Tensor& x, Activation kind);
Tensor relu(Graph& graph, const std::string& name, const Tensor& x);
// Acts over the last dimension.
Tensor softmax(Graph& graph, const std::string& name, const Tensor& x);
// Return a + b and a × b. b may lack leading extents, and may have extents of 1 where a has more.
Tensor add(Graph& graph, const std::string& name, const Tensor& a, const Tensor& b);
Tensor multiply(Graph& graph, const std::string& name, const Tensor& a, const Tensor& b);
// Multiplies a [batch, …, m, k] by b [batch, …, k, n].
Tensor matrix_product(Graph& graph, const std::string& name, const Tensor& a, const Tensor& b);

// Computes softmax(q kᵀ / √d) v by one operator of opset 24. q is [batch, heads, tokens, d]; k and v are [batch, key
// heads, columns, d], of which the first `filled` [batch] count. `visible` is bool [batch, 1, tokens, columns].
Tensor attention_operator(Graph& graph, const std::string& name, const Tensor& q, const Tensor& k, const Tensor& v,
                          const Tensor& visible, const Tensor& filled);

struct Window {
  std::int64_t kernel = 1;
  std::int64_t stride = 1;
  std::int64_t padding = 0;
};
Tensor max_pool2d(Graph& graph, const std::string& name, const Tensor& x, const Window& window);
// Returns [batch, channels, 1, 1].
Tensor global_average_pool(Graph& graph, const std::string& name, const Tensor& x);
// Averages over the given axes and removes them.
Tensor mean(Graph& graph, const std::string& name, const Tensor& x, const std::vector<std::int64_t>& axes);
// Returns [batch, product of the other extents].
Tensor flatten(Graph& graph, const std::string& name, const Tensor& x);

}  // namespace ngb::zoo
