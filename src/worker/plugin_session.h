// SPDX-License-Identifier: Apache-2.0
// Runs a compiler's session through its C table. Its errors become failures of our kinds, and it is always closed.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "ngraphbench/compiler.h"
#include "samples/failure.h"
#include "samples/kernel_profile.h"
#include "samples/progress_page.h"
#include "work/job.h"
#include "worker/inputs.h"
#include "worker/loop.h"
#include "worker/reference_file.h"

namespace ngb::worker {

// The caller fills in a failure's phase.
template <class T>
using Attempt = tl::expected<T, samples::Failure>;

samples::FailureKind failure_kind(ngb_status status);
samples::Failure failure_of(samples::FailureKind kind, const Error& error);

// Returns a plugin's C string as valid UTF-8; "" for null.
std::string plugin_text(const char* text);

// What a session is for (ngb_settings).
struct SessionUse {
  bool is_profiled = false;  // only such a session can be asked for its kernels
  bool has_compiled_file = false;
  bool has_many_shapes = false;
};

class Session {
 public:
  explicit Session(const ngb_compiler& compiler) : compiler_(compiler) {}
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // The functions are called in this order; after a failure none of them may be called.
  // The compiler may use `cache_dir` and `page` (ngb_settings). The page outlives the session, or is null.
  Attempt<Done> open(const work::Compiler& compiler, const work::Place& place = {}, const std::string& cache_dir = {},
                     samples::ProgressPage* page = nullptr, const SessionUse& use = {});
  // Compiles the model and opens the result. A compiler with `produces_file` keeps its artifact at `artifact_path`; if
  // that is "", the artifact is removed once it is open. A compiled file is opened as it is.
  Attempt<Done> compile(const std::string& model_path, const work::Model& model, const std::string& artifact_path = {});
  // Opens the artifact that another process has kept, instead of compiling.
  Attempt<Done> load(const std::string& model_path, const work::Model& model, const std::string& artifact_path);
  Attempt<Done> bind(const Inputs& inputs);
  Attempt<Done> run();
  // From here to `end_profile` runs are profiled. Both fail with `no_profile` if the compiler tells nothing of its
  // kernels.
  Attempt<Done> begin_profile();
  // The kernels of one inference, as the compiler tells of them, with their means over `inferences`.
  struct Kernels {
    std::vector<samples::Kernel> kernels{};
    std::vector<double> ns{};  // of each
  };
  Attempt<Kernels> end_profile(std::uint32_t inferences);
  // Returns the outputs of the last run. Their data are in the plugin's memory and valid until the next call; the
  // signatures are copies.
  Attempt<std::vector<OutputView>> outputs();
  // Returns the size of what the compiler has written and opened, or why there is none.
  [[nodiscard]] const Known<std::uint64_t>& artifact_bytes() const { return artifact_bytes_; }
  // Returns everything that the compiler's `inspect` reports.
  [[nodiscard]] std::map<std::string, std::string> facts();

  // Returns how many inferences the session has in flight at a time. Called after `bind`.
  [[nodiscard]] std::uint32_t slots() const;
  // Returns what the timed loop calls.
  [[nodiscard]] Target target(samples::RunCount* done);
  [[nodiscard]] samples::Failure failure(ngb_status status) const;

 private:
  Attempt<Done> attempt(ngb_status status) const;

  const ngb_compiler& compiler_;
  ngb_session* session_ = nullptr;
  samples::ProgressPage* page_ = nullptr;
  ngb_error error_{};
  Known<std::uint64_t> artifact_bytes_ = Known<std::uint64_t>::unknown("this compiler writes no file");
};

}  // namespace ngb::worker
