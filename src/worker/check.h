// SPDX-License-Identifier: Apache-2.0
// Checks outputs against the reference. A compiler that is fast and wrong has no speed.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "samples/process_result.h"
#include "worker/reference_file.h"

namespace ngb::worker {

struct Tolerance {
  double absolute = 0;
  double relative = 0;
};

struct Verdict {
  samples::Check check{};
  std::optional<std::string> difference{};  // nothing if the outputs agree
};

// Compares the outputs one by one in order. Count, types and shapes must be equal; names may differ.
// Floating point: |a - b| <= absolute + relative·|b|, where b is the reference, computed in double. NaN agrees only
// with NaN, an infinity only with the same infinity. Integers and booleans must be equal.
// The verdict counts the elements that are finite in both. If there are none, outputs may agree but prove nothing.
// The largest errors are over these elements. They are unknown without one, or if NaN or infinity is in one output
// only.
Verdict compare(std::span<const OutputView> outputs, std::span<const OutputView> reference,
                const std::string& reference_name, const Tolerance& tolerance);

}  // namespace ngb::worker
