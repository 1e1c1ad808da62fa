// SPDX-License-Identifier: Apache-2.0
// Session is a model in ExecuTorch: another process exports it to ExecuTorch's file; this one loads and runs it.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "../compile_process.h"
#include "library.h"
#include "ngraphbench/compiler.h"
#include "ngraphbench/kernels.h"
#include "ngraphbench/plugin_boundary.h"
#include "ngraphbench/plugin_options.h"

namespace ngb::executorch {

class Session : public plugin::CompiledElsewhere {
 public:
  Session(const ngb_settings& settings, const plugin::Options& options);

  void compile(const ngb_model& model);
  void load(const ngb_model& model);
  void bind(const ngb_tensor* inputs, std::uint32_t count);
  // Returns ExecuTorch's number of the error: 0 on success.
  std::uint32_t run() { return running_->run(); }
  // Throws plugin::Failure for an error of `run`.
  [[noreturn]] void fail(std::uint32_t error) const;
  [[nodiscard]] std::size_t output_count() const { return running_->output_count(); }
  ngb_tensor read(std::uint32_t index);
  void begin_profile();
  const KernelTable& end_profile(std::uint32_t inferences);

 private:
  struct Free {
    void operator()(void* memory) const { std::free(memory); }
  };
  struct Output {
    std::string name{};
    std::vector<std::int64_t> shape{};
  };

  [[nodiscard]] std::unique_ptr<Program> open(bool is_profiled) const;
  void learn(const nlohmann::json& signature);
  void number(std::size_t inputs);
  void refuse_missing_kernels() const;

  plugin::Settings settings_;
  bool has_xnnpack_;
  Runtime runtime_;
  std::string path_;
  std::vector<std::size_t> places_;  // of the cell's inputs among the program's
  std::vector<Output> outputs_;
  std::vector<std::string> calls_;  // what the program calls, in order: "aten::add.out", or a delegate's name
  std::vector<std::unique_ptr<void, Free>> memory_;  // of the inputs
  std::vector<Tensor> inputs_;
  std::unique_ptr<Program> plain_;
  std::unique_ptr<Program> profiled_;
  Program* running_ = nullptr;
  KernelTable kernels_;
};

}  // namespace ngb::executorch
