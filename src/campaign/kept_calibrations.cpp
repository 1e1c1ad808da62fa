// SPDX-License-Identifier: Apache-2.0
#include "campaign/kept_calibrations.h"

#include <algorithm>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>

#include "base/json_text.h"
#include "work/codec.h"

namespace ngb::campaign {
namespace {

using metrics::CalibratedThreads;
using metrics::DeviceCalibration;
using metrics::Peak;
using nlohmann::json;

constexpr int kVersion = 1;
constexpr const char* kCalibrations = "calibrations";

std::filesystem::path calibration_name(const std::string& environment_hash) {
  return std::filesystem::path(kCalibrations) / (environment_hash + ".json");
}

bool is_hash(const std::string& text) {
  return !text.empty() && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

Status write_device(const CacheFolder& cache, const DeviceCalibration& device) {
  const json content{{"version", kVersion},
                     {"environment_hash", device.environment_hash},
                     {"threads", work::write_json(device.threads)},
                     {"peaks", work::write_json(device.peaks)}};
  return cache.keep_text(calibration_name(device.environment_hash), json_text::dump(content, 1) + "\n");
}

// Adds `measured` to a list of the device's kept calibration. It replaces the item that has the same key.
template <class Item, class KeyOf>
Status keep_in(std::vector<Item> DeviceCalibration::* list, const CacheFolder& cache,
               const std::string& environment_hash, Item measured, KeyOf key_of) {
  if (!is_hash(environment_hash)) return fail("the processes name no environment", "ngb calibrate");
  DeviceCalibration device = kept_calibration(cache, environment_hash);
  std::vector<Item>& items = device.*list;
  std::erase_if(items, [&](const Item& each) { return key_of(each) == key_of(measured); });
  items.push_back(std::move(measured));
  std::ranges::sort(items, {}, key_of);
  return write_device(cache, device);
}

Known<Peak> unknown_peak(std::string reason) { return Known<Peak>::unknown(std::move(reason)); }

// Returns the environment of all processes of the comparison's judged pairs; "" if they have several.
std::string only_environment(const metrics::Comparison& comparison) {
  std::set<std::string> hashes;
  for (const metrics::ComparedPair& pair : comparison.pairs) {
    if (pair.status != metrics::PairStatus::judged) continue;
    for (const store::CellData* cell : {pair.baseline, pair.candidate}) {
      for (const store::RecordedProcess& process : cell->processes) hashes.insert(process.environment_hash);
    }
  }
  return hashes.size() == 1 ? *hashes.begin() : std::string();
}

}  // namespace

DeviceCalibration kept_calibration(const CacheFolder& cache, const std::string& environment_hash) {
  DeviceCalibration device{.environment_hash = environment_hash};
  const auto content = is_hash(environment_hash) ? cache.find_text(calibration_name(environment_hash)) : std::nullopt;
  try {
    const json read = content ? json_text::parse(*content) : json();
    if (!read.is_object() || read.at("version").get<int>() != kVersion) return device;
    device.threads = work::read_json<std::vector<CalibratedThreads>>(read.at("threads"), "threads");
    json peaks = read.value("peaks", json::array());
    for (json& each : peaks) each.emplace("reads", json::array());  // earlier versions did not read
    device.peaks = work::read_json<std::vector<Peak>>(peaks, "peaks");
  } catch (const std::exception&) {
    return {.environment_hash = environment_hash};
  }
  return device;
}

Status keep_calibration(const CacheFolder& cache, const std::string& environment_hash, CalibratedThreads measured) {
  return keep_in(&DeviceCalibration::threads, cache, environment_hash, std::move(measured),
                 [](const CalibratedThreads& each) { return std::pair(each.threads, each.turns); });
}

Status keep_peak(const CacheFolder& cache, const std::string& environment_hash, Peak peak) {
  return keep_in(&DeviceCalibration::peaks, cache, environment_hash, std::move(peak),
                 [](const Peak& each) { return std::pair(each.threads, each.compute_device); });
}

metrics::PeakOf peaks_in(CacheFolder cache) {
  const auto known = std::make_shared<std::map<std::string, DeviceCalibration>>();
  return [cache = std::move(cache), known](const store::CellData& cell) {
    std::set<std::string> environments;
    for (const store::RecordedProcess& process : cell.processes) environments.insert(process.environment_hash);
    if (environments.empty()) return unknown_peak("no process was measured");
    if (environments.size() > 1) return unknown_peak("its processes ran in several states of the machine");
    if (!cell.of.threads) return unknown_peak("no process has reported how many threads it has");
    if (cell.of.compiler.precision != "f32")
      return unknown_peak("peaks are of f32, and the cell is in " + cell.of.compiler.precision);
    const std::string& environment = *environments.begin();
    auto kept = known->find(environment);
    if (kept == known->end()) kept = known->emplace(environment, kept_calibration(cache, environment)).first;
    return metrics::find_peak(kept->second.peaks, *cell.of.threads, cell.of.compute_device.value.value_or("cpu"));
  };
}

namespace {

// Returns the deviation of quiet cells with so many threads and turns; nothing if none could be measured.
std::optional<double> quiet_deviation_of(const DeviceCalibration& device, int threads, int turns) {
  const CalibratedThreads* const measured = device.find(threads, turns);
  if (measured == nullptr) return std::nullopt;
  const metrics::Calibration found = metrics::calibrate(measured->cells);
  return found.cells == 0 ? std::nullopt : std::optional(found.quiet_deviation);
}

}  // namespace

std::vector<work::QuietDeviation> quiet_deviations(const CacheFolder& cache, int turns) {
  std::vector<work::QuietDeviation> all;
  std::error_code code;
  for (const auto& file : std::filesystem::directory_iterator(cache.path() / kCalibrations, code)) {
    const std::string environment = file.path().stem().string();
    const DeviceCalibration device = kept_calibration(cache, environment);
    for (const CalibratedThreads& each : device.threads) {
      const auto deviation = each.turns == turns ? quiet_deviation_of(device, each.threads, turns) : std::nullopt;
      if (deviation) all.push_back({environment, each.threads, *deviation});
    }
  }
  return all;
}

std::optional<double> quiet_deviation_for(const metrics::Comparison& comparison, int turns, const CacheFolder& cache) {
  std::set<int> threads;
  for (const metrics::ComparedPair& pair : comparison.pairs) {
    if (pair.status != metrics::PairStatus::judged || pair.is_same_build) continue;
    for (const store::CellData* const cell : {pair.baseline, pair.candidate}) {
      if (cell->of.threads) threads.insert(*cell->of.threads);
    }
  }
  const DeviceCalibration device = kept_calibration(cache, only_environment(comparison));
  std::optional<double> largest;
  for (const int count : threads) {
    const auto deviation = quiet_deviation_of(device, count, turns);
    if (!deviation) return std::nullopt;
    largest = std::max(largest.value_or(0), *deviation);
  }
  return largest;
}

}  // namespace ngb::campaign
