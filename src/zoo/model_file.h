// SPDX-License-Identifier: Apache-2.0
// A graph as an ONNX file. Protobuf serializes everything but the weights; those are generated straight into their
// place, since a length-delimited field is tag, length and bytes, and fields may follow each other in any order. Where
// a protobuf message would pass a given size, 2 GB at most, the weights lie in a file of their own beside the model.
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
  // `data_name`: of the file with the weights, should there be one.
  ModelFile(const Graph& graph, const std::string& name, std::uint64_t seed, const std::string& data_name,
            std::uint64_t largest_message_bytes);

  // With external data.
  [[nodiscard]] std::uint64_t size_bytes() const { return model_.size_bytes() + data_.size_bytes(); }
  [[nodiscard]] bool has_external_data() const { return data_.size_bytes() != 0; }

  // As write_onnx of zoo/recipe.h.
  [[nodiscard]] Status write(const std::filesystem::path& path, int threads) const;

 private:
  void write_inline(const Graph& graph, const std::string& graph_head, std::uint64_t seed);
  void write_beside(const Graph& graph, const std::string& graph_head, std::uint64_t seed);

  std::string data_name_;
  GeneratedFile model_{};
  GeneratedFile data_{};
};

}  // namespace ngb::zoo
