// SPDX-License-Identifier: Apache-2.0
#include "campaign/known_runs.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/json_text.h"
#include "config/study.h"

namespace ngb::campaign {
namespace {

constexpr std::uint64_t kMostKeptBytes = 16U << 20U;

// Returns an empty path if there is no cache, or the id is not one that ngb gives: it may come from a results file.
std::filesystem::path run_file(const std::filesystem::path& cache, const std::string& run_id) {
  const bool is_id = !run_id.empty() && run_id.find_first_not_of("0123456789abcdef") == std::string::npos;
  return cache.empty() || !is_id ? std::filesystem::path() : cache / "runs" / (run_id + ".json");
}

}  // namespace

Status keep_devices(const Installation& installation, const std::string& run_id, const config::Study& study,
                    const Say& say) {
  if (std::all_of(study.devices.begin(), study.devices.end(), config::is_here)) return Done{};
  const std::filesystem::path path = run_file(usable_cache(installation, say), run_id);
  if (path.empty()) return Done{};
  if (Status made = file::make_folder(path.parent_path()); !made) return made;
  const nlohmann::json devices{{"devices", config::to_json(study)["devices"]}};
  return file::write_atomically(path, json_text::dump(devices, 2) + "\n");
}

Result<std::vector<config::DeviceEntry>> kept_devices(const Installation& installation, const std::string& run_id,
                                                      const Say& say) {
  const std::filesystem::path path = run_file(usable_cache(installation, say), run_id);
  std::error_code code;
  if (path.empty() || !std::filesystem::exists(path, code)) return std::vector<config::DeviceEntry>{};
  const auto text = file::read(path, kMostKeptBytes);
  if (!text) return error_of(text);
  auto devices = config::devices_of_study(*text);
  if (!devices) return fail(devices.error().what, path.string(), "remove this file, and name the run's study");
  return devices;
}

}  // namespace ngb::campaign
