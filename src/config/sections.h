// SPDX-License-Identifier: Apache-2.0
// The parts of a study file that are more than one value: each reader adds its problems and yields what it could read.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "config/document.h"
#include "config/keys/key.h"
#include "config/problems.h"
#include "config/study.h"

namespace ngb::config {

inline constexpr std::size_t kMaxModels = 10'000;

// Entries `zoo` (axes become their product, the last one fastest) and `onnx` (from the study's folder; must be a file).
std::vector<ModelEntry> read_models(const DocumentNode& node, const std::filesystem::path& folder,
                                    const Vocabulary& vocabulary, Problems& problems);

// Threads and versions that an entry does not give come from `threads` and the vocabulary; labels are made unique.
std::vector<work::Compiler> read_compilers(const DocumentNode& node, int threads, const Vocabulary& vocabulary,
                                           Problems& problems);

// Devices by name (local, or one that is `known`), or described here; each runs every compiler until read_pairs says
// otherwise.
std::vector<DeviceEntry> read_devices(const DocumentNode& node, const std::vector<DeviceEntry>& known,
                                      Problems& problems);
// The mapping below a device's name.
void read_device_body(const DocumentNode& body, const std::string& path, DeviceEntry& device, Problems& problems);
// The value of one key of it, `way`.
void read_way(const Key& way, const DocumentNode& node, const std::string& path, DeviceEntry& device,
              Problems& problems);
DeviceEntry local_device();
// At most 64 letters, digits and . _ -, the first one no . or -: it names a folder, too.
bool is_device_name(std::string_view name);

// Device -> labels or names of compilers; a name means every compiler of the study that has it.
void read_pairs(const DocumentNode& node, const std::vector<work::Compiler>& compilers,
                std::vector<DeviceEntry>& devices, Problems& problems);

// A label that stands twice is a problem at the second; `at` gives the node of each entry.
void check_labels(const std::vector<std::string>& labels, const std::vector<NodePointer>& at, const std::string& path,
                  Problems& problems);

// `given` without those that equal their defaults, sorted by name: two entries are the same exactly if these are.
Parameters without_defaults(Parameters given, const std::vector<Parameter>& described);

}  // namespace ngb::config
