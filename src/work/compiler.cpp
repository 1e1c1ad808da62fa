// SPDX-License-Identifier: Apache-2.0
#include "work/compiler.h"

namespace ngb::work {

std::string word_of_in_flight(const Compiler& compiler) {
  return compiler.in_flight ? std::to_string(*compiler.in_flight) : "auto";
}

std::string asked_threads(const Compiler& compiler) {
  return compiler.threads_asked.empty() ? std::to_string(compiler.threads) : compiler.threads_asked;
}

}  // namespace ngb::work
