// SPDX-License-Identifier: Apache-2.0
#include "toolchain/selection.h"

#include <fmt/format.h>
#include <sys/utsname.h>

#include <algorithm>
#include <cerrno>
#include <mutex>
#include <numeric>
#include <system_error>
#include <utility>

#include "base/file.h"
#include "base/removal.h"
#include "base/text.h"
#include "base/threads.h"
#include "toolchain/pins.h"
#include "toolchain/requirement.h"
#include "toolchain/site.h"

namespace ngb::toolchain {

namespace {

using Size = std::optional<std::uint64_t> ChosenWheel::*;

// Returns "cp311-x86_64", the kind of device for which the wheels are.
std::string kind_of_wheels(const Python& python) {
  utsname here{};
  ::uname(&here);
  const std::string& version = python.target ? python.target->python : python.version;
  const std::string machine = python.target ? python.target->machine : std::string(here.machine);
  const std::size_t minor = version.find('.');
  const std::size_t end = minor == std::string::npos ? minor : version.find('.', minor + 1);
  std::string digits = version.substr(0, end);
  std::erase(digits, '.');
  return fmt::format("cp{}-{}", digits, machine);
}

bool is_nvidias(const ChosenWheel& wheel) {
  return wheel.name.starts_with("nvidia-") || wheel.name.starts_with("cuda-");
}

std::vector<ChosenWheel> nvidias(const std::vector<ChosenWheel>& wheels) {
  std::vector<ChosenWheel> found;
  std::copy_if(wheels.begin(), wheels.end(), std::back_inserter(found), is_nvidias);
  return found;
}

// Returns "2.53 GB", "at least 2.53 GB" if the size of some is unknown, or "an unknown size".
std::string size_of(const std::vector<ChosenWheel>& wheels, Size size) {
  std::uint64_t sum = 0;
  std::size_t known = 0;
  for (const ChosenWheel& wheel : wheels) {
    if (!(wheel.*size)) continue;
    sum += *(wheel.*size);
    ++known;
  }
  if (known == 0) return "an unknown size";
  return (known < wheels.size() ? "at least " : "") + text::human_bytes(sum);
}

std::vector<std::string> names_of(const std::vector<ChosenWheel>& wheels) {
  std::vector<std::string> names;
  for (const ChosenWheel& wheel : wheels) names.push_back(wheel.name);
  return names;
}

// Returns the names of the chosen packages that are needed here. Both lists are sorted by name.
Result<std::vector<std::string>> names_of_needed(const Python& python, const Wish& wish,
                                                 const std::vector<ChosenWheel>& chosen) {
  const bool skips = !wish.has_gpu && !wish.skip_without_gpu.empty();
  if (!wish.with_dependencies && !skips) return names_of(chosen);  // just what was asked for: no question to Python
  Requirements requirements{.wanted = wish.requirements};
  if (skips) requirements.skip.insert(wish.skip_without_gpu.begin(), wish.skip_without_gpu.end());
  if (python.target) requirements.markers = marker_variables(*python.target);
  for (const ChosenWheel& wheel : chosen) {
    requirements.chosen[wheel.name] = {wheel.version,
                                       wish.with_dependencies ? wheel.requires_dist : std::vector<std::string>{}};
  }
  Result<Needs> needs = find_needs(python.command, requirements);
  if (!needs) return error_of(needs);
  if (needs->unmet.empty()) return std::move(needs->packages);
  return fail("pip chose no package that meets " + text::join(needs->unmet, ", "), "pip", "update pip");
}

}  // namespace

Status check_wheels(const Python& python, const std::vector<ChosenWheel>& wheels) {
  const std::string kind = kind_of_wheels(python);
  for (const ChosenWheel& wheel : wheels) {
    if (Status same = check_wheel(kind, wheel.name, wheel.version, wheel.sha256); !same) return same;
  }
  return Done{};
}

Result<Selection> select(const Python& python, const Wish& wish, const std::filesystem::path& scratch) {
  Result<std::vector<ChosenWheel>> chosen = pip_choose(python, {.requirements = wish.requirements,
                                                                .scratch = scratch,
                                                                .with_dependencies = wish.with_dependencies,
                                                                .prefer_cpu = !wish.has_gpu,
                                                                .needs_hashes = wish.needs_hashes});
  if (!chosen) return error_of(chosen);
  std::sort(chosen->begin(), chosen->end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  const Result<std::vector<std::string>> needed = names_of_needed(python, wish, *chosen);
  if (!needed) return error_of(needed);
  Selection selection{.has_gpu = wish.has_gpu};
  for (ChosenWheel& wheel : *chosen) {
    const bool is_needed = std::binary_search(needed->begin(), needed->end(), wheel.name);
    (is_needed ? selection.wheels : selection.left_out).push_back(std::move(wheel));
  }
  if (Status same = check_wheels(python, selection.wheels); !same) return error_of(same);
  return selection;
}

std::string weight(const Selection& selection) {
  const std::vector<ChosenWheel>& wheels = selection.wheels;
  std::string line =
      fmt::format("{} package{}: {} to download, {} on disk", wheels.size(), wheels.size() == 1 ? "" : "s",
                  size_of(wheels, &ChosenWheel::download_bytes), size_of(wheels, &ChosenWheel::installed_bytes));
  const std::vector<ChosenWheel> for_gpus = nvidias(wheels);
  if (!for_gpus.empty() && !selection.has_gpu) {
    line += fmt::format(
        "; {} of the download are libraries of NVIDIA, without which this build does not load even where there is no "
        "GPU "
        "(a build without CUDA, if pip's index has one, does)",
        size_of(for_gpus, &ChosenWheel::download_bytes));
  }
  if (!selection.left_out.empty()) {
    line += fmt::format("; left out, because only a GPU needs them: {} ({})",
                        text::join(names_of(selection.left_out), ", "),
                        size_of(selection.left_out, &ChosenWheel::download_bytes));
  }
  return line;
}

std::uint64_t bytes_needed(const std::vector<ChosenWheel>& wheels) {
  return std::accumulate(wheels.begin(), wheels.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const ChosenWheel& each) {
                           return sum + each.download_bytes.value_or(0) + each.installed_bytes.value_or(0);
                         });
}

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

// Moves the packages that a call of pip has installed to those of other calls.
Status take(const std::filesystem::path& incoming, const std::filesystem::path& site) {
  std::error_code code;
  if (!std::filesystem::exists(incoming, code)) return Done{};
  if (Status merged = site::merge(incoming, site); !merged) return merged;
  if (!file::remove_all(incoming)) return tl::unexpected(file::from_errno("remove", incoming, errno));
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
    file::remove_all(own);
  };
  run_side_by_side(parts.size(), install);
  std::vector<ChosenWheel> installed;
  for (Result<std::vector<ChosenWheel>>& result : results) {
    if (!result) return error_of(result);
    std::move(result->begin(), result->end(), std::back_inserter(installed));
  }
  std::sort(installed.begin(), installed.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  return installed;
}

}  // namespace ngb::toolchain
