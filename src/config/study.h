// SPDX-License-Identifier: Apache-2.0
// A study as it was read from its file: defaults are filled in, and every word is checked.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/tensor.h"
#include "config/device.h"
#include "config/vocabulary.h"
#include "work/compiler.h"
#include "work/decoding.h"
#include "work/job.h"
#include "work/load.h"
#include "work/protocol.h"

namespace ngb::config {

using Parameters = work::Options;

using InputShapes = std::vector<std::pair<std::string, std::vector<std::int64_t>>>;  // extents, or kBatchExtent

// The settings of one input of a model.
struct InputEntry {
  std::optional<std::pair<double, double>> range{};  // least and largest of the seeded values
  std::filesystem::path file{};                      // has the values instead: .npy or .npz, absolute
  std::string array{};                               // of an .npz; "": the array with the input's name
  std::string type{};                                // pytorch, timm: "i64"; "" if the study gives none
  bool operator==(const InputEntry&) const = default;
};

// Says how a quantised file is made from the exact model of a variant.
struct Quantisation {
  // "static": ranges of what is computed come from calibration; "dynamic": each inference computes them anew;
  // "weights": only weights are quantised, and it computes in real numbers.
  std::string how{"dynamic"};
  std::string tool{};            // a compiler's own (work/quantiser.h); "": onnxruntime.quantization
  int bits = 8;                  // of a weight
  bool per_channel = false;      // a scale for each channel of a weight; a compiler's own tool decides that itself
  int inputs = 32;               // static: with which it is calibrated
  std::string method{"minmax"};  // static: how ranges follow from them
  std::vector<std::string> exclude{};  // nodes that stay as they are
  [[nodiscard]] bool is_static() const { return how == "static"; }
  bool operator==(const Quantisation&) const = default;
};

// Samples with their right classes.
struct LabelledData {
  std::filesystem::path arrays{};  // an .npy with all samples, or a folder of .npy files with one each; absolute
  std::filesystem::path images{};  // a folder of images
  std::filesystem::path labels{};  // an .npy of integers, or a text file with one in each line
  bool operator==(const LabelledData&) const = default;
};

// A recipe, an ONNX file (also one that is made by quantising), a file that a compiler runs as it is, a function in a
// Python file, or a model of timm.
enum class ModelKind { zoo, onnx, compiled, pytorch, timm };

// How a decoder is measured, which is a recipe, a module, an ONNX file with a cache or a compiled file that keeps one:
// as the reading of a prompt, or by generating tokens.
inline constexpr const char* kFormOfFile = "auto";
inline constexpr const char* kStatefulForm = "stateful";  // of a compiled file
inline constexpr const char* kTight = "tight";            // a capacity
inline constexpr const char* kBestForm = "best";          // in a study only: a decoder of each form
struct DecoderEntry {
  bool is_prefill = false;  // reads `context` tokens at once; what follows is of generating
  int context = 128;
  std::optional<int> capacity{};  // rows of the cache; nothing: as tight as a multiple of 64 can be
  std::string cache = "delta";    // its form: a word of the recipe's parameter; kFormOfFile: as the file has it
  work::CacheNames names{};       // of a file's tensors
  int new_tokens = 32;            // steps of a repetition
  bool operator==(const DecoderEntry&) const = default;
};

// How a model whose inputs have extents with names is compiled for their sizes, and which sizes it meets.
struct NamedShapes {
  using Sizes = std::vector<std::pair<std::string, std::int64_t>>;  // by name, sorted
  std::vector<std::string> dynamic{};  // names of extents for any size of which it is compiled
  int pad_to = 0;                      // sizes are raised to the next multiple; 0: they are not
  std::vector<Sizes> visited{};        // by one process; none: it meets the sizes of `dimensions` alone
  std::vector<int> visits{};           // of each in a pass
  // pytorch, timm: of each input in ModelEntry::shapes the names of its extents; "": it has none
  std::vector<std::pair<std::string, std::vector<std::string>>> extents{};
  bool operator==(const NamedShapes&) const = default;
};

struct ModelEntry {
  std::string label{};                 // unique in the study: "resnet18", "conv_block width=64 depth=1"
  std::string family{};                // zoo: "resnet18", "conv_block"
  Parameters parameters{};             // only those that the study gives; zoo: one value for each axis
  std::filesystem::path file{};        // onnx, compiled, pytorch: absolute
  std::string compiled{};              // compiled: the file's ending, ".tflite", also before it is made; else ""
  std::filesystem::path weights{};     // compiled: the file with its weights, beside it; "" if they are in the file
  InputShapes shapes{};                // by input, sorted; onnx, compiled: of inputs that the file leaves open
  std::string factory{};               // pytorch: a function of the file; timm: the model's name
  std::filesystem::path state_dict{};  // pytorch, timm: absolute; empty: none
  // onnx, or with `named`: named dimension -> extent, or kBatchExtent
  std::vector<std::pair<std::string, std::int64_t>> dimensions{};
  std::vector<std::pair<std::string, InputEntry>> inputs{};  // by name, sorted; "": one .npz for all
  std::optional<DecoderEntry> decoder{};                     // not timm; nothing: each inference is by itself
  bool dynamic_batch = false;                                // compiled once for any batch size
  std::optional<NamedShapes> named{};                        // onnx, pytorch, timm
  // The same as in work::Model. If they are not given, recipes and the timm models of the zoo have the zoo's; other
  // models have none.
  std::string group{};
  std::string style{};
  std::optional<int> size{};
  std::optional<std::uint64_t> raw_bytes{};  // as in work::Model
  std::optional<std::uint64_t> encoded_bytes{};
  std::optional<Quantisation> quantise{};  // the file is made of the exact model; `file` is "" until then
  std::optional<LabelledData> data{};
  std::filesystem::path labels{};        // an .npy with the right class of each sample, made of `data`; "": none
  std::string variant_of{};              // label of the exact model of which it is a variant; "": it is an exact model
  std::vector<std::string> compilers{};  // labels of those that measure it; empty: all of its device

  [[nodiscard]] ModelKind kind() const;
};

// The compiler that makes ONNX files from PyTorch modules.
inline constexpr const char* kExporter = "identity";

// Says by what a model is chosen. Its words are read in metrics/goal.h, because this room knows no metrics.
struct Goal {
  using Amounts = std::vector<std::pair<std::string, std::string>>;  // by metric: "200", "500 MB"
  std::string metric = "throughput_per_s";  // as `--metric` reads it: its margin follows a colon, if it has one
  std::optional<double> window_s{};         // of samples_in_window
  Amounts at_least{};                       // that a setting has to have to be chosen
  Amounts at_most{};
  std::vector<std::string> on{};  // names of devices; none: all of the study
  std::string across = "each";    // "each": a model for each device; "worst", "mean": one for all of them
};

struct Study {
  std::string name{};
  std::filesystem::path path{};
  std::vector<ModelEntry> models{};
  std::vector<work::Compiler> compilers{};
  std::set<std::string> own_threads{};    // labels of the compilers whose entries say how many threads they have
  std::set<std::string> own_precision{};  // likewise, in which precision they compute
  std::vector<int> batch_sizes{1};
  std::vector<DeviceEntry> devices{};
  int threads = 1;  // of compilers and devices without threads of their own; with a word, this machine's number
  std::string threads_asked{};    // "all" | "physical" (work/compiler.h); "": the number is asked for
  std::vector<int> instances{1};  // of compilers whose entries do not say otherwise: each is measured with each number
  std::vector<std::string> processors_asked{work::kChosenProcessors};  // likewise, with each choice
  std::string precision = "f32";
  std::vector<work::Load> loads{work::Load{}};
  // The setting of the C library's allocator in the measured processes: "default", or "steady": it keeps all memory.
  std::string allocator = "default";
  work::Order order = work::Order::rounds;
  std::string protocol_name = "turns";  // "turns" | "paper": one process after the other, as in the paper
  work::Protocol protocol{};
  std::string reference = "identity";  // a compiler's name, or "none"
  // Default: the version of the study's first compiler with that name, else the vocabulary's default version.
  std::string reference_version{};
  // The compilers that are asked one after the other for reference outputs if the reference cannot make them: identity,
  // onnxruntime without optimisations, and onnx, the package's evaluator.
  std::vector<work::Compiler> other_references{};
  // Version of kExporter: the reference's if the reference is the same compiler, else that of the study's first
  // compiler with that name, else the vocabulary's default version.
  std::string exporter_version{};
  work::Limits limits{};
  // The compiler to which speed-ups refer: "identity", or a label, NAME@VERSION or NAME of the study's compilers.
  std::string baseline = "identity";
  std::optional<Goal> goal{};              // nothing: the study chooses no model
  double size_factor = 1.5;                // models that differ by no more are alike in size: their orders are compared
  bool best_options = false;               // print each compiler's best settings below the table
  std::filesystem::path output{};          // results folder, absolute; default: results/<name> in the working folder
  std::optional<Processors> processors{};  // of this machine, as the vocabulary says
  std::vector<std::string> given{};        // keys in the file ("tolerances.absolute"); all others have their defaults
};

struct StudyProblem {
  std::string file{};
  int line = 0;           // 1 …; 0: the file as a whole
  int column = 0;         // 1 …
  std::string key{};      // "compilers[1].version"
  std::string message{};  // "openvno: unknown compiler, did you mean openvino?"

  [[nodiscard]] std::string text() const;  // "file:line:column: key: message"
};

// Returns the compiler with the threads that it has on the device: its own, else the device's, else the study's.
work::Compiler on_device(const Study& study, const DeviceEntry& device, const work::Compiler& compiler);

// Reads a study file. If it has problems, returns all of them in the order of lines; broken YAML is one problem,
// because nothing after it can be read. Bounds: 1 MiB, 32 levels, 20,000 nodes with aliases expanded, 1,000,000 cells
// and as many processes.
tl::expected<Study, std::vector<StudyProblem>> load_study(const std::filesystem::path& path,
                                                          const Vocabulary& vocabulary);

// Who has chosen the values of a study. A command makes its study from another one that was written with every default
// (to_json), and sets some keys. Then a default that was written excludes nothing: turns that cannot be are none.
enum class Author { user, command };

// Reads the text of a study file. `path` is where it is, or will be: problems name it, and the study's paths are
// relative to its folder.
tl::expected<Study, std::vector<StudyProblem>> read_study(const std::string& text, const std::filesystem::path& path,
                                                          const Vocabulary& vocabulary, Author author = Author::user);

// Returns one device for each node ("far-n1") if the device has several nodes of a cluster, else the device itself.
std::vector<DeviceEntry> one_for_each_node(const DeviceEntry& device);
bool has_tag(const DeviceEntry& device, std::string_view tag);

// Reads the devices that every study may name, from a file of entries `name: {ssh: HOST}`. They are described as in a
// study's `devices`. Returns all problems of the file together.
tl::expected<std::vector<DeviceEntry>, std::vector<StudyProblem>> load_devices(const std::filesystem::path& path);

// Returns the JSON Schema (draft 2020-12) of study files with this vocabulary.
nlohmann::json study_schema(const Vocabulary& vocabulary);

// Returns the study with every default, as `ngb plan --json` shows it and as it is stored with the results. The JSON is
// itself a study file (JSON is YAML) that is read as the same Study again.
nlohmann::json to_json(const Study& study);

// A key of a study that has a value, with that value.
struct KeyValue {
  std::string key{};    // "tolerances.absolute"
  std::string value{};  // for people
  bool is_default = true;
};

// Returns the value of every key but models, compilers, devices and pairs, in the order of docs/study.md.
std::vector<KeyValue> key_values(const Study& study);

// Reads the devices of a study that was recorded with a run.

// Returns the devices of a study that to_json(Study) has written. Does not read its models and compilers, which this
// release may not know. Returns an error if the text does not have that form.
Result<std::vector<DeviceEntry>> devices_of_study(const std::string& study_json);

}  // namespace ngb::config
