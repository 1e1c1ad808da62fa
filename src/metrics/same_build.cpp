// SPDX-License-Identifier: Apache-2.0
#include "metrics/same_build.h"

#include <strings.h>

#include <algorithm>
#include <cmath>

#include "statistics/statistics.h"
#include "work/property.h"

namespace ngb::metrics {

namespace {

using store::CellData;

// Two processes of one machine never start in the same nanosecond.
bool is_same_measurement(const CellData& a, const CellData& b) {
  return a.processes.front().started_unix_ns == b.processes.front().started_unix_ns;
}

// Returns the properties of which a build, an environment and the fact `device` say nothing.
std::string what_ran(const work::Configuration& of) {
  using work::Role;
  return work::key_of(of, {Role::device, Role::model, Role::batch, Role::compiler, Role::version, Role::options,
                           Role::instances, Role::threads, Role::precision, Role::load});
}

struct Differences {
  std::string device{};
  std::string compute_device{};
  std::vector<double> values{};
};

}  // namespace

std::string compute_device_of(const CellData& cell) {
  if (cell.processes.empty()) return {};
  const auto& facts = cell.processes.front().facts;
  const auto device = facts.find("device");
  return device == facts.end() ? std::string() : device->second;
}

bool is_same_build(const CellData& a, const CellData& b) {
  if (a.processes.empty() || b.processes.empty()) return false;
  const store::RecordedProcess& one = a.processes.front();
  const store::RecordedProcess& other = b.processes.front();
  const std::string build = one.made_with.build();
  return !build.empty() && build == other.made_with.build() &&
         one.made_with.model_sha256 == other.made_with.model_sha256 && one.environment_hash == other.environment_hash &&
         what_ran(a.of) == what_ran(b.of) && compute_device_of(a) == compute_device_of(b);
}

std::vector<NoiseFloor> noise_floors(const Comparison& comparison) {
  std::vector<Differences> found;
  for (const ComparedPair& pair : comparison.pairs) {
    if (!pair.is_same_build || pair.status != PairStatus::judged || pair.by.metric != nullptr) continue;
    if (is_same_measurement(*pair.baseline, *pair.candidate)) continue;
    const std::string& device = pair.candidate->of.device;
    const std::string compute_device = compute_device_of(*pair.candidate);
    auto place = std::find_if(found.begin(), found.end(), [&](const Differences& each) {
      // "cpu" to some libraries, "CPU" to others.
      return each.device == device && ::strcasecmp(each.compute_device.c_str(), compute_device.c_str()) == 0;
    });
    if (place == found.end()) place = found.insert(found.end(), {device, compute_device, {}});
    place->values.push_back(std::abs(std::expm1(pair.judgement.contrast.estimate)));
  }
  std::vector<NoiseFloor> floors;
  for (Differences& each : found) {
    std::sort(each.values.begin(), each.values.end());
    floors.push_back({std::move(each.device), std::move(each.compute_device), each.values.size(),
                      statistics::quantile_of_sorted(each.values, 0.5), each.values.back()});
  }
  return floors;
}

}  // namespace ngb::metrics
