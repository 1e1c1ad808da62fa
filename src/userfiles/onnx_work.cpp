// SPDX-License-Identifier: Apache-2.0
#include "userfiles/onnx_work.h"

#include <algorithm>
#include <array>
#include <string_view>

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

}  // namespace ngb::userfiles
