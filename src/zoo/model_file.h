// SPDX-License-Identifier: Apache-2.0
// A graph as an ONNX file. Protobuf serializes everything but the weights; those are generated straight into their
// place in the file, since a length-delimited field is tag, length and bytes, and fields may follow each other in any
// order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "zoo/graph.h"

namespace ngb::zoo {

class ModelFile {
 public:
  ModelFile(const Graph& graph, const std::string& name, std::uint64_t seed);

  [[nodiscard]] std::uint64_t size_bytes() const { return size_bytes_; }

  // As write_onnx of zoo/recipe.h.
  [[nodiscard]] Status write(const std::filesystem::path& path, int threads) const;

 private:
  // A run of bytes: a text as it is, or all values of a tensor.
  struct Piece {
    std::uint64_t offset_bytes = 0;  // in the file
    std::uint64_t size_bytes = 0;
    std::string text{};
    Fill fill{};
    std::uint64_t key = 0;  // of the tensor's stream
    bool generated = false;
  };

  // Part of a piece; tasks are runs of them, one `pwrite` each.
  struct Slice {
    const Piece* piece = nullptr;
    std::uint64_t first_byte = 0;  // in the piece
    std::uint64_t size_bytes = 0;
  };

  using Task = std::vector<Slice>;

  void add_text(std::string text);
  void add_values(const Tensor& tensor, Fill fill, std::uint64_t seed);
  [[nodiscard]] std::vector<Task> tasks() const;
  [[nodiscard]] Status write_tasks(int fd, int threads, const std::filesystem::path& path) const;
  static Status write_task(int fd, const Task& task, std::span<std::byte> buffer, const std::filesystem::path& path);

  std::vector<Piece> pieces_{};
  std::uint64_t size_bytes_ = 0;
};

}  // namespace ngb::zoo
