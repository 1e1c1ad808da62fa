// SPDX-License-Identifier: Apache-2.0
// What a power cut leaves of a folder, for every instant at which the power could have gone.
//
// A piece of work runs once in a process of its own. That process, and all that it starts, are watched by ptrace, so
// static programs and shells count as well. Before each system call that changes or syncs names or files below the
// folder, the folder is kept as it stands, together with what the syncs so far have put on disk:
// - fsync and fdatasync of a file: its content, not its name.
// - fsync of a folder: the names in it.
// - syncfs and sync: everything.
// What is not on disk may or may not survive; the worst mixtures of both are made as real folders and checked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace ngb::power_loss {

// Says within the watched work, in any of its processes, that from now on something has to survive.
void promise(const std::string& words);

struct Object {
  enum class Kind { file, folder, link };
  Kind kind = Kind::file;
  unsigned mode = 0;                             // permissions
  std::shared_ptr<const std::string> content{};  // of a file; the target of a link
  std::map<std::string, std::uint64_t> names{};  // of a folder: inodes
};
using Objects = std::map<std::uint64_t, Object>;  // by inode

// An instant at which the power may go.
struct Instant {
  std::string call{};  // the system call that would come next
  Objects now{};       // as programs see it
  Objects on_disk{};   // file contents and folders' names that are certain to survive
  std::set<std::string> promises{};
};

struct Watched {
  std::string why_not{};  // not empty: nothing was watched, since this machine does not allow it
  int exit_code = 0;      // of the work: 0 unless it ended the process by itself
  std::uint64_t root = 0;
  std::vector<Instant> instants{};
};

// Runs `work`, which may write to `folder` (there already; what it holds counts as on disk).
Watched watch(const std::filesystem::path& folder, const std::function<void()>& work);

// Calls `check` with a folder for everything that could be left, and with what had been promised by then. `check` may
// change the folder. Equal remains are checked once. Returns the number of calls.
using Check = std::function<void(const std::filesystem::path& folder, const std::set<std::string>& promises)>;
std::size_t cut_everywhere(const Watched& watched, const Check& check);

}  // namespace ngb::power_loss
