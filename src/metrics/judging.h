// SPDX-License-Identifier: Apache-2.0
// The metrics by which two sides can be judged (Metric::better), and what each process or input says of them.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "metrics/metric.h"
#include "metrics/outcome.h"
#include "statistics/verdict.h"

namespace ngb::metrics {

// A metric by which pairs of cells are judged.
struct Judged {
  const Metric* metric = nullptr;  // null: the speed, throughput_per_s, from equally many repetitions of both sides
  double margin_ratio = 0.03;      // two sides are the same within 1 ± this
  double margin_difference = 0;    // of a metric that is judged by a difference: within ± this, in its unit

  [[nodiscard]] const char* name() const;  // as in the table: "throughput_per_s"
  [[nodiscard]] bool is_by_difference() const { return metric != nullptr && metric->is_judged_by_difference(); }
  [[nodiscard]] bool is_by_inputs() const { return metric != nullptr && metric->better == Better::higher_by_inputs; }
  // Returns how far from 0 the contrast of two sides may be that are the same.
  [[nodiscard]] double limit() const;
  // Returns the margin as it was given: "3 %", "100 B"; of a share's difference "1 %".
  [[nodiscard]] std::string margin_in_words() const;
  // Returns what parse_judged reads as this: "timed_peak_bytes:5%".
  [[nodiscard]] std::string in_text() const;
};

// Returns the error that none of `names` is that of a metric, with the nearest of them, or the first that begins so.
Error no_such_metric(std::string_view name, const std::vector<std::string>& names, std::string where);

// Reads "100B", "1 kB", "5MB" or "1GB"; nothing: it is no number of bytes.
std::optional<double> parse_byte_amount(std::string_view given);

// Returns the names of the metrics that a verdict can be made of, in the order of the table.
std::vector<std::string> names_of_judged();

// Reads "NAME" or "NAME:MARGIN", such as "timed_peak_bytes:5%" or "memory_growth_bytes_per_inference:1kB". Without a
// margin it is `margin_ratio`, none of a metric that does not vary, and that of its row of one that is judged by a
// difference. Returns an error if there is no such metric, if no verdict can be made of it, or if the margin has no
// unit or that of another kind of metric.
Result<Judged> parse_judged(std::string_view given, double margin_ratio);

// Asks how the values of one side compare with those of the other: above 0 `a` is better. Precondition: neither list is
// empty; of one that is judged by its ratio, all are above 0.
statistics::Question question_by(const Judged& by, const std::vector<OfRound>& a, const std::vector<OfRound>& b,
                                 bool are_paired);
// Returns the judgement of two sides of which no value differs from the others of its side, so that chance is no reason
// for a difference. Returns nothing if a value differs, or if too few processes of what may vary show that it does not.
std::optional<statistics::Judgement> exact_judgement(const Judged& by, const std::vector<OfRound>& a,
                                                     const std::vector<OfRound>& b);
// Returns what stands for all values: their geometric mean; of one that is judged by a difference, their mean.
double mean_by(const Judged& by, const std::vector<OfRound>& values);

// What each process of a cell says of a metric, or each input, whose number stands for the round.
using ByProcess = std::map<const Metric*, Known<std::vector<OfRound>>>;
// Returns these metrics of each completed process, computed as those of a cell that has no other one; of one by inputs,
// those of each input. A process or input of which a metric is unknown is left out; if it is unknown of all, or of one
// that is judged by its ratio not above 0, the reason is returned.
ByProcess by_process(std::span<const Judged> judged, const store::CellData& cell);

}  // namespace ngb::metrics
