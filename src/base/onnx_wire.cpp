// SPDX-License-Identifier: Apache-2.0
#include "base/onnx_wire.h"

#include <bit>

namespace ngb::wire {
namespace {

enum WireType : std::uint64_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

// Removes a varint from the front and returns it. Returns nothing if the bytes do not begin with one.
std::optional<std::uint64_t> take_varint(std::string_view& bytes) {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 64 && !bytes.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(bytes.front());
    bytes.remove_prefix(1);
    value |= static_cast<std::uint64_t>(byte & 0x7FU) << shift;
    if (byte < 0x80U) return value;
  }
  return std::nullopt;
}

std::string varint(std::uint64_t value) {
  std::string bytes;
  for (; value >= 0x80U; value >>= 7U) bytes += static_cast<char>((value & 0x7FU) | 0x80U);
  return bytes += static_cast<char>(value);
}

std::string tag_of(std::uint32_t field, WireType type) { return varint(std::uint64_t{field} << 3U | type); }

template <class Bits>
std::string little_endian(Bits bits) {
  std::string bytes;
  for (std::size_t i = 0; i < sizeof bits; ++i) bytes += static_cast<char>((bits >> (8 * i)) & 0xFFU);
  return bytes;
}

}  // namespace

bool take_part(std::string_view& message, Part& part) {
  const std::string_view before = message;
  const std::optional<std::uint64_t> tag = take_varint(message);
  if (!tag) return false;
  part = {.field = static_cast<std::uint32_t>(*tag >> 3U)};
  const std::uint64_t type = *tag & 7U;
  std::optional<std::uint64_t> length = 0;
  if (type == kVarint) part.integer = take_varint(message);
  if (type == kVarint && !part.integer) return false;
  if (type == kBytes) length = take_varint(message);
  if (type == kFixed64) length = 8;
  if (type == kFixed32) length = 4;
  const bool is_known = type == kVarint || type == kBytes || type == kFixed64 || type == kFixed32;
  if (!is_known || !length || *length > message.size()) return false;
  if (type == kBytes) part.bytes = message.substr(0, *length);
  message.remove_prefix(*length);
  part.whole = before.substr(0, before.size() - message.size());
  return true;
}

std::string text_in(std::string_view message, std::uint32_t field) {
  std::string text;
  each_part(message, [&](const Part& part) {
    if (part.field == field && !part.integer) text = part.bytes;
    return true;
  });
  return text;
}

std::optional<std::int64_t> integer_in(std::string_view message, std::uint32_t field) {
  std::optional<std::int64_t> integer;
  each_part(message, [&](const Part& part) {
    if (part.field == field && part.integer) integer = static_cast<std::int64_t>(*part.integer);
    return true;
  });
  return integer;
}

bool append_integers(const Part& part, std::vector<std::int64_t>& integers) {
  if (part.integer) {
    integers.push_back(static_cast<std::int64_t>(*part.integer));
    return true;
  }
  std::string_view bytes = part.bytes;
  while (!bytes.empty()) {
    const std::optional<std::uint64_t> each = take_varint(bytes);
    if (!each) return false;
    integers.push_back(static_cast<std::int64_t>(*each));
  }
  return true;
}

std::string head_of(std::uint32_t field, std::uint64_t size_bytes) {
  return tag_of(field, kBytes) + varint(size_bytes);
}

std::string field_of(std::uint32_t field, std::string_view bytes) { return head_of(field, bytes.size()).append(bytes); }

std::string integer_field(std::uint32_t field, std::uint64_t integer) {
  return tag_of(field, kVarint) + varint(integer);
}

std::string number_field(std::uint32_t field, float number) {
  return tag_of(field, kFixed32) + little_endian(std::bit_cast<std::uint32_t>(number));
}

std::string number_field(std::uint32_t field, double number) {
  return tag_of(field, kFixed64) + little_endian(std::bit_cast<std::uint64_t>(number));
}

std::string packed(const std::vector<std::int64_t>& integers) {
  std::string bytes;
  for (const std::int64_t each : integers) bytes += varint(static_cast<std::uint64_t>(each));
  return bytes;
}

std::string packed(const std::vector<float>& numbers) {
  std::string bytes;
  for (const float each : numbers) bytes += little_endian(std::bit_cast<std::uint32_t>(each));
  return bytes;
}

}  // namespace ngb::wire
