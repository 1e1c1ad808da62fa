// SPDX-License-Identifier: Apache-2.0
// What a program says on its standard error: kept in a file and bounded there, since it may be a device's words, and
// without end.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#include "base/file.h"
#include "base/result.h"

namespace ngb::dispatch {

class ProgramLog {
 public:
  // The file keeps about so much of all programs before this one: a larger one is renamed to `<path>.1`, which replaces
  // the one that had that name.
  static constexpr std::uint64_t kMaxFileBytes = 1U << 20U;
  // So much of one program is written; the rest is counted.
  static constexpr std::uint64_t kMaxProgramBytes = 256U << 10U;

  // Opens the file for appending; its folder is made.
  static Result<ProgramLog> open(const std::filesystem::path& path);

  void add(std::string_view bytes);
  // Nothing of what is added is written any more: whoever writes need not be read quickly.
  [[nodiscard]] bool is_full() const { return dropped_bytes_ > 0; }
  // Writes how much was not kept, if any.
  void end();

  // The last 2,000 bytes that were added, as valid UTF-8 without space around them: for an Error about the program's
  // end.
  [[nodiscard]] std::string last_words() const;

 private:
  explicit ProgramLog(FileDescriptor file) : file_(std::move(file)) {}

  FileDescriptor file_;
  std::string tail_{};
  std::uint64_t written_bytes_ = 0;
  std::uint64_t dropped_bytes_ = 0;
};

}  // namespace ngb::dispatch
