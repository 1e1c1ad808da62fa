// SPDX-License-Identifier: Apache-2.0
// torch.nn modules as ONNX operators: each adds its initializers (named as in the module's state_dict), its node and
// its row of the layer table. `name` is the module's path. Activations are [batch, channels, height, width].
#pragma once

#include <string>

#include "zoo/graph.h"

namespace ngb::zoo {

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
Tensor batch_norm2d(Graph& graph, const std::string& name, const Tensor& x, float scale = 1);

struct Linear {
  std::int64_t features = 1;  // of the output
  double gain = 2;            // of the weights' variance: gain / fan_in
};

// x [batch, features] → [batch, features]; `name`.weight [out, in] as torch keeps it, `name`.bias [out].
Tensor linear(Graph& graph, const std::string& name, const Tensor& x, const Linear& options);

Tensor relu(Graph& graph, const std::string& name, const Tensor& x);
// a + b, of equal shapes.
Tensor add(Graph& graph, const std::string& name, const Tensor& a, const Tensor& b);

struct Window {
  std::int64_t kernel = 1;
  std::int64_t stride = 1;
  std::int64_t padding = 0;
};
Tensor max_pool2d(Graph& graph, const std::string& name, const Tensor& x, const Window& window);
// [batch, channels, 1, 1]
Tensor global_average_pool(Graph& graph, const std::string& name, const Tensor& x);
// [batch, everything else]
Tensor flatten(Graph& graph, const std::string& name, const Tensor& x);

}  // namespace ngb::zoo
