// SPDX-License-Identifier: Apache-2.0
// Declares LiteRT's library, behind its C functions, opened at run time.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "../late_binding.h"
#include "litert_api.h"
#include "ngraphbench/compiler.h"

namespace ngb::litert {

// Owns one of LiteRT's objects.
using Owned = std::unique_ptr<void, std::function<void(void*)>>;

// One of a model's inputs or outputs, by the name that its only signature gives it.
struct Slot {
  std::string key{};
  api::TensorType type{};
};

// The options with which a model is prepared to run.
struct Preparation {
  int threads = 1;
  bool has_delegate = true;  // XNNPACK; false: LiteRT's own kernels
  bool is_half = false;      // XNNPACK computes in f16
  bool is_profiled = false;
};

class Runtime {
 public:
  // Throws plugin::Failure if the toolchain is missing or the library is broken.
  explicit Runtime(const std::string& toolchain_dir);

  // Throws plugin::Failure unless `status` is 0. `doing` is the failed step: "load the model".
  void check(api::Status status, const char* doing) const;

  // All of these throw. What is returned must end before the Runtime, and a prepared model before its model.
  [[nodiscard]] Owned model_of(const std::string& path) const;
  [[nodiscard]] std::vector<Slot> inputs_of(api::Handle model) const;
  [[nodiscard]] std::vector<Slot> outputs_of(api::Handle model) const;
  [[nodiscard]] Owned prepare(api::Handle model, const Preparation& how) const;
  [[nodiscard]] bool is_fully_delegated(api::Handle prepared) const;
  // Return memory for one input or output, as the prepared model wants it.
  [[nodiscard]] Owned input_buffer(api::Handle prepared, std::size_t index, const api::TensorType& type) const;
  [[nodiscard]] Owned output_buffer(api::Handle prepared, std::size_t index, const api::TensorType& type) const;
  void write(api::Handle buffer, const void* data, std::size_t bytes) const;
  void read(api::Handle buffer, void* data, std::size_t bytes) const;

  // Begins and ends a profile of a model that was prepared to be profiled.
  void start_profile(api::Handle prepared) const;
  [[nodiscard]] std::vector<api::Event> stop_profile(api::Handle prepared) const;

  using Run = api::Status (*)(api::Handle, std::size_t, std::size_t, api::Handle*, std::size_t, api::Handle*);
  [[nodiscard]] Run run() const { return run_; }

 private:
  template <class... Arguments>
  void call(const char* name, const char* doing, Arguments... arguments) const {
    check(library_.function<api::Status (*)(Arguments...)>(name)(arguments...), doing);
  }
  [[nodiscard]] Owned owned(api::Handle object, const char* destroy) const;
  [[nodiscard]] api::Handle signature_of(api::Handle model) const;
  // Names of LiteRT's functions for inputs, or for outputs.
  struct SlotFunctions {
    const char* count = nullptr;
    const char* name = nullptr;
    const char* tensor = nullptr;
  };
  [[nodiscard]] std::vector<Slot> slots_of(api::Handle model, const SlotFunctions& names) const;
  [[nodiscard]] Slot slot_of(api::Handle signature, std::size_t index, const char* name, const char* tensor) const;
  void add_text(api::Handle options, const char* identifier, const std::string& text) const;
  [[nodiscard]] Owned buffer_of(api::Handle prepared, std::size_t index, const api::TensorType& type,
                                const char* requirements) const;
  [[nodiscard]] api::Handle profiler_of(api::Handle prepared) const;

  plugin::Library library_;
  Run run_;
  Owned environment_;
};

}  // namespace ngb::litert
