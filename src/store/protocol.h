// SPDX-License-Identifier: Apache-2.0
// What makes two measurements comparable, in the words of the study file. One results file holds one protocol.
#pragma once

#include <string>
#include <vector>

#include "config/study.h"
#include "plan/plan.h"

namespace ngb::store {

struct ProtocolKey {
  std::string key{};
  std::string value{};  // JSON text
};

// Everything of a study that changes what a number means, but for what is part of the cells. Sorted by key.
std::vector<ProtocolKey> protocol_of(const config::Study& study);

// SHA-256 over the cells, the protocol and the limits: equal for two studies that do the same.
std::string study_hash(const plan::Plan& plan);

}  // namespace ngb::store
