// SPDX-License-Identifier: Apache-2.0
#include "dispatch/delivery/tree_delivery.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/file.h"
#include "dispatch/link/answer.h"

namespace ngb::dispatch {
namespace {

// A device may hash gigabytes before it answers.
constexpr Nanoseconds kAnswerPatience = std::chrono::minutes(15);
// A client holds one chunk for each device of a large fleet.
constexpr std::size_t kChunkBytes = 1U << 16U;

// Returns an error if the device asks for files or offsets that the announced tree does not have.
Result<std::uint64_t> bytes_wanted(const samples::Want& want, const samples::Tree& tree) {
  std::uint64_t bytes = 0;
  if (want.pieces.size() > tree.files.size()) {
    return fail("the device asks for more files than the tree has", tree.path);
  }
  for (const samples::Want::Piece& piece : want.pieces) {
    const bool is_there =
        piece.file_index < tree.files.size() && piece.offset_bytes <= tree.files[piece.file_index].size_bytes;
    if (!is_there) return fail("the device asks for a file that is not in the tree", tree.path);
    bytes += tree.files[piece.file_index].size_bytes - piece.offset_bytes;
  }
  return bytes;
}

}  // namespace

asio::awaitable<Status> send_file(Connection& device, const std::filesystem::path& source, std::uint64_t offset_bytes,
                                  std::uint64_t size_bytes, const OnSent& on_sent) {
  const FileDescriptor file(::open(source.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.is_open()) co_return tl::unexpected(file::from_errno("read", source, errno));
  std::string chunk(kChunkBytes, '\0');
  while (offset_bytes < size_bytes && !device.is_over()) {
    const ssize_t count = ::pread(file.get(), chunk.data(), chunk.size(), static_cast<off_t>(offset_bytes));
    if (count < 0) co_return tl::unexpected(file::from_errno("read", source, errno));
    if (count == 0) co_return fail("the file became shorter while it was sent", source.string(), "try again");
    const auto part =
        static_cast<std::size_t>(std::min<std::uint64_t>(static_cast<std::uint64_t>(count), size_bytes - offset_bytes));
    co_await device.write(std::string_view(chunk).substr(0, part));
    offset_bytes += part;
    on_sent(part);
  }
  co_return Done{};
}

asio::awaitable<Result<std::vector<std::string>>> ask(Connection& device, const std::vector<std::string>& trees,
                                                      const std::string& run) {
  device.queue(samples::Ask{trees, run});
  co_await device.flush();
  Result<samples::Lacking> lacking = co_await answer_of<samples::Lacking>(device, kAnswerPatience);
  if (!lacking) co_return error_of(lacking);
  co_return std::move(lacking->trees);
}

asio::awaitable<Status> deliver(Connection& device, const LocalTree& tree, std::uint64_t keep_free_bytes,
                                const OnBytesLeft& on_bytes_left, OnProgress on_wait) {
  samples::Tree wanted = tree.tree;
  wanted.keep_free_bytes = keep_free_bytes;
  device.queue(wanted);
  co_await device.flush();
  const Result<samples::Want> want = co_await answer_of<samples::Want>(device, kAnswerPatience, std::move(on_wait));
  if (!want) co_return error_of(want);
  Result<std::uint64_t> left_bytes = bytes_wanted(*want, tree.tree);
  if (!left_bytes) co_return error_of(left_bytes);
  on_bytes_left(*left_bytes);
  const OnSent on_sent = [&](std::uint64_t bytes) {
    *left_bytes -= bytes;
    on_bytes_left(*left_bytes);
  };
  for (const samples::Want::Piece& piece : want->pieces) {
    const Status sent = co_await send_file(device, tree.sources[piece.file_index], piece.offset_bytes,
                                           tree.tree.files[piece.file_index].size_bytes, on_sent);
    if (!sent) co_return error_of(sent);
  }
  const Result<samples::Installed> installed = co_await answer_of<samples::Installed>(device, kAnswerPatience);
  if (!installed) co_return error_of(installed);
  co_return Done{};
}

}  // namespace ngb::dispatch
