// SPDX-License-Identifier: Apache-2.0
#include "agent/removal.h"

#include <signal.h>
#include <sys/stat.h>

#include <algorithm>
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

// `runs`: paths such as "runs/1".
bool has_nothing_but(const std::filesystem::path& folder, const std::vector<std::string>& runs) {
  std::error_code code;
  for (const auto& entry : std::filesystem::directory_iterator(folder, code)) {
    if (std::find(runs.begin(), runs.end(), "runs/" + entry.path().filename().string()) == runs.end()) return false;
  }
  return true;
}

void empty(const std::filesystem::path& folder) {
  std::error_code code;
  for (const auto& entry : std::filesystem::directory_iterator(folder, code)) {
    std::filesystem::remove_all(entry.path(), code);
  }
}

void drop_unlinked_content(const std::filesystem::path& files) {
  std::error_code code;
  for (const auto& entry : std::filesystem::directory_iterator(files, code)) {
    struct stat status{};
    const bool is_alone = ::lstat(entry.path().c_str(), &status) == 0 && status.st_nlink == 1;
    if (is_alone && entry.path().filename() != "lock") std::filesystem::remove(entry.path(), code);
  }
}

// With the last run: what only runs need.
void remove_the_rest(const std::filesystem::path& device_folder, bool with_toolchains) {
  std::error_code code;
  for (const char* name : {"bundles", "agents", "models", "references", "tuning", "holders", "lock"}) {
    std::filesystem::remove_all(device_folder / name, code);
  }
  if (with_toolchains) std::filesystem::remove_all(device_folder / "toolchains", code);
  drop_unlinked_content(device_folder / "files");
  std::filesystem::remove(device_folder / "files" / "lock", code);
  std::filesystem::remove(device_folder / "files", code);  // if it is empty
}

}  // namespace

Result<samples::Removed> remove_runs(const std::filesystem::path& device_folder, const samples::Remove& remove) {
  std::error_code code;
  std::vector<std::filesystem::path> should_be_gone;
  for (const std::string& run : remove.runs) {
    const std::filesystem::path work_folder = device_folder / run;
    should_be_gone.push_back(work_folder);
    if (!std::filesystem::exists(work_folder, code)) continue;
    const Result<FileDescriptor> lock = take_over(work_folder);
    if (!lock) return tl::unexpected(lock.error());
    kill_leftovers(work_folder);
    empty(work_folder);
  }
  // The work folders last: as long as they are there, a teardown that was interrupted is not over.
  if (has_nothing_but(device_folder / "runs", remove.runs)) {
    remove_the_rest(device_folder, remove.with_toolchains);
    should_be_gone.insert(should_be_gone.end(), {device_folder / "bundles", device_folder / "agents"});
  }
  for (const std::string& run : remove.runs) std::filesystem::remove(device_folder / run, code);
  std::filesystem::remove(device_folder / "runs", code);  // if it is empty
  std::filesystem::remove(device_folder, code);           // likewise
  samples::Removed removed;
  for (const std::string& run : remove.runs) {
    removed.processes_left += static_cast<std::uint64_t>(kill_leftovers(device_folder / run));
  }
  for (const std::filesystem::path& path : should_be_gone) {
    if (std::filesystem::exists(path, code)) removed.left.push_back(path.string());
  }
  return removed;
}

}  // namespace ngb::agent
