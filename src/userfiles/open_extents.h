// SPDX-License-Identifier: Apache-2.0
// Advises what a study may give for the extents that an ONNX file leaves open, and for its inputs' values.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/tensor.h"
#include "userfiles/onnx_scan.h"

namespace ngb::userfiles {

// An input as the study and the file leave it: each extent is a number (kBatchExtent for the batch), or is open.
struct UnsettledInput {
  std::string name{};
  DataType type = DataType::f32;
  std::vector<ScannedExtent> extents{};  // without a value: open
};

// Returns true for the names that exporters give the batch: "batch", "batch_size", "bs", …
bool names_batch(const std::string& dimension);

// One way to settle all open extents.
struct Proposal {
  std::map<std::string, std::int64_t> dimensions{};                         // by name
  std::vector<std::pair<std::string, std::vector<std::int64_t>>> shapes{};  // of inputs with unnamed open extents
  bool operator==(const Proposal&) const = default;
};

// Returns proposals, the likeliest first. Extents are guessed by name: the parts of a sum add up, past + sequence =
// total, and height and width differ.
std::vector<Proposal> propose(const std::vector<UnsettledInput>& inputs);

// Returns each input's shape under a proposal, with this batch size.
std::map<std::string, std::vector<std::int64_t>> shapes_under(const Proposal& proposal,
                                                              const std::vector<UnsettledInput>& inputs, int batch);

using Ranges = std::map<std::string, std::pair<std::int64_t, std::int64_t>>;

// Returns ranges that inputs need whose names say so (masks, lengths, sample rates, positions), and that `known` lacks.
Ranges guess_ranges(const std::vector<UnsettledInput>& inputs, const Proposal& proposal, const Ranges& known);

// Returns the keys of a model's entry, as YAML on lines of their own that begin with `indent`.
std::string to_yaml(const Proposal& proposal, const Ranges& ranges, const std::string& indent);

// Returns a text as a YAML key or word, quoted if it must be.
std::string yaml_word(const std::string& text);

}  // namespace ngb::userfiles
