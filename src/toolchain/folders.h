// SPDX-License-Identifier: Apache-2.0
// Where toolchains stand: <root>/<compiler>/<version>. A folder on its way in or out is "<version>.partial-<pid>".
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/file.h"
#include "base/result.h"
#include "toolchain/toolchain.h"

namespace ngb::toolchain {

struct Place {
  std::filesystem::path root{};
  std::string compiler{};
  std::string version{};

  [[nodiscard]] std::filesystem::path folder() const { return root / compiler / version; }
  [[nodiscard]] std::filesystem::path partial() const;  // of this process
};

// Error when the version cannot be a folder's name.
Status check_version(std::string_view version);

// Held while a toolchain is made or removed; waits for another holder (and says so). Closing it lets go.
Result<FileDescriptor> lock(const Place& place, const Progress& progress);

// Deletes what killed installs of this toolchain have left. The lock is held.
Status remove_leftovers(const Place& place);

// Now, as manifests say it: "2026-11-21T10:30:00Z".
std::string creation_time();

// Writes the manifest into the partial folder and gives it its name. The lock is held.
Result<Toolchain> finish(const Place& place, Toolchain toolchain);

}  // namespace ngb::toolchain
