// SPDX-License-Identifier: Apache-2.0
// Keeps a program's standard error in a file. Its size is limited, because a device may have written it without end.
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
  // `open` renames a file that is larger than this to `<path>.1`, replacing an earlier file of that name.
  static constexpr std::uint64_t kMaxFileBytes = 1U << 20U;
  // At most this much of one program is written; the rest is counted.
  static constexpr std::uint64_t kMaxProgramBytes = 256U << 10U;

  // Opens the file for appending and creates its folder. Returns an error if either is impossible.
  static Result<ProgramLog> open(const std::filesystem::path& path);

  void add(std::string_view bytes);
  // Returns whether bytes were dropped: nothing more is written, so the program need not be read quickly.
  [[nodiscard]] bool is_full() const { return dropped_bytes_ > 0; }
  // Writes how many bytes were dropped, if any.
  void end();

  // Returns the last 2,000 bytes that were added, as valid UTF-8 without surrounding space, for an error about the
  // program's end. The query of a URL, which is a whole command in kubectl's messages, is left out.
  [[nodiscard]] std::string last_words() const;

 private:
  explicit ProgramLog(FileDescriptor file) : file_(std::move(file)) {}

  FileDescriptor file_;
  std::string tail_{};
  std::uint64_t written_bytes_ = 0;
  std::uint64_t dropped_bytes_ = 0;
};

}  // namespace ngb::dispatch
