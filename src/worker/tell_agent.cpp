// SPDX-License-Identifier: Apache-2.0
#include "worker/tell_agent.h"

#include <unistd.h>

#include <cerrno>
#include <optional>
#include <string>

#include "base/file.h"
#include "samples/frame.h"
#include "samples/progress_page.h"

namespace ngb::worker {

Status signal_and_wait(std::string_view signal) {
  if (Status sent = file::write_all(samples::kResultFd, samples::frame(signal), "signal"); !sent) return sent;
  samples::FrameReader reader;
  char chunk[64];
  for (;;) {
    const Result<std::optional<std::string>> answer = reader.next();
    if (!answer) return error_of(answer);
    if (*answer) return Done{};
    const ssize_t count = ::read(samples::kRequestFd, chunk, sizeof chunk);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return tl::unexpected(file::from_errno("read", "the agent's answer", errno));
    if (count == 0) return fail("the agent has ended", "worker");
    reader.feed({chunk, static_cast<std::size_t>(count)});
  }
}

}  // namespace ngb::worker
