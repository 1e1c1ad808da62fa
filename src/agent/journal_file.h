// SPDX-License-Identifier: Apache-2.0
// Reads the frames of a journal from disk and finds the next whole frame after damage. Holds at most two frames in
// memory.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"

namespace ngb::agent {

struct FoundFrame {
  enum class State {
    whole,
    cut,     // its length reaches beyond the end of the file
    damaged  // it is not a frame, or its checksum is wrong
  };
  State state = State::damaged;
  std::string payload{};  // of a whole frame
  std::string why{};      // why it is damaged
};

// Reads the frame at byte `at` of a file of `size_bytes`. Returns an error that names `where` if the file cannot be
// read.
Result<FoundFrame> frame_at(int fd, std::uint64_t at, std::uint64_t size_bytes, const std::string& where);

// Returns the position of the first whole frame at or after `from`; `size_bytes` if there is none. Payloads are JSON
// text, which is never mistaken for a frame's length: its characters would give a length above the limit.
Result<std::uint64_t> next_frame(int fd, std::uint64_t from, std::uint64_t size_bytes, const std::string& where);

// A frame that names the run and the job of the events after it.
struct JournalMark {
  int version = 0;
  std::string run_id{};
  std::string job_sha256{};
};
// 1: one mark, one job; 2: models with ids of their own; 3: no start times; 4: no ends of rounds; 5: no
// instances; 6: one event in each record
inline constexpr int kJournalVersion = 7;
inline constexpr int kOldestJournalVersion = 6;  // that is read
std::string encode(const JournalMark& mark);
// Returns nothing if the payload is not a mark.
std::optional<JournalMark> decode_mark(const std::string& payload);
// Returns the first mark of the file, wherever it is; nothing if there is none.
Result<std::optional<JournalMark>> first_mark(int fd, std::uint64_t size_bytes, const std::string& where);

}  // namespace ngb::agent
