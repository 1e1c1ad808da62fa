// SPDX-License-Identifier: Apache-2.0
// Describes a file before it is written: literal texts, and tensors whose values are generated directly at their
// offsets in the file, on several threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "zoo/weights.h"

namespace ngb::zoo {

// PartialFile is a file under a temporary name beside its final one. It is removed unless it is put in place.
class PartialFile {
 public:
  explicit PartialFile(std::filesystem::path path);
  ~PartialFile();
  PartialFile(const PartialFile&) = delete;
  PartialFile& operator=(const PartialFile&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] const std::filesystem::path& partial_path() const { return partial_; }
  // Renames the file in one step: it appears whole or not at all.
  Status put_in_place();
  // Removes the file that was put in place.
  void withdraw();

 private:
  std::filesystem::path path_;
  std::filesystem::path partial_;
};

class GeneratedFile {
 public:
  void add_text(std::string text);
  // Appends `count` f32 values of the stream `key`.
  void add_values(std::uint64_t count, Fill fill, std::uint64_t key);

  [[nodiscard]] std::uint64_t size_bytes() const { return size_bytes_; }

  // Creates the file under its temporary name, without fsync. Fails if it cannot be written or the disk is full.
  Status write(const PartialFile& file, int threads) const;

 private:
  // Piece is a run of bytes: a literal text, or all values of a tensor.
  struct Piece {
    std::uint64_t offset_bytes = 0;  // in the file
    std::uint64_t size_bytes = 0;
    std::string text{};
    Fill fill{};
    std::uint64_t key = 0;  // of the tensor's stream
    bool generated = false;
  };

  // Slice is a part of a piece. A task writes several slices in a row, each with one `pwrite`.
  struct Slice {
    const Piece* piece = nullptr;
    std::uint64_t first_byte = 0;  // in the piece
    std::uint64_t size_bytes = 0;
  };

  using Task = std::vector<Slice>;

  [[nodiscard]] std::vector<Task> tasks() const;
  [[nodiscard]] Status write_tasks(int fd, int threads, const std::filesystem::path& path) const;
  static Status write_task(int fd, const Task& task, std::span<std::byte> buffer, const std::filesystem::path& path);

  std::vector<Piece> pieces_{};
  std::uint64_t size_bytes_ = 0;
};

}  // namespace ngb::zoo
