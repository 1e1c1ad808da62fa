// SPDX-License-Identifier: Apache-2.0
// Says what a measurement belongs to: the place, the compiler, the model and the load of a cell.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "work/compiler.h"
#include "work/load.h"
#include "work/model.h"

namespace ngb::work {

struct Configuration {
  std::string device{};
  Compiler compiler{};
  ModelSummary model{};
  std::string load = kNoLoad;  // Load::name: what ran beside it while it was timed

  // Threads that its inference may use on the device: the number that the study asks for or, if it asks by a word, that
  // of the processes that count. Nothing: by a word, and no process has reported yet how many it means.
  std::optional<int> threads{1};
  // The kind of processor that inference ran on: "cpu", "gpu" or "npu". A cell's id does not depend on it.
  Known<std::string> compute_device = Known<std::string>::unknown("no process has reported where it computes");

  // Returns the number of threads, or the word while the number is unknown. Cells of one device are compared if they
  // have the same here.
  [[nodiscard]] std::string threads_there() const {
    return threads ? std::to_string(*threads) : compiler.threads_asked;
  }
  // Returns the word or the number that the study asks for. Cells of different devices are compared if these are equal.
  [[nodiscard]] std::string threads_wanted() const {
    return compiler.threads_asked.empty() ? threads_there() : compiler.threads_asked;
  }
};

}  // namespace ngb::work
