// SPDX-License-Identifier: Apache-2.0
#include "base/result.h"

namespace ngb {

std::string Error::text() const {
  std::string line = where.empty() ? what : where + ": " + what;
  if (!next.empty()) line += "; " + next;
  return line;
}

}  // namespace ngb
