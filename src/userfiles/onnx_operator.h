// SPDX-License-Identifier: Apache-2.0
// An ONNX graph's tensors and operators, as far as the work of a node depends on them, read from the wire format.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace ngb::userfiles {

using Extents = std::vector<std::int64_t>;
// A larger extent counts as not known, so that sums and products of two fit into 64 bits.
inline constexpr std::int64_t kMostExtent = std::int64_t{1} << 31;
inline constexpr std::size_t kMostValues = 64;  // of a list that may be a shape

struct GraphTensor {
  std::optional<Extents> extents{};              // nothing: not known, or open
  std::optional<std::uint64_t> element_bytes{};  // nothing: not known, or elements that are no numbers of whole bytes
  std::optional<std::vector<std::int64_t>> values{};  // of a short list of integers that depends on no input
  bool is_weight = false;                             // an initializer

  // Return nothing if what they need is not known, or if the product exceeds 64 bits.
  [[nodiscard]] std::optional<std::uint64_t> elements() const;
  [[nodiscard]] std::optional<std::uint64_t> bytes() const;
};
using GraphTensors = std::unordered_map<std::string, GraphTensor>;  // by name

struct Attribute {
  std::vector<std::int64_t> integers{};  // one, or a list
  std::string text{};
  GraphTensor tensor{};
};

struct Operator {
  std::string type{};
  std::string domain{};                // "" or "ai.onnx": the standard's
  std::vector<std::string> inputs{};   // "": one that is left out
  std::vector<std::string> outputs{};  // likewise
  std::map<std::string, Attribute> attributes{};

  [[nodiscard]] bool is_standard() const { return domain.empty() || domain == "ai.onnx"; }
  [[nodiscard]] std::int64_t integer(const std::string& attribute, std::int64_t otherwise) const;
  // Returns none if the operator has no such attribute.
  [[nodiscard]] std::vector<std::int64_t> integers(const std::string& attribute) const;
  // Returns an input as it is known; one that is left out or not known has nothing.
  [[nodiscard]] GraphTensor input(std::size_t index, const GraphTensors& tensors) const;
};

// Returns the size of an element by its onnx.TensorProto.DataType; nothing for text and for parts of a byte.
std::optional<std::uint64_t> bytes_of_type(std::int64_t type);

// Each returns nothing if the bytes are damaged. The tensor is that of a TensorProto, a ValueInfoProto (with its name)
// and a NodeProto.
std::optional<std::pair<std::string, GraphTensor>> read_weight(std::string_view message);
std::optional<std::pair<std::string, GraphTensor>> read_description(std::string_view message);
std::optional<Operator> read_operator(std::string_view message);

// Returns the product of the extents; nothing if one is negative or the product exceeds 64 bits.
std::optional<std::uint64_t> product_of(const Extents& extents);

// Short lists of integers of an ONNX graph that depend on no input's values: shapes, axes, bounds.
using Values = std::vector<std::int64_t>;

// Returns an axis that counts from the end as one that counts from the front; nothing if there is no such axis.
std::optional<std::size_t> axis_in(std::int64_t axis, std::size_t rank);

// Returns the integers of an attribute or, in newer versions of the operator, of an input: none if the node has
// neither, nothing if they are not known.
std::optional<Values> integers_of(const Operator& node, const GraphTensors& tensors, const std::string& attribute,
                                  std::size_t input);

// Returns the integers of the node's first output; nothing if they are not known or are more than a shape has.
std::optional<Values> values_of(const Operator& node, const GraphTensors& tensors);

}  // namespace ngb::userfiles
