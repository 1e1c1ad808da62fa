// SPDX-License-Identifier: Apache-2.0
// A study as its author meant it: every default filled in, every word checked.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/tensor.h"
#include "config/device.h"
#include "config/vocabulary.h"
#include "work/compiler.h"
#include "work/protocol.h"

namespace ngb::config {

using Parameters = work::Options;

using InputShapes = std::vector<std::pair<std::string, std::vector<std::int64_t>>>;  // extents, or kBatchExtent

// What a study says of one of a model's inputs.
struct InputEntry {
  std::optional<std::pair<double, double>> range{};  // least and largest of its seeded values
  std::filesystem::path file{};                      // its values instead: an .npy or .npz, absolute
  std::string array{};                               // which of an .npz; "": the one that is called as the input
  std::string type{};                                // pytorch and timm: "i64"; "" where the study does not say
  bool operator==(const InputEntry&) const = default;
};

// A recipe, an ONNX file, a Python file's function, or a model of timm's.
enum class ModelKind { zoo, onnx, pytorch, timm };

struct ModelEntry {
  std::string label{};           // unique in the study; for people: "resnet18", "conv_block width=64 depth=1"
  std::string family{};          // zoo: "resnet18", "conv_block"
  Parameters parameters{};       // those that the study gives; zoo: one entry per point of an axis
  std::filesystem::path file{};  // onnx, pytorch: absolute, or relative to the study's folder and then made absolute
  InputShapes shapes{};          // by input, sorted; onnx: where the file leaves it open
  std::string factory{};         // pytorch: a function of the file; timm: the model's name
  std::filesystem::path state_dict{};                              // pytorch, timm: absolute; "" for none
  std::vector<std::pair<std::string, std::int64_t>> dimensions{};  // onnx: named dimension -> extent, or kBatchExtent
  std::vector<std::pair<std::string, InputEntry>> inputs{};        // by name; "": one .npz for all; sorted
  bool dynamic_batch = false;                                      // compiled once for any batch

  [[nodiscard]] ModelKind kind() const;
};

inline constexpr const char* kExporter = "identity";

struct Study {
  std::string name{};
  std::filesystem::path path{};
  std::vector<ModelEntry> models{};
  std::vector<work::Compiler> compilers{};
  std::vector<int> batch_sizes{1};
  std::vector<DeviceEntry> devices{};
  int threads = 1;  // of compilers that do not say otherwise
  std::string precision = "f32";
  work::Protocol protocol{};
  std::string reference = "identity";  // a compiler's name, or "none"
  std::string reference_version{};     // of the study's first compiler of that name, else the vocabulary's default
  // Version of kExporter, which makes ONNX files from PyTorch modules: the reference's if that is the same compiler,
  // else that of the study's first entry of that name, else the vocabulary's default.
  std::string exporter_version{};
  work::Limits limits{};
  bool best_options = false;         // the best settings of each compiler are named below the table
  std::filesystem::path output{};    // results folder, absolute; default: results/<name> in the working folder
  std::vector<std::string> given{};  // keys that the file gives ("tolerances.absolute"); all others have their defaults
};

struct StudyProblem {
  std::string file{};
  int line = 0;           // 1 …; 0 when the file as a whole is meant
  int column = 0;         // 1 …
  std::string key{};      // "compilers[1].version"
  std::string message{};  // what is wrong, what was expected, the nearest word: "openvno: unknown compiler, did you
                          // mean openvino?"

  [[nodiscard]] std::string text() const;  // file:line:column: key: message
};

// The Study, or every problem of the file at once, in the order of lines. Broken YAML is one problem: nothing after it
// can be read. Bounds: 1 MiB, 32 levels, 20,000 nodes with aliases expanded, 1,000,000 cells and as many processes.
tl::expected<Study, std::vector<StudyProblem>> load_study(const std::filesystem::path& path,
                                                          const Vocabulary& vocabulary);

// Devices that every study may name, from a file of `name: {ssh: HOST}`: described as in a study's `devices`.
// A device that stands for several nodes of a cluster, as these; any other as itself.
std::vector<DeviceEntry> one_for_each_node(const DeviceEntry& device);
bool has_tag(const DeviceEntry& device, std::string_view tag);

tl::expected<std::vector<DeviceEntry>, std::vector<StudyProblem>> load_devices(const std::filesystem::path& path);

// The JSON Schema of study files (draft 2020-12) for this vocabulary.
nlohmann::json study_schema(const Vocabulary& vocabulary);

// The study with every default, as it is shown by `ngb plan --json` and stored with the results. It is itself a study
// file (JSON is YAML) that yields the same Study again.
nlohmann::json to_json(const Study& study);

struct Setting {
  std::string key{};    // "tolerances.absolute"
  std::string value{};  // for people
  bool is_default = true;
};

// Every key but models, compilers, devices and pairs, in the order of docs/study.md.
std::vector<Setting> settings(const Study& study);

}  // namespace ngb::config
