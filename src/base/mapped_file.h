// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <string_view>

#include "base/result.h"

namespace ngb {

// MappedFile is the content of a file, which costs memory only while it is read.
struct MappedFile {
  std::shared_ptr<const void> memory{};
  std::string_view bytes{};  // valid as long as `memory`
};

// Fails as file::open_to_read does, or if the file cannot be mapped. An empty file has no bytes.
Result<MappedFile> map_file(const std::filesystem::path& path);

}  // namespace ngb
