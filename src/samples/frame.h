// SPDX-License-Identifier: Apache-2.0
// Frames records on the wire and in the journal, so that a torn or damaged record is detected in both. A frame is: u32
// length, u32 CRC-32 of the payload, payload; little-endian.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace ngb::samples {

inline constexpr std::size_t kFrameHeaderBytes = 8;
inline constexpr std::uint32_t kMaxFrameBytes = 64U << 20U;

// Returns the payload as a frame. Precondition: payload.size() <= kMaxFrameBytes.
std::string frame(std::string_view payload);
// Returns JSON text and a line break as a frame. The line break is for srun, which may hold output back until it sees
// one.
std::string line_frame(const std::string& line);
// Returns the payload's length as claimed by a frame's first kFrameHeaderBytes. A wrong length is detected by the
// checksum, which is then computed over other bytes.
std::uint32_t frame_length(std::string_view header);

// Collects bytes as they arrive and returns whole frames. It holds at most one frame and the bytes of one read.
class FrameReader {
 public:
  // Sets the largest payload that is accepted from the next frame on. The initial limit is kMaxFrameBytes.
  void limit(std::uint32_t max_bytes) { max_bytes_ = max_bytes; }
  void feed(std::string_view bytes);
  // Returns the next payload, or nothing if more bytes are needed. Returns an error if the length or the CRC is wrong.
  // The rest of the stream can then not be trusted, so every further call returns the same error.
  Result<std::optional<std::string>> next();
  // Returns the number of bytes in whole, undamaged frames so far: the position at which a journal with a torn end is
  // cut.
  [[nodiscard]] std::uint64_t good_bytes() const { return good_bytes_; }

 private:
  std::string buffer_;
  std::size_t begin_ = 0;
  std::uint32_t max_bytes_ = kMaxFrameBytes;
  std::uint64_t good_bytes_ = 0;
  std::optional<Error> error_;
};

}  // namespace ngb::samples
