// SPDX-License-Identifier: Apache-2.0
#include "userfiles/onnx_wire.h"

namespace ngb::userfiles::wire {
namespace {

// Removes a number of variable length from the front; nothing: the bytes are not one.
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

}  // namespace

bool each_part(std::string_view message, const std::function<bool(const Part&)>& use) {
  while (!message.empty()) {
    const std::optional<std::uint64_t> tag = take_varint(message);
    if (!tag) return false;
    const auto field = static_cast<std::uint32_t>(*tag >> 3U);
    std::uint64_t length = 0;
    switch (*tag & 7U) {
      case 0: {
        const std::optional<std::uint64_t> integer = take_varint(message);
        if (!integer || !use({field, integer, {}})) return false;
        continue;
      }
      case 1:
        length = 8;
        break;
      case 2: {
        const std::optional<std::uint64_t> told = take_varint(message);
        if (!told || *told > message.size()) return false;
        if (!use({field, std::nullopt, message.substr(0, *told)})) return false;
        length = *told;
        break;
      }
      case 5:
        length = 4;
        break;
      default:
        return false;
    }
    if (length > message.size()) return false;
    message.remove_prefix(length);
  }
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

}  // namespace ngb::userfiles::wire
