// SPDX-License-Identifier: Apache-2.0
// The processes below one of ours, wherever they have gone: other groups, other sessions, orphaned to us.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <vector>

namespace ngb::agent {

// Every living process below `root`, itself left out, zombies too.
std::vector<pid_t> descendants(pid_t root);

// Resident memory of these together; pages that several of them share count once for each.
std::uint64_t resident_bytes(const std::vector<pid_t>& processes);

// The variable by which a process says for which work folder it was started.
inline constexpr const char* kWorkFolderVariable = "NGB_WORK_FOLDER";

// Kills what an agent of this folder that was itself killed has left running. Returns how many there were.
int kill_leftovers(const std::filesystem::path& work_folder);

}  // namespace ngb::agent
