// SPDX-License-Identifier: Apache-2.0
#include "base/result.h"

namespace ngb {

std::string Error::text() const {
  std::string line = where.empty() ? what : where + ": " + what;
  if (!next.empty()) line += "; " + next;
  return line;
}

Error Error::within(const std::string& place, const char* between) const {
  Error error = *this;
  error.where = where.empty() ? place : place + between + where;
  return error;
}

}  // namespace ngb
