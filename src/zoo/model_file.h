// SPDX-License-Identifier: Apache-2.0
// ModelFile writes a graph as an ONNX file. Protobuf serializes everything except the weights, which are generated
// directly at their offsets: a length-delimited field is tag, length and bytes, and fields may come in any order. If
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

}  // namespace ngb::zoo
