// SPDX-License-Identifier: Apache-2.0
// The profiles of one side of a comparison, and the times of regions in each of them.
#pragma once

#include <algorithm>
#include <vector>

#include "explain/ownership.h"
#include "explain/regions.h"
#include "samples/kernel_profile.h"

namespace ngb::explain {

// Profiles of one side, of which most have the same kernels: those share an Ownership.
class SideProfiles {
 public:
  // `graph` is the side's own graph. The owners refer to the nodes of `common`.
  SideProfiles(const Graph& graph, const Graph& common, std::vector<const samples::KernelProfile*> profiles)
      : profiles_(std::move(profiles)) {
    const auto matches = match(graph, common);
    const samples::KernelProfile* before = nullptr;
    for (const samples::KernelProfile* const profile : profiles_) {
      if (before == nullptr || before->kernels != profile->kernels)
        owners_.push_back(moved(find_owners(graph, profile->kernels), matches, common));
      owner_of_.push_back(owners_.size() - 1);
      before = profile;
    }
  }
  [[nodiscard]] const std::vector<const samples::KernelProfile*>& profiles() const { return profiles_; }
  [[nodiscard]] const std::vector<Ownership>& owners() const { return owners_; }
  [[nodiscard]] const Ownership& owners_of(std::size_t round) const { return owners_[owner_of_[round]]; }
  [[nodiscard]] bool has_nodes() const {
    return std::all_of(owners_.begin(), owners_.end(), [](const Ownership& each) {
      return std::any_of(each.nodes.begin(), each.nodes.end(), [](const auto& nodes) { return !nodes.empty(); });
    });
  }
  // Returns the times of each round's regions, by the mean or the least times of kernels; none if a round has none.
  [[nodiscard]] std::vector<std::vector<double>> times(const Regions& regions,
                                                       std::vector<double> samples::KernelProfile::* of_kernels) const {
    std::vector<std::vector<double>> all;
    for (std::size_t i = 0; i < profiles_.size(); ++i) {
      const std::vector<double>& kernel_ns = profiles_[i]->*of_kernels;
      if (kernel_ns.size() < profiles_[i]->kernels.size()) return {};
      all.push_back(times_of(regions, owners_of(i), kernel_ns));
    }
    return all;
  }

 private:
  std::vector<const samples::KernelProfile*> profiles_;
  std::vector<Ownership> owners_{};
  std::vector<std::size_t> owner_of_{};  // of each profile
};

}  // namespace ngb::explain
