// SPDX-License-Identifier: Apache-2.0
// What `ngb compare` and `ngb gate` print.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "metrics/comparison.h"
#include "metrics/gate.h"
#include "metrics/same_build.h"
#include "report/document.h"
#include "report/formats.h"

namespace ngb::report {

// A comparison with everything that is printed beside its pairs.
struct Compared {
  const metrics::Comparison* comparison = nullptr;
  metrics::Axis axis = metrics::Axis::results;  // in which the sides differ
  std::vector<metrics::NoiseFloor> noise{};
  std::optional<metrics::Gate> gate{};           // of `ngb gate`
  std::optional<metrics::SelfTest> self_test{};  // of `ngb gate --self-test`
};

// The formats of `ngb compare` and `ngb gate`.
const FormatNames& compare_formats();

// Returns the pairs, worst first, in the formats' one table. Without `all`, pairs that are the same are folded if there
// are many. Rows are made when they are written, so what is compared must outlive the document.
Document compare_document(const Compared& compared, bool all);

// Returns "2 slower, 1 failed, 3 undecided, 114 same", without outcomes that do not occur.
std::string compare_summary(const metrics::Comparison& comparison);

}  // namespace ngb::report
