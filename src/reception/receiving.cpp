// SPDX-License-Identifier: Apache-2.0
#include "reception/receiving.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <set>
#include <system_error>
#include <thread>
#include <utility>

#include "agent/lock.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/removal.h"
#include "base/text.h"

namespace ngb::reception {

namespace {

// Longer than another client's pip may run on this device.
constexpr Nanoseconds kLockPatience = std::chrono::minutes(70);
constexpr Nanoseconds kLockPause = std::chrono::milliseconds(50);
constexpr Nanoseconds kTellPause = std::chrono::seconds(2);
constexpr const char* kDeliveryLock = "lock";
constexpr const char* kPlaceInQueue = "next";
constexpr std::size_t kChunkBytes = 1U << 20U;

std::filesystem::path partial_of(const std::filesystem::path& path) { return path.string() + ".partial"; }

std::uint64_t size_or_zero(const std::filesystem::path& path) {
  std::error_code code;
  const std::uintmax_t size_bytes = std::filesystem::file_size(path, code);
  return code ? 0 : size_bytes;
}

// Files are read-only because trees share content by hard links: a write to one would change it in all of them.
mode_t mode_of(const samples::TreeFile& file) { return file.is_executable ? 0500 : 0400; }

// Checks the content, because a power failure may have left it incomplete.
bool is_there(const std::filesystem::path& content, const samples::TreeFile& file) {
  if (size_or_zero(content) != file.size_bytes) return false;
  return hash::sha256_of_file(content).value_or("") == file.sha256;
}

// Makes a hard link if the file system has them, else a copy, so that trees share content.
Status place(const std::filesystem::path& content, const std::filesystem::path& target) {
  std::error_code code;
  std::filesystem::create_directories(target.parent_path(), code);
  if (::link(content.c_str(), target.c_str()) == 0) return Done{};
  std::filesystem::copy_file(content, target, code);
  if (code) return tl::unexpected(file::from_errno("write", target, code.value()));
  return Done{};
}

}  // namespace

Result<FileDescriptor> lock_deliveries(const std::filesystem::path& device_folder, const OnWait& on_wait) {
  const std::filesystem::path files = device_folder / "files";
  if (const Status made = file::make_folder(files); !made) return error_of(made);
  const Nanoseconds began = system_clock().now();
  FileDescriptor place;  // its lock shows that somebody waits
  for (Nanoseconds told{0};;) {
    Result<FileDescriptor> lock = agent::try_lock(files, {}, kDeliveryLock);
    if (!lock || lock->is_open()) return lock;
    if (!place.is_open()) {
      if (Result<FileDescriptor> taken = agent::try_lock(files, {}, kPlaceInQueue)) place = *std::move(taken);
    }
    const std::optional<agent::LockOwner> owner = agent::lock_owner(files);
    const std::string holder = owner ? owner->text() : "another process";
    const Nanoseconds now = system_clock().now();
    if (now - began > kLockPatience) {
      return fail("another delivery to this device, by " + holder + ", has not ended", files.string(),
                  "end that process on the device, then run the same command again");
    }
    if (now - told > kTellPause) {
      told = now;
      if (on_wait && !on_wait(holder)) return fail("the client has disconnected");
    }
    std::this_thread::sleep_for(kLockPause);
  }
}

bool is_delivery_awaited(const std::filesystem::path& device_folder) {
  return agent::is_locked(device_folder / "files", kPlaceInQueue);
}

bool is_tree_whole(const std::filesystem::path& folder, file_list::Check check) {
  return !file_list::is_there(folder) || file_list::is_whole(folder, check);
}

Receiving::Receiving(std::filesystem::path device_folder, samples::Tree tree, FileDescriptor lock)
    : folder_(std::move(device_folder)), tree_(std::move(tree)), lock_(std::move(lock)) {}

// Hard links share permissions, so the content of executable files has its own path.
std::filesystem::path Receiving::content_path(const samples::TreeFile& file) const {
  return folder_ / "files" / (file.sha256 + (file.is_executable ? ".x" : ""));
}

const samples::TreeFile& Receiving::current() const { return tree_.files[want_.pieces[next_].file_index]; }

Result<Receiving> Receiving::begin(const std::filesystem::path& device_folder, samples::Tree tree,
                                   const OnWait& on_wait) {
  Result<FileDescriptor> lock = lock_deliveries(device_folder, on_wait);
  if (!lock) return error_of(lock);
  Receiving receiving(device_folder, std::move(tree), *std::move(lock));
  std::set<std::filesystem::path> asked;
  std::uint64_t missing_bytes = 0;
  for (std::size_t i = 0; i < receiving.tree_.files.size(); ++i) {
    const samples::TreeFile& each = receiving.tree_.files[i];
    const std::filesystem::path content = receiving.content_path(each);
    if (is_there(content, each)) {
      ::chmod(content.c_str(), mode_of(each));  // an earlier version left it writable
      continue;
    }
    if (!asked.insert(content).second) continue;
    std::uint64_t here_bytes = size_or_zero(partial_of(content));
    if (here_bytes > each.size_bytes) here_bytes = 0;
    receiving.want_.pieces.push_back({i, here_bytes});
    missing_bytes += each.size_bytes - here_bytes;
  }
  std::error_code code;
  const std::filesystem::space_info space = std::filesystem::space(device_folder, code);
  if (!code && space.available < missing_bytes + receiving.tree_.keep_free_bytes) {
    return fail(fmt::format("the disk is too full: the delivery needs {}, {} are free, {} must stay free",
                            text::human_bytes(missing_bytes), text::human_bytes(space.available),
                            text::human_bytes(receiving.tree_.keep_free_bytes)),
                device_folder.string(), "free some space, or give the device another folder");
  }
  if (const Status opened = receiving.open_piece(); !opened) return error_of(opened);
  return receiving;
}

Status Receiving::open_piece() {
  while (!is_complete()) {
    const std::filesystem::path path = partial_of(content_path(current()));
    const std::uint64_t offset_bytes = want_.pieces[next_].offset_bytes;
    partial_ = FileDescriptor(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
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

// Hashes the first `size_bytes` of the file and leaves its position there, so that further bytes are appended.
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
  if (::fchmod(partial_.get(), mode_of(file)) != 0) return tl::unexpected(file::from_errno("write", path, errno));
  // The disk starts to write this while the rest is received; `install` waits until all is written.
  ::sync_file_range(partial_.get(), 0, 0, SYNC_FILE_RANGE_WRITE);
  partial_.reset();
  if (hash_.finish() != file.sha256) {
    file::remove(path);
    return fail(fmt::format("{} was damaged in transit", text::to_utf8(file.path)), tree_.path, "try again");
  }
  if (Status renamed = file::rename_to(path, content); !renamed) return renamed;
  ++next_;
  return Done{};
}

Result<std::size_t> Receiving::receive(std::string_view bytes) {
  std::size_t taken = 0;
  while (!is_complete() && taken < bytes.size()) {
    const std::string_view part = bytes.substr(taken, missing_bytes_);
    if (const Status written = file::write_all(partial_.get(), part, folder_.string()); !written) {
      return error_of(written);
    }
    hash_.add(part);
    taken += part.size();
    missing_bytes_ -= part.size();
    if (missing_bytes_ > 0) continue;
    if (const Status closed = close_piece(); !closed) return error_of(closed);
    if (const Status opened = open_piece(); !opened) return error_of(opened);
  }
  return taken;
}

Status Receiving::install() {
  const std::filesystem::path target = folder_ / tree_.path;
  const std::filesystem::path partial = partial_of(target);
  std::error_code code;
  file::remove_all(partial);
  if (Status made = file::make_folder(partial); !made) return made;
  for (const samples::TreeFile& each : tree_.files) {
    if (Status placed = place(content_path(each), partial / each.path); !placed) return placed;
  }
  std::vector<file_list::Entry> list;
  for (const samples::TreeFile& each : tree_.files) list.push_back({each.path, each.size_bytes, each.sha256});
  // The rename is the last step, so a tree with its name is complete.
  Status placed = file_list::write(partial, std::move(list));
  if (placed) placed = file::put_in_place(partial, target);
  if (!placed && std::filesystem::exists(target, code) && !is_tree_whole(target, file_list::Check::hashes)) {
    const std::filesystem::path damaged = target.string() + ".damaged";
    file::remove_all(damaged);
    placed = file::rename_to(target, damaged);
    if (placed) placed = file::put_in_place(partial, target);
    file::remove_all(damaged);
  }
  if (placed) return placed;
  file::remove_all(partial);
  if (std::filesystem::exists(target, code)) return Done{};  // it was delivered in another way
  return placed;
}

}  // namespace ngb::reception
