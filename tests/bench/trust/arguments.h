// SPDX-License-Identifier: Apache-2.0
// The arguments that every simulation here takes: [--studies N] [--check].
#pragma once

#include <fmt/format.h>

#include <charconv>
#include <cstdlib>
#include <string_view>

namespace ngb::metrics {

struct SimulationArguments {
  int studies = 0;
  bool is_check = false;  // exit status 1 where a result leaves its limits
};

// Prints how the program is used and exits with status 2 if they are wrong.
inline SimulationArguments parse_simulation_arguments(int argc, char** argv, int default_studies) {
  SimulationArguments parsed{.studies = default_studies};
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    const std::string_view value = i + 1 < argc ? argv[i + 1] : "";
    if (argument == "--check") {
      parsed.is_check = true;
    } else if (argument == "--studies" &&
               std::from_chars(value.data(), value.data() + value.size(), parsed.studies).ec == std::errc{} &&
               parsed.studies > 0) {
      ++i;
    } else {
      fmt::print(stderr, "usage: {} [--studies N] [--check]\n", argv[0]);
      std::exit(2);
    }
  }
  return parsed;
}

}  // namespace ngb::metrics
