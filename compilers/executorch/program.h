// SPDX-License-Identifier: Apache-2.0
// Declares what the plugin asks of ExecuTorch's C++ library. program.so implements it; it was built with the headers of
// one version of the library.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ngb::executorch {

// A tensor whose memory belongs to somebody else. `type` is ExecuTorch's number, which is PyTorch's.
struct Tensor {
  int type = 0;
  std::vector<std::int32_t> shape{};
  void* data = nullptr;
  std::size_t size_bytes = 0;
};

// A kernel or delegate that an inference has called, or a part of a delegate.
struct Event {
  std::string name{};
  bool is_in_delegate = false;
  std::uint64_t ns = 0;
};

// How often an inference calls a delegate, and how many other instructions it has.
struct Calls {
  std::size_t delegates = 0;
  std::size_t others = 0;
};

// A program in memory, ready to run. No function throws; `why` says what failed, in ExecuTorch's words.
class Program {
 public:
  virtual ~Program() = default;
  virtual bool load(std::string& why, bool& is_out_of_memory) = 0;
  [[nodiscard]] virtual bool uses_backend(const char* name) = 0;
  [[nodiscard]] virtual Calls count_calls() = 0;
  // The tensors' memory is used until the program ends.
  virtual bool set_inputs(const std::vector<Tensor>& inputs, std::string& why) = 0;
  // Runs one inference. Returns ExecuTorch's number of the error: 0 on success.
  virtual std::uint32_t run() noexcept = 0;
  [[nodiscard]] virtual const char* error_called(std::uint32_t number) const = 0;
  [[nodiscard]] virtual std::size_t output_count() const = 0;
  // Returns an output of the last run, valid until the next. A type of -1: it is no tensor.
  [[nodiscard]] virtual Tensor output(std::size_t index) const = 0;
  // Events since the last call, of a program that was opened to be profiled.
  virtual std::vector<Event> take_events() = 0;
};

// The functions of program.so.
using OpenProgram = Program* (*)(const char* path, bool is_profiled);
using HasKernel = bool (*)(const char* operator_name);
constexpr const char* kOpenProgram = "ngb_executorch_open";
constexpr const char* kHasKernel = "ngb_executorch_has_kernel";

}  // namespace ngb::executorch
