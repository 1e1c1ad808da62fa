// SPDX-License-Identifier: Apache-2.0
// Puts into sentences what the verdicts bear, each with the rows behind it. Sentences are made from verdicts only.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "metrics/analysis.h"
#include "metrics/metric.h"
#include "metrics/series/order.h"

namespace ngb::metrics::series {

// If nothing differs in a study, a sentence says that something does with at most this probability.
inline constexpr double kSentenceErrorRate = 0.01;

// A row of the table behind a sentence.
struct FindingRow {
  std::string device{};
  std::string compiler{};
  std::string model{};
  std::string batch_sizes{};
  std::string against{};  // what the ratio refers to: a compiler, a model; "" if nothing
  std::string metric{};   // what `value` is, as in docs/metrics.md; "" for a row without a number
  Value value{};
  std::string outcome{};               // "faster", "slower", "same", "undecided", …
  std::optional<double> adjusted_p{};  // after Benjamini's and Hochberg's procedure over the kind's questions
  std::vector<std::string> cell_ids{};
};

struct Finding {
  std::string kind{};          // "speed_up", "fastest", …: a name of finding_kinds()
  bool is_to_act_on = false;   // else it is for information
  bool is_difference = false;  // it says that something differs
  std::string sentence{};
  std::vector<FindingRow> rows{};
};

// A kind of finding, for documentation.
struct FindingKind {
  const char* name;
  const char* question;
};
std::span<const FindingKind> finding_kinds();

// Returns the findings in the order of finding_kinds(), within a kind in the order of cells. The questions of a kind
// are judged together (verdict.h, with Benjamini's and Hochberg's procedure at 5 %). A kind says that something differs
// only if the hypothesis that nothing differs in any of its questions is rejected at kSentenceErrorRate divided by the
// number of kinds (Simes 1986).
std::vector<Finding> find_all(const Analysis& analysis, const Orders& orders);

}  // namespace ngb::metrics::series
