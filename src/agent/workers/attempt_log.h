// SPDX-License-Identifier: Apache-2.0
// The file that receives the output of a process.
#pragma once

#include <filesystem>
#include <string>

#include "base/file.h"
#include "base/result.h"
#include "samples/failure.h"

namespace ngb::agent {

// Creates an empty file, replacing an old one, and opens it for appending.
Result<FileDescriptor> create_log(const std::filesystem::path& path);

// Returns the last lines of a log as valid UTF-8, or those of Python's stack where it crashed from the innermost call
// on; at most 20 lines and 2,000 bytes, "" if there are none.
std::string last_lines(const std::filesystem::path& path);

// Appends the log's name and last lines to the failure's message.
void quote_log(samples::Failure& failure, const std::filesystem::path& path, const std::string& shown_path);

}  // namespace ngb::agent
