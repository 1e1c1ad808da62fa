// SPDX-License-Identifier: Apache-2.0
// What `ngb explain` prints: where a difference of two times arises, what a compiler fuses, and all its kernels.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "explain/difference.h"
#include "explain/fusions.h"
#include "metrics/limit.h"
#include "report/claims.h"
#include "report/document.h"
#include "report/formats.h"
#include "store/store.h"

namespace ngb::report {

// Two cells whose difference is explained, or why it is not.
struct ExplainedPair {
  const store::CellData* baseline = nullptr;
  const store::CellData* candidate = nullptr;
  explain::SideNames names{};  // "onnxruntime 1.31.1"
  std::string label{};         // what both have in common: "resnet18 batch 1"
  bool are_in_turns = true;    // false: no round has both, so the difference has what changed between their runs
  std::optional<explain::Explanation> explanation{};
  std::string why_not{};                 // "" if there is an explanation
  Known<metrics::Peak> baseline_peak{};  // of the device with the threads of the cell
  Known<metrics::Peak> candidate_peak{};
};

// Returns "openvino 2026.4.1 is 2.10 ms faster of 7.30 ms: 1.40 ms of it in conv1+bn1+act1; 0.20 ms are not explained".
std::string sentence_of(const ExplainedPair& pair);
// Returns whether the sum of regions explains the difference of the plain times, or by how much not.
std::string closing_line_of(const ExplainedPair& pair);

// Returns a row for each region, the largest difference first, and for what is in no region. Without `all`, small
// differences that are not told from 0 are folded.
Document explain_document(std::span<const ExplainedPair> pairs, bool all);

// A cell with a profile, by the name of its side.
struct ProfiledCell {
  const store::CellData* cell = nullptr;
  std::string compiler{};
  const samples::KernelProfile* profile = nullptr;  // of its first process
  Known<metrics::Peak> peak{};                      // of the device with the threads of the cell
};
// Returns a row for each cell.
Document fusions_document(std::span<const ProfiledCell> cells);
// Returns a row for each depth of each stack of blocks, and what the claims about them say.
Document depth_document(std::span<const ProfiledCell> cells, const Claims& claims);
// Returns a row for each kernel call of one inference of each cell, in the order of calls. The format trace
// draws it. Rows are made when they are written, so the cells must outlive the document.
Document kernels_document(std::span<const ProfiledCell> cells);

// Returns `limit_share` as a ratio, or why it is not known.
Entry limit_entry(const Known<metrics::LeastWork>& work, const Known<metrics::Peak>& peak, double ns);

// Returns the contrast of times, with its interval, in units of `unit_ns`.
Entry contrast_entry(const statistics::Contrast& found, double unit_ns);

// The formats of `ngb explain`; those that draw need kernels_document.
const FormatNames& explain_formats();
bool draws_kernels(const Format& format);

}  // namespace ngb::report
