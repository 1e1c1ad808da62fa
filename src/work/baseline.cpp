// SPDX-License-Identifier: Apache-2.0
#include "work/baseline.h"

#include <fmt/format.h>

#include <vector>

#include "work/property.h"

namespace ngb::work {
namespace {

constexpr const char* kAny = "*";
constexpr std::initializer_list<Role> kCommon{Role::device, Role::batch, Role::load};  // to a candidate and a cell

std::string key_of_candidate(const std::string& common, const std::string& threads, const std::string& placing,
                             const std::string& precision, const std::string& compute_device) {
  return fmt::format("{}\n{}\n{}\n{}\n{}", common, threads, placing, precision, compute_device);
}

std::string placing_of(const Compiler& compiler) {
  return fmt::format("{} {}", compiler.instances, compiler.processors);
}

// Returns the value by which a cell is found, then the one that fits all.
std::array<std::string, 2> or_any(std::string value) { return {std::move(value), kAny}; }

}  // namespace

bool is_called(BaselineKind kind, std::string_view words, const Compiler& compiler) {
  switch (kind) {
    case BaselineKind::label:
      return words == compiler.label;
    case BaselineKind::version:
      return words == compiler.name + "@" + compiler.version;
    case BaselineKind::name:
      return words == compiler.name;
  }
  return false;
}

void BaselineCandidates::add(const Configuration& candidate, std::span<const std::string> compute_devices,
                             std::size_t index) {
  const std::string common = key_of(candidate, kCommon) + candidate.model.key.hash;
  std::vector<std::string> all(compute_devices.begin(), compute_devices.end());
  all.emplace_back(kAnyComputeDevice);
  for (const std::string& threads : or_any(candidate.threads_there())) {
    for (const std::string& placing : or_any(placing_of(candidate.compiler))) {
      for (const std::string& compute_device : all) {
        first_.emplace(key_of_candidate(common, threads, placing, candidate.compiler.precision, compute_device), index);
      }
    }
  }
}

std::optional<std::size_t> BaselineCandidates::best_for(const Configuration& cell,
                                                        std::span<const std::string> compute_devices,
                                                        bool is_one_setting) const {
  const std::string common = key_of(cell, kCommon) + cell.model.workload_hash();
  std::vector<std::string> precisions{kFullPrecision};
  if (cell.compiler.precision != kFullPrecision) precisions.push_back(cell.compiler.precision);
  for (const std::string& threads : or_any(cell.threads_there())) {
    if (threads == kAny && !is_one_setting) break;
    for (const std::string& precision : precisions) {
      for (const std::string& compute_device : compute_devices) {
        for (const std::string& placing : or_any(placing_of(cell.compiler))) {
          const auto found = first_.find(key_of_candidate(common, threads, placing, precision, compute_device));
          if (found != first_.end()) return found->second;
        }
      }
    }
  }
  return std::nullopt;
}

}  // namespace ngb::work
