// SPDX-License-Identifier: Apache-2.0
// A device's share of a study: what the client hands to the agent, and the agent, a piece at a time, to a worker.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/input_values.h"
#include "base/result.h"
#include "base/tensor.h"

namespace ngb::samples {

// How each process measures. Defaults are those of docs/measurement.md.
struct Protocol {
  int processes = 5;
  int repetitions = 20;                            // steady ones, per process
  std::optional<int> fixed_warm_up{};              // repetitions; nothing: found from the data
  std::int64_t min_repetition_ns = 1'000'000;      // shorter inferences are grouped k to a repetition
  std::int64_t max_transient_ns = 30'000'000'000;  // give up looking for a steady part after this
  struct Precision {                               // stop by confidence instead of a fixed count
    double half_width_ratio = 0.01;                // of the median, 95 %
    int min_repetitions = 10;
    int max_repetitions = 1000;
    std::int64_t max_ns = 60'000'000'000;
  };
  std::optional<Precision> stop_when{};
  double absolute_tolerance = 1e-4;
  double relative_tolerance = 1e-3;
  std::uint64_t seed = 1;                               // of the inputs
  std::int64_t compile_timeout_ns = 3'600'000'000'000;  // start, open, compile, check
  std::int64_t run_timeout_ns = 600'000'000'000;        // warm-up and timed phase together
  std::optional<std::uint64_t> memory_limit_bytes{};    // nothing: 90 % of the device's
  int attempts = 2;                                     // per process, for failures worth retrying
};

// One model at one batch size: an ONNX file that the device makes, or has been given.
struct ModelWork {
  std::string id{};     // unique within the job
  std::string hash{};   // of the content, as in the cell id
  std::string label{};  // "resnet18", for people
  int batch = 1;
  // What it is made from: a recipe, or {"module":{…}} for a PyTorch module, which calls files by their names. Empty: it
  // is there, as the first of the files.
  std::string recipe_json{};
  std::vector<UserFile> files{};
  std::vector<InputValues> values{};
  std::vector<TensorSignature> inputs{};  // none: the module knows them, and tells when the file is made
  std::vector<TensorSignature>
      open_inputs{};             // compiled for these, where kOpenExtent stands for any batch; none: inputs
  bool dynamic_batch = false;    // one compiled model for all batch sizes
  std::string reference_path{};  // of reference outputs that the client has made; empty: they are made where the job is
  std::string no_reference{};    // why the client, which was to make them, could not
};

// Which compiler, from where, how.
struct CompilerWork {
  std::string name{};           // "onnxruntime"
  std::string version{};        // "1.31.1"; "" for a compiler without a toolchain
  std::string toolchain_dir{};  // its site-packages folder; "" without
  std::string host{};           // "native" | "python"
  std::string python{};         // the toolchain's interpreter; "" without
  std::string python_path{};    // PYTHONPATH for it: the toolchain's site-packages; "" for native
  std::string precision = "f32";
  int threads = 1;
  std::vector<std::pair<std::string, std::string>> options{};  // sorted by name
  std::string why_missing{};  // its toolchain is not there, and this is why; "": it is, as far as is known
};

struct CellWork {
  std::string id{};
  std::string model_id{};
  CompilerWork compiler{};
};

struct Step {
  std::string cell_id{};
  int process_index = 0;
};

// All processes that share a model file, in the order to run them.
struct Group {
  std::string model_id{};
  std::vector<Step> steps{};
};

// What a run may take of this device.
struct Limits {
  std::optional<std::uint64_t> memory_bytes{};  // of a process; the protocol's own limit holds too
  std::uint64_t free_disk_bytes = 0;            // so much stays free where the work folder is
  std::optional<std::int64_t> time_ns{};        // no process is begun later than this after the agent took the job
};

inline constexpr const char* kReferencePathFact = "reference_path";

struct Job {
  std::string run_id{};
  std::string device{};
  Protocol protocol{};
  Limits limits{};
  std::vector<std::pair<std::string, std::string>> environment{};  // variables of every worker, sorted by name
  std::optional<CompilerWork> reference{};                         // who makes the reference outputs; nothing: no check
  std::optional<CompilerWork> exporter{};  // who makes ONNX files from modules; nothing: no need
  std::string reference_cache{};           // folder where reference outputs stay between studies
  // Nothing is measured: a step is done when its group's reference outputs are there; its result names the file in
  // facts[kReferencePathFact].
  bool only_references = false;
  std::vector<ModelWork> models{};
  std::vector<CellWork> cells{};
  std::vector<Group> groups{};
};

// What a worker is to do.
struct WorkerRequest {
  enum class Task { measure, make_reference };
  Task task = Task::measure;
  std::string cell_id{};
  int process_index = 0;
  int attempt = 1;
  std::string plugin_path{};  // native: the .so; python: ""
  std::string model_path{};   // the ONNX file
  ModelWork model{};
  CompilerWork compiler{};
  Protocol protocol{};
  std::string reference_path{};  // to read (measure; "" for no check) or to write (make_reference)
  std::string reference_name{};  // "identity 2.15.0"
  std::string reference_key{};   // of all that the outputs depend on
  std::string cache_dir{};       // where compilers keep what they were long in finding; "" for nowhere
};

nlohmann::json to_json(const TensorSignature& tensor);
nlohmann::json to_json(const std::vector<TensorSignature>& tensors);
TensorSignature tensor_from_json(const nlohmann::json& json);  // throws fields::FieldError
nlohmann::json to_json(const Job& job);
Result<Job> job_from_json(const nlohmann::json& json);
nlohmann::json to_json(const WorkerRequest& request);
Result<WorkerRequest> worker_request_from_json(const nlohmann::json& json);
nlohmann::json to_json(const Protocol& protocol);
nlohmann::json to_json(const CompilerWork& compiler);

}  // namespace ngb::samples
