// SPDX-License-Identifier: Apache-2.0
// An ONNX graph under construction: nodes, initializers that are described but not filled, and a record of each layer
// from which parameters and MACs are counted. Layers (zoo/layers.h) are built from `node` and `initializer`.
//
// The first impossibility (an extent that becomes 0, a count that overflows, a name given twice) is kept in `status`;
// whatever is added after it is ignored and yields an empty Tensor, so that builders read straight through.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_set>
#include <variant>
#include <vector>

#include "base/result.h"
#include "base/tensor.h"
#include "zoo/weights.h"

namespace ngb::zoo {

using Shape = std::vector<std::int64_t>;

// A value of the graph: what a node yields, an input, or an initializer. Row-major, batch first.
using Tensor = TensorSignature;

using AttributeValue = std::variant<std::int64_t, float, std::string, std::vector<std::int64_t>>;

struct Attribute {
  std::string name{};
  AttributeValue value{};
};

struct Node {
  std::string name{};
  std::string op_type{};
  std::vector<std::string> inputs{};  // "" for an optional input that is left out
  std::vector<Attribute> attributes{};
  std::vector<Tensor> outputs{};
};

// What an initializer holds: f32 values from the generator, or constants as they are: integers (shapes, axes, indices),
// f32 (masks, factors).
using Content = std::variant<Fill, std::vector<std::int64_t>, std::vector<float>>;

struct Initializer {
  Tensor tensor{};
  Content content{};
};

// One row of the layer table.
struct Layer {
  std::string name{};     // path in the module tree: "layer1.0.conv1"
  std::string op_type{};  // ONNX operator
  Shape output_shape{};
  std::uint64_t parameters = 0;      // trainable
  std::uint64_t macs = 0;            // multiply-accumulates of convolutions and matrix products
  std::uint64_t macs_torchinfo = 0;  // what torchinfo counts for the module: see zoo/counting.h
};

// A fixed number of samples, or any: then the graph is built with one sample, and nothing in it may depend on that.
enum class BatchKind { fixed, dynamic };

class Graph {
 public:
  explicit Graph(BatchKind batch = BatchKind::fixed) : batch_(batch) {}

  [[nodiscard]] bool has_dynamic_batch() const { return batch_ == BatchKind::dynamic; }

  Tensor input(std::string name, DataType type, Shape shape);
  // A parameter or buffer of the torch module, named as in its state_dict.
  Tensor initializer(std::string name, Shape shape, Fill fill);
  // A constant of the graph that is not in the state_dict: its name contains a slash, which torch's never do.
  Tensor constant(std::string name, Shape shape, std::vector<std::int64_t> values);
  Tensor constant(std::string name, Shape shape, std::vector<float> values);
  // A node with one output; the output has the node's name, and the type of the first input unless told otherwise.
  Tensor node(std::string op_type, std::string name, const std::vector<Tensor>& inputs,
              std::vector<Attribute> attributes, const Shape& output_shape, std::optional<DataType> type = {});
  // A node with one output for each part, of the type of the first input, called "name/part".
  std::vector<Tensor> node(std::string op_type, std::string name, const std::vector<Tensor>& inputs,
                           std::vector<Attribute> attributes, const std::vector<std::string>& parts,
                           const Shape& part_shape);
  void layer(Layer row);
  // Makes a node's output an output of the graph, under a name of its own.
  void output(const Tensor& tensor, const std::string& name);

  void refuse(Error error);
  [[nodiscard]] bool failed() const { return !status_.has_value(); }
  [[nodiscard]] const Status& status() const { return status_; }

  [[nodiscard]] const std::vector<Tensor>& inputs() const { return inputs_; }
  [[nodiscard]] const std::vector<Tensor>& outputs() const { return outputs_; }
  [[nodiscard]] const std::vector<Node>& nodes() const { return nodes_; }
  [[nodiscard]] const std::vector<Initializer>& initializers() const { return initializers_; }
  [[nodiscard]] const std::vector<Layer>& layers() const { return layers_; }

 private:
  bool accept(const Tensor& tensor);
  Tensor add_constant(Tensor tensor, Content content, std::size_t count);

  BatchKind batch_;
  std::vector<Tensor> inputs_{};
  std::vector<Tensor> outputs_{};
  std::vector<Node> nodes_{};
  std::vector<Initializer> initializers_{};
  std::vector<Layer> layers_{};
  std::unordered_set<std::string> names_{};
  Status status_ = Done{};
};

}  // namespace ngb::zoo
