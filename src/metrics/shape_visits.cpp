// SPDX-License-Identifier: Apache-2.0
#include "metrics/shape_visits.h"

#include <algorithm>
#include <optional>

#include "samples/process_numbers.h"
#include "statistics/statistics.h"

namespace ngb::metrics {
namespace {

constexpr double kSecond = 1e-9;  // of a nanosecond

// Where the times of a shape are among those of a repetition.
struct Place {
  std::string name{};
  std::size_t first = 0;
  std::size_t visits = 0;
  std::optional<double> gained_bytes{};
};

std::vector<Place> places_of(const samples::ProcessResult& process) {
  std::vector<Place> places;
  std::size_t next = 0;
  for (const samples::Reading& reading : process.readings) {
    if (reading.moment != samples::kShape) continue;
    if (reading.unit == "1" && reading.value.value.value_or(0) >= 1) {
      places.push_back({reading.quantity, next, static_cast<std::size_t>(*reading.value.value), {}});
      next += places.back().visits;
    }
    const auto known = std::ranges::find(places, reading.quantity, &Place::name);
    if (reading.unit == "byte" && known != places.end()) known->gained_bytes = reading.value.value;
  }
  return places;
}

// Returns the shape's times in a repetition, in the order of its visits.
std::vector<double> times_at(const Place& place, const std::vector<std::int64_t>& of_repetition) {
  std::vector<double> seconds;
  for (std::size_t i = place.first; i < place.first + place.visits && i < of_repetition.size(); ++i)
    seconds.push_back(kSecond * static_cast<double>(of_repetition[i]));
  return seconds;
}

void add_visits_of(const Place& place, const store::RecordedProcess& process, ShapeVisits& shape) {
  std::vector<double> first_ones;  // until there are two
  std::vector<double> later;
  for (std::size_t i = 0; i < process.latencies_ns.size() && i < process.repetitions.size(); ++i) {
    const std::vector<double> seconds = times_at(place, process.latencies_ns[i]);
    if (first_ones.size() < 2) first_ones.insert(first_ones.end(), seconds.begin(), seconds.end());
    if (!process.repetitions[i].is_warm_up) later.insert(later.end(), seconds.begin(), seconds.end());
  }
  const auto of_process = [&](double value) {
    return OfRound{process.run_key, process.process_index, value, process.environment_hash};
  };
  if (first_ones.size() < 2 || later.empty()) return;
  std::sort(later.begin(), later.end());
  shape.first_s.push_back(of_process(first_ones[0]));
  shape.second_s.push_back(of_process(first_ones[1]));
  shape.later_s.push_back(of_process(statistics::quantile_of_sorted(later, 0.5)));
  if (place.gained_bytes) shape.gained_bytes.push_back(of_process(*place.gained_bytes));
}

}  // namespace

void add_visits(const store::RecordedProcess& process, std::vector<ShapeVisits>& shapes) {
  for (const Place& place : places_of(process)) {
    auto known = std::ranges::find(shapes, place.name, &ShapeVisits::name);
    if (known == shapes.end()) known = shapes.insert(shapes.end(), {.name = place.name});
    add_visits_of(place, process, *known);
  }
}

}  // namespace ngb::metrics
