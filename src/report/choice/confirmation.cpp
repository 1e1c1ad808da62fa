// SPDX-License-Identifier: Apache-2.0
#include "report/choice/confirmation.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/json_text.h"
#include "base/text.h"
#include "report/words.h"
#include "report/write/json.h"
#include "report/write/numbers.h"
#include "samples/process_result.h"

namespace ngb::report {
namespace {

using nlohmann::json;

// Returns the latencies of all requests in seconds, in ascending order.
std::vector<double> sorted_latencies_s(const store::CellData& served) {
  std::vector<double> seconds;
  for (const store::RecordedProcess& process : served.processes) {
    for (std::size_t i = 0; i < process.latencies_ns.size() && i < process.repetitions.size(); ++i) {
      if (process.repetitions[i].is_warm_up) continue;
      for (const std::int64_t each : process.latencies_ns[i]) seconds.push_back(static_cast<double>(each) * 1e-9);
    }
  }
  std::sort(seconds.begin(), seconds.end());
  return seconds;
}

double timed_phases_s(const store::CellData& served) {
  double seconds = 0;
  for (const store::RecordedProcess& process : served.processes) {
    seconds += samples::seconds_of_phase(process, samples::Phase::timed);
  }
  return seconds;
}

std::string ends(const std::optional<double>& low, const std::optional<double>& high) {
  return fmt::format("[{}, {}]", low ? number(*low, "s") : "0", high ? number(*high, "s") : "∞");
}

json end_json(const std::optional<double>& end) { return end ? json(*end) : json(nullptr); }

}  // namespace

std::size_t usual_requests(int percentile) {
  constexpr std::array kRuns{std::pair{50, 64}, std::pair{90, 64}, std::pair{95, 130}, std::pair{99, 662}};
  const auto* const found =
      std::find_if(kRuns.begin(), kRuns.end(), [percentile](const auto& run) { return run.first == percentile; });
  return 2 * static_cast<std::size_t>(found == kRuns.end() ? kRuns.back().second : found->second);
}

std::string_view name(Held held) {
  constexpr std::array<std::string_view, 3> kNames{"held", "not held", "open"};
  return kNames.at(static_cast<std::size_t>(held));
}

Confirmation confirmation_of(const store::CellData& served, const Demand& demand) {
  constexpr double kWholePercent = 100;
  const std::vector<double> latencies_s = sorted_latencies_s(served);
  const auto first_late = std::upper_bound(latencies_s.begin(), latencies_s.end(), demand.latency_s);
  Confirmation found{
      .requests = latencies_s.size(),
      .seconds = timed_phases_s(served),
      .late_ratio = static_cast<double>(latencies_s.end() - first_late) / static_cast<double>(latencies_s.size()),
      .answered_s = statistics::percentile_interval(latencies_s, demand.percentile / kWholePercent)};
  if (found.answered_s.high && *found.answered_s.high <= demand.latency_s) found.held = Held::yes;
  if (found.answered_s.low && *found.answered_s.low > demand.latency_s) found.held = Held::no;
  return found;
}

std::string confirmation_text(const Confirmation& confirmation, const Candidate& predicted, const Demand& demand) {
  const store::CellData& cell = *predicted.cell;
  std::string text =
      fmt::format("\n{}: {}, {}, {}: {} requests at {}/s in {}\n", name(confirmation.held),
                  text::visible(compiler_of(cell)), text::visible(workload_on_device(cell)), threads_of(cell),
                  confirmation.requests, number(demand.requests_per_s, "1"), number(confirmation.seconds, "s"));
  text += fmt::format("  measured:  p{} {} {}, {:.2f} % later than {}\n", demand.percentile,
                      number(confirmation.answered_s.value, "s"),
                      ends(confirmation.answered_s.low, confirmation.answered_s.high), 100 * confirmation.late_ratio,
                      number(demand.latency_s, "s"));
  text += predicted.low_s ? fmt::format("  predicted: p{} {} {}\n", demand.percentile,
                                        predicted.answered_s ? number(*predicted.answered_s, "s") : "∞",
                                        ends(predicted.low_s, predicted.high_s))
                          : fmt::format("  predicted: {}\n", text::visible(predicted.why));
  if (confirmation.held == Held::open) text += "  the interval contains the limit: more --requests decide it\n";
  return text;
}

std::string confirmation_json(const Confirmation& confirmation, const Candidate& predicted,
                              const std::string& results) {
  json row = json_text::parse(choice_json({predicted})).at(0);
  row["confirmation"] = {{"held", name(confirmation.held)},
                         {"requests", confirmation.requests},
                         {"seconds", confirmation.seconds},
                         {"late_ratio", confirmation.late_ratio},
                         {"answered_s", confirmation.answered_s.value},
                         {"low_s", end_json(confirmation.answered_s.low)},
                         {"high_s", end_json(confirmation.answered_s.high)},
                         {"results", results}};
  return json_text(row);
}

}  // namespace ngb::report
