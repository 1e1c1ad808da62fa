// SPDX-License-Identifier: Apache-2.0
// Session is a model in LiteRT: another process converts it to LiteRT's file; this one prepares and runs it.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "../compile_process.h"
#include "library.h"
#include "ngraphbench/compiler.h"
#include "ngraphbench/kernels.h"
#include "ngraphbench/plugin_boundary.h"
#include "ngraphbench/plugin_options.h"

namespace ngb::litert {

class Session : public plugin::CompiledElsewhere {
 public:
  Session(const ngb_settings& settings, const plugin::Options& options);

  void compile(const ngb_model& model);
  void load(const ngb_model& model);
  void bind(const ngb_tensor* inputs, std::uint32_t count);
  // Returns LiteRT's status: 0 on success.
  int run() {
    return run_(running_->prepared.get(), 0, running_->arguments.size(), running_->arguments.data(),
                running_->results.size(), running_->results.data());
  }
  void fail(int failed) const { runtime_.check(failed, "run the model"); }
  [[nodiscard]] std::size_t output_count() const { return outputs_.size(); }
  ngb_tensor read(std::uint32_t index);
  void begin_profile();
  const KernelTable& end_profile(std::uint32_t inferences);

 private:
  // The model, prepared to run, with memory for its inputs and outputs in the order of LiteRT's signature.
  struct Prepared {
    Owned prepared;
    std::vector<Owned> buffers{};
    std::vector<api::Handle> arguments{};
    std::vector<api::Handle> results{};
  };
  // An output of the ONNX file, and its place among LiteRT's.
  struct Output {
    std::string name{};
    std::string key{};
    ngb_dtype type = NGB_F32;
    std::size_t place = 0;
    std::vector<std::int64_t> shape{};
    std::vector<char> data{};  // filled by read
  };
  // An input as LiteRT holds it.
  struct Input {
    std::string key{};
    std::vector<char> data{};
  };

  [[nodiscard]] bool is_half() const { return settings_.precision == "f16"; }
  // Prepares the model with the session's threads and delegate.
  [[nodiscard]] Prepared prepare(Preparation how) const;
  // Throws plugin::Failure if LiteRT's outputs for the bound inputs are those of f32.
  void require_half();
  // Runs one inference and returns the bytes of its outputs.
  std::vector<std::vector<char>> outputs_now();
  void fill(Prepared& prepared) const;
  void name_by_signature(const nlohmann::json& signature);
  void name_by_file(const ngb_model& model);
  void place_outputs();

  plugin::Settings settings_;
  bool has_delegate_;
  bool is_told_ = false;  // that f16 is f16
  Runtime runtime_;
  Runtime::Run run_;
  Owned model_;
  std::vector<Slot> input_slots_;
  std::vector<Slot> output_slots_;
  std::vector<std::string> input_keys_;  // of the cell's inputs
  std::vector<Input> inputs_;
  std::vector<Output> outputs_;
  std::optional<Prepared> plain_;
  std::optional<Prepared> profiled_;
  Prepared* running_ = nullptr;
  KernelTable kernels_;
};

}  // namespace ngb::litert
