// SPDX-License-Identifier: Apache-2.0
// Readers for the structured parts of a study file. Each adds its problems to `problems` and returns what it could
// read.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "config/document.h"
#include "config/keys/key.h"
#include "config/problems.h"
#include "config/study.h"

namespace ngb::config {

inline constexpr std::size_t kMaxModels = 10'000;

// Reads `models`. The axes of a recipe become one model for each combination of values; the last axis changes fastest.
// Relative paths start at `folder`, the study's folder. `compilers` are those that an entry's key `compilers` may name.
std::vector<ModelEntry> read_models(const DocumentNode& node, const std::filesystem::path& folder,
                                    const Vocabulary& vocabulary, const std::vector<work::Compiler>& compilers,
                                    Problems& problems);

// A value in the study file that a later check may name.
struct GivenValue {
  NodePointer node{};  // null: the study does not give the value
  std::string path{};
};

using GivenKeys = std::map<std::string, GivenValue>;  // by the key's name

struct CompilerEntries {
  std::vector<work::Compiler> compilers{};
  std::vector<std::shared_ptr<const GivenKeys>> given{};  // of each compiler: the keys in its entry
};

// Reads `compilers`. An entry without threads or precision gets those of `usual`; one without instances becomes a
// compiler for each number in `instances`, one without processors for each choice in `processors`; one without a
// version gets the vocabulary's default. Labels that the study does not give are made unique.
struct UsualAxes {
  std::vector<int> instances{1};
  std::vector<std::string> processors{work::kChosenProcessors};
};
CompilerEntries read_compilers(const DocumentNode& node, const work::Compiler& usual, const UsualAxes& axes,
                               const Vocabulary& vocabulary, Problems& problems);

// Makes `compiler` ask for `value` threads: a number or a word, which is estimated as this machine's number.
void set_threads(work::Compiler& compiler, const nlohmann::json& value, const std::optional<Processors>& processors);

// Returns why the compiler's instances need more processors than this machine or the study's choice has, or why there
// is no such choice here; nothing if there is no reason, or if it does not run on the device. Preconditions: the device
// is this machine, and `study.processors` is known.
std::optional<std::string> too_many_threads(const Study& study, const DeviceEntry& device,
                                            const work::Compiler& compiler);

// Reads `devices`. An entry is the name `local`, the name or tag of a `known` device, or describes a device. Leaves
// DeviceEntry::compilers empty.
std::vector<DeviceEntry> read_devices(const DocumentNode& node, const std::vector<DeviceEntry>& known,
                                      Problems& problems);
// Reads the mapping below a device's name into `device`.
void read_device_body(const DocumentNode& body, const std::string& path, DeviceEntry& device, Problems& problems);
// Reads the value of one key of that mapping: `way`, which says how the device is reached.
void read_way(const Key& way, const DocumentNode& node, const std::string& path, DeviceEntry& device,
              Problems& problems);
DeviceEntry local_device();
// Reads a list of labels or names of compilers. A name means every compiler that has it. Returns their labels in the
// order of `compilers`; none if the list has a problem.
std::vector<std::string> read_compiler_words(const DocumentNode& list, const std::string& path,
                                             const std::vector<work::Compiler>& compilers, Problems& problems);
// Reads `pairs`, which maps a device to labels or names of compilers, into DeviceEntry::compilers. A name means every
// compiler of the study that has it.
void read_pairs(const DocumentNode& node, const std::vector<work::Compiler>& compilers,
                std::vector<DeviceEntry>& devices, Problems& problems);

// Reads `loads`. No two of the result have the same name.
std::vector<work::Load> read_loads(const DocumentNode& node, Problems& problems);

// Adds a problem for each label that an earlier entry has already. `at` has the node of each entry.
void check_labels(const std::vector<std::string>& labels, const std::vector<NodePointer>& at, const std::string& path,
                  Problems& problems);

// Returns the node of a key that the study gives ("goal.on"), or null.
using GivenNode = std::function<const DocumentNode*(const std::string& key_path)>;

// Reads what `goal` says beside its scalars, makes its metric the one by which rounds end, and checks and completes
// `rounds`, which may be over models. Precondition: the devices and the scalar keys are read.
void read_goal(const GivenNode& given, Study& study, Author author, Problems& problems);

// Returns `given` without the values that equal their defaults, sorted by name. Two entries mean the same exactly if
// these are equal.
Parameters without_defaults(Parameters given, const std::vector<Parameter>& described);

}  // namespace ngb::config
