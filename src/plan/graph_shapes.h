// SPDX-License-Identifier: Apache-2.0
// Asks the package onnx of an installed toolchain what the graph of a user's ONNX file says about shapes and inputs.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "plan/plan.h"
#include "userfiles/open_extents.h"

namespace ngb::plan {

using Shapes = std::map<std::string, std::vector<std::int64_t>>;  // of inputs, by name

struct GraphAnswer {
  std::vector<std::string> problems{};  // for each of the asked shapes: why the graph contradicts them, or ""
  userfiles::Ranges ranges{};           // of inputs that index a table of the file
  std::string beyond{};                 // which table the first of the shapes reads beyond its rows, or ""
  std::map<std::string, std::string> not_compared{};  // outputs that are no tensors of numbers, with their kinds
  std::pair<std::int64_t, std::int64_t> subnormal{};  // number of subnormal f32 weights, and of all f32 weights
};

enum class Until { end, first_fit };

// Shapes of a file's inputs, and the ranges of some of them. Nothing in place of a range: the values are not known.
struct AskedInputs {
  Shapes shapes{};
  std::map<std::string, std::optional<std::pair<std::int64_t, std::int64_t>>> ranges{};
};

// Asks whether the graph contradicts each of the shapes. With Until::first_fit, the shapes after the first that fits
// are not asked about and have no place in `problems`, and a table that is read beyond its rows is a problem. Fails if
// there is no package, or if it cannot read the file.
Result<GraphAnswer> ask_graph(const OnnxPackage& package, const std::filesystem::path& file,
                              const std::vector<AskedInputs>& inputs, Until until = Until::end);

// Keys for a model's entry that fix the extents that its file leaves open.
struct Advice {
  std::string keys{};   // as YAML, each on a line of its own after a line break
  std::string basis{};  // "shape inference accepts these sizes"
};
// Advises on open extents: the first proposal that fits the graph, else one by name.
Advice advise(const OnnxPackage& package, const std::filesystem::path& file,
              const std::vector<userfiles::UnsettledInput>& inputs);

// Fails if a model of the plan reads a table of its ONNX file beyond its rows, which some compilers do without an
// error. Does nothing without a package.
Status check_tables(const Plan& plan, const OnnxPackage& package);

// Returns sentences about the plan's ONNX files. There is one for each file that works at batch 1 only, which names the
// node whose shapes do not fit at the study's batch; for each input that indexes a table and has no range; for each
// output that cannot be compared; and for subnormal weights. Empty without a package.
std::vector<std::string> notes_on_files(const Plan& plan, const OnnxPackage& package);

}  // namespace ngb::plan
