// SPDX-License-Identifier: Apache-2.0
// Lists where an installation keeps its parts and its lock.
#pragma once

#include <filesystem>

namespace ngb::dispatch {

struct Installation {
  std::filesystem::path agent{};   // bin/ngb-agent
  std::filesystem::path worker{};  // bin/ngb-worker
  std::filesystem::path lib{};     // lib/ngraphbench: compilers/, python/
  // The folder whose lock prevents that two runs are measured on this machine at the same time; empty: nothing does.
  std::filesystem::path machine{};
};

}  // namespace ngb::dispatch
