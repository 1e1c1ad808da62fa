// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <string_view>

#include "base/result.h"

namespace ngb::worker {

// MappedFile is the content of a file, which costs memory only while it is read.
struct MappedFile {
  std::shared_ptr<const void> memory;
  std::string_view bytes;  // valid as long as `memory`
};

// Fails if the file cannot be read. An empty file has no bytes.
Result<MappedFile> map_file(const std::filesystem::path& path);

}  // namespace ngb::worker
