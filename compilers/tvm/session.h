// SPDX-License-Identifier: Apache-2.0
// Session is a model in TVM: another process compiles it into a shared object, which Relax's virtual machine runs here.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "../compile_process.h"
#include "../cuda_device.h"
#include "gpu.h"
#include "library.h"
#include "ngraphbench/compiler.h"
#include "ngraphbench/kernels.h"
#include "ngraphbench/plugin_boundary.h"
#include "settings.h"

namespace ngb::tvm {

class Session : public plugin::CompiledElsewhere {
 public:
  Session(const ngb_settings& settings, const plugin::Options& options);

  void compile(const ngb_model& model);
  void load(const ngb_model& model);
  void bind(const ngb_tensor* inputs, std::uint32_t count);
  // Returns 0 on success. The result of the previous run returns to TVM's pool first. On a GPU, the wait for the GPU is
  // part of it.
  int run() {
    result_.reset();
    const int status =
        functions_.call(running_, arguments_.data(), static_cast<std::int32_t>(arguments_.size()), result_.put());
    if (gpu_ == nullptr || status != 0) [[likely]]
      return status;
    wait_status_ = gpu_->wait();
    return wait_status_;
  }
  // Throws the failure that a status of `run` stands for.
  [[noreturn]] void fail(int status) const;
  [[nodiscard]] std::size_t output_count() const;
  ngb_tensor read(std::uint32_t index);
  void begin_profile();
  const KernelTable& end_profile(std::uint32_t inferences);

 private:
  static constexpr std::int64_t kPooledAllocator = 2;

  // A function that the profiled virtual machine has called.
  struct Call {
    std::string name;
    std::int64_t ns = 0;
  };
  struct Calls {
    std::vector<Call> all{};
    int depth = 0;  // of calls within calls, which are not noted
    std::int64_t begin_ns = 0;
  };
  struct Profiled {
    Value machine;
    Value main;
  };
  static int note_call(void* calls, const TVMFFIAny* arguments, std::int32_t count, TVMFFIAny* result);
  void try_to_load_profiled(const Value& module, const std::string& artifact);
  void load_profiled(const Value& module, const std::string& artifact);
  void name_nodes(std::vector<Kernel>& kernels) const;
  void check_threads();
  void bind_input(const ngb_tensor& input);

  Settings settings_;
  Runtime runtime_;
  std::unique_ptr<Gpu> gpu_;  // null on the CPU
  int wait_status_ = 0;       // of CUDA, if waiting for the GPU failed
  const Functions& functions_;
  Value machine_;
  Value main_;
  TVMFFIObjectHandle running_ = nullptr;  // what `run` calls: `main_`, or that of the profiled machine
  Calls calls_;                           // outlives the machine that notes them
  std::optional<Profiled> profiled_;      // none unless the session was opened for a profile
  std::string no_machine_because_ = "the session was not opened for a profile";
  std::string plan_path_;
  KernelTable kernels_;  // of the last profile
  std::vector<Value> inputs_;
  std::vector<TVMFFIAny> arguments_;
  Value result_;
  Value read_;                 // the output last read
  std::vector<char> on_host_;  // its elements, if they were on the GPU
  std::vector<std::string> output_names_;
};

}  // namespace ngb::tvm
