// SPDX-License-Identifier: Apache-2.0
// Reads protobuf's wire format, the format of ONNX files. It is read by hand where processes of Python compilers
// need it, because Debian's protobuf library cannot be linked into the extension that hosts them.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ngb::userfiles::wire {

// A field of a message that is an integer, or bytes: a text, a message, or packed integers. Of fields with a fixed
// width (floating-point numbers) nothing is told.
struct Part {
  std::uint32_t field = 0;
  std::optional<std::uint64_t> integer{};  // nothing: the field has bytes
  std::string_view bytes{};                // of the message that was read
};

// Calls `use` with each part of the message. Returns false if the bytes are no message, or if `use` returns false.
bool each_part(std::string_view message, const std::function<bool(const Part&)>& use);

// Returns the text of a field; "" if the message has none.
std::string text_in(std::string_view message, std::uint32_t field);
// Returns the last integer of a field; nothing if the message has none.
std::optional<std::int64_t> integer_in(std::string_view message, std::uint32_t field);
// Appends the integers of a part of a repeated field, which are packed or not. Returns false if they are damaged.
bool append_integers(const Part& part, std::vector<std::int64_t>& integers);

}  // namespace ngb::userfiles::wire
