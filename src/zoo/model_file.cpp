// SPDX-License-Identifier: Apache-2.0
#include "zoo/model_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <limits>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "base/file.h"
#include "base/text.h"
#include "onnx/onnx.pb.h"
#include "zoo/onnx_messages.h"

namespace ngb::zoo {
namespace {

constexpr std::uint64_t kSliceBytes = 256 << 10U;                                 // fits the second-level cache
constexpr std::uint64_t kLargestFile = std::numeric_limits<std::int32_t>::max();  // of a protobuf message

// The same folder, so that the rename is one step; of its own for each process and call.
std::filesystem::path partial_name(const std::filesystem::path& path) {
  static std::atomic<unsigned> calls{0};
  return path.string() + fmt::format(".{}.{}.partial", ::getpid(), calls++);
}

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

ModelFile::ModelFile(const Graph& graph, const std::string& name, std::uint64_t seed) {
  const std::string graph_head = serialized_graph_head(graph, name);
  std::uint64_t graph_bytes = graph_head.size();
  std::vector<std::string> heads;  // of each initializer, up to its values
  for (const Initializer& initializer : graph.initializers()) {
    std::string head = serialized_tensor_head(initializer);
    std::uint64_t values_bytes = 0;
    if (std::holds_alternative<Fill>(initializer.content)) {
      values_bytes = initializer.tensor.element_count() * sizeof(float);
      head += field_start(onnx::TensorProto::kRawDataFieldNumber, values_bytes);
    }
    head.insert(0, field_start(onnx::GraphProto::kInitializerFieldNumber, head.size() + values_bytes));
    graph_bytes += head.size() + values_bytes;
    heads.push_back(std::move(head));
  }
  add_text(serialized_model_head() + field_start(onnx::ModelProto::kGraphFieldNumber, graph_bytes) + graph_head);
  for (std::size_t i = 0; i < heads.size(); ++i) {
    add_text(std::move(heads[i]));
    const Initializer& initializer = graph.initializers()[i];
    if (const Fill* fill = std::get_if<Fill>(&initializer.content)) add_values(initializer.tensor, *fill, seed);
  }
}

void ModelFile::add_text(std::string text) {
  const std::uint64_t text_bytes = text.size();
  Piece piece{.offset_bytes = size_bytes_, .size_bytes = text_bytes, .text = std::move(text)};
  size_bytes_ += text_bytes;
  pieces_.push_back(std::move(piece));
}

void ModelFile::add_values(const Tensor& tensor, Fill fill, std::uint64_t seed) {
  Piece piece{.offset_bytes = size_bytes_,
              .size_bytes = tensor.element_count() * sizeof(float),
              .fill = fill,
              .key = tensor_key(seed, tensor.name),
              .generated = true};
  size_bytes_ += piece.size_bytes;
  pieces_.push_back(std::move(piece));
}

std::vector<ModelFile::Task> ModelFile::tasks() const {
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

Status ModelFile::write_task(int fd, const Task& task, std::span<std::byte> buffer, const std::filesystem::path& path) {
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

Status ModelFile::write_tasks(int fd, int threads, const std::filesystem::path& path) const {
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
  std::vector<std::jthread> helpers;
  const std::size_t useful = std::min(static_cast<std::size_t>(threads), all.size());
  try {
    while (helpers.size() + 1 < useful) helpers.emplace_back(work);
  } catch (const std::system_error&) {  // no more threads to be had: those at work suffice
  }
  work();
  helpers.clear();
  return status;
}

Status ModelFile::write(const std::filesystem::path& path, int threads) const {
  if (threads < 1) return fail(fmt::format("cannot write on {} threads, expected at least 1", threads), path.string());
  if (size_bytes_ > kLargestFile) {
    return fail(
        fmt::format("the model takes {}, an ONNX file in one piece ends at 2 GB", text::human_bytes(size_bytes_)),
        path.string(), "choose smaller parameters");
  }
  const std::filesystem::path partial = partial_name(path);
  FileDescriptor fd(::open(partial.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644));
  if (!fd.is_open()) return tl::unexpected(file::from_errno("write", path, errno));
  Status status = write_tasks(fd.get(), threads, path);
  const bool closed = ::close(fd.release()) == 0;
  if (status && !closed) status = tl::unexpected(file::from_errno("write", path, errno));
  if (status && ::rename(partial.c_str(), path.c_str()) != 0) {
    status = tl::unexpected(file::from_errno("write", path, errno));
  }
  if (!status) ::unlink(partial.c_str());
  return status;
}

}  // namespace ngb::zoo
