// SPDX-License-Identifier: Apache-2.0
#include "worker/further_sessions.h"

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <string>

#include "base/clock.h"
#include "samples/process_numbers.h"
#include "worker/memory_marks.h"
#include "worker/plugin_session.h"

namespace ngb::worker {
namespace {

constexpr std::int64_t kLongest_ns = 60'000'000'000;

std::int64_t monotonic_ns() { return system_clock().now().count(); }

// Returns why the session failed; nothing if it ran an inference and was closed.
std::optional<samples::Failure> live_through(const work::WorkerRequest& request, const ngb_compiler& compiler,
                                             const Inputs& inputs) {
  Session session(compiler);
  Attempt<Done> done = session.open(request.compiler, request.place, request.cache_dir, nullptr,
                                    {.has_compiled_file = request.model.is_compiled()});
  if (done) {
    done = request.loads_artifact ? session.load(request.model_path, request.model, request.artifact_path)
                                  : session.compile(request.model_path, request.model);
  }
  if (done) done = session.bind(inputs);
  if (done) done = session.run();
  return done ? std::nullopt : std::optional(done.error());
}

}  // namespace

void add_further_sessions(const work::WorkerRequest& request, const ngb_compiler& compiler, const Inputs& inputs,
                          std::vector<samples::Reading>& readings) {
  const int count = request.protocol.sessions.value_or(0);
  MemoryMarks marks(count > 0, samples::kSessionMark, "sessions");
  marks.add(0);
  const std::int64_t first_ns = monotonic_ns();
  for (int i = 1; i <= count && monotonic_ns() - first_ns < kLongest_ns; ++i) {
    const std::int64_t begin_ns = monotonic_ns();
    const std::optional<samples::Failure> failure = live_through(request, compiler, inputs);
    const auto took_s = Known<double>::of(static_cast<double>(monotonic_ns() - begin_ns) * 1e-9);
    readings.push_back({samples::kSessionTime, "s", samples::kSessionMark,
                        failure ? Known<double>::unknown(fmt::format("session {}: {}", i, failure->message)) : took_s,
                        system_clock().now().count()});
    if (failure) break;
    marks.add(static_cast<std::uint64_t>(i));
  }
  marks.add_to(readings);
}

}  // namespace ngb::worker
