// SPDX-License-Identifier: Apache-2.0
// A frame: u32 length, u32 CRC-32 of the payload, payload; little-endian. The same on the wire and in the journal, so a
// torn or damaged record is seen in either.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace ngb::samples {

inline constexpr std::size_t kFrameHeaderBytes = 8;
inline constexpr std::uint32_t kMaxFrameBytes = 64U << 20U;

// Precondition: payload.size() <= kMaxFrameBytes.
std::string frame(std::string_view payload);
// The same of JSON text, which ends in a line break then: what carries an agent's words (srun) may wait for one.
std::string line_frame(const std::string& line);
// The length that a frame's first kFrameHeaderBytes claim for its payload. The checksum covers the payload alone: with
// a wrong length it is taken over other bytes, and does not fit.
std::uint32_t frame_length(std::string_view header);

// Collects bytes as they come and yields whole frames. Holds at most one frame and one read more.
class FrameReader {
 public:
  // From the next frame on, one that claims more bytes is an Error. At first kMaxFrameBytes.
  void limit(std::uint32_t max_bytes) { max_bytes_ = max_bytes; }
  void feed(std::string_view bytes);
  // The next payload; nothing when more bytes are needed; Error on a wrong length or CRC, after which the rest of the
  // stream cannot be trusted and every further call yields the same Error.
  Result<std::optional<std::string>> next();
  // Bytes of the stream in whole, undamaged frames so far: where a journal with a torn tail is to be cut.
  [[nodiscard]] std::uint64_t good_bytes() const { return good_bytes_; }

 private:
  std::string buffer_;
  std::size_t begin_ = 0;
  std::uint32_t max_bytes_ = kMaxFrameBytes;
  std::uint64_t good_bytes_ = 0;
  std::optional<Error> error_;
};

}  // namespace ngb::samples
