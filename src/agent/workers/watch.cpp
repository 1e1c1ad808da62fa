// SPDX-License-Identifier: Apache-2.0
#include "agent/workers/watch.h"

#include <unistd.h>

#include <utility>

#include "probe/board.h"
#include "probe/probe.h"

namespace ngb::agent {
namespace {

constexpr int kLooksPerPace = 64;  // then the time between readings doubles
constexpr int kMostPaces = 20;
constexpr std::size_t kMostNeighbours = 3;

// Returns the resident memory of the processes together, in bytes.
Known<double> resident_bytes(const probe::Tree& tree, const std::vector<pid_t>& processes) {
  double bytes = 0;
  for (const pid_t process : processes) {
    const Known<std::string> told = tree.text("/proc/" + std::to_string(process) + "/statm");
    if (!told.value) return Known<double>::unknown(told.reason);
    const std::vector<std::string> words = probe::words(*told.value);
    const std::optional<double> pages = words.size() > 1 ? probe::parse_real(words[1]) : std::nullopt;
    if (!pages) return Known<double>::unknown("/proc/PID/statm has no resident pages");
    bytes += *pages * static_cast<double>(::sysconf(_SC_PAGESIZE));
  }
  return Known<double>::of(bytes);
}

}  // namespace

Watch::Watch(std::vector<int> cpus, const std::string& root)
    : cpus_(std::move(cpus)), root_(root), programs_(probe::programs(root)) {}

void Watch::look(const std::vector<pid_t>& workers, samples::Phase phase, Nanoseconds now) {
  if (phase != samples::Phase::timed && phase != samples::Phase::alone) return;
  if (pace_.is_skipped()) return;
  if (!meter_) {
    meter_.emplace(workers, cpus_, root_);
    last_ = meter_->read();
    return;
  }
  probe::Counters counters = meter_->read();
  for (samples::Reading& reading : probe::waits_between(*last_, counters)) add(std::move(reading), now);
  last_ = std::move(counters);
  const probe::Tree tree(root_);
  add({"frequency", "hz", "", probe::frequency_hz(tree)}, now);
  add({"temperature", "celsius", "", probe::temperature_celsius(tree)}, now);
  add({"memory", "byte", "", resident_bytes(tree, workers)}, now);
  if (Known<double> watts = probe::board_power_watts(tree); watts.value) {
    add({"board_power", "watt", "", std::move(watts)}, now);
  }
  pace_.count();
}

void Watch::mark(const std::vector<pid_t>& workers, std::uint64_t inferences, Nanoseconds now) {
  if (inferences == marked_inferences_ || pace_of_marks_.is_skipped()) return;
  marked_inferences_ = inferences;
  Known<double> bytes = resident_bytes(probe::Tree(root_), workers);
  if (!bytes.value) return;
  readings_.push_back({"inferences", "1", "mark", Known<double>::of(static_cast<double>(inferences)), now.count()});
  readings_.push_back({"memory", "byte", "mark", std::move(bytes), now.count()});
  pace_of_marks_.count();
}

bool Watch::Pace::is_skipped() {
  if (looks_to_skip_ == 0) return false;
  --looks_to_skip_;
  return true;
}

void Watch::Pace::count() {
  const int pace = ++looks_ / kLooksPerPace;
  looks_to_skip_ = (1 << (pace < kMostPaces ? pace : kMostPaces)) - 1;
}

void Watch::add(samples::Reading reading, Nanoseconds now) {
  if (!reading.value.value && !unknown_.insert(reading.quantity).second) return;
  reading.moment = "during";
  reading.at_ns = now.count();
  readings_.push_back(std::move(reading));
}

std::vector<samples::Neighbour> Watch::neighbours(const std::set<pid_t>& own) const {
  return probe::busiest_between(programs_, probe::programs(root_), own, kMostNeighbours);
}

}  // namespace ngb::agent
