// SPDX-License-Identifier: Apache-2.0
// A file described before it is written: texts as they are, and tensors whose values are generated straight into their
// place, on as many threads as wished.
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

// A file under a temporary name beside its own; removed again unless it is put in place.
class PartialFile {
 public:
  explicit PartialFile(std::filesystem::path path);
  ~PartialFile();
  PartialFile(const PartialFile&) = delete;
  PartialFile& operator=(const PartialFile&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] const std::filesystem::path& partial_path() const { return partial_; }
  // One step: the file appears whole or not at all.
  Status put_in_place();
  // Removes what was put in place.
  void withdraw();

 private:
  std::filesystem::path path_;
  std::filesystem::path partial_;
};

class GeneratedFile {
 public:
  void add_text(std::string text);
  // `count` f32 values of the stream `key`.
  void add_values(std::uint64_t count, Fill fill, std::uint64_t key);

  [[nodiscard]] std::uint64_t size_bytes() const { return size_bytes_; }

  // Creates the file under its temporary name. Not synced to disk. Error: unwritable, disk full.
  Status write(const PartialFile& file, int threads) const;

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

  [[nodiscard]] std::vector<Task> tasks() const;
  [[nodiscard]] Status write_tasks(int fd, int threads, const std::filesystem::path& path) const;
  static Status write_task(int fd, const Task& task, std::span<std::byte> buffer, const std::filesystem::path& path);

  std::vector<Piece> pieces_{};
  std::uint64_t size_bytes_ = 0;
};

}  // namespace ngb::zoo
