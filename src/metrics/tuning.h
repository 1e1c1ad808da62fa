// SPDX-License-Identifier: Apache-2.0
// What a search over the settings of compilers has found, and what measuring its winners anew says of them.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "metrics/metric.h"
#include "statistics/verdict.h"
#include "work/configuration.h"

namespace ngb::metrics {

// The settings of one compiler on one workload (device, model, batch size, load).
struct TunedSettings {
  work::Configuration usual{};   // the first that the study lists
  work::Configuration winner{};  // the fastest of the search; `usual` if none is faster
  std::size_t settings = 0;      // that the study lists
  std::size_t measured = 0;      // of them, those with a speed
  // T_winner / T_usual in the search. The winner was chosen because it was fast there, so on average this is too much.
  Value promised{};
  // The judgement of processes that took no part in the choice. If there is none, `why` says so.
  std::optional<statistics::Judgement> confirmed{};
  std::string why{};
  nlohmann::json entry{};  // the winner as an entry of a study's `compilers`
};

struct Tuned {
  std::vector<TunedSettings> all{};
  double margin_ratio = 0.03;  // within 1 ± this, a winner is no faster
  std::string search{};        // results folders
  std::string confirm{};       // "": nothing was confirmed
};

}  // namespace ngb::metrics
