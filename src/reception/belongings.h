// SPDX-License-Identifier: Apache-2.0
// Finds NGraphBench's own things in a device's folder. They are recognised by the form of their names. Everything else
// belongs to somebody else and is neither used nor removed.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace ngb::reception {

enum class BelongingKind {
  lock,       // lock
  agent,      // agents/<64 hex>
  bundle,     // bundles/<64 hex>
  exported,   // exports/<64 hex>
  model,      // models/<64 hex>
  reference,  // references/<64 hex>, references/<64 hex>.ref
  tuning,     // tuning/tvm/<32 hex>, tuning/tensorrt/timing-….cache
  holder,     // holders/ngb-<run>, and its .log
  run,        // runs/<16 hex>-<8 hex>, with the prefix "ngb-" or the suffix "-<number>" under Slurm
  toolchain,  // toolchains/<compiler>/<version> that has a manifest or a site
  content,    // files/<64 hex>, with the suffix ".x" or ".partial"
  delivery,   // files/lock, files/next
};

struct Belonging {
  BelongingKind kind{};
  std::filesystem::path path{};  // absolute
};

struct FolderContent {
  std::vector<Belonging> ours{};
  // Everything else in the device's folder and in the folders of our things, except for the mark.
  std::vector<std::filesystem::path> others{};
};

// Lists the folder without following links. A link in the place of one of our folders is somebody else's. The exception
// is `toolchains`, a link that the bootstrap makes: its content is in neither list.
FolderContent content_of(const std::filesystem::path& device_folder);

// Returns the existing folders of our things that are not links, the deepest first, so that the empty ones can be
// removed.
std::vector<std::filesystem::path> shelves(const std::filesystem::path& device_folder);

// Returns whether `path`, relative to the device's folder, is a run's folder: "runs/0123456789abcdef-01234567".
bool is_run_folder(std::string_view path);

// Returns whether a tree may be delivered at `path`, relative to the device's folder: a bundle, a model, reference
// outputs or a toolchain.
bool is_tree_folder(std::string_view path);

// Returns whether `path`, relative to the device's folder, is a toolchain's folder.
bool is_toolchain_folder(std::string_view path);

// Decides whether a device's folder is NGraphBench's. It is used and emptied only if it has NGraphBench's mark and no
// other user can have written in it.

// Creates the folder if it is missing, marks it if it is new or empty, and returns its canonical path. A folder of an
// earlier version, which has no mark, is marked if it contains only things of our form. Otherwise the folder is left as
// it was, and an error is returned: if it belongs to another user, if other users may write in it, if it has other
// content and no mark, or if one of our folders in it is a link.
Result<std::filesystem::path> claim_device_folder(const std::filesystem::path& folder);

// Removes the mark and the folder if nothing else is in it.
void give_up_device_folder(const std::filesystem::path& folder);

// Returns an error if the folder belongs to another user or if other users may write in it. With `or_the_system` root
// may own it.
Status check_owner(const std::filesystem::path& folder, bool or_the_system);

}  // namespace ngb::reception
