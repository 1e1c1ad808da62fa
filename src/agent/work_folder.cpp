// SPDX-License-Identifier: Apache-2.0
#include "agent/work_folder.h"

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <string>
#include <system_error>

#include "agent/journal_file.h"
#include "agent/lock.h"
#include "agent/workers/process_tree.h"
#include "base/cache_folder.h"
#include "base/removal.h"
#include "base/text.h"

namespace ngb::agent {

namespace {

constexpr Nanoseconds kPredecessorPatience = std::chrono::seconds(5);
constexpr Nanoseconds kLeftoversPatience = std::chrono::seconds(10);
constexpr std::array kEmptied{"models", "scratch"};

// Returns whether the file is the journal of a run: it begins with a mark or, if its beginning is torn, our lock lies
// beside it.
bool is_of_a_run(const std::filesystem::path& path) {
  const std::string name = path.filename().string();
  if (name != "journal" && !name.starts_with("journal.run-")) return false;
  std::error_code code;
  const std::uintmax_t size = std::filesystem::file_size(path, code);
  const Result<FileDescriptor> fd = file::open_to_read(path);
  if (code || !fd) return false;
  const auto mark = first_mark(fd->get(), size, path.string());
  return (mark && mark->has_value()) || std::filesystem::exists(path.parent_path() / "lock", code);
}

// Returns an error if the folders that are emptied hold something, and no journal says that it is from a run: the work
// folder may be a link to somewhere else.
Status check_ours(const std::filesystem::path& work_folder) {
  std::error_code code;
  for (const auto& entry : std::filesystem::directory_iterator(work_folder, code)) {
    if (is_of_a_run(entry.path())) return Done{};
  }
  for (const char* name : kEmptied) {
    const std::filesystem::path folder = work_folder / name;
    if (!std::filesystem::is_directory(folder, code) || std::filesystem::is_empty(folder, code)) continue;
    return fail("this folder would be emptied, but it has files and no run of ngb has worked beside it",
                std::filesystem::weakly_canonical(folder, code).string(), "choose another output folder (--output)");
  }
  return Done{};
}

}  // namespace

Result<FileDescriptor> begin_work_in(const std::filesystem::path& work_folder) {
  if (const Status made = file::make_folder(work_folder); !made) return error_of(made);
  if (const Status ours = check_ours(work_folder); !ours) return error_of(ours);
  Result<FileDescriptor> lock = lock_folder(work_folder, kPredecessorPatience, {},
                                            "wait until that run has ended, or choose another output folder");
  if (!lock) return lock;
  if (const Status ended = end_leftovers(work_folder, kLeftoversPatience); !ended) return error_of(ended);
  for (const char* name : kEmptied) file::remove_all(work_folder / name);
  for (const char* name : {"models", "scratch", "logs"}) {
    if (const Status made = file::make_folder(work_folder / name); !made) return error_of(made);
  }
  return lock;
}

namespace {

constexpr Nanoseconds kRunLockPatience = std::chrono::seconds(5);

}  // namespace

Result<FileDescriptor> lock_device(const std::filesystem::path& device_folder, const std::string& task,
                                   std::optional<samples::Busy>& busy) {
  Result<FileDescriptor> lock = lock_folder(device_folder, kRunLockPatience, task);
  if (lock) return lock;
  const std::optional<LockOwner> owner = lock_owner(device_folder);
  if (owner && is_locked(device_folder)) busy = {text::to_utf8(owner->task), owner->text()};
  return lock;
}

Result<FileDescriptor> lock_machine(const std::filesystem::path& machine_folder,
                                    const std::filesystem::path& work_folder) {
  if (const auto made = CacheFolder(machine_folder).make(""); !made) {
    return fail(made.error().what, made.error().where,
                "name a folder that can be written, for the cache, with NGB_CACHE", made.error().code);
  }
  Result<FileDescriptor> lock = lock_folder(machine_folder, kRunLockPatience, work_folder.string());
  if (lock || !is_locked(machine_folder)) return lock;
  const std::optional<LockOwner> owner = lock_owner(machine_folder);
  return fail(
      fmt::format("another run is measured on this machine: {}, in {}; two at a time would disturb each other",
                  owner ? owner->text() : "a process", owner ? text::to_utf8(owner->task) : "an unknown folder"),
      machine_folder.string(), "wait until it has ended, or end it; then run the same command again");
}

}  // namespace ngb::agent
