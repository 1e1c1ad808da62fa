// SPDX-License-Identifier: Apache-2.0
// Profiles a process: once begun, repetitions are followed by as many whose kernels the compiler times. So the cost of
// profiling is measured in the same process, and both kinds have their turns together: a compiler that opens another
// session for each profile does so once a turn.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/tensor.h"
#include "samples/kernel_profile.h"
#include "samples/process_result.h"
#include "worker/plugin_session.h"
#include "worker/repetitions.h"
#include "worker/timed_loop.h"

namespace ngb::worker {

class ProfilingRepeater final : public Repeater {
 public:
  // Both outlive this object. The session runs one inference at a time.
  ProfilingRepeater(TimedRepeater& repeater, Session& session) : repeater_(repeater), session_(session) {}

  // From now on repetitions are profiled.
  void begin() { is_on_ = true; }
  std::size_t repeat(std::uint32_t inferences, const Times& times, std::span<std::int64_t> latencies_ns) override;
  [[nodiscard]] std::uint32_t in_flight() const override { return repeater_.in_flight(); }
  [[nodiscard]] std::uint32_t pass() const override { return repeater_.pass(); }
  // Returns why a repetition could not be profiled; nothing if all could, or if the plain inference failed.
  [[nodiscard]] const std::optional<samples::Failure>& failure() const { return failure_; }

  // Returns the means over the middle half of the profiled turns, by their time, that followed one of the steady
  // repetitions, and each kernel's least time in all of these turns. What ran in a turn that was disturbed is not among
  // them. The graph is that of the file at `model_path`, whose nodes receive `inputs`; "": the model is a module
  // without a file. Returns an error if the file cannot be read.
  [[nodiscard]] Result<samples::KernelProfile> profile(std::span<const samples::Repetition> repetitions,
                                                       const std::string& model_path,
                                                       std::span<const TensorSignature> inputs) const;

 private:
  struct Sample {
    std::int64_t plain_begin_ns = 0;  // of the first repetition before it, by which it is found
    std::int64_t wall_ns = 0;         // of all its inferences
    std::uint32_t inferences = 1;
    std::vector<double> kernel_ns{};
  };
  // Runs as many profiled repetitions as the plain ones before them. Returns whether it succeeded.
  bool profile(std::uint32_t inferences, const Times& plain);

  // Returns the least time of a kernel in a turn that called it; 0 if it never took time.
  static double least_of(const std::vector<const Sample*>& samples, std::size_t kernel);

  // Gives the times of another turn's kernels in the order of kernels_, whatever the order in which this turn called
  // them. Kernels that were not called before are inserted behind the one that was called before them: some libraries
  // skip a kernel now and then, which then took no time. Returns false if the turns have too little in common.
  bool add(Session::Kernels told, std::vector<double>& kernel_ns);

  TimedRepeater& repeater_;
  Session& session_;
  bool is_on_ = false;
  samples::RunCount uncounted_{};
  std::vector<samples::Kernel> kernels_{};  // of all samples
  std::size_t first_count_ = 0;             // kernels of the first sample
  std::vector<Sample> samples_{};
  std::optional<samples::Failure> failure_{};
};

}  // namespace ngb::worker
