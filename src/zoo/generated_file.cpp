// SPDX-License-Identifier: Apache-2.0
#include "zoo/generated_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <memory>
#include <mutex>
#include <utility>

#include "base/file.h"
#include "base/removal.h"
#include "base/threads.h"

namespace ngb::zoo {
namespace {

constexpr std::uint64_t kSliceBytes = 256 << 10U;  // fits the second-level cache

Status pwrite_all(int fd, std::span<const std::byte> bytes, std::uint64_t offset, const std::filesystem::path& path) {
  while (!bytes.empty()) {
    const ssize_t count = ::pwrite(fd, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return tl::unexpected(file::from_errno("write", path, count < 0 ? errno : ENOSPC));
    bytes = bytes.subspan(static_cast<std::size_t>(count));
    offset += static_cast<std::uint64_t>(count);
  }
  return Done{};
}

}  // namespace

PartialFile::PartialFile(std::filesystem::path path) : path_(std::move(path)), partial_(file::partial_path(path_)) {}

PartialFile::~PartialFile() { file::remove(partial_); }

Status PartialFile::put_in_place() { return file::rename_to(partial_, path_); }

void PartialFile::withdraw() { file::remove(path_); }

void GeneratedFile::add_text(std::string text) {
  const std::uint64_t text_bytes = text.size();
  pieces_.push_back({.offset_bytes = size_bytes_, .size_bytes = text_bytes, .text = std::move(text)});
  size_bytes_ += text_bytes;
}

void GeneratedFile::add_values(std::uint64_t count, Fill fill, std::uint64_t key) {
  const std::uint64_t values_bytes = count * sizeof(float);
  pieces_.push_back(
      {.offset_bytes = size_bytes_, .size_bytes = values_bytes, .fill = fill, .key = key, .generated = true});
  size_bytes_ += values_bytes;
}

std::vector<GeneratedFile::Task> GeneratedFile::tasks() const {
  std::vector<Task> tasks(1);
  std::uint64_t task_bytes = 0;
  for (const Piece& piece : pieces_) {
    for (std::uint64_t first = 0; first < piece.size_bytes; first += kSliceBytes) {
      if (task_bytes >= kSliceBytes) {
        tasks.emplace_back();
        task_bytes = 0;
      }
      tasks.back().push_back({&piece, first, std::min(kSliceBytes, piece.size_bytes - first)});
      task_bytes += tasks.back().back().size_bytes;
    }
  }
  return tasks;
}

Status GeneratedFile::write_task(int fd, const Task& task, std::span<std::byte> buffer,
                                 const std::filesystem::path& path) {
  std::size_t filled = 0;
  for (const Slice& slice : task) {
    const std::span<std::byte> place = buffer.subspan(filled, slice.size_bytes);
    if (slice.piece->generated) {
      generate(slice.piece->key, slice.piece->fill, slice.first_byte / sizeof(float), place);
    } else {
      std::memcpy(place.data(), slice.piece->text.data() + slice.first_byte, place.size());
    }
    filled += place.size();
  }
  return pwrite_all(fd, buffer.first(filled), task.front().piece->offset_bytes + task.front().first_byte, path);
}

Status GeneratedFile::write_tasks(int fd, int threads, const std::filesystem::path& path) const {
  const std::vector<Task> all = tasks();
  std::atomic<std::size_t> next{0};
  std::mutex mutex;
  Status status = Done{};
  const auto work = [&] {
    const auto buffer = std::make_unique_for_overwrite<std::byte[]>(2 * kSliceBytes);
    for (std::size_t i = next++; i < all.size(); i = next++) {
      const Status written = write_task(fd, all[i], {buffer.get(), 2 * kSliceBytes}, path);
      if (written) continue;
      next = all.size();
      const std::scoped_lock lock(mutex);
      status = written;
    }
  };
  run_side_by_side(std::min(static_cast<std::size_t>(std::max(threads, 1)), all.size()), [&](std::size_t) { work(); });
  return status;
}

Status GeneratedFile::write(const PartialFile& file, int threads) const {
  FileDescriptor fd(::open(file.partial_path().c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644));
  if (!fd.is_open()) return tl::unexpected(file::from_errno("write", file.path(), errno));
  const Status status = write_tasks(fd.get(), threads, file.path());
  const bool closed = ::close(fd.release()) == 0;
  if (status && !closed) return tl::unexpected(file::from_errno("write", file.path(), errno));
  return status;
}

}  // namespace ngb::zoo
