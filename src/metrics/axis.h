// SPDX-License-Identifier: Apache-2.0
// Defines the axes along which cells are compared.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "store/store.h"

namespace ngb::metrics {

// The property in which the two cells of a pair differ. All their other properties are equal.
enum class Axis { results, compiler, version, options, device, compute_device, threads, precision, load, model };
std::string_view name(Axis axis);                // "results", "compiler", …
Result<Axis> parse_axis(std::string_view name);  // The Error lists the axes

// Returns the axis that two names mean if none is given: version for "onnxruntime@1.30.0" and "onnxruntime@1.31.1",
// else compiler.
Axis axis_meant_by(std::string_view baseline, std::string_view candidate);

// Returns "openvino 2026.4.1": the study's label, followed by the version unless the label contains it.
std::string compiler_of(const store::CellData& cell);

// Returns a cell's value on an axis: "onnxruntime", "1.31.1", "hint=latency", "local", "gpu", "2", "f32", "cpu: 1",
// "resnet18";
// "" for results.
std::string place_on(Axis axis, const store::CellData& cell);

// Returns whether `words` name the cell's value on the axis. A compiler may also be named by its label, and a compiler
// or a version as NAME@VERSION.
bool is_called(std::string_view words, Axis axis, const store::CellData& cell);

// Returns the properties of a cell that must be equal on both sides, as one text. Versions and options are left out
// along the axis of compilers, because compilers do not share them; options that name the compute device are left out
// along that axis. Models are compared by content. The compute device is not part of the text: a cell that failed may
// not have reported it.
std::string identity_apart_from(Axis axis, const store::CellData& cell);

// Returns the properties of `identity_apart_from` for which the two lists have no value in common, each with an example
// from either list: "batch size (1 and 8)".
std::vector<std::string> properties_not_shared(Axis axis, const std::vector<const store::CellData*>& baseline,
                                               const std::vector<const store::CellData*>& candidate);

}  // namespace ngb::metrics
