// SPDX-License-Identifier: Apache-2.0
// Graph is an ONNX graph under construction: nodes, initializers that are described but not filled, and a record of
// each layer from which parameters and MACs are counted. The layers of zoo/layers.h call `node` and `initializer`.
//
// `status` keeps the first error (an extent that becomes 0, a count that overflows, a name that is used twice). Later
// additions are ignored and return an empty Tensor, so that builders need not check each step.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_set>
#include <utility>
#include <variant>
#include <vector>

#include "base/result.h"
#include "base/tensor.h"
#include "zoo/weights.h"

namespace ngb::zoo {

using Shape = std::vector<std::int64_t>;

// Tensor is a value of the graph: a node's output, an input, or an initializer. It is row-major, batch first.
using Tensor = TensorSignature;

// ValueRange is the smallest and the largest value that an input may have, where random numbers would mean nothing.
using ValueRange = std::pair<double, double>;

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

// Content is generated f32 values, constant integers (shapes, axes, indices) or constant f32 (masks, factors).
using Content = std::variant<Fill, std::vector<std::int64_t>, std::vector<float>>;

struct Initializer {
  Tensor tensor{};
  Content content{};
};

// Layer is one row of the layer table.
struct Layer {
  std::string name{};     // path in the module tree: "layer1.0.conv1"
  std::string op_type{};  // ONNX operator
  Shape output_shape{};
  std::uint64_t parameters = 0;      // trainable
  std::uint64_t macs = 0;            // multiply-accumulates of convolutions and matrix products
  std::uint64_t macs_torchinfo = 0;  // what torchinfo counts for the module: see zoo/counting.h
};

// A dynamic graph accepts any number of samples. It is built with one, and nothing in it may depend on that.
enum class BatchKind { fixed, dynamic };

class Graph {
 public:
  explicit Graph(BatchKind batch = BatchKind::fixed) : batch_(batch) {}

  [[nodiscard]] bool has_dynamic_batch() const { return batch_ == BatchKind::dynamic; }

  Tensor input(std::string name, DataType type, Shape shape, std::optional<ValueRange> range = {});
  // Adds a parameter or buffer of the torch module, named as in its state_dict.
  Tensor initializer(std::string name, Shape shape, Fill fill);
  // Adds a constant that is not in the state_dict. Its name contains a slash, which torch's names never do.
  Tensor constant(std::string name, Shape shape, std::vector<std::int64_t> values);
  Tensor constant(std::string name, Shape shape, std::vector<float> values);
  // Adds a node with one output, which has the node's name and, unless `type` is given, the type of the first input.
  Tensor node(std::string op_type, std::string name, const std::vector<Tensor>& inputs,
              std::vector<Attribute> attributes, const Shape& output_shape, std::optional<DataType> type = {});
  // Adds a node with one output per part, named "name/part", with the type of the first input.
  std::vector<Tensor> node(std::string op_type, std::string name, const std::vector<Tensor>& inputs,
                           std::vector<Attribute> attributes, const std::vector<std::string>& parts,
                           const Shape& part_shape);
  void layer(Layer row);
  // Makes a node's output an output of the graph, named `name`.
  void output(const Tensor& tensor, const std::string& name);
  // Leaves an extent of an input or output open: the file gives it this name. Nothing in the graph may depend on it.
  void leave_open(const std::string& tensor, std::size_t axis, std::string extent);

  // Has the graph written for this opset, or a newer one that was required before.
  void require_opset(int opset) { opset_ = std::max(opset_, opset); }
  [[nodiscard]] int opset() const { return opset_; }

  void refuse(Error error);
  [[nodiscard]] bool failed() const { return !status_.has_value(); }
  [[nodiscard]] const Status& status() const { return status_; }

  [[nodiscard]] const std::vector<Tensor>& inputs() const { return inputs_; }
  // Returns the inputs that have a range, by name.
  [[nodiscard]] const std::vector<std::pair<std::string, ValueRange>>& ranges() const { return ranges_; }
  [[nodiscard]] const std::vector<Tensor>& outputs() const { return outputs_; }
  // Returns the extents that are open beside a dynamic batch, by tensor.
  struct OpenExtent {
    std::size_t axis = 0;
    std::string name{};
  };
  [[nodiscard]] const std::map<std::string, OpenExtent>& open_extents() const { return open_extents_; }
  [[nodiscard]] const std::vector<Node>& nodes() const { return nodes_; }
  [[nodiscard]] const std::vector<Initializer>& initializers() const { return initializers_; }
  [[nodiscard]] const std::vector<Layer>& layers() const { return layers_; }

 private:
  bool accept(const Tensor& tensor);
  Tensor add_constant(Tensor tensor, Content content, std::size_t count);

  BatchKind batch_;
  int opset_ = 20;
  std::vector<Tensor> inputs_{};
  std::vector<std::pair<std::string, ValueRange>> ranges_{};
  std::vector<Tensor> outputs_{};
  std::map<std::string, OpenExtent> open_extents_{};
  std::vector<Node> nodes_{};
  std::vector<Initializer> initializers_{};
  std::vector<Layer> layers_{};
  std::unordered_set<std::string> names_{};
  Status status_ = Done{};
};

}  // namespace ngb::zoo
