// SPDX-License-Identifier: Apache-2.0
// A compiler's session behind its C table: errors become values of our taxonomy, and it is always closed.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "ngraphbench/compiler.h"
#include "samples/failure.h"
#include "samples/progress_page.h"
#include "work/job.h"
#include "worker/inputs.h"
#include "worker/loop.h"
#include "worker/reference_file.h"

namespace ngb::worker {

// Phase is left for the caller to fill in.
template <class T>
using Attempt = tl::expected<T, samples::Failure>;

samples::FailureKind failure_kind(ngb_status status);

// Text from a C string of a plugin: valid UTF-8, never null.
std::string plugin_text(const char* text);

class Session {
 public:
  explicit Session(const ngb_compiler& compiler) : compiler_(compiler) {}
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // In this order; after a failure nothing else may be called.
  // `cache_dir` and `page` are what the compiler is lent (ngb_settings); the page outlives the session, or is null.
  Attempt<Done> open(const work::Compiler& compiler, const work::Place& place = {}, const std::string& cache_dir = {},
                     samples::ProgressPage* page = nullptr);
  Attempt<Done> compile(const std::string& model_path, const work::Model& model);
  Attempt<Done> bind(const Inputs& inputs);
  Attempt<Done> run();
  // Outputs of the last run, in plugin memory: valid until the next call. The signatures are copies.
  Attempt<std::vector<OutputView>> outputs();
  // All that inspect tells.
  [[nodiscard]] std::map<std::string, std::string> facts();

  // For the timed loop.
  [[nodiscard]] Target target(std::atomic<std::uint64_t>* repetitions_done);
  [[nodiscard]] samples::Failure failure(ngb_status status) const;

 private:
  Attempt<Done> attempt(ngb_status status) const;

  const ngb_compiler& compiler_;
  ngb_session* session_ = nullptr;
  samples::ProgressPage* page_ = nullptr;
  ngb_error error_{};
};

}  // namespace ngb::worker
