// SPDX-License-Identifier: Apache-2.0
#include "store/compression.h"

#include <zlib.h>

#include <algorithm>
#include <new>

namespace ngb::store {
namespace {

const Bytef* read_as_bytes(std::string_view text) { return reinterpret_cast<const Bytef*>(text.data()); }

}  // namespace

std::string compressed(std::string_view text) {
  uLongf size = compressBound(static_cast<uLong>(text.size()));
  std::string bytes(size, '\0');
  // There is room for the worst case, so the only failure is a lack of memory.
  const int code = compress2(reinterpret_cast<Bytef*>(bytes.data()), &size, read_as_bytes(text),
                             static_cast<uLong>(text.size()), Z_BEST_COMPRESSION);
  if (code != Z_OK) throw std::bad_alloc();
  bytes.resize(size);
  return bytes;
}

std::optional<std::string> uncompressed(std::string_view bytes, std::size_t most_bytes) {
  constexpr std::size_t kUsualRatio = 8;
  for (std::size_t room = kUsualRatio * bytes.size(); room > 0; room *= 4) {
    std::string text(std::min(room, most_bytes), '\0');
    auto size = static_cast<uLongf>(text.size());
    const int code = uncompress(reinterpret_cast<Bytef*>(text.data()), &size, read_as_bytes(bytes),
                                static_cast<uLong>(bytes.size()));
    text.resize(size);
    if (code == Z_OK) return text;
    if (code != Z_BUF_ERROR || room >= most_bytes) break;
  }
  return std::nullopt;
}

}  // namespace ngb::store
