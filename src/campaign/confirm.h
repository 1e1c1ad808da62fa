// SPDX-License-Identifier: Apache-2.0
// Measures one configuration under requests that arrive at random.
#pragma once

#include <filesystem>
#include <vector>

#include "campaign/installation.h"
#include "campaign/observer.h"
#include "campaign/refusal.h"
#include "store/merge.h"

namespace ngb::campaign {

// The configuration to measure, which is one of the results, and the requests that it receives.
struct Serving {
  const store::CellData* cell = nullptr;
  double requests_per_s = 1;
  std::size_t requests = 0;  // of all processes together; each answers full batches
  double busy_s = 0;         // of a server, for each request
};

struct Served {
  store::CellData cell{};
  std::filesystem::path results{};
};

// Measures the configuration with the study of its results folder, reduced to it and with `arrivals`, as `ngb run`
// does, on its device and in as many processes as the study has, which share the requests. Says how long they arrive.
// `output` is the results folder; "" means a new one below the study's own with "-confirm" behind
// its name.
Answer<Served> serve(const Installation& installation, const std::vector<store::Source>& sources,
                     const Serving& serving, const std::string& output, Observer& observer);

}  // namespace ngb::campaign
