// SPDX-License-Identifier: Apache-2.0
#include "metrics/judging.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/percent.h"
#include "base/text.h"
#include "metrics/analysis.h"
#include "metrics/ratios.h"

namespace ngb::metrics {

namespace {

constexpr const char* kSpeed = "throughput_per_s";

Error no_verdict_by(std::string_view name) {
  const std::vector<std::string> judged = names_of_judged();
  const std::string expected = "expected one of: " + text::join(judged, ", ");
  if (find_metric(name) != nullptr) {
    return {fmt::format(
                "no verdict can be made of {}: it relates cells to each other, is over inputs, or has no better side",
                name),
            "--metric", expected};
  }
  const auto meant = text::nearest(name, judged);
  return {fmt::format("there is no metric \"{}\"{}", name, meant ? fmt::format("; did you mean {}?", *meant) : ""),
          "--metric", expected};
}

}  // namespace

const char* Judged::name() const { return metric == nullptr ? kSpeed : metric->name; }

std::vector<std::string> names_of_judged() {
  std::vector<std::string> names;
  for (const Metric& metric : metrics()) {
    if (metric.better != Better::neither) names.emplace_back(metric.name);
  }
  return names;
}

Result<Judged> parse_judged(std::string_view given, double margin_ratio) {
  const std::size_t colon = given.find(':');
  const std::string_view name = given.substr(0, colon);
  const Metric* const metric = find_metric(name);
  if (metric == nullptr || metric->better == Better::neither) return tl::unexpected(no_verdict_by(name));
  Judged judged{name == kSpeed ? nullptr : metric, metric->better == Better::lower_exactly ? 0 : margin_ratio};
  if (colon == std::string_view::npos) return judged;
  const auto percent = parse_percent(given.substr(colon + 1), fmt::format("--metric {}", given));
  if (!percent) return error_of(percent);
  judged.margin_ratio = *percent / 100;
  return judged;
}

Known<std::vector<OfRound>> by_process(const Metric& metric, const store::CellData& cell) {
  using Values = Known<std::vector<OfRound>>;
  store::CellData alone = cell;
  std::vector<OfRound> values;
  std::string why = "no process has completed";
  for (const store::RecordedProcess& process : cell.processes) {
    alone.processes.assign(1, process);
    const Value value = metric.compute(Analysis({&alone}), 0);
    if (value.value) {
      values.push_back({process.run_key, process.process_index, *value.value, process.environment_hash});
    } else {
      why = value.reason;
    }
  }
  if (values.empty()) return Values::unknown(std::move(why));
  if (!are_above_zero(values)) return Values::unknown("not all of its values are above 0, so there is no ratio");
  return Values::of(std::move(values));
}

}  // namespace ngb::metrics
