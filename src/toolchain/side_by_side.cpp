// SPDX-License-Identifier: Apache-2.0
#include "toolchain/side_by_side.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "base/file.h"
#include "toolchain/site.h"

namespace ngb::toolchain {
namespace {

// On one processor, roughly: download and hash 100 MB, write 300 MB of files, make bytecode of 4 MB of Python.
constexpr double kDownloadBytesPerS = 100e6;
constexpr double kInstallBytesPerS = 300e6;
constexpr double kPythonBytesPerS = 4e6;
constexpr double kStartOfPipS = 1;

constexpr std::size_t kMostPips = 4;

double seconds_for(const ChosenWheel& wheel) {
  if (!wheel.download_bytes) return kStartOfPipS;
  return static_cast<double>(*wheel.download_bytes) / kDownloadBytesPerS +
         static_cast<double>(wheel.installed_bytes.value_or(0)) / kInstallBytesPerS +
         static_cast<double>(wheel.python_bytes.value_or(0)) / kPythonBytesPerS;
}

// Moves what a pip has installed to the other packages.
Status take(const std::filesystem::path& incoming, const std::filesystem::path& site) {
  std::error_code code;
  if (!std::filesystem::exists(incoming, code)) return Done{};
  if (Status merged = site::merge(incoming, site); !merged) return merged;
  std::filesystem::remove_all(incoming, code);
  if (code) return tl::unexpected(file::from_errno("remove", incoming, code.value()));
  return Done{};
}

}  // namespace

std::vector<std::vector<ChosenWheel>> shares(std::vector<ChosenWheel> wheels, std::size_t most) {
  double total_s = 0;
  for (const ChosenWheel& wheel : wheels) total_s += seconds_for(wheel);
  const auto worth = static_cast<std::size_t>(total_s / (2 * kStartOfPipS));
  const std::size_t count = std::clamp<std::size_t>(std::min(worth, wheels.size()), 1, std::max<std::size_t>(most, 1));
  // The longest first, each to the share that ends first so far.
  std::stable_sort(wheels.begin(), wheels.end(),
                   [](const auto& a, const auto& b) { return seconds_for(a) > seconds_for(b); });
  std::vector<std::vector<ChosenWheel>> made(count);
  std::vector<double> taken_s(count, 0);
  for (ChosenWheel& wheel : wheels) {
    const auto shortest = static_cast<std::size_t>(std::min_element(taken_s.begin(), taken_s.end()) - taken_s.begin());
    taken_s[shortest] += seconds_for(wheel);
    made[shortest].push_back(std::move(wheel));
  }
  std::erase_if(made, [](const auto& share) { return share.empty(); });
  return made;
}

Result<std::vector<ChosenWheel>> install_side_by_side(const Python& python, const std::filesystem::path& folder,
                                                      const std::vector<ChosenWheel>& wheels,
                                                      const Progress& progress) {
  const std::vector<std::vector<ChosenWheel>> parts = shares(wheels, kMostPips);
  std::vector<Result<std::vector<ChosenWheel>>> results(parts.size());
  std::mutex one_at_a_time;
  const auto report = [&](std::string_view line) {
    const std::lock_guard held(one_at_a_time);
    if (progress) progress(line);
  };
  const auto install = [&](std::size_t i) {
    const std::filesystem::path own = folder / fmt::format("share-{}", i);
    results[i] =
        pip_install(python, {.site = own / "incoming", .scratch = own / "scratch", .wheels = parts[i]}, report);
    const std::lock_guard held(one_at_a_time);
    if (results[i]) {
      if (Status taken = take(own / "incoming", folder / "site"); !taken) results[i] = error_of(taken);
    }
    std::error_code ignored;
    std::filesystem::remove_all(own, ignored);
  };
  {
    std::vector<std::jthread> others;
    for (std::size_t i = 1; i < parts.size(); ++i) others.emplace_back(install, i);
    if (!parts.empty()) install(0);
  }
  std::vector<ChosenWheel> installed;
  for (Result<std::vector<ChosenWheel>>& result : results) {
    if (!result) return error_of(result);
    std::move(result->begin(), result->end(), std::back_inserter(installed));
  }
  std::sort(installed.begin(), installed.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  return installed;
}

}  // namespace ngb::toolchain
