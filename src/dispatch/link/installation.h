// SPDX-License-Identifier: Apache-2.0
// Lists where an installation keeps its parts.
#pragma once

#include <filesystem>

namespace ngb::dispatch {

struct Installation {
  std::filesystem::path agent{};   // bin/ngb-agent
  std::filesystem::path worker{};  // bin/ngb-worker
  std::filesystem::path lib{};     // lib/ngraphbench: compilers/, python/
};

}  // namespace ngb::dispatch
