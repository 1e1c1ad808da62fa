// SPDX-License-Identifier: Apache-2.0
// Expands a study into its cells and orders their processes. Reads model files, and starts Python only to find the
// imports of a user's Python file, and sizes that fit the open dimensions of an ONNX file.
//
// The order is the same on every machine (base/random.h has the generator and the shuffle):
//   1. groups (device, model, batch) are listed in the order of the study and shuffled by one generator that starts at
//      the study's seed;
//   2. each group has a generator of its own, which starts at the first 64 bits of the SHA-256 of the text
//      "<seed> <device> <model hash> <batch>"; so a group keeps its inner order when other models join the study;
//   3. round r of a group is process r of each of its cells, which are listed in the order of the study and shuffled by
//      the group's generator, which continues from round to round.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "base/result.h"
#include "config/study.h"
#include "work/cell.h"
#include "work/decided_by.h"

namespace ngb::plan {

// The cells are in the order of the study: device, model, batch, load, compiler. The groups are in the order in which
// they are measured. The compilers are the study's, with its precision; those that have other threads on a device
// follow.
struct Plan : work::Lists {
  config::Study study{};
  bool verdicts_of_gate = false;                // as in work::Job
  std::optional<work::DecidedBy> decided_by{};  // likewise
};

// An installed package onnx, which answers questions about files (graph_shapes.h).
struct OnnxPackage {
  std::string python{};             // interpreter that can import it; "": none is installed
  std::filesystem::path site{};     // the toolchain's site-packages
  std::filesystem::path library{};  // the folder with the Python package of ngb
  std::string toolchain{};          // "identity@2.15.0"
};

// Returns the plan of a study. Returns one error that lists every problem with the models: those of make_model, and
// entries that turn out to be the same model. `onnx` makes errors about open dimensions advise sizes that fit.
Result<Plan> expand(const config::Study& study, const OnnxPackage& onnx = {});

// Returns the id of a cell (work::Cell::id). The compiler's label takes no part in it, except as `label` where the
// study lists two compilers that nothing else tells apart.
std::string cell_id(const work::Configuration& of, const std::string& label = {});

// Returns the number of processes of all cells.
std::uint64_t process_count(const Plan& plan);

nlohmann::json to_json(const Plan& plan);
// Returns a sentence that names the Python files whose code the study runs, or "" if there are none.
std::string foreign_code(const Plan& plan);

enum class Extent { brief, all };
// Returns the text that `ngb plan` prints: settings, cells, order. In brief without settings at their defaults, without
// the order within groups, and with the first ten cells.
std::string to_text(const Plan& plan, Extent extent);

}  // namespace ngb::plan
