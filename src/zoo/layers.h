// SPDX-License-Identifier: Apache-2.0
// torch.nn modules as ONNX operators: each adds its initializers (named as in the module's state_dict), its nodes and
// its row of the layer table. `name` is the module's path. Images are [batch, channels, height, width], tokens
// [batch, …, features].
#pragma once

#include <string>
#include <vector>

#include "zoo/graph.h"

namespace ngb::zoo {

// A parameter that is a module's own, used by other operators; a row of the table without MACs.
Tensor parameter(Graph& graph, const std::string& name, const Shape& shape, Fill fill);

// Nearest multiple of 8, but at least 8 and not less than nine tenths of `channels` (timm's make_divisible).
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

// `name`.weight [channels, input channels / groups, kernel, kernel], `name`.bias [channels].
Tensor conv2d(Graph& graph, const std::string& name, const Tensor& x, const Conv2d& options);

// `name`.weight, .bias, .running_mean, .running_var, each [channels]; eps 1e-5. `scale` is the mean of the weight.
// torchinfo does not see the parameters of a module that has modules inside, such as timm's BatchNormAct2d.
Tensor batch_norm2d(Graph& graph, const std::string& name, const Tensor& x, float scale = 1,
                    bool seen_by_torchinfo = true);

struct Linear {
  std::int64_t features = 1;  // of the output
  double gain = 2;            // of the weights' variance: gain / fan_in
  bool bias = true;
  bool seen_by_torchinfo = true;  // not inside torch's MultiheadAttention
};

// x [batch, features] → [batch, features]; `name`.weight [out, in] as torch keeps it, `name`.bias [out].
// x [batch, …, features] → [batch, …, features]: a MatMul, whose `name`.weight is [in, out], torch's transposed. ONNX
// has no operator for torch's layout there, and a Transpose of each weight would be left to every compiler.
Tensor linear(Graph& graph, const std::string& name, const Tensor& x, const Linear& options);
// The same with torch's names for a parameter of its own: weight and bias are called in full.
Tensor linear(Graph& graph, const std::string& name, const Tensor& x, const Linear& options, const std::string& weight,
              const std::string& bias);

// Over the last dimension; `name`.weight and `name`.bias, each [features].
Tensor layer_norm(Graph& graph, const std::string& name, const Tensor& x, float epsilon);
// Of images, over the channels (timm's LayerNorm2d).
Tensor layer_norm2d(Graph& graph, const std::string& name, const Tensor& x, float epsilon);
// x × the parameter `name` [features], along the last dimension; the values lie around `center`.
Tensor layer_scale(Graph& graph, const std::string& name, const Tensor& x, float center);
// Of images, over the channels: the parameter is [channels, 1, 1], where torch keeps [channels].
Tensor layer_scale2d(Graph& graph, const std::string& name, const Tensor& x, float center);

// Element by element.
enum class Activation { relu, sigmoid, silu, hard_sigmoid, hard_swish, gelu };
Tensor activate(Graph& graph, const std::string& name, const Tensor& x, Activation kind);
Tensor relu(Graph& graph, const std::string& name, const Tensor& x);
// Over the last dimension.
Tensor softmax(Graph& graph, const std::string& name, const Tensor& x);
// a + b and a × b; b may lack leading extents or have extents of 1 where a has more.
Tensor add(Graph& graph, const std::string& name, const Tensor& a, const Tensor& b);
Tensor multiply(Graph& graph, const std::string& name, const Tensor& a, const Tensor& b);
// a [batch, …, m, k] × b [batch, …, k, n].
Tensor matrix_product(Graph& graph, const std::string& name, const Tensor& a, const Tensor& b);

struct Window {
  std::int64_t kernel = 1;
  std::int64_t stride = 1;
  std::int64_t padding = 0;
};
Tensor max_pool2d(Graph& graph, const std::string& name, const Tensor& x, const Window& window);
// [batch, channels, 1, 1]
Tensor global_average_pool(Graph& graph, const std::string& name, const Tensor& x);
// Over the given axes, which go.
Tensor mean(Graph& graph, const std::string& name, const Tensor& x, const std::vector<std::int64_t>& axes);
// [batch, everything else]
Tensor flatten(Graph& graph, const std::string& name, const Tensor& x);

}  // namespace ngb::zoo
