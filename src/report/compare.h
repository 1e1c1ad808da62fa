// SPDX-License-Identifier: Apache-2.0
// Formats what `ngb compare` and `ngb gate` print, in one of several formats.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "metrics/comparison.h"
#include "metrics/gate.h"
#include "metrics/same_build.h"
#include "metrics/self_test.h"

namespace ngb::report {

// A comparison with everything that is printed beside its pairs.
struct Compared {
  const metrics::Comparison* comparison = nullptr;
  metrics::Axis axis = metrics::Axis::results;  // in which the sides differ
  std::vector<metrics::NoiseFloor> noise{};
  std::optional<metrics::Gate> gate{};           // of `ngb gate`
  std::optional<metrics::SelfTest> self_test{};  // of `ngb gate --self-test`
};

struct CompareOptions {
  bool all = false;  // text and markdown: list pairs that are the same even if there are many
  int width = 100;   // text: columns of the terminal
  int wrap = 0;      // text: lines around the table are broken at blanks to so many columns; 0: they are not
  bool color = false;
};

// A format of `ngb compare` and `ngb gate` is a file with its function, and a row of the table in compare_formats.cpp.
// Every format lists the worst pairs first; except in JSON and CSV, the first line is the summary.
struct CompareFormat {
  const char* name;     // the argument of --format: "json"
  const char* meaning;  // for --help
  std::string (*show)(const Compared& compared, const CompareOptions& options);
  std::string (*annotate)(const Compared& compared) = nullptr;  // lines for stderr; null: none
};
std::span<const CompareFormat> compare_formats();
// The Error names the nearest format, or lists all.
Result<const CompareFormat*> find_compare_format(std::string_view name);

// Returns "2 slower, 1 failed, 3 undecided, 114 same", without outcomes that do not occur.
std::string compare_summary(const metrics::Comparison& comparison);

}  // namespace ngb::report
