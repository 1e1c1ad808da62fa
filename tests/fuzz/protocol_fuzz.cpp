// SPDX-License-Identifier: Apache-2.0
// What a device may say to its client, and a client to a device: any bytes end in messages or in an Error, and a
// message that was understood is understood again when it is written out.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "samples/frame.h"
#include "samples/message.h"

namespace {

using namespace ngb::samples;

void require(bool holds) {
  if (!holds) std::abort();
}

template <class Decode>
void read_twice(std::string_view text, const Decode& decode) {
  const auto message = decode(text);
  if (!message) return;
  const auto again = decode(encode(*message));
  require(again.has_value() && encode(*again) == encode(*message));
}

void read_payload(std::string_view text) {
  read_twice(text, decode_agent_message);
  read_twice(text, decode_client_message);
  read_twice(text, decode_event);
}

// In pieces, as a pipe gives them.
void read_stream(std::string_view bytes, std::size_t piece_bytes) {
  FrameReader reader;
  while (!bytes.empty()) {
    reader.feed(bytes.substr(0, piece_bytes));
    bytes.remove_prefix(std::min(piece_bytes, bytes.size()));
    for (;;) {
      const auto payload = reader.next();
      if (!payload || !payload->has_value()) break;
      read_payload(**payload);
    }
  }
}

}  // namespace

// The first byte says what the others are: a payload, a stream, or payloads (one a line) that come in whole frames.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::size_t piece_bytes = 1 + data[0] / 3;
  switch (data[0] % 3) {
    case 0:
      read_payload(bytes);
      break;
    case 1:
      read_stream(bytes, piece_bytes);
      break;
    default:
      read_stream(frame(bytes) + frame(bytes.substr(0, bytes.find('\n'))), piece_bytes);
  }
  return 0;
}
