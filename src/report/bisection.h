// SPDX-License-Identifier: Apache-2.0
// Formats what `ngb bisect` prints.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/bisection.h"
#include "base/result.h"
#include "metrics/bisection_step.h"

namespace ngb::report {

struct TriedVersion {
  std::string version{};
  Finding finding = Finding::unusable;
  std::string cell{};                            // the cell that decided: "resnet18, batch 1, on local"; "" if none
  std::optional<statistics::Contrast> speeds{};  // of that cell: log of this version's speed over the baseline's
  std::string why{};                             // reason of the finding; "" if the ratio says everything
  int processes = 0;                             // of each side; 0 if it was not measured
  std::string results{};                         // results folder; "" if it was not measured
};

// A bisection that has ended.
struct Bisected {
  std::string compiler{};
  metrics::Fault fault = metrics::Fault::slower;
  double threshold_ratio = 0;           // of a fault of speed
  std::vector<std::string> versions{};  // ascending; the first is the baseline
  std::vector<TriedVersion> tried{};    // ascending, without the baseline; the last version is among them
  std::optional<Bisection> end{};       // indices into `versions`; empty if the last version is not bad
  std::size_t cells = 0;                // of one version
  std::size_t cells_that_count = 0;     // those in which the last version is bad
  std::string folder{};                 // of the bisection
};

struct BisectionOptions {
  int width = 100;  // columns of the terminal
  int wrap = 0;     // lines around the table are broken at blanks to so many columns; 0: they are not
  bool color = false;
};

// A format of `ngb bisect` is a row of the table in bisection.cpp.
struct BisectionFormat {
  const char* name;     // the argument of --format: "json"
  const char* meaning;  // for --help
  std::string (*show)(const Bisected& bisected, const BisectionOptions& options);
};
std::span<const BisectionFormat> bisection_formats();
// The Error names the nearest format, or lists all.
Result<const BisectionFormat*> find_bisection_format(std::string_view name);

// Returns the answer in one sentence: "onnxruntime 1.29.0 is the first version that is slower than 1.27.0 by more than
// 3 %", or that the last version is not worse.
std::string bisection_summary(const Bisected& bisected);

// Returns what a finding means for this fault: "not slower", "fails", "stepped over", …
std::string_view word_of(Finding finding, metrics::Fault fault);

}  // namespace ngb::report
