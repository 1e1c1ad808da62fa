// SPDX-License-Identifier: Apache-2.0
// Reads the nodes of an ONNX file's graph, for plugins that report which of them a kernel stands for. Weights are
// passed over. It needs no library of protobuf, which would clash with the one of a compiler.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace ngb::plugin {

struct OnnxNode {
  // The name in the file. If that is empty, or also another node's, it is OP_TYPE:INDEX with the index in the graph.
  std::string name{};
  std::string op_type{};
  std::vector<std::string> inputs{};                        // "" for one that is left out
  std::vector<std::string> outputs{};                       // likewise
  std::map<std::string, std::string, std::less<>> texts{};  // attributes whose value is a text
};

class OnnxNodes {
 public:
  OnnxNodes() = default;
  // Reads the main graph of a serialized ModelProto. Throws plugin::Failure if it is damaged.
  explicit OnnxNodes(std::string_view model);
  // Throws plugin::Failure if the file cannot be read.
  static OnnxNodes of_file(const std::string& path);

  [[nodiscard]] const std::vector<OnnxNode>& all() const { return nodes_; }
  // Each returns null if there is none.
  [[nodiscard]] const OnnxNode* called(const std::string& name) const { return at(by_name_, name); }
  [[nodiscard]] const OnnxNode* producer_of(const std::string& tensor) const { return at(by_output_, tensor); }
  // Returns the first consumer of a tensor that has this type.
  [[nodiscard]] const OnnxNode* consumer_of(const std::string& tensor, std::string_view op_type) const;

 private:
  using Index = std::map<std::string, std::size_t, std::less<>>;
  [[nodiscard]] const OnnxNode* at(const Index& index, const std::string& key) const;
  void name_and_index();

  std::vector<OnnxNode> nodes_;
  Index by_name_;
  Index by_output_;
  std::multimap<std::string, std::size_t, std::less<>> by_input_;
};

}  // namespace ngb::plugin
