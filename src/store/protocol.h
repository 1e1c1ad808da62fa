// SPDX-License-Identifier: Apache-2.0
// Describes the protocol of a study in the words of the study file. A results file holds measurements of one protocol.
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

// Returns every key of a study that changes the meaning of a number and is not part of the cells, sorted by key.
std::vector<ProtocolKey> protocol_of(const config::Study& study);

// Returns the SHA-256 over the cells, the protocol and the limits. Two studies with the same hash do the same work.
std::string study_hash(const plan::Plan& plan);

// Returns the protocol's `rounds`, from the JSON text of its recorded value; nothing if the text does not describe any.
std::optional<work::Rounds> rounds_of(const std::string& value_json);

}  // namespace ngb::store
