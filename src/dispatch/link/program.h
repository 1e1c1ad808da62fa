// SPDX-License-Identifier: Apache-2.0
// Runs other programs (sbatch, squeue) to their end without blocking the loop.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/file.h"
#include "base/result.h"
#include "dispatch/link/event_loop.h"

namespace ngb::dispatch {

// If SIGKILL has not ended a process within this time, the process hangs in the kernel and nobody waits for it any
// longer.
inline constexpr Nanoseconds kKillPatience = std::chrono::seconds(1);

// Waits for a child's end and returns its status in waitpid's form, or nothing if the child hangs in the kernel. Sends
// SIGKILL to `to_kill` (the child, or its group as a negative number) after `patience`, or if `after_stop` has passed
// since the loop stopped.
asio::awaitable<std::optional<int>> end_of_child(Loop& loop, pid_t pid, pid_t to_kill, Nanoseconds patience,
                                                 Nanoseconds after_stop);

inline const std::string kNoInput;

struct ProgramEnd {
  bool succeeded = false;
  bool was_slow = false;  // it was killed because its time was over
  std::string output{};   // at most 64 MiB
  std::string words{};    // for people: at most 2,000 bytes of its standard error, or how it ended
};

// Runs the program `words[0]` with these arguments and with `input` as its standard input. `words` and `input` must
// outlive the call. The program is killed after `patience`; if the loop stops, it is killed within kWordsAfterStop, or
// at once with `stops_with_loop`. Returns an error if the program cannot be started or hangs in the kernel.
asio::awaitable<Result<ProgramEnd>> run_program(Loop& loop, const std::vector<std::string>& words,
                                                const std::string& input, Nanoseconds patience,
                                                bool stops_with_loop = false);

// Keeps a program's standard error in a file. Its size is limited, because a device may have written it without end.
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
