// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace ngb::campaign {

// Returns a name for a folder that no earlier command has used: "20261123T231500Z", the present time.
std::string time_folder();

}  // namespace ngb::campaign
