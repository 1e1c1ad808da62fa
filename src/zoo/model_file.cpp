// SPDX-License-Identifier: Apache-2.0
#include "zoo/model_file.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "onnx/onnx.pb.h"
#include "zoo/onnx_messages.h"

namespace ngb::zoo {
namespace {

constexpr std::uint64_t kPageBytes = 4096;  // external tensors that begin on a page boundary can be mapped

std::uint64_t value_bytes(const Initializer& initializer) {
  return std::holds_alternative<Fill>(initializer.content) ? initializer.tensor.element_count() * sizeof(float) : 0;
}

// Returns the bytes that precede an initializer's values in the graph, or all its bytes if it stores no values there.
std::string inline_head(const Initializer& initializer) {
  const std::uint64_t values = value_bytes(initializer);
  std::string head = serialized_tensor_head(initializer);
  if (values != 0) head += field_start(onnx::TensorProto::kRawDataFieldNumber, values);
  return field_start(onnx::GraphProto::kInitializerFieldNumber, head.size() + values) + head;
}

std::string model_start(const std::string& graph_head, std::uint64_t graph_bytes) {
  return serialized_model_head() + field_start(onnx::ModelProto::kGraphFieldNumber, graph_bytes) + graph_head;
}

}  // namespace

ModelFile::ModelFile(const Graph& graph, const std::string& name, std::uint64_t seed, const std::string& data_name,
                     std::uint64_t largest_message_bytes)
    : data_name_(data_name) {
  const std::string graph_head = serialized_graph_head(graph, name);
  write_inline(graph, graph_head, seed);
  if (model_.size_bytes() <= largest_message_bytes) return;
  model_ = {};
  write_beside(graph, graph_head, seed);
}

void ModelFile::write_inline(const Graph& graph, const std::string& graph_head, std::uint64_t seed) {
  std::vector<std::string> heads;
  std::uint64_t graph_bytes = graph_head.size();
  for (const Initializer& initializer : graph.initializers()) {
    heads.push_back(inline_head(initializer));
    graph_bytes += heads.back().size() + value_bytes(initializer);
  }
  model_.add_text(model_start(graph_head, graph_bytes));
  for (std::size_t i = 0; i < heads.size(); ++i) {
    const Initializer& initializer = graph.initializers()[i];
    model_.add_text(std::move(heads[i]));
    if (const Fill* fill = std::get_if<Fill>(&initializer.content)) {
      model_.add_values(initializer.tensor.element_count(), *fill, tensor_key(seed, initializer.tensor.name));
    }
  }
}

void ModelFile::write_beside(const Graph& graph, const std::string& graph_head, std::uint64_t seed) {
  std::string initializers;
  for (const Initializer& initializer : graph.initializers()) {
    const Fill* fill = std::get_if<Fill>(&initializer.content);
    if (fill == nullptr) {
      initializers += inline_head(initializer);
      continue;
    }
    data_.add_text(std::string((kPageBytes - data_.size_bytes() % kPageBytes) % kPageBytes, '\0'));
    const std::string head =
        serialized_external_tensor(initializer.tensor, data_name_, data_.size_bytes(), value_bytes(initializer));
    initializers += field_start(onnx::GraphProto::kInitializerFieldNumber, head.size()) + head;
    data_.add_values(initializer.tensor.element_count(), *fill, tensor_key(seed, initializer.tensor.name));
  }
  model_.add_text(model_start(graph_head, graph_head.size() + initializers.size()) + initializers);
}

Status ModelFile::write(const std::filesystem::path& path, int threads) const {
  if (threads < 1) return fail(fmt::format("cannot write on {} threads, expected at least 1", threads), path.string());
  PartialFile model(path);
  if (const Status written = model_.write(model, threads); !written) return written;
  if (!has_external_data()) return model.put_in_place();
  PartialFile data(path.parent_path() / data_name_);
  if (const Status written = data_.write(data, threads); !written) return written;
  if (const Status placed = data.put_in_place(); !placed) return placed;
  const Status placed = model.put_in_place();
  if (!placed) data.withdraw();
  return placed;
}

}  // namespace ngb::zoo
