// SPDX-License-Identifier: Apache-2.0
#include "agent/journal_file.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "agent/bytes_at.h"
#include "base/file.h"
#include "base/json_text.h"
#include "samples/frame.h"

namespace ngb::agent {
namespace {

constexpr std::size_t kWindowBytes = 1U << 16U;
constexpr unsigned char kMaxHighestLengthByte = samples::kMaxFrameBytes >> 24U;

bool may_begin_a_frame(std::string_view bytes) {
  return bytes[samples::kFrameHeaderBytes] == '{' && static_cast<unsigned char>(bytes[3]) <= kMaxHighestLengthByte;
}

}  // namespace

Result<FoundFrame> frame_at(int fd, std::uint64_t at, std::uint64_t size_bytes, const std::string& where) {
  const std::uint64_t there = size_bytes - std::min(at, size_bytes);
  const std::size_t header = std::min<std::uint64_t>(there, samples::kFrameHeaderBytes);
  Result<std::string> bytes = bytes_at(fd, at, header, where);
  if (!bytes) return error_of(bytes);
  if (bytes->size() < samples::kFrameHeaderBytes) return FoundFrame{FoundFrame::State::cut, {}, "it ends too early"};
  const std::uint32_t length = samples::frame_length(*bytes);
  samples::FrameReader reader;
  if (length <= samples::kMaxFrameBytes) {
    if (there < samples::kFrameHeaderBytes + length) {
      return FoundFrame{FoundFrame::State::cut, {}, "a record's length is wrong"};
    }
    bytes = bytes_at(fd, at, samples::kFrameHeaderBytes + length, where);
    if (!bytes) return error_of(bytes);
  }
  reader.feed(*bytes);
  bytes->clear();
  Result<std::optional<std::string>> payload = reader.next();
  if (!payload) {
    const bool is_length = length > samples::kMaxFrameBytes;
    return FoundFrame{FoundFrame::State::damaged, {}, is_length ? "a record's length is wrong" : "a checksum is wrong"};
  }
  if (!payload->has_value()) return FoundFrame{FoundFrame::State::cut, {}, "it ends too early"};
  return FoundFrame{FoundFrame::State::whole, std::move(**payload), {}};
}

Result<std::uint64_t> next_frame(int fd, std::uint64_t from, std::uint64_t size_bytes, const std::string& where) {
  for (std::uint64_t begin = from; begin + samples::kFrameHeaderBytes < size_bytes; begin += kWindowBytes) {
    const Result<std::string> window = bytes_at(fd, begin, kWindowBytes + samples::kFrameHeaderBytes, where);
    if (!window) return error_of(window);
    for (std::size_t i = 0; i < kWindowBytes && i + samples::kFrameHeaderBytes < window->size(); ++i) {
      if (!may_begin_a_frame(std::string_view(*window).substr(i))) continue;
      const Result<FoundFrame> frame = frame_at(fd, begin + i, size_bytes, where);
      if (!frame) return error_of(frame);
      if (frame->state == FoundFrame::State::whole) return begin + i;
    }
  }
  return size_bytes;
}

std::string encode(const JournalMark& mark) {
  return json_text::dump(
      nlohmann::json{{"journal", mark.version}, {"run_id", mark.run_id}, {"job_sha256", mark.job_sha256}});
}

std::optional<JournalMark> decode_mark(const std::string& payload) {
  constexpr std::size_t kMostBytes = 4096;
  if (payload.size() > kMostBytes || payload.find("\"journal\"") == std::string::npos) return std::nullopt;
  const nlohmann::json object = json_text::parse(payload);
  const auto text = [&](const char* key) { return object.contains(key) && object[key].is_string(); };
  if (!object.is_object() || !object.contains("journal") || !text("run_id") || !text("job_sha256")) return std::nullopt;
  const nlohmann::json& version = object["journal"];
  constexpr std::uint64_t kMostVersions = 1000;
  if (!version.is_number_unsigned() || version.get<std::uint64_t>() > kMostVersions) return std::nullopt;
  return JournalMark{version.get<int>(), object["run_id"].get<std::string>(), object["job_sha256"].get<std::string>()};
}

Result<std::optional<JournalMark>> first_mark(int fd, std::uint64_t size_bytes, const std::string& where) {
  for (std::uint64_t at = 0; at < size_bytes;) {
    const Result<FoundFrame> frame = frame_at(fd, at, size_bytes, where);
    if (!frame) return error_of(frame);
    const bool is_whole = frame->state == FoundFrame::State::whole;
    if (std::optional<JournalMark> mark = is_whole ? decode_mark(frame->payload) : std::nullopt) return mark;
    const Result<std::uint64_t> next =
        is_whole ? at + samples::kFrameHeaderBytes + frame->payload.size() : next_frame(fd, at + 1, size_bytes, where);
    if (!next) return error_of(next);
    at = *next;
  }
  return std::nullopt;
}

}  // namespace ngb::agent
