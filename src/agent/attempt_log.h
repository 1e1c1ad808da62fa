// SPDX-License-Identifier: Apache-2.0
// The file that takes what a process of ours prints.
#pragma once

#include <filesystem>
#include <string>

#include "base/file.h"
#include "base/result.h"
#include "samples/failure.h"

namespace ngb::agent {

// An empty file, whatever was there before; opened for appending.
Result<FileDescriptor> create_log(const std::filesystem::path& path);

// The last lines of a log, at most 20 of them and 2,000 bytes, as valid UTF-8; "" when there is nothing.
std::string last_lines(const std::filesystem::path& path);

// Names the log in the failure's message, and adds its last lines.
void quote_log(samples::Failure& failure, const std::filesystem::path& path, const std::string& shown_path);

}  // namespace ngb::agent
