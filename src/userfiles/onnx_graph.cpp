// SPDX-License-Identifier: Apache-2.0
#include "userfiles/onnx_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "base/mapped_file.h"
#include "base/onnx_wire.h"
#include "userfiles/onnx_extents.h"
#include "userfiles/onnx_operator.h"

namespace ngb::userfiles {

namespace {

constexpr std::array<std::string_view, 20> kNotCounted{"Attention",
                                                       "Col2Im",
                                                       "ConvInteger",
                                                       "DFT",
                                                       "DeformConv",
                                                       "Det",
                                                       "Einsum",
                                                       "GRU",
                                                       "If",
                                                       "LSTM",
                                                       "Loop",
                                                       "LinearAttention",
                                                       "MatMulInteger",
                                                       "MelWeightMatrix",
                                                       "QLinearConv",
                                                       "QLinearMatMul",
                                                       "RNN",
                                                       "RotaryEmbedding",
                                                       "Scan",
                                                       "SequenceMap"};

GraphTensor output_of(const Operator& node, const GraphTensors& tensors) {
  if (node.outputs.empty()) return {};
  const auto found = tensors.find(node.outputs.front());
  return found == tensors.end() ? GraphTensor() : found->second;
}

std::optional<std::uint64_t> product(std::optional<std::uint64_t> a, std::optional<std::uint64_t> b) {
  std::uint64_t both = 0;
  if (!a || !b || __builtin_mul_overflow(*a, *b, &both)) return std::nullopt;
  return both;
}

// Returns the elements of a weight for one of its first axis: input channels / groups × kernel area.
std::optional<std::uint64_t> elements_of_filter(const GraphTensor& weight) {
  if (!weight.extents || weight.extents->empty()) return std::nullopt;
  return product_of(Extents(weight.extents->begin() + 1, weight.extents->end()));
}

std::optional<std::uint64_t> last_extent(const GraphTensor& tensor) {
  if (!tensor.extents || tensor.extents->empty()) return std::nullopt;
  return static_cast<std::uint64_t>(tensor.extents->back());
}

}  // namespace

std::optional<std::uint64_t> macs_of(const Operator& node, const GraphTensors& tensors) {
  if (!node.is_standard()) return std::nullopt;
  if (std::find(kNotCounted.begin(), kNotCounted.end(), node.type) != kNotCounted.end()) return std::nullopt;
  const std::optional<std::uint64_t> outputs = output_of(node, tensors).elements();
  if (node.type == "Conv") return product(outputs, elements_of_filter(node.input(1, tensors)));
  if (node.type == "ConvTranspose") {
    return product(node.input(0, tensors).elements(), elements_of_filter(node.input(1, tensors)));
  }
  if (node.type == "MatMul") return product(outputs, last_extent(node.input(0, tensors)));
  if (node.type == "Gemm") {
    const GraphTensor a = node.input(0, tensors);
    if (!a.extents || a.extents->size() != 2) return std::nullopt;
    return product(outputs, static_cast<std::uint64_t>((*a.extents)[node.integer("transA", 0) != 0 ? 0 : 1]));
  }
  return 0;
}

std::optional<std::uint64_t> bytes_read(const Operator& node, std::size_t index, const GraphTensors& tensors) {
  constexpr std::array<std::string_view, 5> kChoosing{"Gather", "GatherElements", "GatherND", "Shape", "Slice"};
  constexpr std::array<std::string_view, 14> kToldByLists{
      "Expand",  "Pad",    "ReduceL2", "ReduceMax", "ReduceMean", "ReduceMin", "ReduceSum",
      "Reshape", "Resize", "Slice",    "Split",     "Squeeze",    "Tile",      "Unsqueeze"};
  const std::optional<std::uint64_t> whole = node.input(index, tensors).bytes();
  const bool is_list =
      index > 0 && std::find(kToldByLists.begin(), kToldByLists.end(), node.type) != kToldByLists.end();
  if (is_list) return whole.value_or(0);
  const bool chooses = std::find(kChoosing.begin(), kChoosing.end(), node.type) != kChoosing.end();
  if (index != 0 || !chooses) return whole;
  const std::optional<std::uint64_t> written = output_of(node, tensors).bytes();
  return whole && written ? std::optional(std::min(*whole, *written)) : written;
}

namespace {

class GraphReader {
 public:
  // Returns whether the bytes are a model.
  bool read(std::string_view model) {
    bool has_graph = false;
    const bool is_message = wire::each_part(model, [&](const wire::Part& part) {
      if (part.field != wire::kModelGraph || part.integer) return true;
      has_graph = true;
      return wire::each_part(part.bytes, [this](const wire::Part& each) { return add(each); });
    });
    return is_message && has_graph && !nodes_.empty();
  }

  // `inputs` are the tensors that the model receives: the file may leave their shapes open.
  std::vector<work::GraphNode> finish(std::span<const TensorSignature> inputs) {
    for (const TensorSignature& input : inputs) {
      if (tensors_[input.name].is_weight) continue;
      tensors_[input.name] = {.extents = input.shape, .element_bytes = size_bytes(input.type)};
    }
    for (const Operator& each : operators_) find_outputs(each, tensors_);
    for (std::size_t i = 0; i < nodes_.size(); ++i) describe(nodes_[i], operators_[i]);
    give_names();
    return std::move(nodes_);
  }

 private:
  bool add(const wire::Part& part) {
    if (part.integer) return true;
    switch (part.field) {
      case wire::kGraphNode:
        return add_node(part.bytes);
      case wire::kGraphInput:
        computed_.insert(wire::text_in(part.bytes, wire::kValueName));
        return describe_tensor(part.bytes);
      case wire::kGraphOutput:
      case wire::kGraphValue:
        return describe_tensor(part.bytes);
      case wire::kGraphInitializer:
        return add_weight(part.bytes);
      case wire::kGraphSparseInitializer:
        return wire::each_part(part.bytes, [this](const wire::Part& values) {
          if (values.field == wire::kSparseValues && !values.integer)
            tensors_[wire::text_in(values.bytes, wire::kTensorName)].is_weight = true;
          return true;
        });
      default:
        return true;
    }
  }

  bool add_weight(std::string_view message) {
    auto weight = read_weight(message);
    if (weight) tensors_[weight->first] = std::move(weight->second);
    return weight.has_value();
  }

  bool describe_tensor(std::string_view message) {
    auto tensor = read_description(message);
    if (tensor) tensors_.emplace(std::move(tensor->first), std::move(tensor->second));  // a weight stays one
    return tensor.has_value();
  }

  bool add_node(std::string_view message) {
    auto read = read_operator(message);
    if (!read) return false;
    nodes_.push_back({.name = wire::text_in(message, wire::kNodeName), .type = read->type});
    for (const std::string& each : read->outputs) computed_.insert(each);
    operators_.push_back(*std::move(read));
    return true;
  }

  [[nodiscard]] const GraphTensor& tensor(const std::string& name) { return tensors_[name]; }

  void describe(work::GraphNode& node, const Operator& from) {
    node.macs = macs_of(from, tensors_);
    node.weight_bytes = 0;
    for (std::size_t i = 0; i < from.inputs.size(); ++i) {
      const std::string& name = from.inputs[i];
      if (name.empty()) continue;
      const std::optional<std::uint64_t> bytes = bytes_read(from, i, tensors_);
      if (tensor(name).is_weight) {
        node.weight_bytes = node.weight_bytes && bytes ? std::optional(*node.weight_bytes + *bytes) : std::nullopt;
      } else if (computed_.contains(name)) {
        node.inputs.push_back(name);
        node.input_bytes.push_back(bytes);
      }
    }
    for (const std::string& name : from.outputs) {
      if (name.empty()) continue;
      node.outputs.push_back(name);
      node.output_bytes.push_back(tensor(name).bytes());
    }
  }

  void give_names() {
    std::unordered_map<std::string, std::size_t> counts;
    for (const work::GraphNode& node : nodes_) ++counts[node.name];
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      const bool has_own_name = !nodes_[i].name.empty() && counts[nodes_[i].name] == 1;
      if (!has_own_name) nodes_[i].name = fmt::format("{}:{}", nodes_[i].type, i);
    }
  }

  std::vector<work::GraphNode> nodes_{};
  std::vector<Operator> operators_{};  // of each node
  GraphTensors tensors_{};
  std::unordered_set<std::string> computed_{};  // that nodes write or the model receives; old files list weights, too
};

}  // namespace

Result<std::vector<work::GraphNode>> read_graph(const std::filesystem::path& path,
                                                std::span<const TensorSignature> inputs) {
  const tl::unexpected<Error> no_model = fail("not an ONNX model, or a truncated or damaged one", path.string(),
                                              "check the file, for instance with onnx.checker");
  const Result<MappedFile> mapped = map_file(path);
  if (!mapped) return error_of(mapped);
  GraphReader reader;
  if (!reader.read(mapped->bytes)) return no_model;
  return reader.finish(inputs);
}

}  // namespace ngb::userfiles
