// SPDX-License-Identifier: Apache-2.0
// What a device may say to its client, and a client to a device: any bytes end in messages or in an Error, and a
// message that was understood is understood again when it is written out.
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <utility>
#include <variant>

#include "samples/frame.h"
#include "samples/message.h"
#include "work/job_parts.h"

namespace {

using namespace ngb::samples;
using ngb::work::Group;
using ngb::work::Job;
using ngb::work::JobPart;
using ngb::work::JobParts;

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

std::size_t count_steps(const Job& job) {
  std::size_t count = 0;
  for (const Group& group : job.groups) count += group.steps.size();
  return count;
}

// As a device does with what comes: the lists grow, piece by piece, until the last.
void take_apart_and_put_together(const Job& job) {
  JobParts parts(job, kMaxFrameBytes);
  auto head = parts.next();
  require(head && *head);
  Job whole = std::get<Job>(std::move(**head));
  for (auto part = parts.next(); part && *part; part = parts.next())
    append(whole, std::get<JobPart>(std::move(**part)));
  require(!whole.continues && whole.models.size() == job.models.size() && whole.cells.size() == job.cells.size() &&
          count_steps(whole) == count_steps(job));
}

void read_payload(std::string_view text) {
  read_twice(text, decode_agent_message);
  read_twice(text, decode_client_message);
  if (const auto message = decode_client_message(text)) {
    const Job* const job = std::get_if<Job>(&*message);
    if (job != nullptr && ngb::work::check_job(*job)) take_apart_and_put_together(*job);
  }
  read_twice(text, decode_record);
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
