// SPDX-License-Identifier: Apache-2.0
#include "toolchain/selection.h"

#include <fmt/format.h>
#include <sys/utsname.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/text.h"
#include "toolchain/pins.h"
#include "toolchain/requirement.h"

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

}  // namespace ngb::toolchain
