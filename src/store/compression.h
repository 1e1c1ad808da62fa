// SPDX-License-Identifier: Apache-2.0
// Compresses texts by zlib.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace ngb::store {

// Returns the text as the bytes of a zlib stream (RFC 1950). Throws std::bad_alloc if memory is short.
std::string compressed(std::string_view text);

// Returns the text of such bytes. Returns nothing if they are none, or if the text has more than `most_bytes`.
std::optional<std::string> uncompressed(std::string_view bytes, std::size_t most_bytes);

}  // namespace ngb::store
