// SPDX-License-Identifier: Apache-2.0
#include "reception/removal.h"

#include <poll.h>
#include <signal.h>
#include <sys/stat.h>

#include <algorithm>
#include <optional>
#include <set>
#include <system_error>
#include <utility>

#include "agent/listener.h"
#include "agent/lock.h"
#include "agent/workers/process_tree.h"
#include "base/file.h"
#include "base/removal.h"
#include "reception/belongings.h"
#include "samples/frame.h"
#include "samples/message.h"

namespace ngb::reception {
namespace {

namespace fs = std::filesystem;

// An agent that is asked to stop ends its worker first.
constexpr Nanoseconds kLeavePatience = std::chrono::seconds(15);

// Asks the agent that listens in the folder to stop, over its socket. Returns its pid, if it can be known.
std::optional<pid_t> ask_to_stop(const fs::path& work_folder, FileDescriptor& agent) {
  agent = agent::connect_to(work_folder);
  if (!agent.is_open()) return std::nullopt;
  // An agent that hangs does not read the message; take_over ends it.
  (void)file::write_all(agent.get(), samples::frame(samples::encode(samples::ClientMessage(samples::Stop{}))), "agent");
  return agent::peer_of(agent);
}

// Returns the lock of the run's folder after ending the process that holds it.
Result<FileDescriptor> take_over(const fs::path& work_folder) {
  Result<FileDescriptor> lock = agent::try_lock(work_folder);
  if (!lock || lock->is_open()) return lock;
  FileDescriptor agent;
  const std::optional<pid_t> pid = ask_to_stop(work_folder, agent);
  lock = agent::lock_folder(work_folder, pid ? kLeavePatience : Nanoseconds(0));
  for (const int signal : {SIGTERM, SIGKILL}) {
    if (lock) break;
    const Result<process::Handle> holder = agent::lock_holder(work_folder, pid);
    if (!holder) return error_of(holder);
    (void)holder->signal(signal);  // it may just have ended
    lock = agent::lock_folder(work_folder, kLeavePatience);
  }
  return lock;
}

void empty(const fs::path& folder) {
  std::error_code code;
  for (const auto& entry : fs::directory_iterator(folder, code)) file::remove_all(entry.path());
}

// Returns whether a tree, complete or not, has a hard link to the content.
bool is_linked(const fs::path& content) {
  struct stat status{};
  return ::lstat(content.c_str(), &status) == 0 && status.st_nlink > 1;
}

// Performs one teardown.
class Removal {
 public:
  Removal(fs::path device_folder, const samples::Remove& remove) : folder_(std::move(device_folder)), remove_(remove) {
    for (const std::string& run : remove.runs) runs_.insert(folder_ / run);
  }

  Result<samples::Removed> run() {
    for (const fs::path& run : runs_) {
      if (Status ended = end(run); !ended) return error_of(ended);
    }
    if (Status shared = remove_what_is_shared(); !shared) return error_of(shared);
    // The work folders are deleted last: while they exist, an interrupted teardown can be repeated.
    for (const fs::path& run : runs_) file::remove(run);
    for (const fs::path& run : runs_) removed_.processes_left += agent::kill_leftovers(run).size();
    for (const Belonging& each : content_of(folder_).ours) {
      if (should_be_gone(each)) removed_.left.push_back(each.path.string());
    }
    for (const fs::path& shelf : shelves(folder_)) file::remove(shelf);  // if it is empty
    give_up_device_folder(folder_);
    return removed_;
  }

 private:
  static Status end(const fs::path& work_folder) {
    std::error_code code;
    if (!fs::is_directory(fs::symlink_status(work_folder, code))) return Done{};
    const Result<FileDescriptor> lock = take_over(work_folder);
    if (!lock) return error_of(lock);
    if (Status ended = agent::end_leftovers(work_folder, kLeavePatience); !ended) return ended;
    empty(work_folder);
    return Done{};
  }

  // Deletes everything that several runs may use, if no other run or delivery is there.
  Status remove_what_is_shared() {
    const FolderContent content = content_of(folder_);
    for (const Belonging& each : content.ours) {
      const bool is_another = each.kind == BelongingKind::run && !runs_.contains(each.path);
      if (is_another) removed_.kept_for.push_back(each.path.lexically_relative(folder_).string());
    }
    if (!removed_.kept_for.empty()) return Done{};
    // Both locks are held until the files are deleted, so that no delivery or run begins meanwhile. The lock files are
    // deleted last, while we hold them.
    Result<FileDescriptor> delivery = lock_if_ours(folder_ / "files", "a delivery on its way");
    if (!delivery) return error_of(delivery);
    Result<FileDescriptor> device = lock_if_ours(folder_, "a run that is being measured");
    if (!device) return error_of(device);
    if (!removed_.kept_for.empty()) return Done{};
    is_last_ = true;
    std::error_code code;
    for (const Belonging& each : content.ours) {
      const bool is_lock = each.path.filename() == "lock";
      if (each.kind != BelongingKind::content && !is_lock && should_be_gone(each)) file::remove_all(each.path);
    }
    for (const Belonging& each : content.ours) {
      if (each.kind == BelongingKind::content && should_be_gone(each)) file::remove(each.path);
    }
    const fs::path toolchains = folder_ / "toolchains";
    if (remove_.with_toolchains && fs::is_symlink(toolchains, code)) file::remove(toolchains);
    if (device->is_open()) file::remove(folder_ / "lock");
    if (delivery->is_open()) file::remove(folder_ / "files" / "lock");
    return Done{};
  }

  // Returns the lock of that folder. It is not open if the folder is missing, if somebody else's file has the lock's
  // name (then no process of ours works there), or if the lock is held; `if_held` is then added to the reasons to keep
  // what is shared.
  Result<FileDescriptor> lock_if_ours(const fs::path& folder, const char* if_held) {
    std::error_code code;
    const bool is_there = fs::is_directory(fs::symlink_status(folder, code));
    const bool is_foreign = fs::exists(folder / "lock", code) && !agent::is_lock_file(folder / "lock");
    if (!is_there || is_foreign) return FileDescriptor();
    Result<FileDescriptor> lock = agent::try_lock(folder);
    if (lock && !lock->is_open()) removed_.kept_for.emplace_back(if_held);
    return lock;
  }

  [[nodiscard]] bool should_be_gone(const Belonging& each) const {
    if (each.kind == BelongingKind::run) return runs_.contains(each.path);
    if (!is_last_) return false;
    if (each.kind == BelongingKind::toolchain) return remove_.with_toolchains;
    if (each.kind == BelongingKind::content) return !is_linked(each.path);
    return true;
  }

  fs::path folder_;
  const samples::Remove& remove_;
  std::set<fs::path> runs_{};
  bool is_last_ = false;  // no other run or delivery is on this device
  samples::Removed removed_{};
};

}  // namespace

Result<samples::Removed> remove_runs(const fs::path& device_folder, const samples::Remove& remove) {
  for (const std::string& run : remove.runs) {
    if (!is_run_folder(run)) return fail("is not a run's folder", run);
  }
  return Removal(device_folder, remove).run();
}

}  // namespace ngb::reception
