// SPDX-License-Identifier: Apache-2.0
// Session is a model on one of OpenVINO's devices: one stream and one synchronous request, or several streams with as
// many asynchronous requests as are in flight.
#pragma once

#include <cstdlib>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "kernels.h"
#include "library.h"
#include "ngraphbench/plugin_boundary.h"
#include "ngraphbench/rows.h"
#include "settings.h"

namespace ngb::openvino {

class Session {
 public:
  Session(const ngb_settings& settings, const plugin::Options& options);

  // Also exports the compiled model if a file for it is asked for.
  void compile(const ngb_model& model);
  // Imports what a session of this version has exported on this machine.
  void load(const ngb_model& model);
  void bind(const ngb_tensor* inputs, std::uint32_t count);
  ov_status_e run() {
    if (feeding_ != nullptr && feeding_->is_on) [[unlikely]]
      return run_and_feed();
    return runtime_.ov_infer_request_infer(running_);
  }
  // Two requests take turns: what one of them returns as the whole cache is what the other one receives. Where that
  // grows, it is the library's own tensor, and is handed on after each run. Rows are copied
  // into the cache. Only on the CPU, one inference at a time.
  std::uint64_t feed_back(std::span<const ngb_feedback> pairs, std::int64_t row);
  // OpenVINO's C API has no reset_state of a request, so there are new requests, whose states are empty.
  void reset_state();
  [[nodiscard]] std::uint32_t slots() const { return static_cast<std::uint32_t>(slots_.size()); }
  void start(std::uint32_t slot, ngb_completed completed, void* context, ngb_error* error);
  void finish(std::uint32_t slot) const;
  void fail(ov_status_e status) const { runtime_.check(status, "run the model"); }
  [[nodiscard]] std::size_t output_count() const;
  ngb_tensor read(std::uint32_t index);
  [[nodiscard]] const plugin::Facts& facts() const { return facts_; }
  void begin_profile();
  const KernelTable& end_profile(std::uint32_t inferences);

 private:
  // One request, and what is called when its inference ends.
  struct Slot {
    Owned<ov_infer_request_t> request;
    std::uint32_t index = 0;
    ngb_completed completed = nullptr;
    void* context = nullptr;
    ov_callback_t callback{};
  };
  // The same model with counters.
  struct Profiled {
    Owned<ov_compiled_model_t> compiled;
    Owned<ov_infer_request_t> request;
    OriginalNames originals{};
    plugin::OnnxNodes model{};
    Reading before{};  // at the beginning of the profile
  };
  // What a pass needs. Requests refer to its tensors until others take their place.
  struct Feeding {
    struct Free {
      void operator()(void* data) const { std::free(data); }
    };
    // A whole cache: what each request returns, and what the host has written.
    struct Cache {
      const ngb_tensor* start = nullptr;
      void* of_second = nullptr;  // which the first request reads
    };
    bool is_on = false;  // a pass has begun since `bind`
    Owned<ov_infer_request_t> second;
    bool has_second = false;             // a cache is whole, so that the requests take turns
    ov_infer_request_t* last = nullptr;  // that ran
    std::vector<std::unique_ptr<void, Free>> memory{};
    std::vector<Cache> caches{};
    std::vector<RowCopy> rows{};
    std::vector<ngb_feedback> growing{};
    std::vector<ngb_feedback> lengthened{};
    std::int64_t runs = 0;  // of this pass
    std::int64_t row = 0;   // to which the next run's rows are copied
  };
  static void OPENVINO_C_API_CALLBACK inference_ended(void* slot);

  [[nodiscard]] std::vector<std::string> available_devices() const;
  void check_device() const;
  void configure();
  void configure_device(const std::string& device);
  void set(const std::string& device, const char* key, const std::string& value);
  void hand_on(const std::string& name, const std::string& value);
  void use(ov_compiled_model_t* compiled);
  void make_requests();
  ov_status_e run_and_feed();
  ov_status_e hand_on_grown();
  void lengthen(ov_infer_request_t* request);
  [[nodiscard]] bool grows(std::uint32_t output) const;
  std::unique_ptr<Feeding> make_feeding(std::span<const ngb_feedback> pairs);
  ngb_tensor make_output(ov_infer_request_t* request, const ngb_tensor& like, std::uint32_t index, Feeding& feeding);
  void set_input(ov_infer_request_t* request, std::uint32_t index, const ngb_tensor& tensor);
  void compile_profiled(const ov_model_t* model);
  // Returns the XML of the graph that the profiled model executes; "" if this version does not show it.
  [[nodiscard]] std::string executed_graph() const;
  [[nodiscard]] std::vector<Counter> counters() const;
  void read_back();
  void check_precision(const std::string& got) const;
  [[nodiscard]] std::string property(const char* key) const;  // of the compiled model; throws plugin::Failure
  [[nodiscard]] Owned<ov_output_const_port_t> output(std::size_t index) const;
  [[nodiscard]] std::string output_name(std::size_t index) const;
  [[nodiscard]] std::vector<std::int64_t> output_shape(std::size_t index, const ov_tensor_t* tensor) const;

  Settings settings_;
  Runtime runtime_;
  Owned<ov_core_t> core_;
  Owned<ov_compiled_model_t> compiled_;
  std::vector<Owned<ov_tensor_t>> inputs_;
  std::vector<ngb_tensor> bound_;  // the host's
  std::vector<std::unique_ptr<Slot>> slots_;
  Owned<ov_tensor_t> output_;  // of the last read
  std::string output_name_;
  std::vector<std::int64_t> output_shape_;
  plugin::Facts facts_;
  ov_infer_request_t* running_ = nullptr;  // what `run` runs: the first slot's, or the profiled one
  std::unique_ptr<Feeding> feeding_;       // of the last pass; null: there was none
  std::unique_ptr<Profiled> profiled_;     // null unless the session was opened for a profile
  KernelTable kernels_;                    // of the last profile
};

}  // namespace ngb::openvino
