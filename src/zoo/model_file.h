// SPDX-License-Identifier: Apache-2.0
// ModelFile writes a graph as an ONNX file. Everything except the weights is written in the wire form of protobuf
// (base/onnx_wire.h); weights are generated directly at their offsets, because fields may come in any order. If
// the protobuf message would exceed a given size (2 GB at most), a second file beside the model holds the weights.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "base/result.h"
#include "zoo/generated_file.h"
#include "zoo/graph.h"

namespace ngb::zoo {

class ModelFile {
 public:
  // `data_name` is the name of that second file.
  ModelFile(const Graph& graph, const std::string& name, std::uint64_t seed, const std::string& data_name,
            std::uint64_t largest_message_bytes);

  // Returns the size including the second file.
  [[nodiscard]] std::uint64_t size_bytes() const { return model_.size_bytes() + data_.size_bytes(); }
  [[nodiscard]] bool has_external_data() const { return data_.size_bytes() != 0; }

  // Writes as write_onnx of zoo/recipe.h does.
  [[nodiscard]] Status write(const std::filesystem::path& path, int threads) const;

 private:
  void write_inline(const Graph& graph, const std::string& graph_head, std::uint64_t seed);
  void write_beside(const Graph& graph, const std::string& graph_head, std::uint64_t seed);

  std::string data_name_;
  GeneratedFile model_{};
  GeneratedFile data_{};
};

// Serializes the parts of a graph as protobuf messages, and the framing that joins them.

// Returns a ModelProto without its graph: IR 9 for opset 20, IR 12 for opset 24.
std::string serialized_model_head(int opset);
// Returns a GraphProto without initializers: nodes, inputs, outputs and the shapes of all values in between. With a
// dynamic batch, the leading extents of inputs and outputs are named "batch". With that or another open extent, the
// shapes in between are omitted.
std::string serialized_graph_head(const Graph& graph, const std::string& name);
// Returns a TensorProto without its data; for a constant, with it.
std::string serialized_tensor_head(const Initializer& initializer);
// Returns a TensorProto whose data is `size_bytes` at `offset_bytes` of the file `location` beside the model.
std::string serialized_external_tensor(const Tensor& tensor, const std::string& location, std::uint64_t offset_bytes,
                                       std::uint64_t size_bytes);

}  // namespace ngb::zoo
