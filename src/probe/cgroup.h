// SPDX-License-Identifier: Apache-2.0
// Limits of the control groups (v1 and v2) that this process is in; the tightest of a group and its parents counts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "probe/tree.h"
#include "samples/known.h"

namespace ngb::probe {

// A known empty optional: there is no limit. Unknown: this machine does not tell.
template <class T>
using Limit = samples::Known<std::optional<T>>;

Limit<std::uint64_t> cgroup_memory_limit_bytes(const Tree& tree);
Limit<double> cgroup_cpu_limit(const Tree& tree);  // in processors: quota / period

}  // namespace ngb::probe
