// SPDX-License-Identifier: Apache-2.0
#include "agent/removal.h"

#include <signal.h>
#include <sys/stat.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <system_error>

#include "agent/lock.h"
#include "agent/process_tree.h"
#include "base/file.h"

namespace ngb::agent {
namespace {

// An agent that is asked to leave ends its worker first.
constexpr Nanoseconds kLeavePatience = std::chrono::seconds(15);

std::optional<pid_t> owner_of(const std::filesystem::path& folder) {
  const nlohmann::json owner = nlohmann::json::parse(file::read(folder / "lock", 4096).value_or(""), nullptr, false);
  if (!owner.is_object() || !owner.contains("pid") || !owner["pid"].is_number_integer()) return std::nullopt;
  return owner["pid"].get<pid_t>();
}

// The lock of the run's folder, from whoever holds it.
Result<FileDescriptor> take_over(const std::filesystem::path& work_folder) {
  Result<FileDescriptor> lock = lock_folder(work_folder, Nanoseconds(0));
  for (const int signal : {SIGTERM, SIGKILL}) {
    if (lock) break;
    if (const std::optional<pid_t> owner = owner_of(work_folder)) ::kill(*owner, signal);
    lock = lock_folder(work_folder, kLeavePatience);
  }
  return lock;
}

bool has_nothing(const std::filesystem::path& folder) {
  std::error_code code;
  return std::filesystem::directory_iterator(folder, code) == std::filesystem::directory_iterator();
}

void drop_unlinked_content(const std::filesystem::path& files) {
  std::error_code code;
  for (const auto& entry : std::filesystem::directory_iterator(files, code)) {
    struct stat status{};
    const bool is_alone = ::lstat(entry.path().c_str(), &status) == 0 && status.st_nlink == 1;
    if (is_alone && entry.path().filename() != "lock") std::filesystem::remove(entry.path(), code);
  }
}

}  // namespace

Result<samples::Removed> remove_run(const std::filesystem::path& device_folder, const samples::Remove& remove) {
  const std::filesystem::path work_folder = device_folder / remove.run;
  std::error_code code;
  if (std::filesystem::exists(work_folder, code)) {
    const Result<FileDescriptor> lock = take_over(work_folder);
    if (!lock) return tl::unexpected(lock.error());
    kill_leftovers(work_folder);
    std::filesystem::remove_all(work_folder, code);
  }
  const bool is_last = has_nothing(device_folder / "runs");
  if (is_last) {
    for (const char* name : {"bundles", "agents", "models", "runs", "references", "lock"}) {
      std::filesystem::remove_all(device_folder / name, code);
    }
    if (remove.with_toolchains) std::filesystem::remove_all(device_folder / "toolchains", code);
    drop_unlinked_content(device_folder / "files");
    std::filesystem::remove(device_folder / "files" / "lock", code);
    std::filesystem::remove(device_folder / "files", code);  // if it is empty
    std::filesystem::remove(device_folder, code);            // likewise
  }
  samples::Removed removed;
  removed.processes_left = static_cast<std::uint64_t>(kill_leftovers(work_folder));
  for (const std::filesystem::path& path : {work_folder, device_folder / "bundles", device_folder / "agents"}) {
    const bool should_be_gone = is_last || path == work_folder;
    if (should_be_gone && std::filesystem::exists(path, code)) removed.left.push_back(path.string());
  }
  return removed;
}

}  // namespace ngb::agent
