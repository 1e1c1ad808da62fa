// SPDX-License-Identifier: Apache-2.0
// Reads the limits of the control groups (v1 and v2) of this process. The tightest of a group and its parents counts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "probe/tree.h"

namespace ngb::probe {

// A Limit is unknown (with a reason), or known: a value, or an empty optional if nothing is limited.
template <class T>
using Limit = Known<std::optional<T>>;

Limit<std::uint64_t> cgroup_memory_limit_bytes(const Tree& tree);
Limit<double> cgroup_cpu_limit(const Tree& tree);  // in processors: quota / period

// Returns the files in which the group and its parents count how long their processors' quota stopped them.
Known<std::vector<std::string>> cgroup_throttle_files(const Tree& tree);
// Returns the longest of these times, each of which is the sum over the processors.
Known<std::uint64_t> throttled_ns(const Tree& tree, const std::vector<std::string>& files);

// Returns the folder of this process's own v2 group, or nothing if v2 is not mounted.
std::optional<std::string> own_cgroup2_folder(const Tree& tree);

}  // namespace ngb::probe
