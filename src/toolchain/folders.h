// SPDX-License-Identifier: Apache-2.0
// Finds, locks and changes the folders of toolchains: <root>/<compiler>/<version>. A folder that is being made or
// removed is "<version>.partial-<pid>".
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
  [[nodiscard]] std::filesystem::path partial() const;  // named with this process's id
};

// Fails if the version cannot be a folder's name.
Status check_version(std::string_view version);

// Returns the lock under which a toolchain is made or removed. If another process has it, reports that and waits.
// Closing the descriptor releases the lock.
Result<FileDescriptor> lock(const Place& place, const Progress& progress);

// Deletes what killed installs of this toolchain left. The caller holds the lock.
Status remove_leftovers(const Place& place);

// Returns an error if the folder in that place has no manifest: then it is no toolchain, and nothing replaces it.
Status check_ours(const Place& place);

// Returns the present time as manifests store it: "2026-11-21T10:30:00Z".
std::string creation_time();

// Writes the manifest and the list of files into the partial folder and renames the folder to its place, from which it
// removes the toolchain that is there. The caller holds the lock.
Result<Toolchain> finish(const Place& place, Toolchain toolchain);

}  // namespace ngb::toolchain
