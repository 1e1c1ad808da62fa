// SPDX-License-Identifier: Apache-2.0
// Are these the right outputs? A compiler that is fast and wrong has no speed.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "samples/process_result.h"
#include "worker/reference.h"

namespace ngb::worker {

struct Tolerance {
  double absolute = 0;
  double relative = 0;
};

struct Verdict {
  samples::Check check{};
  std::optional<std::string> difference{};  // nothing: the outputs agree
};

// Output by output, in order; count, types and shapes must be equal, names need not.
// Floating point: |a - b| <= absolute + relative·|b| with b the reference, computed in double; NaN agrees with NaN and
// an infinity with the same infinity, each with no other value. Integers and booleans must be equal: a class index next
// to the right one is another class.
// The largest errors are over all elements that are finite in both; unknown when there is none, and when NaN or an
// infinity stands against another value.
Verdict compare(std::span<const OutputView> outputs, std::span<const OutputView> reference,
                const std::string& reference_name, const Tolerance& tolerance);

}  // namespace ngb::worker
