// SPDX-License-Identifier: Apache-2.0
#include "samples/frame.h"

#include <fmt/format.h>

#include <boost/crc.hpp>

namespace ngb::samples {
namespace {

void put_u32(std::string& out, std::uint32_t value) {
  for (unsigned shift = 0; shift < 32; shift += 8) out += static_cast<char>((value >> shift) & 0xFFU);
}

std::uint32_t get_u32(std::string_view bytes) {
  std::uint32_t value = 0;
  for (unsigned i = 0; i < 4; ++i) value |= static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[i])) << (8 * i);
  return value;
}

std::uint32_t crc32(std::string_view bytes) {
  boost::crc_32_type crc;
  crc.process_bytes(bytes.data(), bytes.size());
  return crc.checksum();
}

}  // namespace

std::uint32_t frame_length(std::string_view header) { return get_u32(header); }

std::string line_frame(const std::string& line) { return frame(line + "\n"); }

std::string frame(std::string_view payload) {
  std::string out;
  out.reserve(kFrameHeaderBytes + payload.size());
  put_u32(out, static_cast<std::uint32_t>(payload.size()));
  put_u32(out, crc32(payload));
  out += payload;
  return out;
}

void FrameReader::feed(std::string_view bytes) {
  if (error_) return;
  buffer_.erase(0, begin_);
  begin_ = 0;
  buffer_ += bytes;
}

Result<std::optional<std::string>> FrameReader::next() {
  if (error_) return tl::unexpected(*error_);
  const std::string_view rest = std::string_view(buffer_).substr(begin_);
  if (rest.size() < kFrameHeaderBytes) return std::nullopt;
  const std::uint32_t length = get_u32(rest);
  if (length > max_bytes_) {
    error_ = Error{fmt::format("a frame claims {} bytes, more than the {} allowed", length, max_bytes_), {}, {}};
    return tl::unexpected(*error_);
  }
  if (rest.size() < kFrameHeaderBytes + length) return std::nullopt;
  const std::string_view payload = rest.substr(kFrameHeaderBytes, length);
  if (crc32(payload) != get_u32(rest.substr(4))) {
    error_ = Error{fmt::format("the checksum of the frame at byte {} is wrong", good_bytes_), {}, {}};
    return tl::unexpected(*error_);
  }
  begin_ += kFrameHeaderBytes + length;
  good_bytes_ += kFrameHeaderBytes + length;
  return std::string(payload);
}

}  // namespace ngb::samples
