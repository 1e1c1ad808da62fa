// SPDX-License-Identifier: Apache-2.0
// Session is a model in XLA: another process translates it to StableHLO; this one compiles and runs it.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "../compile_process.h"
#include "library.h"
#include "ngraphbench/compiler.h"
#include "ngraphbench/kernels.h"
#include "ngraphbench/plugin_boundary.h"
#include "ngraphbench/plugin_options.h"
#include "tensors.h"

namespace ngb::xla {

class Session : public plugin::CompiledElsewhere {
 public:
  Session(const ngb_settings& settings, const plugin::Options& options);
  ~Session() { release_results(); }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  void compile(const ngb_model& model);
  void load(const ngb_model& model);
  void bind(const ngb_tensor* inputs, std::uint32_t count);
  // Returns null on success. The results of the previous run are freed first.
  PJRT_Error* run() {
    release_results();
    PJRT_Error* const failed = runtime_.api().PJRT_LoadedExecutable_Execute(&execution_);
    return failed != nullptr ? failed : runtime_.await(completion_);
  }
  void fail(PJRT_Error* failed) const { runtime_.check(failed, "run the model"); }
  [[nodiscard]] std::size_t output_count() const { return outputs_.size(); }
  ngb_tensor read(std::uint32_t index);
  // Always throws plugin::Failure(NGB_NO_PROFILE), with the reason.
  [[noreturn]] void begin_profile() const;
  [[noreturn]] static const KernelTable& end_profile(std::uint32_t inferences);

 private:
  void check_threads();
  void release_results() {
    for (PJRT_Buffer*& result : results_) {
      if (result != nullptr) runtime_.destroy(std::exchange(result, nullptr));
    }
  }

  plugin::Settings settings_;
  bool uses_xnnpack_;
  nlohmann::json flags_;  // that the study hands on: an object
  Runtime runtime_;
  Owned<PJRT_Client> client_;
  Owned<PJRT_LoadedExecutable> executable_;
  std::vector<Output> outputs_;
  std::vector<Owned<PJRT_Buffer>> inputs_;

  // Execute reads the arguments and writes the results.
  std::vector<PJRT_Buffer*> arguments_;
  std::vector<PJRT_Buffer*> results_;
  PJRT_Buffer* const* argument_list_ = nullptr;
  PJRT_Buffer** result_list_ = nullptr;
  PJRT_Event* completion_ = nullptr;
  PJRT_ExecuteOptions options_{};
  PJRT_LoadedExecutable_Execute_Args execution_{};
};

}  // namespace ngb::xla
