// SPDX-License-Identifier: Apache-2.0
// Session is a compiled model that returns its inputs.
#pragma once

#include <atomic>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "../lanes.h"
#include "faults.h"
#include "kept_memory.h"
#include "kernels.h"
#include "ngraphbench/plugin_boundary.h"
#include "settings.h"

namespace ngb::null_compiler {

// Keeps the calling thread busy.
void spin(std::int64_t duration_ns);

// Helpers are threads that are busy whenever the calling thread is.
class Helpers {
 public:
  explicit Helpers(int count);
  ~Helpers();
  Helpers(const Helpers&) = delete;
  Helpers& operator=(const Helpers&) = delete;
  // Makes them and the calling thread spin. Returns when all have ended.
  void spin_together(std::int64_t duration_ns);

 private:
  void work();

  std::atomic<std::uint64_t> round_{0};
  std::atomic<std::int64_t> duration_ns_{0};
  std::atomic<int> working_{0};
  std::atomic<bool> is_ending_{false};
  std::vector<std::thread> threads_;
};

class Session {
 public:
  Session(const ngb_settings& settings, const plugin::Options& options);

  // Reads only the model file's first bytes, and writes an artifact that is the same for every model.
  void compile(const ngb_model& model);
  void load(const ngb_model& model);
  void bind(const ngb_tensor* inputs, std::uint32_t count);
  void run();
  [[nodiscard]] std::uint32_t slots() const;
  void start(std::uint32_t slot, ngb_completed completed, void* context, ngb_error* error) {
    lanes_->start(slot, completed, context, error);
  }
  void finish(std::uint32_t /*slot*/) const {}  // every status was reported
  // It reads nothing, so there is nothing to feed.
  static std::uint64_t feed_back(std::span<const ngb_feedback> /*pairs*/, std::int64_t /*row*/) { return 0; }
  [[nodiscard]] std::size_t output_count() const { return inputs_.size(); }
  ngb_tensor read(std::uint32_t index);
  [[nodiscard]] const plugin::Facts& facts() const { return facts_; }
  // Fails with NGB_NO_PROFILE without made-up kernels.
  void begin_profile() const;
  const KernelTable& end_profile(std::uint32_t inferences);

 private:
  static void check_shape(const ngb_tensor& input, const std::vector<std::int64_t>& compiled);

  Settings settings_;
  Faults faults_;
  Helpers helpers_;
  bool has_compiled_ = false;
  std::vector<char> memory_;
  KeptMemory kept_;
  std::vector<std::vector<std::int64_t>> shapes_;  // for which it is compiled, -1 for any extent
  std::vector<ngb_tensor> inputs_;
  std::vector<char> wrong_;
  plugin::Facts facts_;
  KernelTable kernels_;
  std::unique_ptr<plugin::Lanes> lanes_;  // null with one inference at a time
};

}  // namespace ngb::null_compiler
