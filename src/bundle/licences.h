// SPDX-License-Identifier: Apache-2.0
// The table of licences under which data are given away. Help and metadata derive from its rows.
#pragma once

#include <span>
#include <string>

#include "base/result.h"

namespace ngb::bundle {

struct Licence {
  const char* spdx;  // identifier of the SPDX list
  const char* name;
  const char* url;
};
std::span<const Licence> licences();

// Returns an error that names the nearest licence, or lists all.
Result<const Licence*> find_licence(const std::string& spdx);

}  // namespace ngb::bundle
