// SPDX-License-Identifier: Apache-2.0
// Workers as the agent starts them: a request on descriptor 3, a result on 4, the progress page on 5.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/process.h"
#include "compiler_under_test.h"
#include "samples/process_result.h"
#include "temporary_folder.h"
#include "tiny_models.h"

namespace ngb::conformance {

struct WorkerRun {
  process::Outcome outcome{};                      // how the process ended
  std::optional<samples::ProcessResult> result{};  // what it handed over, if anything
  bool was_killed = false;                         // it took too long
  std::int32_t last_phase = 0;                     // from the progress page
  std::uint64_t repetitions = 0;                   // from the progress page
  std::string log{};

  // The failure's kind by name, "none", or how the process ended without a result.
  [[nodiscard]] std::string ending() const;
  [[nodiscard]] std::string message() const;
};

// A request that measures `model` briefly: 5 repetitions, no check. The model file is in `scratch`.
work::WorkerRequest make_request(const CompilerUnderTest& compiler, const TinyModel& model,
                                 const TemporaryFolder& scratch);

// Importing a compiler's Python packages takes seconds by itself, and many on a busy machine.
inline constexpr int kPatience_s = 240;

// Starts a worker and waits for its end; kills it after limit_s. `prefix` goes before the command ("prlimit", …).
WorkerRun run_worker(const CompilerUnderTest& compiler, const work::WorkerRequest& request, int limit_s = kPatience_s,
                     const std::vector<std::string>& prefix = {});

// The outputs that the compiler computes for the model, with the values that it was fed.
struct Computed {
  std::vector<Values> inputs{};
  std::vector<Values> outputs{};
};
Result<Computed> compute_outputs(const CompilerUnderTest& compiler, const TinyModel& model);

}  // namespace ngb::conformance
