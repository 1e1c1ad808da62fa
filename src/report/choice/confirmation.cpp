// SPDX-License-Identifier: Apache-2.0
#include "report/choice/confirmation.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/json_text.h"
#include "base/text.h"
#include "report/words.h"
#include "report/write/json.h"
#include "report/write/numbers.h"
#include "samples/process_result.h"
#include "statistics/contrast.h"
#include "statistics/dependent_values.h"
#include "work/codec.h"

namespace ngb::report {
namespace {

using nlohmann::json;

constexpr double kSecondsOfNs = 1e-9;

// The requests of all processes, in the order in which their batches began.
struct Requests {
  std::vector<double> latencies_s{};
  statistics::Dependence dependence{};
  std::vector<double> inferences_s{};      // their times
  std::vector<double> means_by_process{};  // of these times
};

// Returns the places of the counted repetitions with latencies, in the order in which they began.
std::vector<std::size_t> in_order(const store::RecordedProcess& process) {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < process.latencies_ns.size() && i < process.repetitions.size(); ++i) {
    if (!process.repetitions[i].is_warm_up && !process.latencies_ns[i].empty()) places.push_back(i);
  }
  std::stable_sort(places.begin(), places.end(), [&](std::size_t a, std::size_t b) {
    return process.repetitions[a].started_ns.value_or(0) < process.repetitions[b].started_ns.value_or(0);
  });
  return places;
}

// Adds a process's requests. A busy period ends where a batch is full when the server that takes it is free already.
void add_requests(const store::RecordedProcess& process, Requests& found) {
  std::map<std::uint32_t, std::int64_t> free_since_ns;  // each instance
  const std::size_t before = found.latencies_s.size();
  double seconds = 0;
  const std::vector<std::size_t> places = in_order(process);
  for (const std::size_t place : places) {
    const samples::Repetition& batch = process.repetitions[place];
    const std::vector<std::int64_t>& latencies_ns = process.latencies_ns[place];
    const auto free_since = free_since_ns.find(batch.instance);
    const std::int64_t started_ns = batch.started_ns.value_or(0);
    const std::int64_t full_ns = started_ns + batch.wall_ns - latencies_ns.back();
    const bool was_free = free_since == free_since_ns.end() || (batch.started_ns && free_since->second <= full_ns);
    if (was_free) found.dependence.periods.push_back(0);
    free_since_ns[batch.instance] = started_ns + batch.wall_ns;
    found.dependence.periods.back() += latencies_ns.size();
    for (const std::int64_t each : latencies_ns) found.latencies_s.push_back(static_cast<double>(each) * kSecondsOfNs);
    found.inferences_s.push_back(static_cast<double>(batch.wall_ns) * kSecondsOfNs);
    seconds += found.inferences_s.back();
  }
  if (places.empty()) return;
  found.dependence.processes.push_back(found.latencies_s.size() - before);
  found.means_by_process.push_back(seconds / static_cast<double>(places.size()));
}

Requests requests_of(const store::CellData& served) {
  Requests found;
  for (const store::RecordedProcess& process : served.processes) add_requests(process, found);
  return found;
}

// Returns the lower end of the mean time of an inference: over processes, or over the inferences of a single one.
double least_mean_s(const Requests& requests) {
  const bool has_one = requests.means_by_process.size() < 2;
  const std::vector<double>& values = has_one ? requests.inferences_s : requests.means_by_process;
  if (values.empty()) return 0;
  const statistics::Contrast mean = statistics::contrast(std::vector<statistics::Part>{{values}});
  return mean.interval ? mean.interval->low : 0;
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

// Returns how many requests in a queue are worth one independent one: 1 / (1 - utilisation)², in requests the time in
// which the queue of a server forgets.
double least_design_effect(double utilisation_ratio) { return std::pow(1 - utilisation_ratio, -2); }

}  // namespace

std::size_t usual_requests(int percentile, double utilisation_ratio) {
  constexpr double kMost = 1e6;  // that `arrivals` may ask for
  const double few = 2 * static_cast<double>(statistics::fewest_for_percentile(percentile));
  if (utilisation_ratio >= 1) return static_cast<std::size_t>(few);
  return static_cast<std::size_t>(std::min(kMost, std::round(few * least_design_effect(utilisation_ratio))));
}

std::string_view name(Held held) {
  constexpr std::array<std::string_view, 3> kNames{"held", "not held", "open"};
  return kNames.at(static_cast<std::size_t>(held));
}

Confirmation confirmation_of(const store::CellData& served, const Demand& demand) {
  const double q = demand.percentile / 100.0;
  const Requests requests = requests_of(served);
  std::vector<double> sorted_s = requests.latencies_s;
  std::sort(sorted_s.begin(), sorted_s.end());
  const auto first_late = std::upper_bound(sorted_s.begin(), sorted_s.end(), demand.latency_s);
  const work::Configuration& of = served.of;
  const double busy_per_s = demand.requests_per_s / of.model.key.batch / of.compiler.instances;
  Confirmation found{
      .requests = sorted_s.size(),
      .seconds = timed_phases_s(served),
      .late_ratio = static_cast<double>(sorted_s.end() - first_late) / static_cast<double>(sorted_s.size()),
      .utilisation_ratio = busy_per_s * statistics::mean(requests.inferences_s),
      .periods = requests.dependence.periods.size()};
  if (found.utilisation_ratio < 1) {
    statistics::Dependence dependence = requests.dependence;
    dependence.least_design_effect = least_design_effect(found.utilisation_ratio);
    const statistics::Worth worth = statistics::worth_of(requests.latencies_s, dependence, q);
    found.independent_requests = worth.independent;
    found.do_processes_differ = worth.do_processes_differ;
  }
  found.answered_s = statistics::percentile_interval(sorted_s, q, found.independent_requests, statistics::kErrorRate);
  if (found.answered_s.high && *found.answered_s.high <= demand.latency_s) found.held = Held::yes;
  const bool piles_up = busy_per_s * least_mean_s(requests) > 1;
  if (piles_up || (found.answered_s.low && *found.answered_s.low > demand.latency_s)) found.held = Held::no;
  return found;
}

namespace {

// Returns lines that say what the interval rests on, and why the limit is open.
std::string why_so_wide(const Confirmation& confirmation, const Demand& demand) {
  std::string text = fmt::format("  {:.0f} % busy: ", 100 * confirmation.utilisation_ratio);
  if (confirmation.utilisation_ratio >= 1)
    return text + "requests pile up, and the longer it lasts the later they are\n";
  text += fmt::format("{} busy periods, and {} requests are worth {:.0f} independent ones\n", confirmation.periods,
                      confirmation.requests, confirmation.independent_requests);
  if (confirmation.do_processes_differ) text += "  the processes differ, so that they are what is counted\n";
  if (confirmation.held != Held::open) return text;
  if (confirmation.answered_s.high) return text + "  the interval contains the limit: more --requests decide it\n";
  const std::size_t fewest = statistics::fewest_for_upper_end(demand.percentile / 100.0);
  text += fmt::format("  an upper end of p{} needs {} independent ones", demand.percentile, fewest);
  if (confirmation.independent_requests < 1) return text + ": more --requests decide it\n";
  const double worth = confirmation.independent_requests / static_cast<double>(confirmation.requests);
  constexpr double kReserve = 1.5;
  return text + fmt::format(": about {} decide it (--requests)\n",
                            number(kReserve * static_cast<double>(fewest) / worth, "1"));
}

}  // namespace

std::string confirmation_text(const Confirmation& confirmation, const Candidate& predicted, const Demand& demand) {
  const store::CellData& cell = *predicted.cell;
  std::string text =
      fmt::format("\n{}: {}, {}, {}: {} requests at {}/s in {}\n", name(confirmation.held),
                  text::visible(compiler_in_words(cell)), text::visible(workload_on_device(cell)), threads_of(cell),
                  confirmation.requests, number(demand.requests_per_s, "1"), number(confirmation.seconds, "s"));
  text += fmt::format("  measured:  p{} {} {}, {:.2f} % later than {}\n", demand.percentile,
                      number(confirmation.answered_s.value, "s"),
                      ends(confirmation.answered_s.low, confirmation.answered_s.high), 100 * confirmation.late_ratio,
                      number(demand.latency_s, "s"));
  text += predicted.answered_s || predicted.low_s
              ? fmt::format("  predicted: p{} {} {}\n", demand.percentile,
                            predicted.answered_s ? number(*predicted.answered_s, "s") : "∞",
                            ends(predicted.low_s, predicted.high_s))
              : fmt::format("  predicted: {}\n", text::visible(predicted.why));
  return text + why_so_wide(confirmation, demand);
}

std::string confirmation_json(const Confirmation& confirmation, const Candidate& predicted,
                              const std::string& results) {
  json row = json_text::parse(choice_json({predicted})).at(0);
  row["confirmation"] = {{"held", name(confirmation.held)},
                         {"requests", confirmation.requests},
                         {"seconds", confirmation.seconds},
                         {"late_ratio", confirmation.late_ratio},
                         {"utilisation_ratio", confirmation.utilisation_ratio},
                         {"busy_periods", confirmation.periods},
                         {"independent_requests", confirmation.independent_requests},
                         {"do_processes_differ", confirmation.do_processes_differ},
                         {"answered_s", confirmation.answered_s.value},
                         {"low_s", work::write_json(confirmation.answered_s.low)},
                         {"high_s", work::write_json(confirmation.answered_s.high)},
                         {"results", results}};
  return json_text(row);
}

}  // namespace ngb::report
