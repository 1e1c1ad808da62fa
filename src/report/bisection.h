// SPDX-License-Identifier: Apache-2.0
// What `ngb bisect` prints.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bisection.h"
#include "metrics/bisection_step.h"
#include "report/document.h"
#include "report/formats.h"

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

// The formats of `ngb bisect`.
const FormatNames& bisection_formats();

// Returns a table with a row for each version that was tried, below the answer. JSON also has {"summary", "compiler",
// "from", "to", "fault", "slower_ratio", "faster_ratio", "outcome": "found" | "undecided" | "not_worse", "first_bad",
// "last_good", "undecided": […], "stepped_over": […], "versions": […], …}; what is unknown is null.
Document bisection_document(const Bisected& bisected);

// Returns the answer in one sentence: "onnxruntime 1.29.0 is the first version that is slower than 1.27.0 by more than
// 3 %", or that the last version is not worse.
std::string bisection_summary(const Bisected& bisected);

// Returns what a finding means for this fault: "not slower", "fails", "stepped over", …
std::string_view word_of(Finding finding, metrics::Fault fault);

}  // namespace ngb::report
