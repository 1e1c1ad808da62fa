// SPDX-License-Identifier: Apache-2.0
// Reads the times of kernels from two of OpenVINO's readings, and which ONNX nodes they stand for from the graph that
// it executes.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "../onnx_nodes.h"
#include "ngraphbench/kernels.h"

namespace ngb::openvino {

// The counter that OpenVINO keeps for a node of its graph.
struct Counter {
  std::string name{};
  std::string type{};       // "Convolution"
  std::string execution{};  // "brgconv_avx512_f32"; "undef": it is a part of the executed node before it
  // True if the library reports that the node was executed; it reports none whose mean is below a microsecond.
  bool has_run = false;
  std::int64_t mean_us = 0;  // over all inferences of the compiled model, in whole microseconds
};

struct Reading {
  std::vector<Counter> counters{};  // in the order of execution
  std::uint64_t inferences = 0;     // of the compiled model until now
};

// Maps the name of a node of the executed graph to the names of the file's nodes that it stands for.
using OriginalNames = std::map<std::string, std::vector<std::string>>;
// Reads them from the executed graph's XML. A name that contains a comma cannot be told from two.
OriginalNames original_names(std::string_view xml);

// Returns the kernels of one inference, with means over those between the readings: the nodes that have run in either
// of them. Inputs, outputs, new shapes of the same memory and copies that were left out have not. Throws
// plugin::Failure if the readings are not of the same nodes. `originals` is empty if the library does not show the
// executed graph: then the nodes that follow an executed one as its parts are all that is known.
std::vector<Kernel> kernels_between(const Reading& before, const Reading& after, const OriginalNames& originals,
                                    const plugin::OnnxNodes& model);

}  // namespace ngb::openvino
