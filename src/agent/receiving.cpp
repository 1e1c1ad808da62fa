// SPDX-License-Identifier: Apache-2.0
#include "agent/receiving.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <set>
#include <system_error>
#include <utility>

#include "agent/lock.h"
#include "base/text.h"

namespace ngb::agent {
namespace {

constexpr Nanoseconds kLockPatience = std::chrono::minutes(10);
constexpr std::size_t kChunkBytes = 1U << 20U;

std::filesystem::path partial_of(const std::filesystem::path& path) { return path.string() + ".partial"; }

std::uint64_t size_or_zero(const std::filesystem::path& path) {
  std::error_code code;
  const std::uintmax_t size_bytes = std::filesystem::file_size(path, code);
  return code ? 0 : size_bytes;
}

// Whole, also after the power failed while it was written.
bool is_there(const std::filesystem::path& content, const samples::TreeFile& file) {
  if (size_or_zero(content) != file.size_bytes) return false;
  return hash::sha256_of_file(content).value_or("") == file.sha256;
}

// A link where the file system has links: content that several trees share is there once.
Status place(const std::filesystem::path& content, const std::filesystem::path& target) {
  if (Status made = file::make_folder(target.parent_path()); !made) return made;
  if (::link(content.c_str(), target.c_str()) == 0) return Done{};
  std::error_code code;
  std::filesystem::copy_file(content, target, code);
  if (code) return tl::unexpected(file::from_errno("write", target, code.value()));
  return Done{};
}

}  // namespace

Receiving::Receiving(std::filesystem::path device_folder, samples::Tree tree, FileDescriptor lock)
    : folder_(std::move(device_folder)), tree_(std::move(tree)), lock_(std::move(lock)) {}

// Links share their permissions, so an executable file's content is kept apart.
std::filesystem::path Receiving::content_path(const samples::TreeFile& file) const {
  return folder_ / "files" / (file.sha256 + (file.is_executable ? ".x" : ""));
}

const samples::TreeFile& Receiving::current() const { return tree_.files[want_.pieces[next_].file_index]; }

Result<Receiving> Receiving::begin(const std::filesystem::path& device_folder, samples::Tree tree) {
  const std::filesystem::path files = device_folder / "files";
  if (const Status made = file::make_folder(files); !made) return tl::unexpected(made.error());
  Result<FileDescriptor> lock = lock_folder(files, kLockPatience);
  if (!lock) return tl::unexpected(lock.error());
  Receiving receiving(device_folder, std::move(tree), *std::move(lock));
  std::set<std::filesystem::path> asked;
  std::uint64_t missing_bytes = 0;
  for (std::size_t i = 0; i < receiving.tree_.files.size(); ++i) {
    const samples::TreeFile& each = receiving.tree_.files[i];
    const std::filesystem::path content = receiving.content_path(each);
    if (is_there(content, each) || !asked.insert(content).second) continue;
    std::uint64_t here_bytes = size_or_zero(partial_of(content));
    if (here_bytes > each.size_bytes) here_bytes = 0;
    receiving.want_.pieces.push_back({i, here_bytes});
    missing_bytes += each.size_bytes - here_bytes;
  }
  std::error_code code;
  const std::filesystem::space_info space = std::filesystem::space(device_folder, code);
  if (!code && space.available < missing_bytes + receiving.tree_.keep_free_bytes) {
    return fail(fmt::format("the disk is too full: {} would come, {} are free, {} are to stay free",
                            text::human_bytes(missing_bytes), text::human_bytes(space.available),
                            text::human_bytes(receiving.tree_.keep_free_bytes)),
                device_folder.string(), "free some space, or give the device another folder");
  }
  if (const Status opened = receiving.open_piece(); !opened) return tl::unexpected(opened.error());
  return receiving;
}

Status Receiving::open_piece() {
  while (!is_complete()) {
    const std::filesystem::path path = partial_of(content_path(current()));
    const std::uint64_t offset_bytes = want_.pieces[next_].offset_bytes;
    partial_ = FileDescriptor(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    if (!partial_.is_open() || ::ftruncate(partial_.get(), static_cast<off_t>(offset_bytes)) != 0) {
      return tl::unexpected(file::from_errno("write", path, errno));
    }
    if (Status hashed = hash_what_is_there(offset_bytes); !hashed) return hashed;
    missing_bytes_ = current().size_bytes - offset_bytes;
    if (missing_bytes_ > 0) return Done{};
    if (Status closed = close_piece(); !closed) return closed;
  }
  return Done{};
}

// Leaves the file at that place, for what comes to be added.
Status Receiving::hash_what_is_there(std::uint64_t size_bytes) {
  hash_ = {};
  std::vector<char> chunk(size_bytes > 0 ? kChunkBytes : 0);
  while (size_bytes > 0) {
    const ssize_t count = ::read(partial_.get(), chunk.data(), std::min<std::uint64_t>(chunk.size(), size_bytes));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return tl::unexpected(file::from_errno("read", content_path(current()), count < 0 ? errno : EIO));
    hash_.add(std::string_view(chunk.data(), static_cast<std::size_t>(count)));
    size_bytes -= static_cast<std::uint64_t>(count);
  }
  return Done{};
}

Status Receiving::close_piece() {
  const samples::TreeFile& file = current();
  const std::filesystem::path content = content_path(file);
  const std::filesystem::path path = partial_of(content);
  if (file.is_executable && ::fchmod(partial_.get(), 0700) != 0) {
    return tl::unexpected(file::from_errno("write", path, errno));
  }
  // The disk begins with it while the rest is still coming; `install` waits for its end.
  ::sync_file_range(partial_.get(), 0, 0, SYNC_FILE_RANGE_WRITE);
  partial_.reset();
  if (hash_.finish() != file.sha256) {
    ::unlink(path.c_str());
    return fail(fmt::format("{} was damaged on its way", text::to_utf8(file.path)), tree_.path, "try again");
  }
  if (::rename(path.c_str(), content.c_str()) != 0) return tl::unexpected(file::from_errno("write", content, errno));
  ++next_;
  return Done{};
}

Result<std::size_t> Receiving::take(std::string_view bytes) {
  std::size_t taken = 0;
  while (!is_complete() && taken < bytes.size()) {
    const std::string_view part = bytes.substr(taken, missing_bytes_);
    if (const Status written = file::write_all(partial_.get(), part, folder_.string()); !written) {
      return tl::unexpected(written.error());
    }
    hash_.add(part);
    taken += part.size();
    missing_bytes_ -= part.size();
    if (missing_bytes_ > 0) continue;
    if (const Status closed = close_piece(); !closed) return tl::unexpected(closed.error());
    if (const Status opened = open_piece(); !opened) return tl::unexpected(opened.error());
  }
  return taken;
}

Status Receiving::install() {
  const std::filesystem::path target = folder_ / tree_.path;
  const std::filesystem::path partial = partial_of(target);
  std::error_code code;
  std::filesystem::remove_all(partial, code);
  if (Status made = file::make_folder(partial); !made) return made;
  for (const samples::TreeFile& each : tree_.files) {
    if (Status placed = place(content_path(each), partial / each.path); !placed) return placed;
  }
  // A tree that has its name is whole: its content is on disk before.
  const FileDescriptor folder(::open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (::syncfs(folder.get()) != 0) return tl::unexpected(file::from_errno("write", target, errno));
  if (::rename(partial.c_str(), target.c_str()) == 0) return Done{};
  const int reason = errno;
  std::filesystem::remove_all(partial, code);
  if (std::filesystem::exists(target, code)) return Done{};  // it has come in another way
  return tl::unexpected(file::from_errno("write", target, reason));
}

}  // namespace ngb::agent
