// SPDX-License-Identifier: Apache-2.0
#include "agent/work_folder.h"

#include <system_error>

#include "agent/lock.h"
#include "agent/workers/process_tree.h"

namespace ngb::agent {
namespace {

constexpr Nanoseconds kPredecessorPatience = std::chrono::seconds(5);
constexpr Nanoseconds kLeftoversPatience = std::chrono::seconds(10);

}  // namespace

Result<FileDescriptor> begin_work_in(const std::filesystem::path& work_folder) {
  if (const Status made = file::make_folder(work_folder); !made) return error_of(made);
  Result<FileDescriptor> lock = lock_folder(work_folder, kPredecessorPatience, {},
                                            "wait until that run has ended, or choose another output folder");
  if (!lock) return lock;
  if (const Status ended = end_leftovers(work_folder, kLeftoversPatience); !ended) return error_of(ended);
  std::error_code code;
  for (const char* name : {"models", "scratch"}) std::filesystem::remove_all(work_folder / name, code);
  for (const char* name : {"models", "scratch", "logs"}) {
    if (const Status made = file::make_folder(work_folder / name); !made) return error_of(made);
  }
  return lock;
}

}  // namespace ngb::agent
