// SPDX-License-Identifier: Apache-2.0
// Session is a model in ONNX Runtime: sequential execution, its own thread pool, inputs and outputs bound before a run.
// With several inferences in flight, it is several of the library's sessions, each with its share of the threads.
#pragma once

#include <cstdlib>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "../cuda_device.h"
#include "../lanes.h"
#include "../onnx_nodes.h"
#include "library.h"
#include "model.h"
#include "ngraphbench/kernels.h"
#include "ngraphbench/plugin_boundary.h"
#include "ngraphbench/rows.h"
#include "provider_package.h"
#include "settings.h"
#include "transfer.h"

namespace ngb::onnxruntime {

class Session {
 public:
  Session(const ngb_settings& settings, const plugin::Options& options);

  // Also keeps the optimised model, with its weights beside it, if a folder for it is asked for.
  void compile(const ngb_model& model);
  // Opens what a session of this version has kept on this machine, and optimises nothing.
  void load(const ngb_model& model);
  // Outputs of static shape receive a buffer at once. For the others, one inference shows their shapes, or with many
  // shapes each inference allocates them; one inference shows them, too, if the first one fails, because the file may
  // declare a wrong shape. Providers other than the CPU's are checked by one inference of a separate session with
  // profiling.
  void bind(const ngb_tensor* inputs, std::uint32_t count);
  // Runs one inference. Returns null on success, else a status that the caller passes to `fail`.
  OrtStatus* run() {
    if (transfer_ != nullptr || !are_all_bound_ || is_feeding_) [[unlikely]]
      return run_otherwise();
    OrtStatus* status = api_.RunWithBinding(session_.get(), run_options_.get(), binding_.get());
    if (gpu_memory_ == nullptr || status != nullptr) [[likely]]
      return status;
    return api_.SynchronizeBoundOutputs(binding_.get());
  }
  [[nodiscard]] std::uint32_t slots() const { return static_cast<std::uint32_t>(slots_); }
  void start(std::uint32_t slot, ngb_completed completed, void* context, ngb_error* error) {
    lanes_->start(slot, completed, context, error);
  }
  void finish(std::uint32_t /*slot*/) const {}  // every status was reported
  // A whole cache is bound as input and as output: the library writes new rows where they belong, and copies nothing if
  // it finds both in one place. A cache that grows is allocated by the library, and bound as the next run's input. Rows
  // are copied into the cache. Only on the CPU, one inference at a time.
  std::uint64_t feed_back(std::span<const ngb_feedback> pairs, std::int64_t row);
  // Runs again, with outputs of the shapes that an inference returns, if the failed run was the first. Otherwise, or if
  // it fails as well, throws the failure that the status of `run` stands for. Releases the status.
  void fail(OrtStatus* status);
  void begin_to_read();  // finds the last run's outputs
  [[nodiscard]] std::size_t output_count() const { return read_.size(); }
  [[nodiscard]] ngb_tensor read(std::uint32_t index) const;
  [[nodiscard]] const plugin::Facts& facts() const { return facts_; }
  void begin_profile();
  const KernelTable& end_profile(std::uint32_t inferences);

 private:
  struct Free {
    void operator()(void* data) const { std::free(data); }
  };
  // A further session of the library, with outputs of its own.
  struct Further {
    Owned<OrtSession> session;
    std::vector<std::unique_ptr<void, Free>> buffers{};
    std::vector<Owned<OrtValue>> outputs{};
    std::optional<Owned<OrtIoBinding>> binding{};
  };

  // The options of session `lane` of all that share the threads.
  void begin(const ngb_model& model);
  Owned<OrtSessionOptions> make_options(std::size_t lane = 0) const;
  Owned<OrtIoBinding> make_binding(OrtSession* session, const std::vector<Owned<OrtValue>>& outputs) const;
  [[nodiscard]] Owned<OrtSession> make_session(std::size_t lane) const;
  void check_in_flight() const;
  void bind_further();
  ngb_status run_in(std::size_t lane, ngb_error* error);
  OrtStatus* run_otherwise();
  OrtStatus* run_and_feed();
  void bind_whole(const ngb_feedback& pair);
  OrtStatus* hand_on_grown();
  void add_row_copy(const ngb_feedback& pair);
  void add_lengthened(const ngb_feedback& pair);
  OrtStatus* bind_lengthened();
  OrtStatus* run_with_transfer();
  OrtStatus* run_unbound();
  void prepare_unbound();
  void bind_input(const ngb_tensor& input);
  void bind_outputs();
  void bind_output(const Slot& slot);
  void refuse(OrtStatus* status) const;
  void prove_placement();
  // Returns the path of the profile that the library has written.
  [[nodiscard]] std::string end_library_profile(OrtSession* session) const;
  Owned<OrtValue> make_value(const Slot& slot, void* data) const;
  Owned<OrtValue> make_value_on_gpu(const Slot& slot) const;
  [[nodiscard]] void* data_of(OrtValue* value) const;
  void use_gpu_memory();
  void learn_output_shapes();
  [[nodiscard]] std::vector<Owned<OrtValue>> values_of(OrtIoBinding* binding) const;

  Settings settings_;
  Runtime runtime_;
  std::unique_ptr<plugin::CudaDevice> gpu_;  // null on the CPU
  const OrtApi& api_;
  Owned<OrtEnv> environment_;
  std::optional<PackagedProvider> packaged_;
  Owned<OrtMemoryInfo> memory_;
  Owned<OrtSession> session_;
  Owned<OrtAllocator> gpu_memory_;  // of inputs and outputs; null: they are in our memory
  Owned<OrtRunOptions> run_options_;
  std::string model_path_;
  std::filesystem::path kept_folder_;  // where the optimised model is kept; "": nowhere
  bool is_optimised_ = false;          // the model is one that an earlier session has kept
  std::vector<std::string> input_names_;
  std::vector<Owned<OrtValue>> inputs_;
  std::unique_ptr<Transfer> transfer_;  // null: an inference includes no copies
  int copy_status_ = 0;                 // of CUDA, if a copy within an inference failed
  std::vector<std::unique_ptr<void, Free>> owned_buffers_;
  std::vector<void*> output_buffers_;  // in our memory, one per output
  std::vector<Slot> output_slots_;
  std::vector<Owned<OrtValue>> outputs_;  // null for one that the library allocates
  bool are_all_bound_ = true;
  bool is_feeding_ = false;  // a pass has begun since `bind`
  std::vector<RowCopy> row_copies_;
  std::vector<ngb_feedback> growing_;
  // An input that is one longer in each run, as it was bound and as the next run reads it.
  struct Lengthened {
    ngb_feedback pair;
    std::vector<std::int64_t> first{};
    Slot next{};
    Owned<OrtValue> value;
  };
  std::vector<Lengthened> lengthened_;
  std::vector<Owned<OrtValue>> grown_;  // outputs of the last run, if some grow
  std::int64_t row_ = 0;                // to which the next run's rows are copied
  // Only if not all outputs are bound: the arguments of the library's plain call. It keeps an output that it allocated
  // for a binding and then takes that for one of ours, whose shape it refuses; so these are released before each call.
  std::vector<const char*> plain_inputs_;
  std::vector<const char*> plain_outputs_;
  std::vector<const OrtValue*> input_values_;
  std::vector<Owned<OrtValue>> allocated_;  // by the last call; null for one that is bound
  std::vector<OrtValue*> output_values_;
  bool trusts_shapes_ = false;    // the outputs have the shapes that the file declares, and none was read yet
  std::vector<ReadTensor> read_;  // of the last run
  std::vector<Owned<OrtValue>> read_values_;  // to which they point
  Owned<OrtIoBinding> binding_;
  std::size_t slots_ = 1;       // inferences in flight
  std::size_t lane_count_ = 1;  // sessions of the library
  std::vector<Further> further_;
  std::unique_ptr<plugin::Lanes> lanes_;  // null with one inference at a time; ends before what it runs
  plugin::Facts facts_;
  plugin::OnnxNodes optimised_;        // of the model as the session that is profiled runs it
  plugin::OnnxNodes original_;         // of the model's file; empty before the first profile
  std::vector<Kernel> first_kernels_;  // of the first profile
  KernelTable kernels_;                // of the last profile
};

}  // namespace ngb::onnxruntime
